# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the time of a run goes."""

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

__all__ = ["PhaseClock"]


class PhaseClock:
    """Adds up the seconds spent in named phases, and the run's whole time over all its resumptions.

    Args:
        elapsed_before: Seconds that the run had taken up to the checkpoint it goes on from.
    """

    def __init__(self, elapsed_before: float = 0.0) -> None:
        self._start = time.perf_counter()
        self._before = elapsed_before
        self._seconds: dict[str, float] = {}

    @property
    def elapsed(self) -> float:
        """Seconds since the run began, without the time between being stopped and resumed."""
        return self._before + self.since_start

    @property
    def since_start(self) -> float:
        """Seconds since this process began with the run."""
        return time.perf_counter() - self._start

    @contextmanager
    def phase(self, name: str) -> Iterator[None]:
        """Adds the time of the `with` block to a phase."""
        start = time.perf_counter()
        try:
            yield
        finally:
            self.add(name, time.perf_counter() - start)

    def add(self, name: str, seconds: float) -> None:
        """Adds time to a phase."""
        self._seconds[name] = self._seconds.get(name, 0.0) + seconds

    def take(self) -> Mapping[str, float]:
        """Seconds of each phase since the last call."""
        taken, self._seconds = self._seconds, {}
        return taken
