# SPDX-License-Identifier: GPL-3.0-or-later
"""Which of the known games a file is the program of."""

import hashlib
from collections.abc import Collection

from oakemu_rl.games.definition import Definition
from oakemu_rl.games.registry import find_definition, list_games, load_game

__all__ = ["games_of_program"]


def games_of_program(hashes: Collection[str]) -> tuple[str, ...]:
    """The ids of the known games whose program has one of these SHA-256.

    Args:
        hashes: In hexadecimal digits, lower case; of a packed file those of the file and of what is in it.

    Raises:
        UserError: A definition is not usable.
    """
    definitions = (find_definition(game_id) for game_id in list_games())
    return tuple(game.id for game in definitions if _hashes(game).intersection(hashes))


def _hashes(definition: Definition) -> set[str]:
    source = definition.program
    if source.bundled is None:
        return set(source.sha256 or ())
    return {hashlib.sha256(load_game(definition.id).program).hexdigest()}
