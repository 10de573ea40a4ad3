# SPDX-License-Identifier: GPL-3.0-or-later
"""A run that gets worse for good goes back to weights that did better."""

from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

from oakemu_rl.training.episode_statistics import EPISODES_IN_MEAN
from oakemu_rl.training.run_state import TrainedParts
from oakemu_rl.training.safety_configuration import RollbackConfiguration

__all__ = ["Rollback", "RolledBack"]

# Of the learner's state: what belongs to the weights. Its random stream and its counter go on.
_OF_THE_WEIGHTS = ("optimizer", "scaler")


@dataclass(frozen=True)
class RolledBack:
    """One roll-back.

    Attributes:
        to_step: The agent step of the weights that the run went back to.
        count: How many roll-backs there have been with this one.
        text: Says so, in one line.
    """

    to_step: int
    count: int
    text: str


class Rollback:
    """Watches one figure and puts earlier weights, with their optimiser, back when it stays far below its best.

    Nothing else goes back: episodes, random streams, counters, schedules and logs go on, so that the run meets other
    episodes and samples other actions than the first time. A mean over episodes is watched only while all of them were
    played since the last roll-back. Weights are kept in memory and in checkpoints: with `back` of 0 those of the best
    figure, else three at most.

    Args:
        settings: When, and how far.
        parts: What is put back; their present weights are those of step 0.
    """

    def __init__(self, settings: RollbackConfiguration, parts: TrainedParts) -> None:
        self._settings = settings
        self._parts = parts
        self._best: float | None = None
        self._best_step = 0
        self._low_since: int | None = None
        self._count = 0
        self._episodes_before = 0
        self._anchor = 0
        self._kept: dict[int, dict[str, Any]] = {}
        if self._active:
            self._keep(0)

    @property
    def _active(self) -> bool:
        return self._settings.drop is not None and self._count < self._settings.max_times

    def observe(self, step: int, figures: Mapping[str, float]) -> RolledBack | None:
        """Takes the figures of an update, with those of an evaluation if there was one, and acts on them.

        Args:
            step: Agent steps so far.
            figures: By tag.

        Returns:
            The roll-back that was made, if any.
        """
        drop = self._settings.drop
        if drop is None or not self._active:
            return None
        if self._settings.back and step - max(self._kept) >= self._settings.back:
            self._keep(step)
        value = figures.get(self._settings.metric)
        if value is None or not self._is_settled(figures):
            return None
        if self._best is None or value > self._best:
            self._best, self._best_step, self._low_since = value, step, None
            self._move_anchor(step)
        elif value > self._best - drop:
            self._low_since = None
        else:
            self._low_since = step if self._low_since is None else self._low_since
            if step - self._low_since >= self._settings.window:
                return self._go_back(self._best, value, int(figures.get("rollout/episodes", 0)))
        return None

    def state_dict(self) -> tuple[dict[str, Any], dict[int, dict[str, Any]]]:
        """Everything as plain values, and the kept weights by step."""
        values = {
            "best": self._best,
            "best_step": self._best_step,
            "low_since": self._low_since,
            "count": self._count,
            "episodes_before": self._episodes_before,
            "anchor": self._anchor,
        }
        return values, dict(self._kept)

    def load_state_dict(self, values: Mapping[str, Any], kept: Mapping[int, dict[str, Any]]) -> None:
        """Takes up where `state_dict` stood."""
        self._best = values["best"]
        self._best_step = int(values["best_step"])
        self._low_since = values["low_since"]
        self._count = int(values["count"])
        self._episodes_before = int(values["episodes_before"])
        self._anchor = int(values["anchor"])
        self._kept = dict(kept)

    def _is_settled(self, figures: Mapping[str, float]) -> bool:
        if self._settings.metric.startswith("eval/"):
            return True
        return figures.get("rollout/episodes", 0.0) - self._episodes_before >= EPISODES_IN_MEAN

    def _keep(self, step: int) -> None:
        learner = self._parts.learner.state_dict()
        state = {"model": self._parts.model.state_dict(), "learner": {name: learner[name] for name in _OF_THE_WEIGHTS}}
        self._kept[step] = deepcopy(state)
        self._forget(step)

    def _move_anchor(self, step: int) -> None:
        """Chooses what the new best figure would go back to."""
        if not self._settings.back:
            self._anchor = step
            self._keep(step)
            return
        self._anchor = max((kept for kept in self._kept if kept <= step - self._settings.back), default=min(self._kept))
        self._forget(step)

    def _forget(self, now: int) -> None:
        """Drops the weights to which neither this best figure nor a later one would go back."""
        latest = max((kept for kept in self._kept if kept <= now - self._settings.back), default=self._anchor)
        self._kept = {step: state for step, state in self._kept.items() if step == self._anchor or step >= latest}

    def _go_back(self, best: float, value: float, episodes: int) -> RolledBack:
        settings, learner = self._settings, self._parts.learner
        state = deepcopy(self._kept[self._anchor])  # torch's optimisers go on in the tensors that they are given
        self._parts.model.load_state_dict(state["model"])
        learner.load_state_dict({**learner.state_dict(), **state["learner"]})
        self._count += 1
        self._low_since = None
        self._episodes_before = episodes
        if not self._active:
            self._kept = {}  # which nothing would go back to any more
        text = (
            f"rolled back to the weights of step {self._anchor:,} ({self._count} of {settings.max_times}): "
            f"{settings.metric} is {value:.2f} and has been {settings.drop:g} or more below its best, {best:.2f} at "
            f"step {self._best_step:,}, for {settings.window:,} steps"
        )
        return RolledBack(self._anchor, self._count, text)
