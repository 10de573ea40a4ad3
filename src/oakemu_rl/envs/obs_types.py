# SPDX-License-Identifier: GPL-3.0-or-later
"""What an observation can be made of: one picture at most, the RAM, the game's variables."""

from collections.abc import Mapping
from typing import Any, Literal

from oakemu_rl.errors import UserError, nearest
from oakemu_rl.games import Game

__all__ = [
    "PICTURES",
    "ObsKind",
    "ObsType",
    "cells_of",
    "check_obs_type",
    "kinds_of",
    "picture_of",
    "refuse_picture_options",
]

ObsKind = Literal["grayscale", "ink", "rgb", "attributes", "ram", "variables"]
ObsType = ObsKind | tuple[ObsKind, ...]
"""One kind by itself, or a combination, which is a dictionary."""

PICTURES: Mapping[ObsKind, str] = {"grayscale": "grey", "ink": "ink", "rgb": "rgb", "attributes": "attributes"}
"""The kinds that are pictures, and the core's name of each."""

_KINDS: tuple[ObsKind, ...] = (*PICTURES, "ram", "variables")
_CELL = 8  # pixels
# Options that say nothing, by the picture that is shown, and why.
_REFUSED: Mapping[ObsKind | None, tuple[tuple[str, ...], str]] = {
    None: (("img_width", "img_height", "stack_num", "maxpool"), "a picture, and obs_type={!r} shows none"),
    "attributes": (
        ("img_width", "img_height", "maxpool"),
        "pixels, and obs_type={!r} shows the colours of character cells",
    ),
}


def check_obs_type(value: object, game: Game) -> ObsType:
    """The value, if it is an observation type that the game has.

    Raises:
        UserError: It is none.
    """
    if isinstance(value, list | tuple):
        kinds = tuple(_kind(each) for each in value)
        _check_combination(kinds, game)
        return kinds
    kind = _kind(value)
    if kind == "variables":
        _check_combination((kind,), game)
    return kind


def kinds_of(obs_type: ObsType) -> tuple[ObsKind, ...]:
    """The kinds that an observation type combines."""
    return obs_type if isinstance(obs_type, tuple) else (obs_type,)


def picture_of(obs_type: ObsType) -> ObsKind | None:
    """The picture in an observation, if it has one."""
    return next((kind for kind in kinds_of(obs_type) if kind in PICTURES), None)


def cells_of(area: tuple[int, int, int, int]) -> tuple[int, int]:
    """Columns and rows of the character cells that an area (x, y, width, height) of the display touches."""
    x, y, width, height = area
    return (x + width - 1) // _CELL - x // _CELL + 1, (y + height - 1) // _CELL - y // _CELL + 1


def refuse_picture_options(given: Mapping[str, Any], obs_type: ObsType) -> None:
    """Refuses options of a picture that is not there, or that has no choice of them.

    Raises:
        UserError: One is given.
    """
    names, why = _REFUSED.get(picture_of(obs_type), ((), ""))
    for name in names:
        if given.get(name):
            raise UserError(f"{name}={given[name]!r} is about {why.format(obs_type)}")


def _kind(value: object) -> ObsKind:
    if isinstance(value, str) and value in _KINDS:
        return value
    guess = nearest(value, _KINDS) if isinstance(value, str) else ""
    raise UserError(f"obs_type must be one of {', '.join(_KINDS)}, or a list of several, not {value!r}{guess}")


def _check_combination(kinds: tuple[ObsKind, ...], game: Game) -> None:
    if not kinds:
        raise UserError(f"obs_type is an empty list; name at least one of {', '.join(_KINDS)}")
    for index, kind in enumerate(kinds):
        if kind in kinds[:index]:
            raise UserError(f"obs_type names {kind!r} twice")
    pictures = [kind for kind in kinds if kind in PICTURES]
    if len(pictures) > 1:
        raise UserError(f"obs_type names the pictures {' and '.join(pictures)}; an observation holds one at most")
    if "variables" not in kinds:
        return
    if not game.variable_names:
        raise UserError(f"obs_type 'variables': {game.id} has no variables")
    for name in game.variable_names:
        if name in kinds:
            raise UserError(f"obs_type: the variable {name!r} of {game.id} and the {name} would have the same key")
