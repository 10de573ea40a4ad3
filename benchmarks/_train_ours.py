# SPDX-License-Identifier: GPL-3.0-or-later
"""OakEmu-RL's PPO as `oakemu-rl train` assembles it, without logs and checkpoints."""

import time
from collections import deque

import numpy as np

from oakemu_rl.games import load_game
from oakemu_rl.training.assembly import assemble
from oakemu_rl.training.configuration import PPOExperimentConfiguration

from _train_setups import Seconds, Setup

__all__ = ["OurTrainer"]


class OurTrainer:
    """See `_train_setups.Trainer`."""

    def __init__(self, setup: Setup, threads: int) -> None:
        configuration = PPOExperimentConfiguration.model_validate(
            {
                "game": setup.game,
                "env": setup.observation_options,
                "num_envs": setup.num_envs,
                "num_threads": threads,
                "torch_threads": threads,
                "device": "cpu",
                "eval_every": 0,
                "ppo": {
                    "lr": setup.lr,
                    "gamma": setup.gamma,
                    "gae_lambda": setup.gae_lambda,
                    "rollout_length": setup.rollout_length,
                    "ppo_epochs": setup.epochs,
                    "num_minibatches": setup.minibatches,
                    "clip_coef": setup.clip,
                    "entropy_coef": setup.entropy,
                    "value_loss_coef": setup.value,
                    "grad_clip": setup.grad_clip,
                },
                "model": {
                    "conv_filters": setup.conv,
                    "conv_padding": setup.padding,
                    "fcnet_hiddens": [setup.hidden],
                },
            }
        )
        self._parts = assemble(configuration, load_game(setup.game))
        self._returns: deque[float] = deque(maxlen=100)

    @property
    def mean_return(self) -> float:
        """Of the last hundred training episodes."""
        return float(np.mean(self._returns)) if len(self._returns) == self._returns.maxlen else float("nan")

    def train(self, updates: int) -> Seconds:
        """Collects and learns as `PPOExperiment.run` does."""
        seconds = Seconds()
        parts, rollout_buffer = self._parts, self._parts.rollout_buffer
        for _ in range(updates):
            statistics = parts.trained.actor.collect(rollout_buffer)
            begin = time.perf_counter()
            parts.finalizer.finalize(rollout_buffer, parts.trained.actor.observations, parts.trained.actor.states)
            parts.trained.learner.update(rollout_buffer, 0.0)
            seconds.learning += time.perf_counter() - begin
            seconds.environment += statistics.environment_seconds
            seconds.inference += statistics.inference_seconds
            self._returns.extend(episode.episode_return for episode in statistics.episodes)
        return seconds
