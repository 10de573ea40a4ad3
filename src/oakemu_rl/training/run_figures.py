# SPDX-License-Identifier: GPL-3.0-or-later
"""What a run has reported so far, as far as a screen shows it."""

import math
from collections.abc import Mapping

from oakemu_rl.envs import REWARD_PART
from oakemu_rl.training.episode_statistics import OUTCOME_SHARE
from oakemu_rl.training.metrics import PHASES
from oakemu_rl.training.records import Record

__all__ = ["Curve", "RunFigures"]

_MOST_POINTS = 2048  # ten for each letter of a wide terminal
_RETURN = {"metrics": "rollout/ep_rew_mean", "evaluation": "eval/mean_reward"}


class Curve:
    """A figure over a run's steps, in bounded memory: of a long run, points evenly spread are kept."""

    def __init__(self) -> None:
        self.points: list[tuple[float, float]] = []
        self._every = 1
        self._seen = 0

    def add(self, step: int, value: float) -> None:
        """Takes the next point; one that is not finite cannot be drawn."""
        if not math.isfinite(value):
            return
        if self._seen % self._every == 0:
            self.points.append((step, value))
        self._seen += 1
        if len(self.points) >= _MOST_POINTS:
            self.points = self.points[::2]
            self._every *= 2


class RunFigures:
    """Takes records, and holds the newest figures, the curves, and where the time went."""

    def __init__(self) -> None:
        self.step = 0
        self.newest: dict[str, float] = {}
        self.training = Curve()
        self.evaluation = Curve()
        self._seconds = dict.fromkeys(PHASES, 0.0)
        self._elapsed: float | None = None

    def recall(self, record: Record) -> None:
        """Takes a record of before the run was resumed: only its curves go on."""
        curve = self.training if record.kind == "metrics" else self.evaluation
        value = record.values.get(_RETURN.get(record.kind, ""))
        if isinstance(value, float | int):
            curve.add(record.step, value)

    def take(self, record: Record) -> None:
        """Takes a record: metrics or an evaluation."""
        self.recall(record)
        self.step = record.step
        self.newest |= {tag: value for tag, value in record.values.items() if not isinstance(value, str)}
        if record.kind == "metrics":
            self._add_times(self.newest)

    def outcomes(self) -> dict[str, float]:
        """The shares of the outcomes of the last training episodes, by name; none before the first has ended."""
        return self._under(f"rollout/{OUTCOME_SHARE}")

    def rewards(self) -> dict[str, float]:
        """The mean parts of the last training episodes' returns, by name, where the game names some."""
        return self._under(f"rollout/{REWARD_PART}")

    def times(self) -> dict[str, float]:
        """The share of each phase in the time since this process began."""
        total = sum(self._seconds.values())
        return {phase: seconds / total if total else 0.0 for phase, seconds in self._seconds.items()}

    def _under(self, prefix: str) -> dict[str, float]:
        return {tag.removeprefix(prefix): value for tag, value in self.newest.items() if tag.startswith(prefix)}

    def _add_times(self, values: Mapping[str, float]) -> None:
        elapsed = values["time/time_elapsed"]
        passed = 1.0 if self._elapsed is None else max(0.0, elapsed - self._elapsed)
        self._elapsed = elapsed
        for phase in PHASES:
            self._seconds[phase] += passed * values.get(f"time/{phase}_share", 0.0)
