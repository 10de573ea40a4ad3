# SPDX-License-Identifier: GPL-3.0-or-later
"""Observations of any dtype as the network's floats."""

import torch
from torch import Tensor

__all__ = ["scale_observations"]


def scale_observations(x: Tensor, dtype: torch.dtype) -> Tensor:
    """Integers scaled to [0, 1] by their dtype's whole range, floats and booleans (0 or 1) as they are.

    Part of the network, so that an exported graph takes the environment's own observations. Images (four dimensions)
    come back channels last, in which form convolutions on a CPU are about twice as fast; the layers behind keep the
    form, so the weights can stay in torch's own.

    Args:
        x: Shape (B, ...), any real dtype.
        dtype: The floating dtype to return.

    Raises:
        ValueError: The dtype is complex.
    """
    if x.is_complex():
        raise ValueError(f"observations must be integers, floats or booleans, got {x.dtype}")
    memory_format = torch.channels_last if x.dim() == 4 else torch.preserve_format
    if x.is_floating_point() or x.dtype == torch.bool:
        return x.to(dtype, memory_format=memory_format)
    limits = torch.iinfo(x.dtype)
    # The conversion made a new tensor, so changing it in place cannot touch the caller's.
    scaled = x.to(dtype, memory_format=memory_format)
    if limits.min:
        scaled = scaled.sub_(limits.min)
    return scaled.div_(limits.max - limits.min)
