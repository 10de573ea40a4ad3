# SPDX-License-Identifier: GPL-3.0-or-later
"""The shape of the network, as users write it."""

from typing import Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, PositiveInt

__all__ = ["Activation", "Network", "PPOModelConfiguration", "Padding", "Recurrent"]

Activation: TypeAlias = Literal["relu", "leaky_relu", "elu", "gelu", "silu", "tanh", "sigmoid"]

Network: TypeAlias = Literal["conv", "impala"]
Padding: TypeAlias = Literal["valid", "same"]
Recurrent: TypeAlias = Literal["none", "gru", "lstm"]


class PPOModelConfiguration(BaseModel):
    """The shape of a `PPOModel`; the defaults are the network of the DQN paper in Nature (Mnih et al., 2015)."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    network: Network = Field(
        default="conv",
        description="What looks at pictures: conv, the layers of conv_filters, or impala, a deeper residual network "
        "(Espeholt et al., 2018) with the channels of impala_channels.",
    )
    conv_filters: list[tuple[PositiveInt, PositiveInt, PositiveInt]] = Field(
        default=[(32, 8, 4), (64, 4, 2), (64, 3, 1)],
        description="Convolutions, each as (channels, kernel, stride), in pixels; an empty list for vectors.",
    )
    conv_padding: Padding = Field(
        default="valid",
        description="Zeros around what each convolution looks at: valid, none, so that strides that do not come out "
        "even leave the last rows and columns unseen; or same, as many as make its output the input's size divided by "
        "the stride, rounded up.",
    )
    impala_channels: list[PositiveInt] = Field(
        default=[16, 32, 32],
        min_length=1,
        description="For network impala: the channels of each stage, which halves the picture.",
    )
    conv_activation: Activation = Field(default="relu", description="The function after each convolution.")
    fcnet_hiddens: list[PositiveInt] = Field(
        default=[512],
        description="Widths of the fully connected layers after the convolutions; an empty list for none.",
    )
    fcnet_activation: Activation = Field(default="relu", description="The function after each fully connected layer.")
    vector_hiddens: list[PositiveInt] = Field(
        default=[64],
        description="Widths of the layers that numbers beside a picture (variables, RAM) go through before they are "
        "joined to what was seen; an empty list for none.",
    )
    recurrent: Recurrent = Field(
        default="none",
        description="What the network remembers of an episode: none (only what an observation stacks), gru, or lstm.",
    )
    recurrent_size: PositiveInt = Field(default=128, description="For gru and lstm: how many numbers it remembers.")
    orthogonal_init: bool = Field(
        default=True,
        description="Start from orthogonal weights (gain sqrt 2, 0.01 for the policy, 1 for the value) and zero biases "
        "rather than torch's defaults.",
    )
