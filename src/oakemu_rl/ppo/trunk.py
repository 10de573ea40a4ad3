# SPDX-License-Identifier: GPL-3.0-or-later
"""The layers in front of the policy and value heads."""

import math
from collections.abc import Callable, Sequence

import torch
from torch import Tensor, nn

from oakemu_rl.errors import UserError
from oakemu_rl.ppo.model_configuration import Activation, Padding

__all__ = ["ChannelsLastFlatten", "activation_layer", "build_conv", "build_fc", "initialise_orthogonally"]

_ACTIVATIONS: dict[Activation, Callable[[], nn.Module]] = {
    # In place: neither a convolution nor a linear layer needs its output to compute gradients, and memory is the limit.
    "relu": lambda: nn.ReLU(inplace=True),
    "leaky_relu": nn.LeakyReLU,
    "elu": nn.ELU,
    "gelu": nn.GELU,
    "silu": nn.SiLU,
    "tanh": nn.Tanh,
    "sigmoid": nn.Sigmoid,
}


def activation_layer(name: Activation, *, in_place: bool = True) -> nn.Module:
    """The function of that name as a layer; unless `in_place` is false, it may overwrite its input."""
    return nn.ReLU() if name == "relu" and not in_place else _ACTIVATIONS[name]()


class ChannelsLastFlatten(nn.Module):
    """(B, C, H, W) to (B, H * W * C): for channels-last memory this order costs no copy."""

    def forward(self, x: Tensor) -> Tensor:
        """Flattens all but the first dimension, channels varying fastest."""
        return x.permute(0, 2, 3, 1).flatten(1)


def build_conv(
    observation_shape: tuple[int, ...],
    filters: Sequence[tuple[int, int, int]],
    activation: Activation,
    padding: Padding = "valid",
) -> tuple[nn.Sequential, int]:
    """The convolutions and the flattening behind them.

    Args:
        observation_shape: Of one observation; (channels, height, width) if there are convolutions.
        filters: (channels, kernel, stride) of each convolution; empty: the observation is only flattened.
        activation: After each convolution.
        padding: Whether zeros are laid around the inputs; see `PPOModelConfiguration.conv_padding`.

    Returns:
        The layers and the number of features that they give.

    Raises:
        UserError: The observation is no image, or a kernel is too large for its input: larger than it is or,
            where zeros are laid around, so large that some weights would only ever meet zeros.
    """
    if not filters:
        flatten = [] if len(observation_shape) == 1 else [nn.Flatten()]
        return nn.Sequential(*flatten), math.prod(observation_shape)
    if len(observation_shape) != 3:
        raise UserError(
            f"convolutions need observations of shape (channels, height, width), got {observation_shape}; "
            "for vectors, give conv_filters as an empty list"
        )
    channels, height, width = observation_shape
    layers: list[nn.Module] = []
    for index, (out_channels, kernel, stride) in enumerate(filters):
        # With zeros around it, a wider kernel would have weights that never meet the input.
        most = 2 * min(height, width) - 1 if padding == "same" else min(height, width)
        if kernel > most:
            raise UserError(
                f"conv_filters[{index}] {(out_channels, kernel, stride)}: the kernel {kernel} is too large for its "
                f"input of {height} x {width} (height x width); at most {most} is allowed"
            )
        around = (_zeros(height, kernel, stride), _zeros(width, kernel, stride)) if padding == "same" else (0, 0)
        height, width = height + 2 * around[0], width + 2 * around[1]
        layers += [nn.Conv2d(channels, out_channels, kernel, stride, around), activation_layer(activation)]
        channels, height, width = out_channels, (height - kernel) // stride + 1, (width - kernel) // stride + 1
    return nn.Sequential(*layers, ChannelsLastFlatten()), channels * height * width


def _zeros(size: int, kernel: int, stride: int) -> int:
    """How many on each side make the output at least size / stride; on both alike, as ONNX and torch have it."""
    missing = max(0, (math.ceil(size / stride) - 1) * stride + kernel - size)
    return math.ceil(missing / 2)


def build_fc(features: int, hiddens: Sequence[int], activation: Activation) -> tuple[nn.Sequential, int]:
    """Fully connected layers.

    Args:
        features: Of the input.
        hiddens: Width of each layer.
        activation: After each layer.

    Returns:
        The layers and the number of features that they give.
    """
    layers: list[nn.Module] = []
    for width in hiddens:
        layers += [nn.Linear(features, width), activation_layer(activation)]
        features = width
    return nn.Sequential(*layers), features


def initialise_orthogonally(module: nn.Module, gain: float) -> None:
    """Orthogonal weights of the given gain and zero biases in a module's layers; of recurrent ones, gate by gate."""
    for layer in module.modules():
        if isinstance(layer, (nn.Conv2d, nn.Linear)):
            nn.init.orthogonal_(layer.weight, gain)
            if layer.bias is not None:
                nn.init.zeros_(layer.bias)
        elif isinstance(layer, (nn.GRU, nn.LSTM)):
            for name, parameter in layer.named_parameters():
                if name.startswith("bias"):
                    nn.init.zeros_(parameter)
                    continue
                for gate in torch.split(parameter.detach(), layer.hidden_size):
                    nn.init.orthogonal_(gate, gain)
