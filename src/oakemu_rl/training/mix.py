# SPDX-License-Identifier: GPL-3.0-or-later
"""Who plays the next episode is drawn: policy, chance, or a recording."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

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

    Raises:
        ValueError: There are to be replays and there are no recordings.
    """

    def __init__(self, settings: EpisodesConfiguration, recordings: Sequence[Recording], *, seed: int) -> None:
        if settings.replays and not recordings:
            raise ValueError("there is nothing to replay: no recordings were given")
        self._settings = settings
        self._recordings = tuple(recordings)
        self._generator = derive_generator(seed, *_MIX_STREAM)
        self._planned = dict.fromkeys(Route, 0)
        self.needs_starts = settings.replays and any(recording.start is not None for recording in recordings)

    def plan(self, env_id: int, progress: float) -> EpisodePlan:  # noqa: ARG002 # all environments are alike to it
        """Draws the next episode."""
        settings = self._settings
        shares = [
            schedule_value(share, progress)
            for share in (settings.policy, settings.silent, settings.random, settings.replay)
        ]
        drawn = torch.multinomial(torch.tensor(shares, dtype=torch.float64), 1, generator=self._generator)
        route = (Route.POLICY, Route.SILENT, Route.RANDOM, Route.REPLAY)[int(drawn)]
        self._planned[route] += 1
        if route is not Route.REPLAY:
            return EpisodePlan(route, label=str(route))
        recording = self._recordings[int(torch.randint(len(self._recordings), (1,), generator=self._generator))]
        low, high = settings.replay_part
        uniform = float(torch.rand(1, generator=self._generator, dtype=torch.float64))
        count = round((low + (high - low) * uniform) * len(recording.actions))
        return EpisodePlan(
            route,
            recording.actions[:count],
            after_replay=Route(settings.after_replay),
            start=recording.start,
            label=str(route),
        )

    def ended(self, env_id: int, plan: EpisodePlan, record: EpisodeRecord) -> None:
        """Nothing follows from how episodes end."""

    def metrics(self) -> Mapping[str, float]:
        """How many episodes of each route have begun since the run did."""
        return {f"episodes/{route}": float(count) for route, count in self._planned.items()}

    def state_dict(self) -> dict[str, Any]:
        """Where the draws stand."""
        return {
            "generator": self._generator.get_state(),
            "planned": {str(route): count for route, count in self._planned.items()},
        }

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Takes up where `state_dict` stood."""
        self._generator.set_state(state["generator"])
        self._planned = {route: int(state["planned"][route]) for route in Route}
