# SPDX-License-Identifier: GPL-3.0-or-later
"""Forbidden actions do not exist, whatever the logits and their type."""

import math

import pytest
import torch

from oakemu_rl.ppo.action_selection import entropy_of, sample_actions, select_actions
from oakemu_rl.ppo.masking import check_action_mask, masked_log_probs

FLOATS = [torch.float32, torch.float16, torch.bfloat16]


@pytest.mark.parametrize("dtype", FLOATS)
def test_forbidden_actions_have_probability_zero_and_the_others_share_the_rest(dtype: torch.dtype) -> None:
    logits = torch.tensor([[1.0, 2.0, 3.0, 4.0], [60000.0, -60000.0, 60000.0, 0.0]]).to(dtype)
    mask = torch.tensor([[True, False, True, False], [False, True, False, True]])
    log_probs = masked_log_probs(logits, mask)
    probabilities = log_probs.exp()
    assert log_probs.dtype == torch.float32
    assert (probabilities[~mask] == 0.0).all()
    first = 1 / (1 + math.exp(2.0))  # of logits 1 and 3
    torch.testing.assert_close(probabilities[0, [0, 2]], torch.tensor([first, 1 - first]))
    assert probabilities[1, [1, 3]].tolist() == [0.0, 1.0]


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("scale", [0.0, 1e4, 1e9])
def test_a_million_samples_hold_no_forbidden_action(dtype: torch.dtype, scale: float) -> None:
    signs = torch.randint(0, 2, (1_000_000, 4), generator=torch.Generator().manual_seed(1)) * 2.0 - 1.0
    logits = (signs * scale).clamp(torch.finfo(dtype).min, torch.finfo(dtype).max).to(dtype)
    legal = torch.randint(0, 4, (1_000_000,), generator=torch.Generator().manual_seed(2))
    mask = torch.nn.functional.one_hot(legal, 4).bool()
    bundle = select_actions(logits, torch.zeros(len(logits)), action_mask=mask)
    assert torch.equal(bundle.actions, legal)
    assert (bundle.log_probs == 0.0).all()
    assert (bundle.entropy == 0.0).all()


def test_extreme_noise_chooses_no_forbidden_action(monkeypatch: pytest.MonkeyPatch) -> None:
    # The noise generator may return an exact 0, whose logarithm is minus infinity.
    def zeros(tensor: torch.Tensor, *, generator: torch.Generator | None = None) -> torch.Tensor:  # as torch's
        return tensor.zero_()

    monkeypatch.setattr(torch.Tensor, "exponential_", zeros)
    log_probs = masked_log_probs(torch.zeros(3, 3), torch.eye(3).bool())
    assert sample_actions(log_probs).tolist() == [0, 1, 2]


@pytest.mark.parametrize("dtype", FLOATS)
def test_one_legal_action_gives_no_entropy_and_a_finite_gradient(dtype: torch.dtype) -> None:
    logits = torch.tensor([[3.0, -2.0, 1e4], [0.0, 1.0, 2.0]], dtype=dtype, requires_grad=True)
    mask = torch.tensor([[True, False, False], [True, True, True]])
    bundle = select_actions(logits, torch.zeros(2), action=torch.tensor([0, 1]), action_mask=mask)
    (bundle.log_probs.sum() + bundle.entropy.sum()).backward()
    assert bundle.log_probs[0] == 0.0
    assert bundle.entropy[0] == 0.0
    assert logits.grad is not None
    assert logits.grad[0].tolist() == [0.0, 0.0, 0.0]
    assert torch.isfinite(logits.grad).all()
    assert logits.grad[1].abs().sum() > 0


def test_a_legal_action_of_vanishing_probability_keeps_everything_finite() -> None:
    logits = torch.tensor([[1e9, -1e9, 0.0]], requires_grad=True)
    bundle = select_actions(logits, torch.zeros(1), action=torch.tensor([0]))
    (bundle.entropy + bundle.log_probs).sum().backward()
    assert bundle.entropy.item() == 0.0
    assert logits.grad is not None
    assert torch.isfinite(logits.grad).all()


def test_entropy_in_nats() -> None:
    log_probs = torch.tensor([[0.5, 0.25, 0.25, 0.0], [0.25, 0.25, 0.25, 0.25]]).log()
    torch.testing.assert_close(entropy_of(log_probs), torch.tensor([1.5 * math.log(2), math.log(4)]))


def test_samples_follow_the_probabilities() -> None:
    wanted = torch.tensor([0.6, 0.3, 0.1])
    generator = torch.Generator().manual_seed(0)
    actions = sample_actions(wanted.log().expand(200_000, 3), generator)
    # Five standard deviations of a frequency over 200,000 draws are below 0.0055.
    torch.testing.assert_close(torch.bincount(actions) / len(actions), wanted, atol=0.0055, rtol=0)


def test_the_generator_alone_decides_the_samples() -> None:
    log_probs = torch.zeros(50, 4).log_softmax(dim=-1)
    first = sample_actions(log_probs, torch.Generator().manual_seed(3))
    torch.manual_seed(99)
    assert torch.equal(first, sample_actions(log_probs, torch.Generator().manual_seed(3)))
    assert not torch.equal(first, sample_actions(log_probs, torch.Generator().manual_seed(4)))


@pytest.mark.parametrize(
    ("mask", "message"),
    [
        (torch.zeros(3, dtype=torch.bool), "allows none of the 3 actions"),
        (torch.tensor([[True, False, False], [False, False, False]]), "row 1 of the action mask allows none"),
        (torch.ones(4, dtype=torch.bool), r"got torch.bool of shape \(4,\)"),
        (torch.ones(3, 3, dtype=torch.bool), r"\(3,\) or \(2, 3\)"),
        (torch.ones(1, 2, 3, dtype=torch.bool), r"shape \(1, 2, 3\)"),
        (torch.ones(3), "got torch.float32"),
        (torch.ones(3, dtype=torch.int64), "got torch.int64"),
    ],
)
def test_masks_that_cannot_be_meant_are_refused(mask: torch.Tensor, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        check_action_mask(mask, 2, 3)
