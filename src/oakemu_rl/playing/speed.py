# SPDX-License-Identifier: GPL-3.0-or-later
"""How fast a person plays: slower or faster than the real machine, or as fast as it goes."""

import math

import numpy as np
from numpy.typing import NDArray

__all__ = ["Speed", "stretched"]

_STEPS = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0, math.inf)
_NORMAL = _STEPS.index(1.0)
_FRAMES_AT_ONCE = 32  # a picture of so many frames, when there is no other limit


class Speed:
    """A place among 0.25, 0.5, 1, 2, 4 and 8 times the real speed, and as fast as it goes."""

    def __init__(self) -> None:
        self._place = _NORMAL
        self._turbo = False

    def change(self, steps: int) -> None:
        """Goes up or down by some steps, as far as they reach."""
        self._place = min(max(self._place + steps, 0), len(_STEPS) - 1)

    def normal(self) -> None:
        """Goes back to the real speed."""
        self._place = _NORMAL

    def turbo(self, *, on: bool) -> None:
        """As fast as it goes while this is on, whatever the place."""
        self._turbo = on

    @property
    def factor(self) -> float:
        """Times the real speed; infinity for as fast as it goes."""
        return math.inf if self._turbo else _STEPS[self._place]

    @property
    def text(self) -> str:
        """In words: ``2x``, ``max``."""
        return "max" if math.isinf(self.factor) else f"{self.factor:g}x"

    @property
    def frames(self) -> int:
        """Frames of the machine for each picture that is shown."""
        return _FRAMES_AT_ONCE if math.isinf(self.factor) else max(1, round(self.factor))

    def rate(self, frame_rate: float) -> float:
        """Pictures a second.

        Args:
            frame_rate: Frames a second of the real machine.
        """
        return math.inf if math.isinf(self.factor) else frame_rate * self.factor / self.frames


def stretched(samples: NDArray[np.int16], factor: float) -> NDArray[np.int16]:
    """Samples that take as long at ``factor`` times the speed, and sound higher or lower accordingly.

    Args:
        samples: (n,), at the real speed.
        factor: Times the real speed.

    Returns:
        (n / factor,), the samples themselves at a factor of 1.
    """
    if factor == 1.0 or not samples.size:
        return samples
    places = np.arange(round(samples.size / factor)) * factor
    heard: NDArray[np.int16] = np.interp(places, np.arange(samples.size), samples).astype(np.int16)
    return heard
