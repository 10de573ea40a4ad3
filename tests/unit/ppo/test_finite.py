# SPDX-License-Identifier: GPL-3.0-or-later
"""The first NaN or infinity stops everything, with its name and place, before anything is learnt from it."""

from typing import Any

import numpy as np
import pytest
import torch
from gymnasium.vector import AutoresetMode
from numpy.typing import NDArray
from scripted_env import Episode, ScriptedVectorEnv, value_is_observation

from oakemu_rl.ppo import NonFiniteError, PPOActor, RolloutBuffer

POISONS = pytest.mark.parametrize("poison", [np.nan, np.inf, -np.inf])


def buffer(rows: int, envs: int) -> RolloutBuffer:
    return RolloutBuffer(rows, envs, (1,), np.float32)


class PoisonedEnv(ScriptedVectorEnv):
    """Puts a number that is none into what environment 3 gives in step 37."""

    tensor, poison = "observation", np.nan

    def step(self, actions: NDArray[np.int64]) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        observations, rewards, terminated, truncated, infos = super().step(actions)
        if len(self.actions) == 37:
            if self.tensor == "last observation":
                infos["final_obs"][3] = np.array([self.poison], np.float32)
            else:
                (observations if self.tensor == "observation" else rewards)[3] = self.poison
        return observations, rewards, terminated, truncated, infos


@POISONS
@pytest.mark.parametrize("mode", list(AutoresetMode))
@pytest.mark.parametrize("tensor", ["observation", "reward"])
def test_nonsense_from_an_environment_stops_at_once(mode: AutoresetMode, tensor: str, poison: float) -> None:
    env = PoisonedEnv([[Episode((1.0,) * 100)]] * 4, mode)
    env.tensor, env.poison = tensor, poison
    actor = PPOActor(env, value_is_observation(), gamma=0.5, seed=0)
    with pytest.raises(NonFiniteError, match=f"^non-finite {tensor}, environment 3, step 37: training stops"):
        actor.collect(buffer(64, 4))
    assert len(env.actions) == 37


@POISONS
def test_nonsense_in_a_last_observation_stops_at_once(poison: float) -> None:
    limited = Episode((1.0,) * 37, terminated=False, truncated=True)
    env = PoisonedEnv([[Episode((1.0,) * 100)]] * 2 + [[limited]] * 2, AutoresetMode.SAME_STEP)
    env.tensor, env.poison = "last observation", poison
    with pytest.raises(NonFiniteError, match="non-finite last observation, environment 3, step 37"):
        PPOActor(env, value_is_observation(), gamma=0.5, seed=0).collect(buffer(64, 4))


def test_nonsense_in_a_first_observation_stops_at_once() -> None:
    class Poisoned(ScriptedVectorEnv):
        def reset(self, **arguments: Any) -> tuple[Any, dict[str, Any]]:
            observations, infos = super().reset(**arguments)
            observations[1] = np.nan
            return observations, infos

    env = Poisoned([[Episode((1.0,))]] * 2, AutoresetMode.SAME_STEP)
    with pytest.raises(NonFiniteError, match="non-finite observation, environment 1, step 0"):
        PPOActor(env, value_is_observation(), gamma=0.5, seed=0).reset()


@pytest.mark.parametrize(("head", "tensor"), [("policy_head", "action probability"), ("value_head", "value")])
def test_nonsense_from_the_network_stops_at_once(head: str, tensor: str) -> None:
    env, model = ScriptedVectorEnv([[Episode((1.0,))]], AutoresetMode.SAME_STEP), value_is_observation()
    actor = PPOActor(env, model, gamma=0.5, seed=0)
    with torch.no_grad():
        getattr(model, head).bias.fill_(torch.nan)
    with pytest.raises(NonFiniteError, match=f"{tensor}, environment 0, step 0"):
        actor.collect(buffer(1, 1))
    assert env.actions == []


def test_a_value_that_overflows_at_a_time_limit_is_named() -> None:
    limited = Episode((1.0,), terminated=False, truncated=True)
    env, model = ScriptedVectorEnv([[Episode((1.0,) * 9)], [limited]], AutoresetMode.SAME_STEP), value_is_observation()
    with torch.no_grad():
        model.value_head.weight.fill_(3e35)  # times 1000, the first observation, is within float32; times 1001 is not
        model.value_head.bias.fill_(4e37)
    actor = PPOActor(env, model, gamma=0.5, seed=0)
    with pytest.raises(NonFiniteError, match="value of the last observation, environment 1, step 1"):
        actor.collect(buffer(2, 2))
