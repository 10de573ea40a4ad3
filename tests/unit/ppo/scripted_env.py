# SPDX-License-Identifier: GPL-3.0-or-later
"""A vector environment whose episodes are written down beforehand."""

from typing import Any, NamedTuple

import numpy as np
import torch
from gymnasium.spaces import Box, Discrete
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from oakemu_rl.ppo import PPOModel, PPOModelConfiguration


class Episode(NamedTuple):
    """Rewards of its steps, and which flags the last one sets."""

    rewards: tuple[float, ...]
    terminated: bool = True
    truncated: bool = False


class ScriptedVectorEnv(VectorEnv[Any, Any, Any]):
    """Environment i plays its episodes over and over; an observation is ``1000 i + 100 episode + step``.

    A state that ``reset(options={"states": ...})`` takes is ``b"episode,step"``.
    """

    def __init__(self, scripts: list[list[Episode]], mode: AutoresetMode, *, stacked: bool = False) -> None:
        self.num_envs = len(scripts)
        self.metadata = {"autoreset_mode": mode}
        self.single_observation_space = Box(-np.inf, np.inf, (1,), np.float32)
        self.single_action_space = Discrete(3)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self.actions: list[list[int]] = []
        self.seeds: list[Any] = []  # of each reset
        self.extra_infos: dict[str, Any] = {}
        self._scripts, self._mode, self._stacked = scripts, mode, stacked
        self._episode = [0] * self.num_envs
        self._step = [0] * self.num_envs
        self._ended = [False] * self.num_envs

    def reset(
        self,
        *,
        seed: Any = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[Any, dict[str, Any]]:
        self.seeds.append(seed)
        given = {} if options is None else options
        if "reset_mask" in given:
            for i in np.flatnonzero(given["reset_mask"]):
                self._begin(int(i))
        else:
            self._episode, self._step = [0] * self.num_envs, [0] * self.num_envs
            self._ended = [False] * self.num_envs
        for i, state in enumerate(given.get("states", ())):
            if state is not None:
                self._episode[i], self._step[i] = map(int, state.split(b","))
        return self._observations(), {}

    def step(self, actions: NDArray[np.int64]) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        self.actions.append(actions.tolist())
        rewards, terminated, truncated = np.zeros((3, self.num_envs))
        final = np.full(self.num_envs, None, dtype=object)
        for i in range(self.num_envs):
            if self._ended[i]:
                assert self._mode is AutoresetMode.NEXT_STEP, "stepped after its end"
                self._begin(i)
                continue
            episode = self._current(i)
            rewards[i] = episode.rewards[self._step[i]]
            self._step[i] += 1
            if self._step[i] == len(episode.rewards):
                terminated[i], truncated[i] = episode.terminated, episode.truncated
                final[i] = self._observations()[i]
                if self._mode is AutoresetMode.SAME_STEP:
                    self._begin(i)
                else:
                    self._ended[i] = True
        infos: dict[str, Any] = dict(self.extra_infos)
        ended = np.array([each is not None for each in final])
        if self._mode is AutoresetMode.SAME_STEP and ended.any():
            infos["_final_obs"] = ended
            infos["final_obs"] = (
                np.stack([np.full(1, -7e9, np.float32) if f is None else f for f in final]) if self._stacked else final
            )
        return self._observations(), rewards, terminated.astype(bool), truncated.astype(bool), infos

    def _current(self, i: int) -> Episode:
        return self._scripts[i][self._episode[i] % len(self._scripts[i])]

    def _begin(self, i: int) -> None:
        self._episode[i] += 1
        self._step[i] = 0
        self._ended[i] = False

    def _observations(self) -> NDArray[np.float32]:
        numbers = [1000 * i + 100 * self._episode[i] + self._step[i] for i in range(self.num_envs)]
        return np.array(numbers, dtype=np.float32)[:, None]


def value_is_observation() -> PPOModel:
    """A model whose value of an observation is the observation itself, and whose policy is uniform."""
    model = PPOModel((1,), 3, PPOModelConfiguration(conv_filters=[], fcnet_hiddens=[]))
    with torch.no_grad():
        model.value_head.weight.fill_(1.0)
        model.policy_head.weight.fill_(0.0)
    return model
