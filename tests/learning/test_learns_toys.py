# SPDX-License-Identifier: GPL-3.0-or-later
"""The whole algorithm, on problems whose answers are known."""

import functools
import hashlib
from collections.abc import Callable
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
import torch
from gymnasium.vector import AutoresetMode
from toy_environments import BrightQuarter, Clock, Corridor, Identity, QuarterAndNumber, Recall, one_hot, vectorised

from oakemu_rl.ppo import (
    PPOActor,
    PPOConfiguration,
    PPOLearner,
    PPOModel,
    PPOModelConfiguration,
    RolloutBuffer,
    RolloutFinalizer,
    RolloutStatistics,
)
from oakemu_rl.ppo.env_contract import form_of, storage_of

pytestmark = pytest.mark.learning

ALL_MODES = pytest.mark.parametrize("mode", list(AutoresetMode))
VECTOR = PPOModelConfiguration(conv_filters=[], fcnet_hiddens=[32], fcnet_activation="tanh")
LINEAR = PPOModelConfiguration(conv_filters=[], fcnet_hiddens=[])
IMAGE = PPOModelConfiguration(conv_filters=[(8, 3, 1)], fcnet_hiddens=[32])


def train(
    make_env: Callable[[], gym.Env[Any, Any]],
    network: PPOModelConfiguration,
    configuration: PPOConfiguration,
    *,
    rollouts: int,
    mode: AutoresetMode = AutoresetMode.SAME_STEP,
    seed: int = 1,
) -> tuple[PPOModel, list[RolloutStatistics]]:
    env = vectorised(make_env, 8, mode)
    shape, dtype = storage_of(env.single_observation_space)
    torch.manual_seed(seed)
    model = PPOModel(form_of(env.single_observation_space), int(env.single_action_space.n), network)
    actor = PPOActor(env, model, gamma=configuration.gamma, seed=seed)
    learner = PPOLearner(model, configuration, seed=seed)
    finalizer = RolloutFinalizer(model, gamma=configuration.gamma, gae_lambda=configuration.gae_lambda)
    buffer = RolloutBuffer(configuration.rollout_length, 8, shape, dtype, state_size=model.state_size)
    statistics = []
    for index in range(rollouts):
        statistics.append(actor.collect(buffer))
        finalizer.finalize(buffer, actor.observations, actor.states)
        learner.update(buffer, index / rollouts)
    env.close()
    return model, statistics


def mean_return(statistics: RolloutStatistics) -> float:
    return float(np.mean([episode.episode_return for episode in statistics.episodes]))


@pytest.mark.parametrize(
    ("recurrent", "mode", "least", "most"),
    [
        ("none", AutoresetMode.SAME_STEP, 0.3, 0.7),
        ("gru", AutoresetMode.SAME_STEP, 0.97, 1.0),
        ("lstm", AutoresetMode.NEXT_STEP, 0.97, 1.0),
    ],
)
def test_only_memory_recalls_what_was_shown(recurrent: str, mode: AutoresetMode, least: float, most: float) -> None:
    network = VECTOR.model_copy(update={"recurrent": recurrent, "recurrent_size": 16})
    # Rollouts of 32 steps begin and end in the middle of episodes of 5.
    configuration = PPOConfiguration(lr=(5e-3, 5e-4), rollout_length=32)
    _, statistics = train(Recall, network, configuration, rollouts=80, mode=mode)
    assert 0.3 < np.mean([mean_return(each) for each in statistics[:3]]) < 0.7
    assert least <= np.mean([mean_return(each) for each in statistics[-5:]]) <= most


@ALL_MODES
def test_names_symbols(mode: AutoresetMode) -> None:
    configuration = PPOConfiguration(lr=(1e-2, 1e-3), rollout_length=32)
    model, statistics = train(Identity, VECTOR, configuration, rollouts=30, mode=mode)
    assert mean_return(statistics[0]) < 4.0  # chance gives 2 of 8
    assert mean_return(statistics[-1]) > 7.8
    assert model.get_logits(torch.eye(4)).argmax(dim=-1).tolist() == [0, 1, 2, 3]


@ALL_MODES
def test_walks_down_a_corridor_to_a_late_reward(mode: AutoresetMode) -> None:
    configuration = PPOConfiguration(lr=1e-2, rollout_length=64)
    model, statistics = train(Corridor, VECTOR, configuration, rollouts=25, mode=mode)
    assert mean_return(statistics[0]) < 0.8
    assert mean_return(statistics[-1]) > 0.98
    assert model.get_logits(torch.eye(5)[:4]).argmax(dim=-1).tolist() == [1, 1, 1, 1]
    # The value of each place is the discount to the power of the steps after the next.
    values = model.get_value(torch.eye(5)[:4]).detach().numpy()
    np.testing.assert_allclose(values, 0.99 ** np.array([3, 2, 1, 0]), atol=0.1)


def test_sees_pictures() -> None:
    configuration = PPOConfiguration(lr=(5e-3, 5e-4), rollout_length=64)
    _, statistics = train(BrightQuarter, IMAGE, configuration, rollouts=28)
    assert mean_return(statistics[0]) < 4.0
    assert mean_return(statistics[-1]) > 7.6


def test_sees_pictures_with_the_residual_network() -> None:
    network = PPOModelConfiguration(network="impala", impala_channels=[8], fcnet_hiddens=[32])
    _, statistics = train(BrightQuarter, network, PPOConfiguration(lr=(5e-3, 5e-4), rollout_length=64), rollouts=20)
    assert mean_return(statistics[0]) < 4.0
    assert mean_return(statistics[-1]) > 7.6


def test_sees_and_reads() -> None:
    network = IMAGE.model_copy(update={"vector_hiddens": [16], "fcnet_hiddens": [64]})
    configuration = PPOConfiguration(lr=(5e-3, 5e-4), rollout_length=64)
    _, statistics = train(QuarterAndNumber, network, configuration, rollouts=40)
    assert mean_return(statistics[0]) < 4.0
    assert mean_return(statistics[-1]) > 7.0  # neither part alone tells more than chance


@ALL_MODES
@pytest.mark.parametrize(("truncates", "value"), [(True, 100.0), (False, 9.56)])
def test_a_time_limit_is_worth_what_would_have_come(mode: AutoresetMode, value: float, *, truncates: bool) -> None:
    # With a true end, 1 + 0.99 + ... + 0.99^9 = 9.56. A limit cuts a stream of ones, which is worth 1 / 0.01 = 100.
    configuration = PPOConfiguration(lr=(1.0, 0.02), rollout_length=40, gae_lambda=1.0, grad_clip=None)
    make_env = functools.partial(Clock, truncates=truncates)
    model, _ = train(make_env, LINEAR, configuration, rollouts=45, mode=mode)
    assert model.get_value(torch.from_numpy(one_hot(0, 10)[None])).item() == pytest.approx(value, rel=0.03)


@ALL_MODES
def test_repeats_bit_for_bit_on_a_seed(mode: AutoresetMode) -> None:
    def trace(seed: int) -> str:
        digest = hashlib.sha256()
        model, statistics = train(
            BrightQuarter, IMAGE, PPOConfiguration(rollout_length=16), rollouts=4, mode=mode, seed=seed
        )
        for parameter in model.parameters():
            digest.update(parameter.detach().numpy().tobytes())
        digest.update(repr([each.episodes for each in statistics]).encode())
        return digest.hexdigest()

    assert trace(5) == trace(5)
    assert trace(5) != trace(6)
