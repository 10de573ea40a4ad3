# SPDX-License-Identifier: GPL-3.0-or-later
"""Where a NaN or an infinity comes from, once it is known that there is one."""

from collections.abc import Iterable, Mapping

import torch
from torch import Tensor

__all__ = ["first_non_finite", "first_non_finite_row"]


def first_non_finite(tensors: Iterable[tuple[str, Tensor | None]]) -> str | None:
    """The name of the first tensor that holds NaN or infinity; None if there is none."""
    for name, tensor in tensors:
        if tensor is not None and not bool(torch.isfinite(tensor).all()):
            return name
    return None


def first_non_finite_row(tensors: Mapping[str, Tensor]) -> tuple[str, int] | None:
    """The first tensor that holds NaN or infinity, and in which row it does.

    Args:
        tensors: By name, each of M rows; causes before what follows from them.

    Returns:
        Its name and its first such row; None if there is none.
    """
    for name, tensor in tensors.items():
        bad = ~torch.isfinite(tensor.detach()).reshape(len(tensor), -1).all(dim=1)
        if bool(bad.any()):
            return name, int(bad.nonzero()[0])
    return None
