# SPDX-License-Identifier: GPL-3.0-or-later
"""What every trainer in the comparison does alike: environment, network and hyper-parameters."""

from collections import deque
from dataclasses import dataclass, field
from math import ceil
from typing import Any, Protocol

import numpy as np
from gymnasium.vector import AutoresetMode

from oakemu_rl.envs import SpectrumVectorEnv

__all__ = ["SETUPS", "Returns", "Seconds", "Setup", "Trainer"]


@dataclass
class Seconds:
    """Where the time of some updates went, by the wall's clock."""

    environment: float = 0.0
    inference: float = 0.0
    learning: float = 0.0


@dataclass(frozen=True)
class Setup:
    """One piece of work.

    Attributes:
        title: For the table.
        size: Width and height of the picture.
        stack: Frames in an observation.
        conv: (channels, kernel, stride) of each convolution.
        padding: "same" lays zeros around their inputs, so that the whole picture is seen; "valid" lays none.
        hidden: Width of the layer behind them.
        num_envs: Environments stepped together.
        rollout_length: Steps of each between two updates.
        epochs: How often an update goes through them.
        minibatches: Into how many parts it cuts them.
        lr: Learning rate, constant.
        gamma: Discount.
        updates: In one round of the benchmark.
    """

    title: str
    size: tuple[int, int]
    stack: int
    conv: tuple[tuple[int, int, int], ...]
    hidden: int
    num_envs: int
    rollout_length: int
    epochs: int
    minibatches: int
    lr: float
    gamma: float
    updates: int
    game: str = "acorns"
    padding: str = "valid"
    gae_lambda: float = 0.95
    clip: float = 0.2
    entropy: float = 0.01
    value: float = 0.5
    grad_clip: float = 0.5

    @property
    def steps_per_update(self) -> int:
        """Agent steps in a rollout."""
        return self.num_envs * self.rollout_length

    @property
    def batch_size(self) -> int:
        """Cells in a minibatch."""
        return self.steps_per_update // self.minibatches

    @property
    def observation_options(self) -> dict[str, Any]:
        """Of the environment."""
        return {"img_width": self.size[0], "img_height": self.size[1], "stack_num": self.stack}

    @property
    def convolutions(self) -> list[tuple[int, int, int, int, tuple[int, int]]]:
        """What torch's `Conv2d` takes: channels in and out, kernel, stride, zeros above and beside."""
        channels, (width, height), layers = self.stack, self.size, []
        for out_channels, kernel, stride in self.conv:
            above, beside = (self._zeros(size, kernel, stride) for size in (height, width))
            layers.append((channels, out_channels, kernel, stride, (above, beside)))
            channels = out_channels
            height, width = (height + 2 * above - kernel) // stride + 1, (width + 2 * beside - kernel) // stride + 1
        return layers

    def _zeros(self, size: int, kernel: int, stride: int) -> int:
        missing = 0 if self.padding == "valid" else (ceil(size / stride) - 1) * stride + kernel - size
        return ceil(max(0, missing) / 2)

    def make_env(self, num_threads: int) -> SpectrumVectorEnv:
        """For trainers that keep what they are given: observations are new arrays."""
        return SpectrumVectorEnv(
            self.game,
            self.num_envs,
            num_threads=num_threads,
            autoreset_mode=AutoresetMode.SAME_STEP,
            episode_stats=True,
            **self.observation_options,
        )


SETUPS = {
    "nature": Setup(
        title="Nature CNN, 84x84x4, 8 x 128 steps, 4 epochs of 4 minibatches",
        size=(84, 84),
        stack=4,
        conv=((32, 8, 4), (64, 4, 2), (64, 3, 1)),
        hidden=512,
        num_envs=8,
        rollout_length=128,
        epochs=4,
        minibatches=4,
        lr=2.5e-4,
        gamma=0.99,
        updates=1,
    ),
    "preset": Setup(  # as presets/any.yaml and presets/games/acorns.yaml have it, but for the constant learning rate
        title="preset network, 64x44x2, 32 x 64 steps, 3 epochs of 4 minibatches",
        size=(64, 44),
        stack=2,
        conv=((16, 8, 8), (32, 3, 2)),
        padding="same",
        hidden=128,
        num_envs=32,
        rollout_length=64,
        epochs=3,
        minibatches=4,
        lr=1.0e-3,
        gamma=0.9,
        updates=6,
    ),
}


@dataclass
class Returns:
    """Of the last hundred training episodes."""

    last: deque[float] = field(default_factory=lambda: deque(maxlen=100))

    def note(self, infos: dict[str, Any]) -> None:
        """Takes those in that a step ended."""
        if "_episode" in infos:
            self.last.extend(infos["episode"]["r"][infos["_episode"]].tolist())

    @property
    def mean(self) -> float:
        """NaN before the hundredth."""
        return float(np.mean(self.last)) if len(self.last) == self.last.maxlen else float("nan")


class Trainer(Protocol):
    """One of those that are compared."""

    @property
    def mean_return(self) -> float:
        """Of the last hundred training episodes; NaN before there are so many."""

    def train(self, updates: int) -> Seconds:
        """Collects and learns so many times; says where the time went."""
