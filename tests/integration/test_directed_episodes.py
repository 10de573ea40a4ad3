# SPDX-License-Identifier: GPL-3.0-or-later
"""Directed episodes in the real environments: starts, chances and cuts do not depend on threads, and repeat."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from gymnasium.vector import AutoresetMode
from numpy.typing import NDArray

from oakemu_rl.envs import SpectrumVectorEnv
from oakemu_rl.ppo import (
    EpisodePlan,
    EpisodeRecord,
    PPOActor,
    PPOModel,
    PPOModelConfiguration,
    RolloutBuffer,
    Route,
)

ENVS, STEPS = 6, 40


class _Same:
    """Every episode replays the same actions from the same state, then lets the policy take two steps."""

    needs_starts = True

    def __init__(self, start: bytes) -> None:
        actions = np.arange(STEPS, dtype=np.int64) % 3
        self._plan = EpisodePlan(Route.REPLAY, actions, start=start, max_steps=STEPS + 2, label="same")

    def plan(self, env_id: int, progress: float) -> EpisodePlan:
        del env_id, progress
        return self._plan

    def ended(self, env_id: int, plan: EpisodePlan, record: EpisodeRecord) -> None:
        del env_id, plan
        assert record.length == STEPS + 2

    def metrics(self) -> Mapping[str, float]:
        return {}

    def state_dict(self) -> dict[str, Any]:
        return {}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        del state


def played(sticky: float, threads: int) -> NDArray[Any]:
    """What the policy sees where it takes over, in three episodes of each environment: (3, N, ...)."""
    env = SpectrumVectorEnv(
        "acorns",
        ENVS,
        num_threads=threads,
        autoreset_mode=AutoresetMode.DISABLED,
        obs_type="ink",
        repeat_action_probability=sticky,
        noop_max=0,
        copy=False,
    )
    env.reset(seed=3)
    for _ in range(10):
        env.step(np.ones(ENVS, dtype=np.int64))
    director = _Same(env.get_state(2))
    shape = env.single_observation_space.shape
    assert shape is not None
    model = PPOModel(shape, 3, PPOModelConfiguration(conv_filters=[(4, 8, 8)], fcnet_hiddens=[8]))
    actor = PPOActor(env, model, gamma=0.99, seed=8, director=director)
    replay, rollout = (RolloutBuffer(rows, ENVS, shape, np.uint8) for rows in (STEPS, 2))
    seen = []
    for _ in range(3):
        assert actor.collect(replay).trainable_cells == 0  # which is given up where the policy takes over
        assert actor.collect(rollout).trainable_cells == 2 * ENVS
        seen.append(rollout.observations[0].copy())
    env.close()
    return np.stack(seen)


def test_without_chance_all_go_the_same_way() -> None:
    observations = played(0.0, 1)
    np.testing.assert_array_equal(observations, np.broadcast_to(observations[0, 0], observations.shape))


@pytest.mark.parametrize("threads", [1, 3])
def test_each_start_from_a_state_meets_chances_of_its_own_and_they_repeat(threads: int) -> None:
    observations = played(0.5, 1)
    np.testing.assert_array_equal(played(0.5, threads), observations)
    assert len(np.unique(observations.reshape(3 * ENVS, -1), axis=0)) > ENVS
