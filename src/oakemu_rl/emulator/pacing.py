# SPDX-License-Identifier: GPL-3.0-or-later
"""Real time: frames at the rate of the machine, without drift."""

import time
from collections.abc import Callable
from fractions import Fraction

__all__ = ["FRAMES_PER_SECOND", "Pacer", "frame_rate"]

_RATES = {
    "48k": Fraction(3_500_000, 69_888),
    "128k": Fraction(3_546_900, 70_908),
    "plus2": Fraction(3_546_900, 70_908),
}

FRAMES_PER_SECOND = float(_RATES["48k"])
"""50.08: the CPU's clock over the T-states of a 48K frame."""

_PATIENCE = 0.25  # seconds


def frame_rate(machine: str) -> Fraction:
    """Frames a second of a ``"48k"`` (50.08), ``"128k"`` or ``"plus2"`` (50.02): clock over T-states of a frame."""
    return _RATES[machine]


class Pacer:
    """Lets a loop go round at a fixed rate.

    Each round is due a whole number of periods after the first, so that the errors of single waits do not add up. Who
    is late catches up; after a longer stop (a sleeping laptop, a dragged window) time starts anew.

    Args:
        clock: Seconds from any beginning.
        sleep: Waits so many seconds.
    """

    def __init__(
        self, clock: Callable[[], float] = time.perf_counter, sleep: Callable[[float], None] = time.sleep
    ) -> None:
        self._clock = clock
        self._sleep = sleep
        self._due: float | None = None

    def wait(self, rate: float) -> None:
        """Waits until the next round is due.

        Args:
            rate: Rounds a second.
        """
        now = self._clock()
        if self._due is None or now > self._due + _PATIENCE:
            self._due = now
        elif now < self._due:
            self._sleep(self._due - now)
        self._due += 1.0 / rate
