# SPDX-License-Identifier: GPL-3.0-or-later
"""The parts of rewards, by name, over whole episodes."""

from typing import Any

import numpy as np
import pytest
from gymnasium.vector import AutoresetMode
from numpy.typing import NDArray
from scripted_env import Episode, ScriptedVectorEnv, value_is_observation

from oakemu_rl.ppo import PPOActor, RolloutBuffer
from oakemu_rl.ppo.env_contract import reward_parts

SCRIPTS = [[Episode((1.0, 2.0, 4.0))], [Episode((8.0, 16.0))]]


class PartedEnv(ScriptedVectorEnv):
    """Says each reward in two parts: one that is 1, and the rest."""

    def step(self, actions: NDArray[np.int64]) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        restarted = np.array(self._ended)
        observations, rewards, terminated, truncated, infos = super().step(actions)
        one = np.where(restarted, 99.0, 1.0)  # a step that only restarts earns nothing, whatever it says
        parts = {"reward/one": one, "reward/rest": rewards - one}
        if self._mode is AutoresetMode.SAME_STEP and (terminated | truncated).any():
            ended = terminated | truncated
            infos["final_info"] = {key: np.where(ended, part, 0.0) for key, part in parts.items()}
            parts = {key: np.where(ended, 0.0, part) for key, part in parts.items()}
        return observations, rewards, terminated, truncated, {**infos, **parts}


@pytest.mark.parametrize("mode", list(AutoresetMode))
def test_episodes_come_with_the_sums_of_their_parts(mode: AutoresetMode) -> None:
    actor = PPOActor(PartedEnv(SCRIPTS, mode), value_is_observation(), gamma=0.5, seed=0)
    first = actor.collect(RolloutBuffer(4, 2, (1,), np.float32)).episodes
    # What is unfinished at the end of a rollout goes on in the next one.
    other = PPOActor(PartedEnv(SCRIPTS, mode), value_is_observation(), gamma=0.5, seed=0)
    other.load_state_dict(actor.state_dict())
    assert other.state_dict()["tracker"]["parts"].keys() == {"one", "rest"}
    rest = actor.collect(RolloutBuffer(8, 2, (1,), np.float32)).episodes
    assert {(each.env_id, each.reward_parts["one"], each.reward_parts["rest"]) for each in (*first, *rest)} == {
        (0, 3.0, 4.0),
        (1, 2.0, 22.0),
    }
    assert all(sum(each.reward_parts.values()) == each.episode_return for each in (*first, *rest))


def test_environments_without_parts_have_none() -> None:
    assert reward_parts({"score": np.ones(2), "final_info": {"score": np.ones(2)}}) == {}
    actor = PPOActor(ScriptedVectorEnv(SCRIPTS, AutoresetMode.SAME_STEP), value_is_observation(), gamma=0.5, seed=0)
    assert {len(each.reward_parts) for each in actor.collect(RolloutBuffer(9, 2, (1,), np.float32)).episodes} == {0}
