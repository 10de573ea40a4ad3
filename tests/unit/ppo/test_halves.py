# SPDX-License-Identifier: GPL-3.0-or-later
"""Minibatches in two halves at once: the same gradient, to rounding, and to the bit whoever watches."""

import math
import threading
from typing import Any

import numpy as np
import pytest
import torch
from gymnasium.spaces import Box, Dict
from torch import Tensor, nn

from oakemu_rl.ppo import (
    NonFiniteError,
    PPOConfiguration,
    PPOLearner,
    PPOModel,
    PPOModelConfiguration,
    RolloutBuffer,
)
from oakemu_rl.ppo.env_contract import form_of, storage_of
from oakemu_rl.ppo.halves import HalvedNetwork
from oakemu_rl.ppo.observation_parts import ObservationForm

IMAGE = (2, 12, 12)
SMALL = PPOModelConfiguration(conv_filters=[(4, 4, 2)], fcnet_hiddens=[8])


def make_model(shape: ObservationForm = IMAGE) -> PPOModel:
    torch.manual_seed(0)
    return PPOModel(shape, 3, SMALL)


def make_rollout(rows: int = 8, envs: int = 4, *, lagging: bool = False, seed: int = 0) -> RolloutBuffer:
    rng = np.random.default_rng(seed)
    buffer = RolloutBuffer(rows, envs, IMAGE, np.uint8, lagging=lagging)
    for _ in range(rows):
        buffer.add(
            rng.integers(0, 256, (envs, *IMAGE), dtype=np.uint8),
            rng.integers(0, 3, envs),
            np.log(np.full(envs, 1 / 3)),
            rng.standard_normal(envs),
            rng.standard_normal(envs),
            np.zeros(envs),
        )
    buffer.compute_gae(np.zeros(envs), np.zeros(envs), 0.9, 0.9)
    return buffer


def weights(model: nn.Module) -> Tensor:
    return nn.utils.parameters_to_vector(model.parameters()).detach().clone()


def learn(*, halves: bool, lagging: bool = False, **changes: Any) -> tuple[Tensor, dict[str, float]]:
    model = make_model()
    learner = PPOLearner(model, PPOConfiguration(**changes), seed=1, halves=halves)
    metrics = learner.update(make_rollout(lagging=lagging), 0.0)
    return weights(model), metrics


@pytest.mark.parametrize("rows", [2, 7, 8])
def test_both_halves_give_the_gradient_of_the_whole(rows: int) -> None:
    x = torch.randint(0, 256, (rows, *IMAGE), dtype=torch.uint8)
    model, other = make_model(), make_model()
    halved = HalvedNetwork(model, "off")

    def loss(logits: Tensor, values: Tensor) -> Tensor:  # of which no row counts as another does
        return (logits.log_softmax(-1)[:, 0] * torch.arange(1, rows + 1)).sum() + values.square().mean()

    outputs = halved.forward(x)
    torch.testing.assert_close(outputs, other(x))
    loss(*outputs).backward()
    assert all(parameter.grad is None for parameter in model.parameters())
    halved.backward()
    loss(*other(x)).backward()
    for one, another in zip(model.parameters(), other.parameters(), strict=True):
        torch.testing.assert_close(one.grad, another.grad)


def test_dictionaries_of_parts_are_cut_as_well() -> None:
    space = Dict({"picture": Box(0, 255, IMAGE, np.uint8), "numbers": Box(-9, 9, (4,), np.int64)})
    model = make_model(form_of(space))
    rng = np.random.default_rng(2)
    storage_of(space)  # the parts fit
    x = {
        "picture": torch.from_numpy(rng.integers(0, 256, (6, *IMAGE), dtype=np.uint8)),
        "numbers": torch.from_numpy(rng.integers(-9, 10, (6, 4))),
    }
    torch.testing.assert_close(HalvedNetwork(model, "off").forward(x), model(x))


def test_the_halves_are_computed_at_once() -> None:
    class Meeting(nn.Module):
        """Each half waits here for the other, and no longer than 30 seconds."""

        def __init__(self) -> None:
            super().__init__()
            self.barrier = threading.Barrier(2, timeout=30.0)

        def forward(self, x: Tensor) -> Tensor:
            self.barrier.wait()
            return x

    model = make_model()
    model.fc.append(Meeting())
    logits, _ = HalvedNetwork(model, "off").forward(torch.zeros(4, *IMAGE, dtype=torch.uint8))
    assert logits.shape == (4, 3)


@pytest.mark.parametrize("wanted", [True, False])
def test_neither_half_records_gradients_that_nobody_wants(*, wanted: bool) -> None:
    recorded: list[bool] = []
    model = make_model()
    model.fc.register_forward_hook(lambda *_: recorded.append(torch.is_grad_enabled()))
    with torch.set_grad_enabled(wanted):
        outputs = HalvedNetwork(model, "off").forward(torch.zeros(4, *IMAGE, dtype=torch.uint8))
    assert recorded == [wanted] * 2
    assert [output.requires_grad for output in outputs] == [wanted] * 2


@pytest.mark.parametrize("changes", [{}, {"lagging": True}, {"mixed_precision": "bfloat16"}, {"num_minibatches": 5}])
def test_learning_in_halves_is_learning(changes: dict[str, Any]) -> None:
    (expected, whole), (found, halved) = (learn(halves=halves, lr=1e-3, **changes) for halves in (False, True))
    tolerance = 2e-2 if "mixed_precision" in changes else 1e-4
    torch.testing.assert_close(found, expected, atol=tolerance, rtol=tolerance)
    for name, value in whole.items():
        assert halved[name] == pytest.approx(value, rel=tolerance, abs=tolerance), name


def _learnt(**options: Any) -> Tensor:
    model = make_model()
    learner = PPOLearner(model, PPOConfiguration(lr=1e-2, num_minibatches=3), seed=1, halves=options["halves"])
    for update in range(3):
        watched = options.get("watched", ())
        learner.on_log_ratio = (lambda _: None) if update in watched else None
        learner.update(make_rollout(seed=update), 0.0)
    return weights(model)


def test_whoever_watches_changes_nothing() -> None:
    """With hooks in the network both halves are computed in one thread, with one backward pass for both."""
    expected = _learnt(halves=True)
    assert torch.equal(_learnt(halves=True), expected)
    assert torch.equal(_learnt(halves=True, watched=(0, 1, 2)), expected)
    assert torch.equal(_learnt(halves=True, watched=(1,)), expected)


def test_hooks_are_called_in_one_thread_with_the_whole_gradient() -> None:
    threads: list[threading.Thread] = []
    gradients: list[Tensor] = []

    def note(parameter: Tensor) -> None:
        assert parameter.grad is not None
        gradients.append(parameter.grad.clone())

    for halves in (True, False):
        model = make_model()
        model.fc.register_forward_hook(lambda *_: threads.append(threading.current_thread()))
        model.policy_head.bias.register_post_accumulate_grad_hook(note)
        learner = PPOLearner(model, PPOConfiguration(ppo_epochs=1, num_minibatches=1), seed=1, halves=halves)
        learner.on_log_ratio = lambda _: None
        learner.update(make_rollout(), 0.0)
    assert threads == [threading.current_thread()] * 3
    assert len(gradients) == 2
    torch.testing.assert_close(*gradients)


def test_one_half_may_be_empty() -> None:
    model = make_model()
    learner = PPOLearner(
        model, PPOConfiguration(num_minibatches=8, normalize_advantages=False, ppo_epochs=1), seed=1, halves=True
    )
    before = weights(model)
    assert learner.update(make_rollout(2, 4), 0.0)["num_minibatches"] == 8
    assert not torch.equal(weights(model), before)


def test_what_is_not_finite_is_named_as_ever() -> None:
    model = make_model()
    with torch.no_grad():
        model.value_head.bias.fill_(math.nan)
    with pytest.raises(NonFiniteError, match=r"value, environment .*, epoch 0, minibatch 0"):
        PPOLearner(model, PPOConfiguration(), halves=True).update(make_rollout(), 0.0)


@pytest.mark.parametrize(
    ("network", "learning"),
    [({"recurrent": "gru", "recurrent_size": 4}, {}), ({}, {"torch_compile": True})],
)
def test_networks_that_have_no_halves_are_refused(network: dict[str, Any], learning: dict[str, Any]) -> None:
    model = PPOModel(IMAGE, 3, SMALL.model_copy(update=network))
    with pytest.raises(ValueError, match="neither recurrent nor compiled"):
        PPOLearner(model, PPOConfiguration(**learning), halves=True)
