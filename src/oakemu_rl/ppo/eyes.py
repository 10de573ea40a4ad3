# SPDX-License-Identifier: GPL-3.0-or-later
"""The first layers of a network, by the form of what it observes."""

from torch import Tensor, nn

from oakemu_rl.errors import UserError
from oakemu_rl.ppo.impala import build_impala
from oakemu_rl.ppo.model_configuration import PPOModelConfiguration
from oakemu_rl.ppo.number_scaling import count_features
from oakemu_rl.ppo.observation_parts import ObservationForm, ObservationParts
from oakemu_rl.ppo.trunk import build_conv, build_fc

__all__ = ["build_eyes", "checked_form", "checked_tensor"]


def build_eyes(form: ObservationForm, config: PPOModelConfiguration) -> tuple[nn.Sequential, nn.Sequential, int]:
    """What sees pictures and what reads numbers.

    Args:
        form: Of the observations; an array is seen, whatever its shape.
        config: The layers.

    Returns:
        Layers for the picture, layers for the numbers beside it (either may be empty), and how many features both give
        together.

    Raises:
        UserError: Convolutions that do not fit the picture.
    """
    picture = form if not isinstance(form, ObservationParts) else None if form.picture is None else form.picture.shape
    numbers = form.numbers if isinstance(form, ObservationParts) else ()
    conv, seen = nn.Sequential(), 0
    if picture is not None and config.network == "impala":
        conv, seen = build_impala(picture, config.impala_channels, config.conv_activation)
    elif picture is not None:
        conv, seen = build_conv(picture, config.conv_filters, config.conv_activation, config.conv_padding)
    # Without a picture that would drown the numbers out, the common layers behind are enough.
    hiddens = config.vector_hiddens if numbers and picture is not None else []
    vectors, read = build_fc(sum(map(count_features, numbers)), hiddens, config.fcnet_activation)
    return conv, vectors, seen + read


def checked_form(form: ObservationForm) -> ObservationForm:
    """The form, with plain ints.

    Raises:
        UserError: A shape without sizes, or with a size below 1.
    """
    if isinstance(form, ObservationParts):
        return form
    shape = tuple(int(size) for size in form)
    if not shape or min(shape) < 1:
        raise UserError(f"observation_shape must have sizes of at least 1, got {form}")
    return shape


def checked_tensor(x: object, shape: tuple[int, ...], name: str) -> Tensor:
    """The tensor, if it is a batch of that shape.

    Raises:
        ValueError: It is none.
    """
    if not isinstance(x, Tensor):
        raise ValueError(f"{name} must be a torch.Tensor, got {type(x).__name__}")
    if x.dim() != len(shape) + 1 or tuple(x.shape[1:]) != shape:
        wanted = ", ".join(map(str, shape))
        raise ValueError(f"{name} must have the shape (batch, {wanted}), got {tuple(x.shape)}")
    return x
