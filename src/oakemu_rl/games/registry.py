# SPDX-License-Identifier: GPL-3.0-or-later
"""The games that are known by name: those that ship with the package, the user's, and those registered at run time."""

from functools import cache
from pathlib import Path

from oakemu_rl.errors import UserError
from oakemu_rl.games.catalogue import (
    YAML_SUFFIXES,
    find_id,
    name_and_version,
    shipped_files,
    unnamed_definitions,
    users_files,
)
from oakemu_rl.games.definition import Definition
from oakemu_rl.games.files import load_definition, read_game, read_shipped_definition, read_shipped_game
from oakemu_rl.games.game import Game

__all__ = [
    "YAML_SUFFIXES",
    "find_definition",
    "is_shipped",
    "list_games",
    "load_game",
    "register_game",
    "unnamed_definitions",
]

# What `register_game` has added in this process. A registry is by its nature shared by all who ask for a game by name.
_registered: dict[str, Game] = {}


def list_games() -> tuple[str, ...]:
    """The ids of all known games, by name and version."""
    return tuple(sorted({*shipped_files(), *users_files(), *_registered}, key=name_and_version))


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
    game_id = find_id(game, list_games())
    if game_id in _registered:
        return _registered[game_id]
    users = users_files()
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
    game_id = find_id(game, list_games())
    if game_id in _registered:
        return _registered[game_id].definition
    users = users_files()
    return load_definition(users[game_id]) if game_id in users else _shipped_definition(game_id)


def register_game(path: str | Path) -> Game:
    """Makes a game of the user's known by its id and name in this process.

    Args:
        path: Its definition file.

    Raises:
        UserError: The definition or its program is not usable, or the id belongs to another game.
    """
    game = read_game(path)
    if game.id in shipped_files() or _registered.get(game.id, game) != game:
        raise UserError(f"{path}: the id {game.id} belongs to another game already; take another name or version")
    _registered[game.id] = game
    return game


def is_shipped(game_id: str) -> bool:
    """Whether an id is that of a game that ships with the package."""
    return game_id in shipped_files()


@cache
def _shipped_definition(game_id: str) -> Definition:
    return read_shipped_definition(shipped_files()[game_id])


@cache
def _read_bundled(game_id: str) -> Game:
    return read_shipped_game(shipped_files()[game_id])


def _read_shipped(game_id: str) -> Game:
    # What the user brings may be added while the process runs.
    if _shipped_definition(game_id).program.bundled is None:
        return read_shipped_game(shipped_files()[game_id])
    return _read_bundled(game_id)
