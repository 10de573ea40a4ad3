# SPDX-License-Identifier: GPL-3.0-or-later
"""A machine as a person sees and hears it: the picture that the beam draws, and the sound as samples."""

import numpy as np
from numpy.typing import NDArray

from oakemu_rl._core import Machine
from oakemu_rl._core import Watcher as CoreWatcher
from oakemu_rl.errors import UserError

__all__ = ["SAMPLE_RATE", "WatchedFrame", "Watcher"]

SAMPLE_RATE = 48_000
"""Samples a second."""


class WatchedFrame:
    """What a frame looked and sounded like."""

    def __init__(self, picture: NDArray[np.uint8] | None, samples: NDArray[np.int16] | None) -> None:
        self._picture = picture
        self._samples = samples

    @property
    def picture(self) -> NDArray[np.uint8]:
        """What the beam drew, (240, 320, 3) RGB with 32 pixels of border at the sides, 24 above and below.

        Raises:
            UserError: The watcher does not look.
        """
        if self._picture is None:
            raise UserError("there is no picture: watch(picture=False) was asked for")
        return self._picture

    @property
    def samples(self) -> NDArray[np.int16]:
        """What the loudspeaker played, (n,), one channel, 48,000 a second: 958 or 959 of them (128K: 959 or 960).

        Raises:
            UserError: The watcher does not listen.
        """
        if self._samples is None:
            raise UserError("there is no sound: watch(sound=False) was asked for")
        return self._samples


class Watcher:
    """Runs a machine frame by frame, and shows what happens in each.

    Frames that nobody watches cost nothing; watched ones take a few times as long. Sound goes on from one watched frame
    to the next without a click, whatever happened in between.

    Args:
        machine: What is watched.
        picture: Whether pictures are drawn.
        sound: Whether samples are made.
    """

    def __init__(self, machine: Machine, *, picture: bool, sound: bool) -> None:
        self._machine = machine
        self._watcher = CoreWatcher(picture=picture, sound=sound)

    def run_frame(self) -> WatchedFrame:
        """Runs to the end of the machine's current frame.

        A frame of which a part has passed already is shown as if it had begun with what is there now.
        """
        return WatchedFrame(*self._watcher.run_frame(self._machine))
