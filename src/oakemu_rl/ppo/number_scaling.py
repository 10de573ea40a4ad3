# SPDX-License-Identifier: GPL-3.0-or-later
"""Numbers beside a picture (variables of a game, RAM) as features of a network."""

import math

import numpy as np
import torch
from torch import Tensor

from oakemu_rl.ppo.observation_parts import ObservationPart
from oakemu_rl.ppo.scaling import scale_observations

__all__ = ["count_features", "number_features"]


def count_features(part: ObservationPart) -> int:
    """How many features `number_features` makes of one observation of a part."""
    return math.prod(part.shape) * (2 if _is_wide(part) else 1)


def number_features(x: Tensor, part: ObservationPart, dtype: torch.dtype) -> Tensor:
    """Features of about unit size.

    Bytes are scaled to [0, 1], floats and booleans stay. Wider integers, such as a score, tell both their size and
    their order of magnitude: with the greater absolute limit b, each number n gives n / b and the symmetric logarithm
    sign(n) log(1 + abs(n)) / log(1 + b) (Hafner et al., "Mastering diverse domains through world models", 2023), in
    which the first hundred points of a score of up to 999999 can be told apart. Both lie in [-1, 1].

    Args:
        x: (B, ...), of the part's type.
        part: What it is.
        dtype: The floating dtype to return.

    Returns:
        (B, `count_features`).
    """
    if not _is_wide(part):
        return scale_observations(x.flatten(1), dtype)
    bound = max(1.0, *(abs(limit) for limit in part.limits or (1.0,)))
    numbers = x.flatten(1).to(dtype)
    logarithms = numbers.sign() * torch.log1p(numbers.abs()) / math.log1p(bound)
    return torch.cat((numbers / bound, logarithms), dim=1)


def _is_wide(part: ObservationPart) -> bool:
    dtype = np.dtype(part.dtype)
    return dtype.kind in "iu" and dtype.itemsize > 1
