# SPDX-License-Identifier: GPL-3.0-or-later
"""Episodes that begin again where the agent has been: the places that are failed most are played most.

Source: the memory of states of Tavakoli et al., 2018, "Exploring Restart Distributions", in buckets.
"""

from collections.abc import Callable, Mapping
from typing import Any

import torch

from oakemu_rl.curricula.configuration import CurriculumConfiguration
from oakemu_rl.curricula.restart_pool import RestartPool, StateKeeper
from oakemu_rl.ppo.episode_plan import EpisodePlan
from oakemu_rl.ppo.episodes import EpisodeRecord
from oakemu_rl.ppo.seeding import derive_generator

__all__ = ["RestartCurriculum"]

_STREAM = (5, 2)
_OWN = -1
"""Stands for the environment's own start among the buckets; what a variable was is a number of any kind."""


class RestartCurriculum:
    """Plans episodes from the environment's own start, and from states that were harvested on the way.

    An episode succeeds if it wins anything.

    Args:
        settings: How.
        seed: Of what is drawn.
        keeper: Where states of the agent's own are kept; see `RestartPool`.

    Attributes:
        on_result: Told of each episode that ends: its environment, its bucket, and whether it succeeded.
    """

    needs_starts = True

    def __init__(self, settings: CurriculumConfiguration, *, seed: int, keeper: StateKeeper | None = None) -> None:
        self.on_result: Callable[[int, int, bool], None] | None = None
        self._own_share = settings.own_share
        self._pool = RestartPool(settings.pool_size, keeper=keeper)
        self._generator = derive_generator(seed, *_STREAM)
        self._drawn: dict[int, int | None] = {}

    def arrived(self, value: int, state: bytes) -> None:
        """Keeps a state: the agent's own, or one of a recording.

        Args:
            value: What the variable has just become: the bucket.
            state: Of the environment, at that moment.
        """
        self._pool.add(value, state)

    def plan(self, env_id: int, progress: float) -> EpisodePlan:  # noqa: ARG002  # all are alike to it
        """The next episode of an environment; see `EpisodeDirector.plan`."""
        own = float(torch.rand(1, generator=self._generator)) < self._own_share
        if own or not self._pool.buckets:
            self._drawn[env_id] = None
            return EpisodePlan(new_game=True, label="own")
        bucket, state = self._pool.draw(self._generator)
        self._drawn[env_id] = bucket
        return EpisodePlan(start=state, label="restart")

    def ended(self, env_id: int, plan: EpisodePlan, record: EpisodeRecord) -> None:  # noqa: ARG002  # draws say more
        """Takes the end of an episode in; see `EpisodeDirector.ended`."""
        bucket, success = self._drawn.pop(env_id), record.episode_return > 0.0
        if bucket is not None:
            self._pool.note(bucket, success=success)
        if self.on_result is not None:
            self.on_result(env_id, _OWN if bucket is None else bucket, success)

    def metrics(self) -> Mapping[str, float]:
        """How many states there are, and how often episodes from each bucket succeed."""
        figures = {"curriculum/pool": float(len(self._pool))}
        for bucket in self._pool.buckets:
            figures[f"curriculum/bucket_{bucket}/success"] = self._pool.success(bucket)
        return figures

    def state_dict(self) -> dict[str, Any]:
        """All that goes on changing, as plain values and tensors."""
        return {
            "pool": self._pool.state_dict(),
            "drawn": {str(env_id): bucket for env_id, bucket in self._drawn.items()},
            "generator": self._generator.get_state(),
        }

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Takes up where `state_dict` stood."""
        self._pool.load_state_dict(state["pool"])
        self._drawn = {int(env_id): bucket for env_id, bucket in state["drawn"].items()}
        self._generator.set_state(state["generator"])
