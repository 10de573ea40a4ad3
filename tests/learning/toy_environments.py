# SPDX-License-Identifier: GPL-3.0-or-later
"""Environments that an agent masters in seconds, run by Gymnasium's own vector environment."""

from collections.abc import Callable
from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium.spaces import Box, Dict, Discrete
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from numpy.typing import NDArray

Observation = NDArray[Any]
Step = tuple[Observation, float, bool, bool, dict[str, Any]]


def one_hot(index: int, size: int) -> NDArray[np.float32]:
    return np.eye(size, dtype=np.float32)[index]


def vectorised(make: Callable[[], gym.Env[Any, Any]], num_envs: int, mode: AutoresetMode) -> SyncVectorEnv:
    return SyncVectorEnv([make] * num_envs, autoreset_mode=mode)


class Identity(gym.Env[Observation, int]):
    """Shown one of four symbols, the agent must name it; episodes last eight symbols."""

    observation_space = Box(0, 1, (4,), np.float32)
    action_space = Discrete(4)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        super().reset(seed=seed, options=options)
        self._shown = 0
        return self._draw(), {}

    def step(self, action: int) -> Step:
        reward = float(action == self._symbol)
        self._shown += 1
        return self._draw(), reward, self._shown == 8, False, {}

    def _draw(self) -> Observation:
        self._symbol = int(self.np_random.integers(4))
        return self._observation()

    def _observation(self) -> Observation:
        return one_hot(self._symbol, 4)


class BrightQuarter(Identity):
    """The same with pictures: the symbol is the quarter of a noisy 8x8 image in which a bright square stands."""

    observation_space = Box(0, 255, (1, 8, 8), np.uint8)

    def _observation(self) -> Observation:
        image = self.np_random.integers(0, 100, (1, 8, 8), dtype=np.uint8)
        y, x = self.np_random.integers(0, 3, 2) + 4 * np.array(divmod(self._symbol, 2))
        image[0, y : y + 2, x : x + 2] = 255
        return image


class QuarterAndNumber(BrightQuarter):
    """The quarter that is bright and a number, 0 or 1, in a dictionary: the agent must name their sum modulo 4."""

    observation_space = Dict({"picture": BrightQuarter.observation_space, "number": Box(0, 1, (1,), np.int64)})

    def step(self, action: int) -> Step:
        return super().step((action - self._number) % 4)

    def _observation(self) -> Any:  # a dictionary
        self._number = int(self.np_random.integers(2))
        return {"picture": super()._observation(), "number": np.array([self._number])}


class Corridor(gym.Env[Observation, int]):
    """Five places in a row: the reward waits at the right end, ten steps are allowed, and left leads left."""

    observation_space = Box(0, 1, (5,), np.float32)
    action_space = Discrete(2)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        super().reset(seed=seed, options=options)
        self._place, self._steps = 0, 0
        return one_hot(0, 5), {}

    def step(self, action: int) -> Step:
        self._place = max(0, self._place + (1 if action == 1 else -1))
        self._steps += 1
        arrived = self._place == 4
        return one_hot(self._place, 5), float(arrived), arrived, self._steps == 10, {}


class Clock(gym.Env[Observation, int]):
    """Shows the time, 0 to 9, and pays 1 a step; after ten steps the clock is back at 0, and the episode ends.

    Args:
        truncates: Whether that end is a time limit (the world would go on) rather than the end of the world.
    """

    observation_space = Box(0, 1, (10,), np.float32)
    action_space = Discrete(2)

    def __init__(self, *, truncates: bool) -> None:
        self._truncates = truncates

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        super().reset(seed=seed, options=options)
        self._time = 0
        return one_hot(0, 10), {}

    def step(self, action: int) -> Step:  # noqa: ARG002  # Gymnasium's signature
        self._time += 1
        over = self._time == 10
        return one_hot(self._time % 10, 10), 1.0, over and not self._truncates, over and self._truncates, {}


class Recall(gym.Env[Observation, int]):
    """One of two symbols is shown, then nothing for three steps, then the agent is asked to name it.

    An observation is (first symbol, second symbol, asked).
    """

    observation_space = Box(0, 1, (3,), np.float32)
    action_space = Discrete(2)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        super().reset(seed=seed, options=options)
        self._symbol, self._steps = int(self.np_random.integers(2)), 0
        return one_hot(self._symbol, 3), {}

    def step(self, action: int) -> Step:
        self._steps += 1
        asked, over = self._steps == 4, self._steps == 5
        observation = one_hot(2, 3) if asked else np.zeros(3, np.float32)
        return observation, float(over and action == self._symbol), over, False, {}
