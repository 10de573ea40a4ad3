# SPDX-License-Identifier: GPL-3.0-or-later
"""The shape of the network, as users write it."""

from typing import Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, PositiveInt

__all__ = ["Activation", "PPOModelConfiguration"]

Activation: TypeAlias = Literal["relu", "leaky_relu", "elu", "gelu", "silu", "tanh", "sigmoid"]


class PPOModelConfiguration(BaseModel):
    """The shape of a `PPOModel`; the defaults are the network of the DQN paper in Nature (Mnih et al., 2015)."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    conv_filters: list[tuple[PositiveInt, PositiveInt, PositiveInt]] = Field(
        default=[(32, 8, 4), (64, 4, 2), (64, 3, 1)],
        description="Convolutions, each as (channels, kernel, stride), in pixels; an empty list for vectors.",
    )
    conv_activation: Activation = Field(default="relu", description="The function after each convolution.")
    fcnet_hiddens: list[PositiveInt] = Field(
        default=[512],
        description="Widths of the fully connected layers after the convolutions; an empty list for none.",
    )
    fcnet_activation: Activation = Field(default="relu", description="The function after each fully connected layer.")
    orthogonal_init: bool = Field(
        default=True,
        description="Start from orthogonal weights (gain sqrt 2, 0.01 for the policy, 1 for the value) and zero biases "
        "rather than torch's defaults.",
    )
