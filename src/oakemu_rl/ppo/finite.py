# SPDX-License-Identifier: GPL-3.0-or-later
"""Where a NaN or an infinity comes from, once it is known that there is one."""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from oakemu_rl.ppo.errors import NonFiniteError
from oakemu_rl.ppo.observation_parts import Observations

__all__ = ["first_non_finite", "first_non_finite_row", "require_finite_rows"]


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


def require_finite_rows(
    what: str, array: Observations, step: int, env_ids: NDArray[np.integer[Any]] | None = None
) -> None:
    """Stops at NaN and infinity in an array whose rows are environments.

    Args:
        what: What it holds, for the message.
        array: (N, ...) or, with `env_ids`, (B, ...); of several parts, by name.
        step: Of all environments since their first reset, for the message.
        env_ids: (B,), which rows they are; None for all.

    Raises:
        NonFiniteError: Naming environment and step.
    """
    if isinstance(array, Mapping):
        for name, part in array.items():
            require_finite_rows(f"{what} {name!r}", part, step, env_ids)
        return
    if not np.issubdtype(array.dtype, np.floating):
        return
    finite = np.isfinite(array)
    if not finite.all():
        row = int(np.argwhere(~finite)[0][0])
        raise NonFiniteError(what, f"environment {row if env_ids is None else int(env_ids[row])}, step {step}")
