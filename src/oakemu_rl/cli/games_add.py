# SPDX-License-Identifier: GPL-3.0-or-later
"""`oakemu-rl games add FILE`: keeps a program of the user's for the game that it is."""

from collections.abc import Sequence
from difflib import SequenceMatcher
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field
from rich.console import Console

from oakemu_rl.cli.arguments import parse_flags
from oakemu_rl.emulator.container import Content, open_content
from oakemu_rl.emulator.detection import SNAPSHOTS, TAPES
from oakemu_rl.emulator.snapshots import parse_snapshot
from oakemu_rl.emulator.tapes import parse_tape
from oakemu_rl.errors import UserError
from oakemu_rl.games import Definition, find_definition, list_games, load_game
from oakemu_rl.games.files import hashes_of
from oakemu_rl.games.library import Library
from oakemu_rl.games.matching import games_of_program

__all__ = ["run"]

_SIMILAR = 0.5  # of SequenceMatcher's ratio
_NAMES_SHOWN = 3


class _AddArguments(BaseModel):
    """Keep a tape or snapshot of yours for the game that it is.

    Games know their programs by SHA-256. A file that is not known can be kept for a game all the same, with --game.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    file: str = Field(
        description="The file; FILE.zip:MEMBER for one of several in an archive.",
        json_schema_extra={"positional": True, "metavar": "FILE"},
    )
    game: str | None = Field(
        None, description="The game that it is, if it is not recognised.", json_schema_extra={"metavar": "GAME"}
    )


def run(args: Sequence[str]) -> int:
    """Keeps a file and says what can be done with it; returns the exit code.

    Raises:
        OSError: The file cannot be read, or not be kept.
        UserError: It is no program, a broken one, or one that no game knows.
    """
    if not args:
        raise UserError("name a file to add: oakemu-rl games add FILE")
    arguments = parse_flags(_AddArguments, args, prog="oakemu-rl games add")
    console = Console()
    content = open_content(arguments.file)
    _check(content)
    known = games_of_program(hashes_of(content.data, content.name))
    if arguments.game is None and not known:
        raise UserError(f"{content.name} is the program of no game that is known{_hint(content)}")
    game = find_definition(known[0] if arguments.game is None else arguments.game)
    if game.program.bundled is not None:
        console.print(f"{game.title} ships with its program: oakemu-rl play {game.name.lower()}", markup=False)
        return 0
    stored = Library().add(content.data, name=Path(content.name).name, game=game.id)
    console.print(f"{content.name} is kept for {game.title} (SHA-256 {stored.sha256})", markup=False, highlight=False)
    if game.id not in known:
        console.print("it is not one of the programs that its definition knows, so addresses may differ", markup=False)
    load_game(game.id).start_state()  # says in time what does not work
    console.print(f"next: oakemu-rl play {game.name.lower()}, oakemu-rl train {game.name.lower()}", markup=False)
    return 0


def _check(content: Content) -> None:
    if content.kind in SNAPSHOTS:
        parse_snapshot(content.data, content.name)
    elif content.kind in TAPES:
        parse_tape(content.data, content.name)
    else:
        raise UserError(f"{content.name} is neither a tape nor a snapshot; oakemu-rl games check says what it is")


def _hint(content: Content) -> str:
    """The games whose names are like the file's, and what to do."""
    name = Path(content.name.rpartition(":")[2]).stem
    needy = [game for game in map(find_definition, list_games()) if game.program.bundled is None]
    similar = sorted(needy, key=lambda game: _likeness(name, game), reverse=True)[:_NAMES_SHOWN]
    nearest = [game for game in similar if _likeness(name, game) >= _SIMILAR]
    if not nearest:
        return "; say which it is with --game, or write a definition of it (docs/definitions.md)"
    names = " or ".join(f"--game {game.name.lower()}" for game in nearest)
    return f"; if it is {' or '.join(game.title for game in nearest)}, add {names}"


def _likeness(name: str, game: Definition) -> float:
    def plain(text: str) -> str:
        return "".join(character for character in text.lower() if character.isalnum())

    return max(SequenceMatcher(None, plain(name), plain(other)).ratio() for other in (game.title, game.name))
