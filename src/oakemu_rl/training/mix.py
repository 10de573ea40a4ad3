# SPDX-License-Identifier: GPL-3.0-or-later
"""Who plays the next episode is drawn: policy, chance, or a recording; a curriculum may say where the policy begins."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from oakemu_rl.curricula import Curriculum
from oakemu_rl.ppo import EpisodePlan, EpisodeRecord, Route, schedule_value
from oakemu_rl.ppo.seeding import derive_generator
from oakemu_rl.training.episodes_configuration import EpisodesConfiguration

__all__ = ["MixDirector", "Recording"]

_MIX_STREAM = (4, 0)


@dataclass(frozen=True, eq=False)
class Recording:
    """An episode to replay.

    Attributes:
        actions: (L,) integers.
        start: The state of the environment in which they were played; None takes any start.
    """

    actions: NDArray[np.int64]
    start: bytes | None = None


class MixDirector:
    """Draws a route for each episode, and for a replay a recording and how much of it is replayed.

    Args:
        settings: The shares, which may change in the course of training.
        recordings: What may be replayed.
        seed: Of the draws.
        curriculum: Plans the episodes that the policy plays and learns from; None begins them as the environment does.
            The others begin the game anew.

    Raises:
        ValueError: There are to be replays and there are no recordings.
    """

    def __init__(
        self,
        settings: EpisodesConfiguration,
        recordings: Sequence[Recording],
        *,
        seed: int,
        curriculum: Curriculum | None = None,
    ) -> None:
        if settings.replays and not recordings:
            raise ValueError("there is nothing to replay: no recordings were given")
        self._settings = settings
        self._recordings = tuple(recordings)
        self._generator = derive_generator(seed, *_MIX_STREAM)
        self._planned = dict.fromkeys(Route, 0)
        self._curriculum = curriculum
        begun = settings.replays and any(recording.start is not None for recording in recordings)
        self.needs_starts = begun or curriculum is not None

    def plan(self, env_id: int, progress: float) -> EpisodePlan:
        """Draws the next episode."""
        settings = self._settings
        shares = [
            schedule_value(share, progress)
            for share in (settings.policy, settings.silent, settings.random, settings.replay)
        ]
        drawn = torch.multinomial(torch.tensor(shares, dtype=torch.float64), 1, generator=self._generator)
        route = (Route.POLICY, Route.SILENT, Route.RANDOM, Route.REPLAY)[int(drawn)]
        self._planned[route] += 1
        if self._curriculum is not None and route is Route.POLICY:
            return self._curriculum.plan(env_id, progress)
        # Where a lost life ends episodes, the game would go on from wherever the curriculum has put it.
        new_game = self._curriculum is not None
        if route is not Route.REPLAY:
            return EpisodePlan(route, new_game=new_game, label=str(route))
        recording = self._recordings[int(torch.randint(len(self._recordings), (1,), generator=self._generator))]
        low, high = settings.replay_part
        uniform = float(torch.rand(1, generator=self._generator, dtype=torch.float64))
        count = round((low + (high - low) * uniform) * len(recording.actions))
        return EpisodePlan(
            route,
            recording.actions[:count],
            after_replay=Route(settings.after_replay),
            start=recording.start,
            new_game=new_game,
            label=str(route),
        )

    def ended(self, env_id: int, plan: EpisodePlan, record: EpisodeRecord) -> None:
        """Tells the curriculum of its episodes; nothing follows from how others end."""
        if self._curriculum is None:
            return
        if plan.route is Route.POLICY:
            self._curriculum.ended(env_id, plan, record)
        elif plan.player(record.length - 1) is Route.POLICY and self._curriculum.on_result is not None:
            # Whoever looks for successes in rollouts finds the end of a replay there, too, and is to leave it.
            self._curriculum.on_result(env_id, 0, False)  # noqa: FBT003  # as `on_result` tells it

    def metrics(self) -> Mapping[str, float]:
        """How many episodes of each route have begun since the run did."""
        planned = {f"episodes/{route}": float(count) for route, count in self._planned.items()}
        return planned if self._curriculum is None else {**self._curriculum.metrics(), **planned}

    def state_dict(self) -> dict[str, Any]:
        """Where the draws stand."""
        return {
            "generator": self._generator.get_state(),
            "planned": {str(route): count for route, count in self._planned.items()},
            "curriculum": None if self._curriculum is None else self._curriculum.state_dict(),
        }

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Takes up where `state_dict` stood."""
        self._generator.set_state(state["generator"])
        self._planned = {route: int(state["planned"][route]) for route in Route}
        if self._curriculum is not None:
            self._curriculum.load_state_dict(state["curriculum"])
