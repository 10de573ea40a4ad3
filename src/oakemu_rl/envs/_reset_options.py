# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks what is given to ``reset(options=...)``."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from oakemu_rl.errors import UserError, nearest

__all__ = ["check_option_names", "reset_mask", "start_states"]


def check_option_names(options: Mapping[str, Any] | None, *allowed: str) -> Mapping[str, Any]:
    """The options, none of which is unknown.

    Raises:
        UserError: One is, or they are not a mapping.
    """
    if options is not None and not isinstance(options, Mapping):
        raise UserError(f"options of reset must be a mapping (name: value) of {', '.join(allowed)}, not {options!r}")
    for name in options or {}:
        if name not in allowed:
            raise UserError(
                f"unknown option of reset {name!r}{nearest(str(name), allowed)}; allowed are {', '.join(allowed)}"
            )
    return options or {}


def reset_mask(options: Mapping[str, Any], num_envs: int) -> npt.NDArray[np.bool_]:
    """The option ``reset_mask``, or everywhere; (N,).

    Raises:
        UserError: It is not a numpy array of N bools, or marks nothing.
    """
    mask = options.get("reset_mask")
    if mask is None:
        return np.ones(num_envs, np.bool_)
    if not isinstance(mask, np.ndarray) or mask.dtype != np.bool_ or mask.shape != (num_envs,):
        raise UserError(f"reset_mask must be a numpy array of {num_envs} bools, not {mask!r}")
    if not mask.any():
        raise UserError("reset_mask must mark at least one environment")
    return mask.copy()


def start_states(options: Mapping[str, Any], num_envs: int) -> list[bytes | None]:
    """The option ``states``, or None for each environment.

    Raises:
        UserError: It does not hold bytes or None for each environment.
    """
    states = options.get("states")
    if states is None:
        return [None] * num_envs
    if not isinstance(states, Sequence) or len(states) != num_envs:
        given = f"{len(states)} of them" if isinstance(states, Sequence) else repr(states)
        raise UserError(f"states must be {num_envs}, bytes or None for each environment, not {given}")
    return list(states)
