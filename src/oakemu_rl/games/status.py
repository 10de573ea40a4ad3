# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether the games that are known can be played, and what is missing if not."""

from typing import Literal, NamedTuple

from oakemu_rl.errors import UserError
from oakemu_rl.games.files import MissingProgramError
from oakemu_rl.games.registry import find_definition, list_games, load_game, unnamed_definitions

__all__ = ["GameStatus", "Status", "game_statuses"]

Status = Literal["ready", "needs file", "unverified", "broken"]


class GameStatus(NamedTuple):
    """One line of the list."""

    id: str
    """The game's id; of a definition without one, its path."""
    status: Status
    program: str
    """Where the program is: ``ships``, ``yours``, or empty if it is not there."""
    description: str
    """The first line of the game's description, or what is wrong with it."""


def game_statuses() -> list[GameStatus]:
    """All known games, as `list_games` orders them, then the user's definitions that have no id."""
    games = [_status(game_id) for game_id in list_games()]
    return [
        *games,
        *(GameStatus(str(path), "broken", "", "there is no line with its id") for path in unnamed_definitions()),
    ]


def _status(game_id: str) -> GameStatus:
    try:
        definition = find_definition(game_id)
    except UserError as error:
        return GameStatus(game_id, "broken", "", str(error))
    text = next(iter(definition.description.strip().splitlines()), "") or definition.title
    try:
        load_game(game_id)
    except MissingProgramError:
        return GameStatus(game_id, "needs file", "", text)
    except UserError as error:
        return GameStatus(game_id, "broken", "", str(error))
    program = "yours" if definition.program.bundled is None else "ships"
    return GameStatus(game_id, "ready" if definition.verified else "unverified", program, text)
