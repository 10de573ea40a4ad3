# SPDX-License-Identifier: GPL-3.0-or-later
"""`oakemu-rl games list`: the games that are known, and whether they can be played."""

import json
import sys
from collections.abc import Sequence

from pydantic import BaseModel, ConfigDict, Field
from rich.console import Console
from rich.table import Table
from rich.text import Text

from oakemu_rl.cli.arguments import parse_flags
from oakemu_rl.errors import UserError
from oakemu_rl.games.status import GameStatus, Status, game_statuses

__all__ = ["run"]

_STYLES: dict[Status, str] = {"ready": "green", "needs file": "yellow", "unverified": "cyan", "broken": "red"}
_GAP = 2  # between columns
_LEAST_DESCRIPTION = 12
_MEANINGS: dict[Status, str] = {
    "needs file": "the program is yours to bring: oakemu-rl games add FILE",
    "unverified": "playable, but nobody has checked the definition on the real program yet",
    "broken": "the definition or its program cannot be used: oakemu-rl games show GAME says why",
}


class _ListArguments(BaseModel):
    """The games that are known, and whether they can be played.

    Those that ship, those of definitions in your data folder, and those whose programs are yours to bring.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    as_json: bool = Field(
        default=False, description="Print the table as JSON.", json_schema_extra={"aliases": ["--json"]}
    )


def run(args: Sequence[str]) -> int:
    """Prints the table; returns the exit code.

    Raises:
        UserError: More than flags was given.
    """
    extra = next((arg for arg in args if not arg.startswith("-")), None)
    if extra is not None:
        raise UserError(f"games list takes nothing, not {extra!r}; oakemu-rl games show GAME tells about one")
    arguments = parse_flags(_ListArguments, args, prog="oakemu-rl games list")
    games = game_statuses()
    if arguments.as_json:
        sys.stdout.write(json.dumps([game._asdict() for game in games], indent=1) + "\n")
        return 0
    console = Console()
    console.print(_table(games, console.width))
    notes = [f"{status}: {text}" for status, text in _MEANINGS.items() if any(game.status == status for game in games)]
    if notes:
        console.print("", *notes, sep="\n", style="dim", markup=False, highlight=False)
    return 0


def _table(games: Sequence[GameStatus], width: int) -> Table:
    """The table, whose descriptions are cut so that everything else is whole in lines of `width` characters."""
    table = Table(box=None, pad_edge=False, show_edge=False)
    first = [("id", *(game.id for game in games)), ("status", *_STYLES), ("program", *(game.program for game in games))]
    widths = [max(map(len, column)) for column in first]
    for (name, *_), column_width in zip(first, widths, strict=True):
        table.add_column(name, no_wrap=True, min_width=column_width)
    left = max(width - sum(widths) - _GAP * len(widths), _LEAST_DESCRIPTION)
    table.add_column("description", no_wrap=True, overflow="ellipsis", max_width=left)
    for game in games:
        # As Text: a description may hold what rich would take for markup.
        table.add_row(game.id, Text(game.status, _STYLES[game.status]), game.program, Text(game.description))
    return table
