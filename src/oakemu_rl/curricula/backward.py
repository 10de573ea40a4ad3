# SPDX-License-Identifier: GPL-3.0-or-later
"""A backward curriculum: episodes begin near the end of recorded routes, and ever earlier as they succeed.

Source: Salimans and Chen, 2018, "Learning Montezuma's Revenge from a Single Demonstration"; Resnick et al., 2018,
"Backplay". New is that a route may have several legs, each of which is learnt backward by itself, all at once.
"""

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch

from oakemu_rl.curricula.configuration import CurriculumConfiguration
from oakemu_rl.curricula.course import Course, Leg
from oakemu_rl.curricula.restart_pool import RestartPool, StateKeeper, draw_by_failure
from oakemu_rl.curricula.rules import PlateauRule, Rule, ThresholdRule
from oakemu_rl.ppo.episode_plan import EpisodePlan
from oakemu_rl.ppo.episodes import EpisodeRecord
from oakemu_rl.ppo.seeding import derive_generator

__all__ = ["BackwardCurriculum"]

_STREAM = (5, 0)
_FRONTIER, _BEHIND, _ARRIVAL = "frontier", "behind", "arrival"
_ROUNDING = 1e-6  # sums of the same rewards in another order


@dataclass
class _Frontier:
    """How far back a leg is learnt.

    Attributes:
        course: To which it belongs.
        leg: The leg.
        before: Steps of all courses before this one.
        bucket: Whose states of the agent's own are beginnings of this leg; None if nothing tells them.
        at: Where its episodes begin.
        newest: How those from there ended.
    """

    course: Course
    leg: Leg
    before: int
    bucket: int | None
    at: int
    newest: deque[bool] = field(default_factory=deque)

    @property
    def opens(self) -> bool:
        """Whether it begins as the environment does."""
        return self.leg.first == 0 and self.course.opens

    @property
    def is_at_the_beginning(self) -> bool:
        return self.at == self.leg.first

    @property
    def success(self) -> float:
        return sum(self.newest) / len(self.newest) if self.newest else 0.0


@dataclass(frozen=True)
class _Draw:
    """Where an episode began: its leg, its step of the recording, and which kind of start that is."""

    leg: int
    step: int
    kind: str


class BackwardCurriculum:
    """Plans episodes along courses, and moves their starts back.

    An episode succeeds if it brings at least what the recording won from there to the end of the leg. Most begin at a
    frontier, others somewhere between it and the end of the leg, lest what was learnt be forgotten, and some where the
    agent itself arrived at the leg's beginning: perhaps in a better moment than the recording, which need not be an
    easy one. A leg that is learnt back to its beginning always begins like that; the first one as the environment does.
    Where several courses have legs of the same value, they share the states in which the agent arrived.

    Args:
        courses: What is to be learnt, one or more.
        settings: How.
        seed: Of what is drawn.
        keeper: Where states of the agent's own are kept; see `RestartPool`.

    Attributes:
        on_result: Told of each episode that ends: its environment, its leg, and whether it succeeded.
    """

    needs_starts = True

    def __init__(
        self,
        courses: Sequence[Course],
        settings: CurriculumConfiguration,
        *,
        seed: int,
        keeper: StateKeeper | None = None,
    ) -> None:
        self.on_result: Callable[[int, int, bool], None] | None = None
        self._settings = settings
        self._rule = _rule(settings)
        self._frontiers = [
            _Frontier(
                course,
                leg,
                sum(len(other.rewards) for other in courses[:number]),
                _bucket(course, index),
                max(leg.first, leg.end - settings.first_step),
                deque(maxlen=self._rule.memory),
            )
            for number, course in enumerate(courses)
            for index, leg in enumerate(course.legs)
        ]
        self._steps = sum(len(course.rewards) for course in courses)
        self._buckets = {frontier.bucket for frontier in self._frontiers}
        self._pool = RestartPool(settings.pool_size, keeper=keeper)
        self._generator = derive_generator(seed, *_STREAM)
        self._draws: dict[int, _Draw] = {}

    def arrived(self, value: int, state: bytes) -> None:
        """Keeps a state of the agent's own from which a leg can begin.

        Args:
            value: What the variable that divides the courses has just become.
            state: Of the environment, at that moment.
        """
        if value in self._buckets:
            self._pool.add(value, state)

    def plan(self, env_id: int, progress: float) -> EpisodePlan:  # noqa: ARG002  # starts move by success alone
        """The next episode of an environment; see `EpisodeDirector.plan`."""
        index = draw_by_failure([frontier.success for frontier in self._frontiers], self._generator)
        frontier = self._frontiers[index]
        leg, draw = frontier.leg, self._draw(index)
        self._draws[env_id] = draw
        return EpisodePlan(
            start=self._start(draw),
            new_game=True,
            max_steps=int((leg.end - draw.step) * self._settings.slack) + self._settings.slack_steps,
            timeout_reward=self._settings.timeout_reward,
            goal=frontier.course.owed(leg, draw.step),
            label=draw.kind,
        )

    def ended(self, env_id: int, plan: EpisodePlan, record: EpisodeRecord) -> None:  # noqa: ARG002  # draws say more
        """Takes the end of an episode in; see `EpisodeDirector.ended`."""
        draw = self._draws.pop(env_id)
        frontier = self._frontiers[draw.leg]
        success = record.episode_return >= frontier.course.owed(frontier.leg, draw.step) - _ROUNDING
        if self.on_result is not None:
            self.on_result(env_id, draw.leg, success)
        if draw.kind != _FRONTIER:
            return
        frontier.newest.append(success)
        if not frontier.is_at_the_beginning and self._rule.is_learnt(list(frontier.newest)):
            frontier.at = max(frontier.leg.first, frontier.at - self._settings.step_back)
            frontier.newest.clear()

    def metrics(self) -> Mapping[str, float]:
        """How much of the routes, and of each leg, is learnt, and how often episodes from the frontiers succeed."""
        learnt = [frontier.leg.end - frontier.at for frontier in self._frontiers]
        figures = {
            "curriculum/learnt": sum(learnt) / self._steps,
            "curriculum/success": sum(frontier.success for frontier in self._frontiers) / len(self._frontiers),
            "curriculum/pool": float(len(self._pool)),
        }
        for number, (frontier, steps) in enumerate(zip(self._frontiers, learnt, strict=True), 1):
            figures[f"curriculum/leg_{number}/learnt"] = steps / len(frontier.leg)
            figures[f"curriculum/leg_{number}/success"] = frontier.success
            figures[f"curriculum/leg_{number}/start"] = float(frontier.before + frontier.at)
        return figures

    def state_dict(self) -> dict[str, Any]:
        """All that goes on changing, as plain values and tensors."""
        return {
            "frontiers": [{"at": each.at, "newest": list(each.newest)} for each in self._frontiers],
            "draws": {str(env_id): [draw.leg, draw.step, draw.kind] for env_id, draw in self._draws.items()},
            "pool": self._pool.state_dict(),
            "generator": self._generator.get_state(),
        }

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Takes up where `state_dict` stood.

        Raises:
            ValueError: It is of courses with other legs.
        """
        saved = state["frontiers"]
        if len(saved) != len(self._frontiers):
            raise ValueError(f"the saved curriculum has {len(saved)} legs, this one {len(self._frontiers)}")
        for frontier, values in zip(self._frontiers, saved, strict=True):
            frontier.at = int(values["at"])
            frontier.newest = deque(map(bool, values["newest"]), maxlen=self._rule.memory)
        self._draws = {int(env_id): _Draw(*draw) for env_id, draw in state["draws"].items()}
        self._pool.load_state_dict(state["pool"])
        self._generator.set_state(state["generator"])

    def _chance(self) -> float:
        return float(torch.rand(1, generator=self._generator))

    def _draw(self, index: int) -> _Draw:
        frontier, settings = self._frontiers[index], self._settings
        may_arrive = frontier.opens or frontier.bucket in self._pool.buckets
        if may_arrive and not frontier.is_at_the_beginning and self._chance() < settings.arrival_share:
            return _Draw(index, frontier.leg.first, _ARRIVAL)
        kind = _FRONTIER if self._chance() < settings.frontier_share else _BEHIND
        low, high = frontier.at, frontier.leg.end
        if kind == _FRONTIER:
            high = low + 1 if frontier.is_at_the_beginning else min(low + settings.step_back, high)
        return _Draw(index, low + int(torch.randint(high - low, (1,), generator=self._generator)), kind)

    def _start(self, draw: _Draw) -> bytes | None:
        frontier = self._frontiers[draw.leg]
        if draw.step == frontier.leg.first:
            if frontier.opens:
                return None  # where no-op frames and random memory belong to the game
            if frontier.bucket is not None and frontier.bucket in self._pool.buckets:
                return self._pool.draw_from(frontier.bucket, self._generator)
        return frontier.course.states[draw.step]


def _bucket(course: Course, index: int) -> int | None:
    """The value with which the agent arrives at a leg; None where it says nothing about the leg."""
    values = [leg.value for leg in course.legs]
    is_first = index == 0 and course.opens
    return None if is_first or values.count(values[index]) > 1 else values[index]


def _rule(settings: CurriculumConfiguration) -> Rule:
    if settings.rule == "plateau":
        return PlateauRule(settings.window)
    return ThresholdRule(settings.success, settings.window, settings.at_least)
