# SPDX-License-Identifier: GPL-3.0-or-later
"""A hard game in small: a lock that opens to twenty right turns in a row, and breaks at the first wrong one."""

import pickle
from dataclasses import dataclass
from typing import Any

import numpy as np
from gymnasium.spaces import Box, Discrete
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

TURNS = 20
SYMBOLS = 4
SIZE = SYMBOLS + TURNS


@dataclass(frozen=True)
class Opening:
    """Somebody who opens the lock: what was seen, and what was done."""

    observations: NDArray[np.float32]
    actions: NDArray[np.int64]


class LockVectorEnv(VectorEnv[NDArray[np.float32], NDArray[np.int64], NDArray[np.int64]]):
    """Each turn shows its number and one of four symbols, in noise; right is the sum of both, modulo 4.

    The twentieth right answer wins, and +1 is all that there ever is. Chance opens one lock in 10^12: who does not know
    how to will not find out.
    """

    def __init__(self, num_envs: int, mode: AutoresetMode = AutoresetMode.SAME_STEP) -> None:
        self.num_envs = num_envs
        self.metadata = {"autoreset_mode": mode}
        self.single_observation_space = Box(-np.inf, np.inf, (SIZE,), np.float32)
        self.single_action_space = Discrete(SYMBOLS)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._mode = mode
        self._turns = np.zeros(num_envs, dtype=np.int64)
        self._answers = np.zeros(num_envs, dtype=np.int64)
        self._shown = np.zeros((num_envs, SIZE), dtype=np.float32)
        self._rngs = [np.random.default_rng(i) for i in range(num_envs)]

    def reset(
        self, *, seed: Any = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.float32], dict[str, Any]]:
        mask = np.ones(self.num_envs, dtype=bool) if options is None else options["reset_mask"]
        seeds = seed if isinstance(seed, list) else [None if seed is None else seed + i for i in range(self.num_envs)]
        for i in np.flatnonzero(mask):
            if seeds[i] is not None:
                self._rngs[i] = np.random.default_rng(seeds[i])
            self._turns[i] = 0
            self._show(i)
        return self._shown.copy(), {}

    def step(
        self, actions: NDArray[np.int64]
    ) -> tuple[NDArray[np.float32], NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]:
        right = actions == self._answers
        self._turns += 1
        won, lost = right & (self._turns == TURNS), ~right
        ended = won | lost
        infos: dict[str, Any] = {"outcome": np.select([won, lost], [1, 2], 0)}
        for i in range(self.num_envs):
            if self._mode is AutoresetMode.SAME_STEP and ended[i]:
                self._turns[i] = 0
            self._show(i)
        return self._shown.copy(), won.astype(np.float64), ended, np.zeros(self.num_envs, np.bool_), infos

    def get_state(self, index: int) -> bytes:
        rng = self._rngs[index].bit_generator.state
        return pickle.dumps((self._turns[index], self._answers[index], self._shown[index].copy(), rng))

    def set_state(self, index: int, state: bytes) -> None:
        self._turns[index], self._answers[index], self._shown[index], rng = pickle.loads(state)  # noqa: S301  # our own bytes
        self._rngs[index].bit_generator.state = rng

    def _show(self, i: int) -> None:
        symbol, turn = int(self._rngs[i].integers(SYMBOLS)), int(self._turns[i])
        self._answers[i] = (symbol + turn) % SYMBOLS
        self._shown[i] = self._rngs[i].normal(0.0, 0.1, SIZE)
        self._shown[i, symbol] += 1.0
        self._shown[i, SYMBOLS + turn % TURNS] += 1.0


def openings(count: int, seed: int) -> list[Opening]:
    """Recordings of locks that were opened."""
    env = LockVectorEnv(count, AutoresetMode.DISABLED)
    seen, done = [env.reset(seed=seed)[0]], []
    for _ in range(TURNS):
        done.append(env._answers.copy())
        seen.append(env.step(done[-1])[0])
    return [Opening(np.stack(seen)[:, i], np.stack(done)[:, i]) for i in range(count)]
