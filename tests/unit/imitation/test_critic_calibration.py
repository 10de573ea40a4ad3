# SPDX-License-Identifier: GPL-3.0-or-later
import copy
import math

import numpy as np
import pytest
import torch
from recorded import SYMBOLS, model_of

from oakemu_rl.imitation import CriticCalibration, ImitationConfiguration
from oakemu_rl.ppo import NonFiniteError, PPOModel, RolloutBuffer

RETURNS = np.array([3.0, -1.0, 0.5, 2.0], dtype=np.float32)  # by the symbol that is shown


def rollout(model: PPOModel, *, trainable: bool = True) -> RolloutBuffer:
    """Episodes of one step whose rewards are `RETURNS`; the second half of the environments may teach nothing."""
    buffer = RolloutBuffer(8, 4, (SYMBOLS,), np.dtype(np.float32), state_size=model.state_size)
    generator = np.random.default_rng(2)
    taught = np.array([True, True, trainable, trainable])
    for _ in range(8):
        symbols = generator.integers(0, SYMBOLS, 4)
        rewards = np.where(taught, RETURNS[symbols], 1000.0)
        resets, states = (
            (np.ones(4, np.bool_), np.zeros((4, model.state_size), np.float32)) if model.core else (None,) * 2
        )
        buffer.add(
            np.eye(SYMBOLS, dtype=np.float32)[symbols],
            symbols,
            np.zeros(4),
            np.zeros(4),
            rewards,
            np.ones(4),
            taught,
            resets=resets,
            states=states,
        )
    buffer.compute_gae(np.zeros(4), np.ones(4), 0.99, 0.95)
    return buffer


def calibration(model: PPOModel, seed: int = 1, **changes: object) -> CriticCalibration:
    settings = {"critic_lr": 0.05, "critic_epochs": 150, "critic_grad_clip": None, **changes}
    return CriticCalibration(
        model,
        ImitationConfiguration.model_validate(settings),
        num_minibatches=2,
        generator=torch.Generator().manual_seed(seed),
    )


@pytest.mark.parametrize("changes", [{}, {"recurrent": "gru", "recurrent_size": 12}])
@pytest.mark.parametrize("trainable", [True, False])
def test_it_fits_the_returns_and_moves_nothing_but_the_value_head(
    changes: dict[str, object], *, trainable: bool
) -> None:
    model = model_of(**changes)
    before = copy.deepcopy(model.state_dict())
    figures = calibration(model).learn(rollout(model, trainable=trainable))
    np.testing.assert_allclose(model.get_value(torch.eye(SYMBOLS)).detach(), RETURNS, atol=0.1)
    assert figures["critic_loss"] > 0.0
    assert all(
        torch.equal(tensor, before[name]) == (not name.startswith("value_head."))
        for name, tensor in model.state_dict().items()
    )
    assert all(parameter.grad is None for parameter in model.parameters())


def test_the_gradient_is_clipped_by_its_own_budget() -> None:
    model = model_of()
    own = calibration(model, critic_epochs=1, critic_grad_clip=0.001)
    assert own.learn(rollout(model))["critic_grad_norm"] > 0.1
    moments = [each["exp_avg"] for each in own.state_dict()["optimizer"]["state"].values()]
    norm = math.sqrt(sum(float(moment.square().sum()) for moment in moments))
    assert norm <= 0.001 * (0.1 + 0.09) * 1.001  # Adam's mean of two gradients of at most 0.001


def test_it_stops_at_numbers_that_are_not_finite() -> None:
    model = model_of()
    with torch.no_grad():
        model.value_head.bias.fill_(math.inf)
    with pytest.raises(NonFiniteError, match="critic's calibration"):
        calibration(model).learn(rollout(model))


def test_it_goes_on_where_its_state_stood() -> None:
    straight, parts = model_of(), model_of()
    own = calibration(straight)
    for _ in range(2):
        own.learn(rollout(straight))
    first = calibration(parts)
    first.learn(rollout(parts))
    second = calibration(parts, seed=9)
    second.load_state_dict(first.state_dict())
    second.learn(rollout(parts))
    assert torch.equal(straight.value_head.weight, parts.value_head.weight)
