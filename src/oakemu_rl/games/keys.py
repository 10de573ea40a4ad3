# SPDX-License-Identifier: GPL-3.0-or-later
"""What an action holds down: keys of the keyboard, or directions of the joystick that the game reads."""

from collections.abc import Iterable
from typing import Annotated, Literal

import numpy as np
import numpy.typing as npt
from pydantic import BeforeValidator, WithJsonSchema

from oakemu_rl._validation import shorten
from oakemu_rl.emulator.keyboard import ALIASES, KEYS, held_matrix
from oakemu_rl.errors import nearest

__all__ = ["DIRECTIONS", "Joystick", "KeyList", "action_row", "check_key", "split_held"]

Joystick = Literal["none", "kempston", "sinclair1", "sinclair2", "cursor"]

DIRECTIONS = ("left", "right", "up", "down", "fire")

_KEMPSTON = {"right": 0x01, "left": 0x02, "down": 0x04, "up": 0x08, "fire": 0x10}  # bits of port 0x1F, active high

# Joysticks that press keys, as their interfaces wire them.
_AS_KEYS = {
    "sinclair1": {"left": "6", "right": "7", "down": "8", "up": "9", "fire": "0"},
    "sinclair2": {"left": "1", "right": "2", "down": "3", "up": "4", "fire": "5"},
    "cursor": {"left": "5", "down": "6", "up": "7", "right": "8", "fire": "0"},
}


def _canonical(value: object) -> object:
    """A digit may be written without quotes, a letter in either case, a key by another name."""
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= 9:
        return str(value)
    return ALIASES.get(value.lower(), value.lower()) if isinstance(value, str) else value


_KEY_SCHEMA: dict[str, object] = {
    "anyOf": [
        {"enum": [*KEYS, *DIRECTIONS, *ALIASES]},
        {"type": "string", "pattern": "^[A-Z]$"},
        {"type": "integer", "minimum": 0, "maximum": 9},
    ]
}

KeyList = list[Annotated[str, BeforeValidator(_canonical), WithJsonSchema(_KEY_SCHEMA)]]
"""Names of keys and directions; `check_key` says which ones are allowed."""


def check_key(name: str, joystick: Joystick) -> str:
    """What is wrong with the name of a key, or an empty string."""
    if name in KEYS or (name in DIRECTIONS and joystick != "none"):
        return ""
    if name in DIRECTIONS:
        return f"{name!r} is a direction of a joystick, and the game has none (joystick: none)"
    directions = () if joystick == "none" else DIRECTIONS
    allowed = ", ".join(("a-z", "0-9", "space", "enter", "shift", "sym", *directions))
    return f"unknown key {shorten(name)}{nearest(name, (*KEYS, *directions))}; allowed are {allowed}"


def split_held(held: Iterable[str], joystick: Joystick) -> tuple[list[str], list[str]]:
    """The keys of the keyboard and the directions of a Kempston joystick that are held.

    Args:
        held: Names that `check_key` accepts.
        joystick: The joystick of the game; one that presses keys becomes those keys.
    """
    names = list(held)
    if joystick == "kempston":
        return [name for name in names if name not in DIRECTIONS], [name for name in names if name in DIRECTIONS]
    return [_AS_KEYS[joystick][name] if name in DIRECTIONS else name for name in names], []


def action_row(held: Iterable[str], joystick: Joystick) -> npt.NDArray[np.uint8]:
    """What the core holds for an action.

    Args:
        held: Names that `check_key` accepts.
        joystick: The joystick of the game.

    Returns:
        (9,) uint8: for each of the eight half rows the bits of the held keys, and the byte of a Kempston joystick.
    """
    keys, directions = split_held(held, joystick)
    row = np.zeros(9, dtype=np.uint8)
    row[:8] = held_matrix(keys)
    for direction in directions:
        row[8] |= _KEMPSTON[direction]
    return row
