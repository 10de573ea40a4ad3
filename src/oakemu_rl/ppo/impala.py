# SPDX-License-Identifier: GPL-3.0-or-later
"""The residual convolutional trunk of IMPALA (Espeholt et al., 2018, figure 3, without its recurrent core)."""

import math
from collections.abc import Sequence

import torch
from torch import Tensor, nn

from oakemu_rl.errors import UserError
from oakemu_rl.ppo.model_configuration import Activation
from oakemu_rl.ppo.trunk import ChannelsLastFlatten, activation_layer, initialise_orthogonally

__all__ = ["build_impala", "initialise_impala"]

_BLOCKS_PER_STAGE = 2


class _Residual(nn.Module):
    """``x + conv(f(conv(f(x))))``."""

    def __init__(self, channels: int, activation: Activation) -> None:
        super().__init__()
        self.first = nn.Conv2d(channels, channels, 3, padding=1)
        self.second = nn.Conv2d(channels, channels, 3, padding=1)
        self.before = activation_layer(activation, in_place=False)  # x is wanted for the sum
        self.between = activation_layer(activation)

    def forward(self, x: Tensor) -> Tensor:
        """(B, channels, height, width) to the same shape."""
        summand: Tensor = self.second(self.between(self.first(self.before(x))))
        return x + summand


def build_impala(
    observation_shape: tuple[int, ...], stages: Sequence[int], activation: Activation
) -> tuple[nn.Sequential, int]:
    """Stages of a convolution, pooling by half and two residual blocks, then the activation and a flattening.

    Args:
        observation_shape: Of one observation, (channels, height, width).
        stages: Channels of each stage.
        activation: In the blocks, and at the end.

    Returns:
        The layers and the number of features that they give.

    Raises:
        UserError: The observation is no picture.
    """
    if len(observation_shape) != 3:
        raise UserError(
            f"the network 'impala' needs observations of shape (channels, height, width), got {observation_shape}; "
            "for vectors, take the network 'conv' with conv_filters as an empty list"
        )
    channels, height, width = observation_shape
    layers: list[nn.Module] = []
    for out_channels in stages:
        blocks = [_Residual(out_channels, activation) for _ in range(_BLOCKS_PER_STAGE)]
        layers += [nn.Conv2d(channels, out_channels, 3, padding=1), nn.MaxPool2d(3, stride=2, padding=1), *blocks]
        channels, height, width = out_channels, (height + 1) // 2, (width + 1) // 2
    return nn.Sequential(*layers, activation_layer(activation), ChannelsLastFlatten()), channels * height * width


def initialise_impala(trunk: nn.Sequential, gain: float) -> None:
    """Orthogonal weights; those that end a residual branch are divided by the root of the number of branches.

    Without that, each branch would add as much variance as there is, and the features of a fresh network of six blocks
    would be eight times as large as its picture (Zhang, Dauphin and Ma, "Fixup initialization", 2019).
    """
    initialise_orthogonally(trunk, gain)
    branches = [layer for layer in trunk if isinstance(layer, _Residual)]
    with torch.no_grad():
        for branch in branches:
            branch.second.weight.div_(math.sqrt(len(branches)))
