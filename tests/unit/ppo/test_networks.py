# SPDX-License-Identifier: GPL-3.0-or-later
"""The residual network for pictures, against its description."""

import math

import pytest
import torch
from torch import nn
from torch.nn.functional import conv2d, max_pool2d

from oakemu_rl.errors import UserError
from oakemu_rl.ppo import PPOModel, PPOModelConfiguration

SMALL = PPOModelConfiguration(network="impala", impala_channels=[3, 5], fcnet_hiddens=[16])


def convolutions(model: PPOModel) -> list[nn.Conv2d]:
    return [layer for layer in model.conv.modules() if isinstance(layer, nn.Conv2d)]


def test_it_is_the_network_of_the_paper() -> None:
    model, x = PPOModel((2, 21, 24), 3, SMALL), torch.randint(0, 256, (4, 2, 21, 24), dtype=torch.uint8)
    layers = iter(convolutions(model))

    def convolve(features: torch.Tensor) -> torch.Tensor:
        layer = next(layers)
        return conv2d(features, layer.weight, layer.bias, padding=1)

    features = x.float() / 255
    for _ in range(2):
        features = max_pool2d(convolve(features), 3, stride=2, padding=1)
        for _ in range(2):
            inner = convolve(features.relu())
            features = features + convolve(inner.relu())
    flat = features.relu().permute(0, 2, 3, 1).flatten(1)
    assert flat.shape == (4, 6 * 6 * 5)
    torch.testing.assert_close(model.get_logits(x), model.policy_head(model.fc(flat)))


def test_its_size_is_that_of_the_paper_s_by_default() -> None:
    model = PPOModel((4, 84, 84), 6, PPOModelConfiguration(network="impala", fcnet_hiddens=[256]))
    assert [layer.out_channels for layer in convolutions(model)] == [16] * 5 + [32] * 10
    assert model.fc[0].in_features == 32 * 11 * 11


def test_every_weight_learns() -> None:
    model = PPOModel((1, 9, 9), 2, SMALL)
    logits, values = model(torch.randint(0, 256, (8, 1, 9, 9), dtype=torch.uint8))
    (logits.square().sum() + values.square().sum()).backward()
    assert all(parameter.grad is not None and parameter.grad.any() for parameter in model.parameters())


@pytest.mark.parametrize("activation", ["relu", "elu"])
def test_blocks_do_not_overwrite_what_they_add_to(activation: str) -> None:
    model = PPOModel((1, 9, 9), 2, SMALL.model_copy(update={"conv_activation": activation}))
    block = model.conv[2]
    x = torch.randn(2, 3, 5, 5)
    kept = x.clone()
    block(x)
    assert torch.equal(x, kept)


def test_a_fresh_network_s_features_are_no_larger_for_its_depth() -> None:
    model = PPOModel((1, 64, 64), 2, PPOModelConfiguration(network="impala", fcnet_hiddens=[8]))
    branches = [layer for layer in model.conv if hasattr(layer, "second")]
    assert len(branches) == 6
    for branch in branches:
        for weight, gain in ((branch.first.weight, math.sqrt(2)), (branch.second.weight, math.sqrt(2 / 6))):
            rows = weight.detach().flatten(1)
            torch.testing.assert_close(rows @ rows.T, gain**2 * torch.eye(len(rows)), atol=1e-5, rtol=0)
        assert not branch.second.bias.any()


def test_any_picture_is_large_enough() -> None:
    model = PPOModel((1, 1, 3), 2, SMALL)
    assert model.get_value(torch.zeros(2, 1, 1, 3)).shape == (2,)


def test_rows_of_numbers_are_refused() -> None:
    with pytest.raises(
        UserError, match=r"'impala' needs observations of shape \(channels, height, width\), got \(7,\)"
    ):
        PPOModel((7,), 3, SMALL)
    with pytest.raises(ValueError, match="impala_channels"):
        PPOModelConfiguration(impala_channels=[])
