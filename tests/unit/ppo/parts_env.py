# SPDX-License-Identifier: GPL-3.0-or-later
"""A scripted environment that shows a picture and two numbers, all made of its observation number."""

from typing import Any

import numpy as np
from gymnasium.spaces import Box, Dict
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray
from scripted_env import Episode, ScriptedVectorEnv

from oakemu_rl.ppo.observation_parts import ObservationParts

SPACE = Dict(
    {
        "picture": Box(0, 255, (2, 4, 5), np.uint8),
        "score": Box(0, 999_999, (1,), np.int64),
        "speed": Box(-np.inf, np.inf, (2,), np.float32),
    }
)
PARTS = ObservationParts.of_space(SPACE)


def shown(number: float) -> dict[str, NDArray[Any]]:
    """What the environment shows in place of an observation number."""
    picture = np.arange(40).reshape(2, 4, 5) + int(number)
    return {
        "picture": (picture % 251).astype(np.uint8),
        "score": np.array([int(number)], dtype=np.int64),
        "speed": np.array([number, -number], dtype=np.float32),
    }


class PartsVectorEnv(ScriptedVectorEnv):
    """`ScriptedVectorEnv` with observations of three parts."""

    def __init__(self, scripts: list[list[Episode]], mode: AutoresetMode) -> None:
        super().__init__(scripts, mode)
        self.single_observation_space = SPACE
        self.observation_space = batch_space(SPACE, self.num_envs)

    def reset(self, **kwargs: Any) -> tuple[Any, dict[str, Any]]:
        observations, infos = super().reset(**kwargs)
        return _in_parts(observations), infos

    def step(self, actions: NDArray[np.int64]) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        observations, rewards, terminated, truncated, infos = super().step(actions)
        if "final_obs" in infos:
            infos["final_obs"][:] = [None if each is None else shown(each[0]) for each in infos["final_obs"]]
        return _in_parts(observations), rewards, terminated, truncated, infos


def _in_parts(observations: NDArray[np.float32]) -> dict[str, NDArray[Any]]:
    rows = [shown(number) for number in observations[:, 0]]
    return {name: np.stack([row[name] for row in rows]) for name in SPACE}
