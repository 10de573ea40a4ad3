# SPDX-License-Identifier: GPL-3.0-or-later
"""Rollouts that other weights played: clipped around the present policy, weighted by who acted."""

import copy
import math

import numpy as np
import pytest
import torch
from numpy.typing import NDArray
from torch import nn

from oakemu_rl.ppo import (
    NonFiniteError,
    PPOConfiguration,
    PPOLearner,
    PPOModel,
    PPOModelConfiguration,
    RolloutBuffer,
)
from oakemu_rl.ppo.losses import policy_loss

SHAPE, ACTIONS, ROWS, ENVS = (5,), 3, 8, 4
LINEAR = PPOModelConfiguration(conv_filters=[], fcnet_hiddens=[8])


def make_model(seed: int = 0, configuration: PPOModelConfiguration = LINEAR) -> PPOModel:
    torch.manual_seed(seed)
    model = PPOModel(SHAPE, ACTIONS, configuration)
    with torch.no_grad():
        model.policy_head.weight.mul_(100.0)  # so that policies differ
    return model


def make_rollout(actor: PPOModel, *, lagging: bool = True, trainable: NDArray[np.bool_] | None = None) -> RolloutBuffer:
    """Noise, with actions, probabilities and values as `actor` gives them."""
    rng, generator = np.random.default_rng(3), torch.Generator().manual_seed(3)
    buffer = RolloutBuffer(ROWS, ENVS, SHAPE, np.float32, state_size=actor.state_size, lagging=lagging)
    state, resets = torch.zeros(ENVS, actor.state_size), np.ones(ENVS, np.bool_)
    for t in range(ROWS):
        shown = rng.standard_normal((ENVS, *SHAPE), dtype=np.float32)
        before = state.numpy()
        with torch.no_grad():
            if actor.state_size:
                logits, values, state = actor.step(torch.from_numpy(shown), state)
            else:
                logits, values = actor(torch.from_numpy(shown))
        actions = torch.randint(ACTIONS, (ENVS, 1), generator=generator)
        log_probs = torch.log_softmax(logits, -1).gather(-1, actions)
        buffer.add(
            shown,
            actions[:, 0].numpy(),
            log_probs[:, 0].numpy(),
            values.reshape(-1).numpy(),
            rng.standard_normal(ENVS),
            np.zeros(ENVS),
            None if trainable is None else trainable[t],
            resets=resets if actor.state_size else None,
            states=before if actor.state_size else None,
        )
        resets = np.zeros(ENVS, np.bool_)
    buffer.compute_gae(np.zeros(ENVS), np.zeros(ENVS), 0.9, 0.9)
    return buffer


def weights(model: nn.Module) -> torch.Tensor:
    return nn.utils.parameters_to_vector(model.parameters()).detach().clone()


def test_weights_scale_each_cells_part_of_the_surrogate_after_the_clip() -> None:
    ratio = torch.tensor([2.0, 2.0, 0.5, 1.1])
    advantages = torch.tensor([1.0, -1.0, -3.0, 2.0])
    given = torch.tensor([0.5, 2.0, 1.0, 0.25])
    # min(r A, clip(r) A) with a clip of 0.2: 1.2, -2, -2.4, 2.2.
    expected = -(0.5 * 1.2 + 2.0 * -2.0 + 1.0 * -2.4 + 0.25 * 2.2) / 4
    assert policy_loss(ratio.log(), advantages, 0.2, given).item() == pytest.approx(expected)


def test_three_steps_equal_the_decoupled_objective_written_out() -> None:
    """A second implementation: steps far enough that clipping around the wrong policy would show."""
    acted, model = make_model(1), make_model(2)
    rollout = make_rollout(acted)
    cells = {
        name: torch.from_numpy(getattr(rollout, name).reshape(ROWS * ENVS, -1).copy()).squeeze(-1)
        for name in ("observations", "actions", "log_probs", "advantages", "returns")
    }
    other = copy.deepcopy(model)
    settings = PPOConfiguration(
        ppo_epochs=3, num_minibatches=1, lr=3e-2, entropy_coef=0.0, grad_clip=None, clip_coef=0.1, value_clip=0.2
    )
    metrics = PPOLearner(model, settings).update(rollout, 0.0)

    def score() -> tuple[torch.Tensor, torch.Tensor]:
        logits, values = other(cells["observations"])
        return torch.distributions.Categorical(logits=logits).log_prob(cells["actions"]), values[:, 0]

    with torch.no_grad():
        start, start_values = score()
    optimizer = torch.optim.Adam(other.parameters(), lr=3e-2, eps=1e-5, foreach=False, fused=False)
    advantages = (cells["advantages"] - cells["advantages"].mean()) / cells["advantages"].std()
    clipped = 0.0
    for _ in range(3):
        log_probs, values = score()
        ratio = (log_probs - start).exp()
        gains = torch.min(ratio * advantages, ratio.clamp(0.9, 1.1) * advantages)
        policy = -((start - cells["log_probs"]).exp() * gains).mean()
        near = start_values + (values - start_values).clamp(-0.2, 0.2)
        value = torch.max((values - cells["returns"]) ** 2, (near - cells["returns"]) ** 2).mean()
        optimizer.zero_grad()
        (policy + 0.5 * value).backward()
        optimizer.step()
        clipped += ((ratio - 1.0).abs() > 0.1).float().mean().item() / 3

    torch.testing.assert_close(weights(model), weights(other), atol=1e-5, rtol=1e-4)
    assert metrics["clip_fraction"] == pytest.approx(clipped)
    assert clipped > 0.1
    behind = (start - cells["log_probs"]).double()
    assert metrics["lag_kl"] == pytest.approx((behind.exp() - 1 - behind).mean().item(), rel=1e-4)
    assert metrics["lag_kl"] > 0.01


@pytest.mark.parametrize("recurrent", ["none", "gru"])
def test_without_a_lag_it_is_the_plain_update(recurrent: str) -> None:
    network = LINEAR.model_copy(update={"recurrent": recurrent, "recurrent_size": 6})
    results = []
    for lagging in (True, False):
        model = make_model(1, network)
        rollout = make_rollout(model, lagging=lagging)
        metrics = PPOLearner(model, PPOConfiguration(lr=1e-3), seed=5).update(rollout, 0.0)
        results.append(weights(model))
        if lagging:
            assert rollout.weights is not None
            np.testing.assert_allclose(rollout.weights, 1.0, rtol=1e-5)
            assert metrics.pop("lag_kl") == pytest.approx(0.0, abs=1e-6)
        assert "lag_kl" not in metrics
    # The same order of cells as well: finding the present policy takes nothing from the learner's random stream.
    torch.testing.assert_close(*results, atol=1e-5, rtol=1e-4)


def test_weights_lead_back_to_who_acted_however_often_a_rollout_is_learnt_from() -> None:
    acted, model = make_model(1), make_model(2)
    rollout = make_rollout(acted)
    before = rollout.log_probs.copy()
    learner = PPOLearner(model, PPOConfiguration(ppo_epochs=1, lr=1e-2))
    for _ in range(2):
        learner.update(rollout, 0.0)
    assert rollout.weights is not None
    assert not np.allclose(rollout.weights, 1.0, atol=0.05)
    np.testing.assert_allclose(rollout.log_probs - np.log(rollout.weights), before, atol=1e-5)
    rollout.reset()
    assert (rollout.weights == 1.0).all()


def test_cells_that_do_not_teach_keep_what_they_had() -> None:
    trainable = np.ones((ROWS, ENVS), np.bool_)
    trainable[3:5, 1] = False
    rollout = make_rollout(make_model(1), trainable=trainable)
    before = rollout.log_probs.copy()
    PPOLearner(make_model(2), PPOConfiguration()).update(rollout, 0.0)
    assert rollout.weights is not None
    np.testing.assert_array_equal(rollout.weights == 1.0, ~trainable)
    np.testing.assert_array_equal(rollout.log_probs == before, ~trainable)


def test_present_weights_that_are_not_finite_end_it_before_the_first_step() -> None:
    model = make_model(2)
    with torch.no_grad():
        model.policy_head.bias[0] = math.nan
    with pytest.raises(NonFiniteError, match="log_probs, environment 0, row 0"):
        PPOLearner(model, PPOConfiguration()).update(make_rollout(make_model(1)), 0.0)


def test_the_weights_count_as_memory() -> None:
    plain, lagging = (RolloutBuffer(ROWS, ENVS, SHAPE, np.float32, lagging=lags) for lags in (False, True))
    assert plain.weights is None
    assert lagging.memory_bytes - plain.memory_bytes == 4 * ROWS * ENVS
