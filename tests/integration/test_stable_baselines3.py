# SPDX-License-Identifier: GPL-3.0-or-later
"""Another library's trainer on our environments."""

import warnings
from typing import Any

import gymnasium
import numpy as np
import pytest

import oakemu_rl  # noqa: F401 - registers the games

pytest.importorskip("stable_baselines3")

import torch
from stable_baselines3 import PPO
from stable_baselines3.common.env_checker import check_env
from stable_baselines3.common.env_util import make_vec_env
from stable_baselines3.common.preprocessing import is_image_space

GAME = "ZXSpectrum/Acorns-v0"


@pytest.mark.parametrize(
    "options",
    [{}, {"obs_type": "rgb", "stack_num": 1, "img_width": 84, "img_height": 84}, {"obs_type": "ink", "stack_num": 4}],
)
def test_check_env(options: dict[str, Any]) -> None:
    env = gymnasium.make(GAME, **options)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(env)
    assert is_image_space(env.observation_space)  # B33


@pytest.mark.parametrize(
    "options",
    [
        {"obs_type": "variables"},
        {"obs_type": ["grayscale", "variables"], "img_width": 84, "img_height": 84},
        {"obs_type": ["attributes", "ram", "variables"], "action_type": "multibinary"},
        {"obs_type": "ram", "action_type": "multibinary"},
    ],
)
def test_check_env_of_dictionaries_and_bits(options: dict[str, Any]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", message="The minimal resolution for an image")  # there are fewer cells
        check_env(gymnasium.make(GAME, **options))


@pytest.mark.learning
@pytest.mark.parametrize("action_type", ["discrete", "multibinary"])
def test_ppo_with_several_inputs(action_type: str) -> None:
    torch.set_num_threads(1)
    options = {"obs_type": ["grayscale", "variables"], "img_width": 84, "img_height": 84, "action_type": action_type}
    env = make_vec_env(GAME, n_envs=2, seed=1, env_kwargs={"max_num_frames_per_episode": 80, **options})
    model = PPO("MultiInputPolicy", env, n_steps=32, batch_size=32, n_epochs=1, seed=1)
    extractors = model.policy.features_extractor.extractors
    assert type(extractors["grayscale"]).__name__ == "NatureCNN"
    assert type(extractors["basket_x"]).__name__ == "Flatten"
    before = [each.detach().clone() for each in model.policy.parameters()]
    model.learn(64)
    assert any(not torch.equal(*pair) for pair in zip(before, model.policy.parameters(), strict=True))
    actions, _ = model.predict(env.reset())
    assert actions.shape == ((2,) if action_type == "discrete" else (2, 2))
    env.close()


@pytest.mark.learning
def test_ppo_with_a_cnn() -> None:
    torch.set_num_threads(1)
    env = make_vec_env(GAME, n_envs=2, seed=1, env_kwargs={"max_num_frames_per_episode": 80})
    model = PPO("CnnPolicy", env, n_steps=32, batch_size=32, n_epochs=1, seed=1)
    before = [each.detach().clone() for each in model.policy.parameters()]
    model.learn(64)
    assert type(model.policy.features_extractor).__name__ == "NatureCNN"
    assert any(not torch.equal(*pair) for pair in zip(before, model.policy.parameters(), strict=True))
    assert len(model.ep_info_buffer or ()) >= 2
    actions, _ = model.predict(np.zeros((2, *env.observation_space.shape), np.uint8))
    assert actions.shape == (2,)
    env.close()
