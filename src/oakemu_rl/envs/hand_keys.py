# SPDX-License-Identifier: GPL-3.0-or-later
"""Which keys of a keyboard stand for which action, so that `gymnasium.utils.play` can play an environment."""

from itertools import product
from typing import Any

import numpy as np
import numpy.typing as npt

from oakemu_rl.emulator.keyboard import HALF_ROWS
from oakemu_rl.envs.actions import ActionSet
from oakemu_rl.games import Game

__all__ = ["keys_to_action"]

# SDL's codes; those of keys that give a character are that character's.
_RIGHT, _LEFT, _DOWN, _UP = 0x4000004F, 0x40000050, 0x40000051, 0x40000052
_LEFT_CTRL, _LEFT_SHIFT, _LEFT_ALT = 0x400000E0, 0x400000E1, 0x400000E2

_NAMED = {"space": ord(" "), "enter": ord("\r"), "shift": _LEFT_SHIFT, "sym": _LEFT_CTRL}
_ARROWS = {"left": _LEFT, "right": _RIGHT, "up": _UP, "down": _DOWN}
_KEMPSTON = (_RIGHT, _LEFT, _DOWN, _UP, _LEFT_ALT)
"""By bit of the joystick's byte; Alt is fire."""

_Place = tuple[int, int]


def keys_to_action(game: Game, actions: ActionSet) -> dict[tuple[int, ...], Any]:
    """What to press for each action: the keys that it holds, and the arrows for what left, right, up and down hold.

    Args:
        game: The game.
        actions: Those of the environment.

    Returns:
        Action by pressed keys, as SDL's codes in order. Of two actions that hold the same, the first.
    """
    arrows = _arrows(game)
    found: dict[tuple[int, ...], Any] = {}
    for number, row in enumerate(actions.table):
        places = _held(row)
        choices = [(_code(place), *arrows.get(place, ())) for place in places]
        action = number if actions.inputs is None else _bits(number, len(actions.inputs))
        for pressed in product(*choices):
            if pressed:
                found.setdefault(tuple(sorted(pressed)), action)
    return found


def _arrows(game: Game) -> dict[_Place, tuple[int, ...]]:
    """The arrow key of what an action of its name holds, if that is a single key of the keyboard."""
    found: dict[_Place, tuple[int, ...]] = {}
    for name, row in zip(game.action_names, game.action_table, strict=True):
        places = _held(row)
        if name in _ARROWS and len(places) == 1 and places[0][0] < len(HALF_ROWS):
            found[places[0]] = (_ARROWS[name],)
    return found


def _held(row: npt.NDArray[np.uint8]) -> list[_Place]:
    return [(half_row, bit) for half_row, byte in enumerate(row.tolist()) for bit in range(5) if byte >> bit & 1]


def _code(place: _Place) -> int:
    half_row, bit = place
    if half_row == len(HALF_ROWS):
        return _KEMPSTON[bit]
    name = HALF_ROWS[half_row][bit]
    return _NAMED.get(name) or ord(name)


def _bits(number: int, width: int) -> npt.NDArray[np.int8]:
    return np.array([number >> bit & 1 for bit in range(width)], np.int8)
