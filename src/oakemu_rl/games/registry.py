# SPDX-License-Identifier: GPL-3.0-or-later
"""The games that are known by name: those that ship with the package, the user's, and those registered at run time."""

import re
from functools import cache
from importlib.resources.abc import Traversable
from pathlib import Path

from oakemu_rl._validation import shorten
from oakemu_rl.errors import UserError, nearest
from oakemu_rl.games.definition import Definition
from oakemu_rl.games.files import (
    load_definition,
    read_game,
    read_shipped_definition,
    read_shipped_game,
    shipped_definitions,
)
from oakemu_rl.games.game import Game
from oakemu_rl.games.library import Library

__all__ = [
    "YAML_SUFFIXES",
    "find_definition",
    "is_shipped",
    "list_games",
    "load_game",
    "register_game",
    "unnamed_definitions",
]

YAML_SUFFIXES = (".yaml", ".yml")
"""How the paths of definitions end; anything else is an id or a name."""

# What `register_game` has added in this process. A registry is by its nature shared by all who ask for a game by name.
_registered: dict[str, Game] = {}


def list_games() -> tuple[str, ...]:
    """The ids of all known games, by name and version."""
    return tuple(sorted({*_shipped(), *_users(), *_registered}, key=_name_and_version))


def load_game(game: str | Path | Game) -> Game:
    """Finds a game.

    Args:
        game: An id (``ZXSpectrum/Acorns-v0``), its name with or without a version in any case (``acorns``), or the path
            of a definition file. A `Game` is returned as it is.

    Raises:
        UserError: There is no such game (the message lists them all, with the nearest), or its definition or program is
            not usable.
    """
    if isinstance(game, Game):
        return game
    if not isinstance(game, str | Path):
        raise UserError(f"a game is an id, the path of a definition file or a Game, not {game!r}")
    if isinstance(game, Path) or game.lower().endswith(YAML_SUFFIXES):
        return read_game(game)
    game_id = _find_id(game)
    if game_id in _registered:
        return _registered[game_id]
    users = _users()
    return read_game(users[game_id]) if game_id in users else _read_shipped(game_id)


def find_definition(game: str | Path) -> Definition:
    """The definition of a game, whether its program is there or not.

    Args:
        game: As of `load_game`.

    Raises:
        UserError: There is no such game, or its definition is not usable.
    """
    if isinstance(game, Path) or game.lower().endswith(YAML_SUFFIXES):
        return load_definition(game)
    game_id = _find_id(game)
    if game_id in _registered:
        return _registered[game_id].definition
    users = _users()
    return load_definition(users[game_id]) if game_id in users else _shipped_definition(game_id)


def _find_id(game: str) -> str:
    wanted = game.strip().lower()
    for game_id in reversed(list_games()):  # the highest version first
        if wanted in _spellings(game_id):
            return game_id
    known = {spelling: game_id for game_id in list_games() for spelling in _spellings(game_id)}
    guess = nearest(wanted, known)
    raise UserError(
        f"unknown game {shorten(game)}{guess}; there are {', '.join(list_games()) or 'none'}, "
        "or give the path of a definition file (.yaml)"
    )


def register_game(path: str | Path) -> Game:
    """Makes a game of the user's known by its id and name in this process.

    Args:
        path: Its definition file.

    Raises:
        UserError: The definition or its program is not usable, or the id belongs to another game.
    """
    game = read_game(path)
    if game.id in _shipped() or _registered.get(game.id, game) != game:
        raise UserError(f"{path}: the id {game.id} belongs to another game already; take another name or version")
    _registered[game.id] = game
    return game


def is_shipped(game_id: str) -> bool:
    """Whether an id is that of a game that ships with the package."""
    return game_id in _shipped()


def unnamed_definitions() -> list[Path]:
    """The user's definition files that no id leads to, as they have none or cannot be read."""
    named = set(_users().values()) | {path for path in Library().definitions if _read_id(path) in _shipped()}
    return [path for path in Library().definitions if path not in named]


def _name_and_version(game_id: str) -> tuple[str, int]:
    name, _, version = game_id.rpartition("-v")
    return name, int(version) if version.isdecimal() else -1


def _spellings(game_id: str) -> tuple[str, str, str]:
    lower = game_id.lower()
    with_version = lower.rpartition("/")[2]
    return lower, with_version, with_version.rpartition("-v")[0]


@cache
def _shipped() -> dict[str, str]:
    """File names by id. Only the line with the id is looked at, as importing Gymnasium asks for it."""
    found = {}
    for entry in shipped_definitions():
        game_id = _id_in(entry.read_text(encoding="utf-8"))
        if game_id is None:
            raise UserError(f"{entry.name}: the definition has no line with its id")
        found[game_id] = entry.name
    return found


def _users() -> dict[str, Path]:
    """The user's definition files by id. One without an id is told of when somebody asks for it by its path."""
    found = {}
    for path in Library().definitions:
        game_id = _read_id(path)
        if game_id is not None and game_id not in _shipped():
            found[game_id] = path
    return found


def _read_id(path: Path) -> str | None:
    try:
        return _id_in(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError):
        return None


def _id_in(text: str) -> str | None:
    match = re.search(r"^id:\s*(\S+)\s*$", text, re.MULTILINE)
    return None if match is None else match[1]


@cache
def _shipped_definition(game_id: str) -> Definition:
    return read_shipped_definition(_entry(game_id))


def _entry(game_id: str) -> Traversable:
    name = _shipped()[game_id]
    return next(entry for entry in shipped_definitions() if entry.name == name)


@cache
def _read_bundled(game_id: str) -> Game:
    return read_shipped_game(_entry(game_id))


def _read_shipped(game_id: str) -> Game:
    # What the user brings may be added while the process runs.
    if _shipped_definition(game_id).program.bundled is None:
        return read_shipped_game(_entry(game_id))
    return _read_bundled(game_id)
