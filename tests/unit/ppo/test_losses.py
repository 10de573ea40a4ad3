# SPDX-License-Identifier: GPL-3.0-or-later
"""Each term of the loss against numbers worked out by hand."""

import math

import pytest
import torch

from oakemu_rl.ppo.losses import approximate_kl, clip_fraction, normalised, policy_loss, value_loss

RATIOS = torch.tensor([0.5, 1.0, 1.5, 0.5, 1.5]).log()
ADVANTAGES = torch.tensor([1.0, 1.0, 1.0, -1.0, -1.0])


def test_the_surrogate_is_clipped_only_where_that_is_the_worse_case() -> None:
    # min(r A, clip(r) A): 0.5, 1, 1.2 (clipped), -0.8 (clipped), -1.5
    expected = -(0.5 + 1.0 + 1.2 - 0.8 - 1.5) / 5
    assert policy_loss(RATIOS, ADVANTAGES, 0.2).item() == pytest.approx(expected)


def test_clipped_terms_have_no_gradient() -> None:
    log_ratio = RATIOS.clone().requires_grad_()
    policy_loss(log_ratio, ADVANTAGES, 0.2).backward()
    # d(-r A / 5)/d(log r) = -r A / 5 where unclipped.
    torch.testing.assert_close(log_ratio.grad, torch.tensor([-0.1, -0.2, 0.0, 0.0, 0.3]))


def test_the_value_loss_is_a_mean_square() -> None:
    values, returns = torch.tensor([1.0, 2.0, 4.0]), torch.tensor([0.0, 2.0, 1.0])
    assert value_loss(values, torch.zeros(3), returns, None).item() == pytest.approx((1 + 0 + 9) / 3)


def test_a_value_clip_takes_the_worse_of_both() -> None:
    values, old, returns = torch.tensor([3.0, 0.0]), torch.tensor([1.0, 1.0]), torch.tensor([3.0, 0.0])
    # Held within 0.5 of the old value: 1.5 and 0.5, errors 2.25 and 0.25; unheld both are right.
    assert value_loss(values, old, returns, 0.5).item() == pytest.approx(1.25)
    assert value_loss(values, old, torch.tensor([9.0, -9.0]), 100.0).item() == pytest.approx((36 + 81) / 2)


def test_divergence_and_clipped_part() -> None:
    assert approximate_kl(torch.tensor([0.0, math.log(2.0)])).item() == pytest.approx((1 - math.log(2)) / 2)
    assert approximate_kl(torch.zeros(3)).item() == 0.0
    assert clip_fraction(RATIOS, 0.2).item() == pytest.approx(0.8)
    assert clip_fraction(RATIOS, 0.6).item() == 0.0


def test_normalised_advantages() -> None:
    torch.testing.assert_close(normalised(torch.tensor([1.0, 2.0, 3.0])), torch.tensor([-1.0, 0.0, 1.0]))
    assert normalised(torch.tensor([4.0])).tolist() == [4.0]
    assert normalised(torch.tensor([4.0, 4.0])).tolist() == [0.0, 0.0]
