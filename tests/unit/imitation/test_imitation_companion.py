# SPDX-License-Identifier: GPL-3.0-or-later
import copy

import numpy as np
import pytest
import torch
from recorded import SYMBOLS, dataset_of, model_of, shown

from oakemu_rl.imitation import Cloner, CriticCalibration, ImitationCompanion, ImitationConfiguration, make_sampler
from oakemu_rl.ppo import PPOModel, RolloutBuffer

SETTINGS = {"ppo_weight": ((0.0, 0.0), (0.5, 0.0), (0.75, 1.0)), "bc_weight": ((0.0, 1.0), (1.0, 0.0)), "batch_size": 8}


def companion(model: PPOModel, *, cloning: bool = True, seed: int = 1, **changes: object) -> ImitationCompanion:
    configuration = ImitationConfiguration.model_validate({**SETTINGS, **changes})
    generator = torch.Generator().manual_seed(seed)
    critic = CriticCalibration(model, configuration, num_minibatches=2, generator=generator)
    if not cloning:
        return ImitationCompanion(configuration, critic)
    dataset = dataset_of(shown([0, 1, 2, 3] * 5))
    sampler = make_sampler(dataset, configuration, (), torch.Generator().manual_seed(seed))
    return ImitationCompanion(configuration, critic, Cloner(model, configuration), dataset, sampler)


def rollout() -> RolloutBuffer:
    buffer = RolloutBuffer(4, 2, (SYMBOLS,), np.dtype(np.float32))
    for step in range(4):
        seen = np.eye(SYMBOLS, dtype=np.float32)[[step, 0]]
        buffer.add(seen, np.zeros(2, np.int64), np.zeros(2), np.zeros(2), np.ones(2), np.zeros(2))
    buffer.compute_gae(np.zeros(2), np.zeros(2), 0.9, 0.9)
    return buffer


def moved(model: PPOModel, before: dict[str, torch.Tensor]) -> set[str]:
    return {name.split(".")[0] for name, each in model.state_dict().items() if not torch.equal(each, before[name])}


@pytest.mark.parametrize(
    ("progress", "ppo_weight", "bc_weight", "learnt"),
    [
        (0.25, 0.0, 0.75, {"fc", "policy_head", "value_head"}),  # bootstrap
        (0.625, 0.5, 0.375, {"fc", "policy_head"}),  # PPO teaches the critic
        (1.0, 1.0, 0.0, set()),  # PPO alone
    ],
)
def test_phases(progress: float, ppo_weight: float, bc_weight: float, learnt: set[str]) -> None:
    model = model_of()
    own = companion(model)
    before = copy.deepcopy(model.state_dict())
    assert own.ppo_weight(progress) == pytest.approx(ppo_weight)
    figures = own.learn(rollout(), progress)
    assert moved(model, before) == learnt
    assert figures["imitation/bc_weight"] == pytest.approx(bc_weight)
    assert figures["imitation/ppo_weight"] == pytest.approx(ppo_weight)
    assert ("imitation/critic_loss" in figures) == ("value_head" in learnt)
    assert ("imitation/bc_loss" in figures) == ("fc" in learnt)
    assert figures.keys() <= {
        "imitation/bc_weight",
        "imitation/ppo_weight",
        "imitation/critic_loss",
        "imitation/critic_grad_norm",
        "imitation/bc_loss",
        "imitation/bc_accuracy",
        "imitation/bc_grad_norm",
    }


def test_the_critic_alone_is_calibrated_where_nothing_is_cloned() -> None:
    model = model_of()
    before = copy.deepcopy(model.state_dict())
    companion(model, cloning=False).learn(rollout(), 0.1)
    assert moved(model, before) == {"value_head"}


def test_it_clones_also_where_nothing_was_played() -> None:
    model = model_of()
    before = copy.deepcopy(model.state_dict())
    companion(model).learn(None, 0.1)
    assert moved(model, before) == {"fc", "policy_head"}


def test_it_goes_on_where_its_state_stood() -> None:
    straight, parts = model_of(), model_of()
    own = companion(straight, steps=3)
    for _ in range(4):
        own.learn(rollout(), 0.2)
    first = companion(parts, steps=3)
    for _ in range(2):
        first.learn(rollout(), 0.2)
    second = companion(parts, seed=5, steps=3)
    second.load_state_dict(first.state_dict())
    for _ in range(2):
        second.learn(rollout(), 0.2)
    for name, tensor in straight.state_dict().items():
        assert torch.equal(tensor, parts.state_dict()[name]), name
