# SPDX-License-Identifier: GPL-3.0-or-later
"""When a run ends."""

__all__ = ["Budget"]


class Budget:
    """How far a run is, by whichever of its limits comes first.

    Args:
        steps: Agent steps that it runs for.
        seconds: Its time limit, None for none.
    """

    def __init__(self, steps: int, seconds: float | None) -> None:
        self.steps = steps
        self.seconds = seconds

    def done(self, steps: int, elapsed: float) -> float:
        """The part that is over, from 0 to 1."""
        by_time = 0.0 if self.seconds is None else elapsed / self.seconds
        return min(1.0, max(steps / self.steps, by_time))

    def left(self, steps: int, elapsed: float, steps_per_second: float) -> float:
        """Seconds until the end."""
        by_steps = max(0, self.steps - steps) / steps_per_second if steps_per_second > 0 else float("inf")
        by_time = float("inf") if self.seconds is None else max(0.0, self.seconds - elapsed)
        return min(by_steps, by_time)
