# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks what is given to ``reset(options=...)``."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from oakemu_rl.emulator.saved_state import state_bytes
from oakemu_rl.envs._core_envs import DRAW_START
from oakemu_rl.errors import UserError, nearest

__all__ = ["check_option_names", "given_machines", "reset_mask", "start_numbers", "start_states"]


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
    return _each_bytes("states", options.get("states"), num_envs)


def given_machines(
    options: Mapping[str, Any], states: Sequence[bytes | None], mask: npt.NDArray[np.bool_]
) -> list[bytes | None]:
    """The option ``machines``, plain bytes or None for each environment; None where none is reset.

    Args:
        options: Those of a reset.
        states: The option ``states``, for each environment.
        mask: The option ``reset_mask``, (N,).

    Raises:
        UserError: It does not hold bytes or None for each environment, or one is given a state, too.
    """
    machines = _each_bytes("machines", options.get("machines"), len(states))
    for i, (machine, state) in enumerate(zip(machines, states, strict=True)):
        if machine is not None and state is not None:
            raise UserError(f"environment {i} is given a state and a machine, two ways to begin; give one")
    return [
        None if machine is None or not reset else state_bytes(machine)
        for machine, reset in zip(machines, mask, strict=True)
    ]


def _each_bytes(name: str, given: object, num_envs: int) -> list[bytes | None]:
    if given is None:
        return [None] * num_envs
    if not isinstance(given, Sequence) or len(given) != num_envs:
        told = f"{len(given)} of them" if isinstance(given, Sequence) else repr(given)
        raise UserError(f"{name} must be {num_envs}, bytes or None for each environment, not {told}")
    return list(given)


def start_numbers(
    options: Mapping[str, Any],
    names: Sequence[str],
    states: Sequence[bytes | None],
    machines: Sequence[bytes | None],
) -> npt.NDArray[np.int64] | None:
    """The option ``start`` as numbers, (N,), `DRAW_START` where none is named; None without the option.

    Args:
        options: Those of a reset: ``start`` is one name for all environments, or a name or None for each.
        names: Of the game's start states.
        states: The option ``states``, for each environment.
        machines: The option ``machines``, for each environment.

    Raises:
        UserError: There is no such start state, their number is wrong, or an environment is given a state or a machine,
            too.
    """
    given = options.get("start")
    if given is None:
        return None
    each = [given] * len(states) if isinstance(given, str) or not isinstance(given, Sequence) else list(given)
    if len(each) != len(states):
        raise UserError(f"start must be a name, or {len(states)} names or None, not {len(each)} of them")
    for name, state, machine in zip(each, states, machines, strict=True):
        if name is not None and name not in names:
            guess = nearest(name, names) if isinstance(name, str) else ""
            raise UserError(f"there is no start state {name!r}{guess}; there are {', '.join(names)}")
        if name is not None and (state is not None or machine is not None):
            other = "a state" if machine is None else "a machine"
            raise UserError(f"start={name!r} and {other} are two ways to say where an episode begins; give one")
    return np.array([DRAW_START if name is None else names.index(name) for name in each], np.int64)
