# SPDX-License-Identifier: GPL-3.0-or-later
"""Stable-Baselines3's PPO on the vector environment, behind the thinnest `VecEnv` that it takes."""

import time
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from gymnasium import spaces
from numpy.typing import NDArray
from stable_baselines3 import PPO
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from stable_baselines3.common.vec_env import VecEnv
from torch import Tensor, nn

from oakemu_rl.envs import SpectrumVectorEnv

from _train_setups import Returns, Seconds, Setup

__all__ = ["StableBaselinesTrainer"]


class _Extractor(BaseFeaturesExtractor):  # type: ignore[misc] # the library is not followed by mypy
    """As its NatureCNN, with the setup's layers."""

    def __init__(self, observation_space: spaces.Box, setup: Setup) -> None:
        super().__init__(observation_space, setup.hidden)
        layers: list[nn.Module] = []
        for convolution in setup.convolutions:
            layers += [nn.Conv2d(*convolution), nn.ReLU()]
        self.cnn = nn.Sequential(*layers, nn.Flatten())
        with torch.no_grad():
            features = self.cnn(torch.zeros(1, *observation_space.shape)).shape[1]
        self.linear = nn.Sequential(nn.Linear(features, setup.hidden), nn.ReLU())

    def forward(self, observations: Tensor) -> Tensor:
        features: Tensor = self.linear(self.cnn(observations))
        return features


class _Environments(VecEnv):  # type: ignore[misc] # as above
    """Hands arrays through; dictionaries are made for environments whose episode ended, as the interface wants them."""

    def __init__(self, env: SpectrumVectorEnv) -> None:
        super().__init__(env.num_envs, env.single_observation_space, env.single_action_space)
        self.env = env
        self.seconds = 0.0
        self.returns = Returns()
        self._nothing: list[dict[str, Any]] = [{} for _ in range(env.num_envs)]

    def reset(self) -> NDArray[Any]:
        observations, _ = self.env.reset(seed=1)
        return np.asarray(observations)

    def step_async(self, actions: NDArray[Any]) -> None:
        self._actions = actions

    def step_wait(self) -> tuple[NDArray[Any], NDArray[Any], NDArray[np.bool_], list[dict[str, Any]]]:
        begin = time.perf_counter()
        observations, rewards, terminated, truncated, infos = self.env.step(self._actions)
        dones = terminated | truncated
        each = self._nothing
        if dones.any():
            self.returns.note(infos)
            each = [{} for _ in range(self.num_envs)]
            for i in np.flatnonzero(dones):
                each[i] = {
                    "terminal_observation": infos["final_obs"][i],
                    "TimeLimit.truncated": bool(truncated[i] and not terminated[i]),
                    "episode": {"r": float(infos["episode"]["r"][i]), "l": int(infos["episode"]["l"][i]), "t": 0.0},
                }
        self.seconds += time.perf_counter() - begin
        return observations, rewards, dones, each

    def close(self) -> None:
        self.env.close()

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:  # noqa: ANN401, ARG002 - the interface's
        return [getattr(self.env, attr_name, None)] * self.num_envs

    def set_attr(self, attr_name: str, value: object, indices: object = None) -> None:
        raise NotImplementedError

    def env_method(self, method_name: str, *args: object, indices: object = None, **kwargs: object) -> list[Any]:
        raise NotImplementedError

    def env_is_wrapped(self, wrapper_class: type, indices: object = None) -> list[bool]:  # noqa: ARG002 - the interface's
        return [False] * self.num_envs

    def seed(self, seed: int | None = None) -> Sequence[int | None]:
        return [seed] * self.num_envs


class _Timed(PPO):  # type: ignore[misc] # as above
    """Notes how long it learns."""

    learning_seconds = 0.0

    def train(self) -> None:
        begin = time.perf_counter()
        super().train()
        self.learning_seconds += time.perf_counter() - begin


class StableBaselinesTrainer:
    """See `_train_setups.Trainer`."""

    def __init__(self, setup: Setup, threads: int) -> None:
        torch.set_num_threads(threads)
        self._env = _Environments(setup.make_env(threads))
        self._steps = setup.steps_per_update
        self._model = _Timed(
            "CnnPolicy",
            self._env,
            learning_rate=setup.lr,
            n_steps=setup.rollout_length,
            batch_size=setup.batch_size,
            n_epochs=setup.epochs,
            gamma=setup.gamma,
            gae_lambda=setup.gae_lambda,
            clip_range=setup.clip,
            ent_coef=setup.entropy,
            vf_coef=setup.value,
            max_grad_norm=setup.grad_clip,
            policy_kwargs={"features_extractor_class": _Extractor, "features_extractor_kwargs": {"setup": setup}},
            seed=1,
            device="cpu",
        )
        self._inference_seconds = 0.0
        policy = self._model.policy
        forward = policy.forward

        def timed(*args: Any, **kwargs: Any) -> Any:  # noqa: ANN401 - whatever the method takes and gives
            begin = time.perf_counter()
            result = forward(*args, **kwargs)
            self._inference_seconds += time.perf_counter() - begin
            return result

        policy.forward = timed
        self._started = False

    @property
    def mean_return(self) -> float:
        """Of the last hundred training episodes."""
        return self._env.returns.mean

    def train(self, updates: int) -> Seconds:
        """Goes on learning."""
        before = self._env.seconds, self._inference_seconds, self._model.learning_seconds
        self._model.learn(updates * self._steps, reset_num_timesteps=not self._started)
        self._started = True
        after = self._env.seconds, self._inference_seconds, self._model.learning_seconds
        return Seconds(*(now - then for now, then in zip(after, before, strict=True)))
