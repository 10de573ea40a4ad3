# SPDX-License-Identifier: GPL-3.0-or-later
"""A toy that is learnt in seconds: walk to the right end of a corridor, whose cells are told by a random picture."""

import pickle
from typing import Any

import numpy as np
from gymnasium.spaces import Box, Discrete
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

LENGTH = 6
LIMIT = 12


class CorridorVectorEnv(VectorEnv[NDArray[np.uint8], NDArray[np.int64], NDArray[np.int64]]):
    """Start at a random cell; +1 at the right end (win), -1 at the left one (loss), cut off after 12 steps."""

    metadata = {"autoreset_mode": AutoresetMode.SAME_STEP}  # noqa: RUF012 # Gymnasium's own way

    def __init__(self, num_envs: int, autoreset_mode: AutoresetMode = AutoresetMode.SAME_STEP) -> None:
        self.num_envs = num_envs
        self.metadata = {"autoreset_mode": autoreset_mode}
        self.single_observation_space = Box(0, 255, (LENGTH,), np.uint8)
        self.single_action_space = Discrete(2)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self.poisoned_step = -1  # the step, from 1, in which the first reward is not a number
        self._calls = 0
        self._mode = autoreset_mode
        self._cells = np.zeros(num_envs, dtype=np.int64)
        self._steps = np.zeros(num_envs, dtype=np.int64)
        self._rngs = [np.random.default_rng(i) for i in range(num_envs)]

    def reset(
        self, *, seed: Any = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.uint8], dict[str, Any]]:
        everywhere = np.ones(self.num_envs, dtype=bool)
        mask = everywhere if options is None else options.get("reset_mask", everywhere)
        seeds = (
            [None if seed is None else seed + i for i in range(self.num_envs)] if not isinstance(seed, list) else seed
        )
        states = None if options is None else options.get("states")
        for i in np.flatnonzero(mask):
            if seeds[i] is not None:
                self._rngs[i] = np.random.default_rng(seeds[i])
            if states is not None and states[i] is not None:
                self._cells[i], self._steps[i], _ = pickle.loads(states[i])  # noqa: S301 # our own bytes
            else:
                self._restart(i)
        return self._observations(), {}

    def step(
        self, actions: NDArray[np.int64]
    ) -> tuple[NDArray[np.uint8], NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]:
        self._cells += np.where(actions == 1, 1, -1)
        self._steps += 1
        won, lost = self._cells >= LENGTH - 1, self._cells <= 0
        terminated = won | lost
        truncated = ~terminated & (self._steps >= LIMIT)
        rewards = won.astype(np.float64) - lost
        self._calls += 1
        if self._calls == self.poisoned_step:
            rewards[0] = np.nan
        outcome = np.select([won, lost, truncated], [1, 2, 3], 0)
        infos: dict[str, Any] = {"outcome": outcome, "cell": self._cells.copy()}
        ended = terminated | truncated
        if self._mode is AutoresetMode.SAME_STEP and ended.any():
            infos["final_obs"] = self._observations()
            for i in np.flatnonzero(ended):
                self._restart(i)
        return self._observations(), rewards, terminated, truncated, infos

    def get_state(self, index: int) -> bytes:
        rng = self._rngs[index].bit_generator.state
        return pickle.dumps((int(self._cells[index]), int(self._steps[index]), rng))

    def set_state(self, index: int, state: bytes) -> None:
        self._cells[index], self._steps[index], rng = pickle.loads(state)  # noqa: S301 # our own bytes
        self._rngs[index].bit_generator.state = rng

    def _restart(self, i: int) -> None:
        self._cells[i] = self._rngs[i].integers(1, LENGTH - 1)
        self._steps[i] = 0

    def _observations(self) -> NDArray[np.uint8]:
        observations = np.zeros((self.num_envs, LENGTH), dtype=np.uint8)
        observations[np.arange(self.num_envs), np.clip(self._cells, 0, LENGTH - 1)] = 255
        return observations
