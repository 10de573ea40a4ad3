# SPDX-License-Identifier: GPL-3.0-or-later
import copy
import math

import numpy as np
import pytest
import torch
from recorded import dataset_of, model_of, shown

from oakemu_rl.imitation import Cloner, CloningConfiguration, Slices, judge
from oakemu_rl.ppo import NonFiniteError

EVERY_STEP = Slices(np.arange(6), np.arange(1, 7))


@pytest.mark.parametrize(
    ("smoothing", "weights", "expected"),
    [
        # Two steps with p = (1/2, 1/4, 1/8, 1/8), in which 0 and 3 were done: -log p is log 2 times 1, 2, 3, 3.
        (0.0, None, (1 + 3) / 2),
        (0.0, [1.0, 1.0, 1.0, 3.0], (1 + 3 * 3) / 4),
        (0.2, None, 0.8 * (1 + 3) / 2 + 0.2 * 9 / 4),
        (0.2, [1.0, 1.0, 1.0, 3.0], (0.8 * (1 + 3 * 3) + 2 * 0.2 * (1 + 2 + 3 + 3 * 3) / 4) / 4),
    ],
)
def test_the_loss_by_hand(smoothing: float, weights: list[float] | None, expected: float) -> None:
    cloner = Cloner(
        model_of(),
        CloningConfiguration(label_smoothing=smoothing),
        class_weights=None if weights is None else torch.tensor(weights),
    )
    logits = torch.tensor([[0.5, 0.25, 0.125, 0.125]]).log().repeat(2, 1) + 3.0
    assert float(cloner.loss(logits, torch.tensor([0, 3]))) == pytest.approx(expected * math.log(2), rel=1e-6)


@pytest.mark.parametrize("changes", [{}, {"recurrent": "lstm", "recurrent_size": 8}])
def test_it_learns_what_was_done_and_leaves_the_value_head(changes: dict[str, object]) -> None:
    model = model_of(**changes)
    before = copy.deepcopy(model.state_dict())
    dataset = dataset_of(shown([0, 1, 2, 3, 1, 0]), state_size=model.state_size)
    cloner = Cloner(model, CloningConfiguration(lr=1e-2))
    batch = dataset.batch(Slices(np.array([0]), np.array([6])) if changes else EVERY_STEP, "cpu")
    figures = [cloner.step(batch) for _ in range(60)]
    assert figures[0]["loss"] == pytest.approx(math.log(4), abs=0.1)
    assert figures[-1]["loss"] < 0.2
    assert figures[-1]["accuracy"] == 1.0
    assert judge(cloner, dataset).accuracy == 1.0
    after = model.state_dict()
    assert {name for name in after if torch.equal(after[name], before[name])} == {
        "value_head.weight",
        "value_head.bias",
    }


def test_a_weight_scales_the_step() -> None:
    moved = []
    for weight in (0.5, 1.0):
        model = model_of()
        before = model.policy_head.bias.detach().clone()
        Cloner(model, CloningConfiguration(lr=1e-2)).step(
            dataset_of(shown([0, 1] * 3)).batch(EVERY_STEP, "cpu"), weight
        )
        moved.append((model.policy_head.bias.detach() - before).abs().max().item())
    assert moved[0] == pytest.approx(moved[1] / 2, rel=1e-3)
    assert moved[1] == pytest.approx(1e-2, rel=1e-3)  # Adam's first step is one of the learning rate


def test_the_gradient_is_clipped_by_its_own_budget() -> None:
    batch = dataset_of(shown([0] * 6)).batch(EVERY_STEP, "cpu")
    gradients = []
    for clip in (None, 0.01):
        model = model_of()
        cloner = Cloner(model, CloningConfiguration(lr=1e-2, grad_clip=clip))
        norm = cloner.step(batch)["grad_norm"]
        assert norm > 0.1
        state = cloner.state_dict()["optimizer"]["state"]
        gradients.append(math.sqrt(sum(float((each["exp_avg"] / 0.1).square().sum()) for each in state.values())))
    assert gradients[0] == pytest.approx(norm, rel=1e-4)
    assert gradients[1] == pytest.approx(0.01, rel=1e-3)


def test_numbers_that_blow_up_stop_it_before_the_step() -> None:
    model = model_of()
    with torch.no_grad():
        model.policy_head.weight[0, 0] = math.nan
    before = model.policy_head.bias.detach().clone()
    with pytest.raises(NonFiniteError, match="a gradient step of cloning"):
        Cloner(model, CloningConfiguration()).step(dataset_of(shown([0, 1] * 3)).batch(EVERY_STEP, "cpu"))
    assert torch.equal(model.policy_head.bias, before)


def test_it_goes_on_where_its_state_stood() -> None:
    batch = dataset_of(shown([0, 1, 2, 3, 1, 0])).batch(EVERY_STEP, "cpu")
    straight, first = model_of(), model_of()
    cloner = Cloner(straight, CloningConfiguration())
    for _ in range(6):
        cloner.step(batch)
    half = Cloner(first, CloningConfiguration())
    for _ in range(3):
        half.step(batch)
    other = Cloner(first, CloningConfiguration())
    other.load_state_dict(half.state_dict())
    for _ in range(3):
        other.step(batch)
    for name, tensor in straight.state_dict().items():
        assert torch.equal(tensor, first.state_dict()[name]), name
