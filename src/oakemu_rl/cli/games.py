# SPDX-License-Identifier: GPL-3.0-or-later
"""`oakemu-rl games`: the games that are known, everything about one, or what a file is."""

import sys
from collections.abc import Sequence
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field
from rich.console import Console
from rich.table import Table

from oakemu_rl.cli.arguments import parse_flags
from oakemu_rl.cli.games_add import add
from oakemu_rl.cli.games_check import check
from oakemu_rl.emulator import Spectrum
from oakemu_rl.emulator.png import write_png
from oakemu_rl.errors import UserError, nearest
from oakemu_rl.games import Definition, Game, find_definition, list_games, load_game
from oakemu_rl.games.settings import Presets

__all__ = ["run"]

_PICTURE_SCALE = 2
_READY_YOURS = "ready (your file)"
_WORDS = ("list", "show", "check", "add")
_USAGE = """\
usage: oakemu-rl games              the games that are known
       oakemu-rl games show GAME    everything about one: an id, a name, or a definition file
       oakemu-rl games check FILE   what a snapshot, tape or recording is, and what is wrong with it
       oakemu-rl games add FILE     keep a tape or snapshot of yours for the game that it is
"""


class _ShowArguments(BaseModel):
    """Everything about one game."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    game: str = Field(
        "ZXSpectrum/Acorns-v0",
        description="Game id, name or definition file.",
        json_schema_extra={"positional": True, "metavar": "GAME"},
    )
    picture: Path | None = Field(
        None, description="Write a PNG of the frame in which episodes begin.", json_schema_extra={"metavar": "FILE"}
    )


def run(args: Sequence[str]) -> int:
    """Runs the verb; returns its exit code."""
    console = Console()
    if not args or args[0] == "list":
        if args[1:]:
            raise UserError(f"games list takes nothing, not {args[1]!r}; oakemu-rl games show GAME tells about one")
        _list(console)
    elif args[0] in ("-h", "--help"):
        sys.stdout.write(_USAGE)
    elif args[0] == "show":
        arguments = parse_flags(_ShowArguments, args[1:], prog="oakemu-rl games show")
        game = load_game(arguments.game)
        _show(console, game)
        if arguments.picture is not None:
            _draw(game, arguments.picture)
    elif args[0] == "check":
        check(args[1:], console)
    elif args[0] == "add":
        add(args[1:], console)
    else:
        guess = nearest(args[0], _WORDS)
        raise UserError(f"unknown word {args[0]!r} after games{guess}; use {', '.join(_WORDS[:-1])} or {_WORDS[-1]}")
    return 0


def _list(console: Console) -> None:
    table = Table(box=None, pad_edge=False)
    table.add_column("id", no_wrap=True, min_width=max(map(len, list_games())))
    table.add_column("status", no_wrap=True, min_width=len(_READY_YOURS))
    table.add_column("description", no_wrap=True, overflow="ellipsis", ratio=1)
    for game_id in list_games():
        definition = find_definition(game_id)
        table.add_row(
            game_id,
            _status(definition),
            _first_line(definition.description),
        )
    console.print(table)


def _status(definition: Definition) -> str:
    if definition.program.bundled is not None:
        return "ready"
    try:
        load_game(definition.id)
    except UserError:
        return "needs your file"
    return _READY_YOURS


def _show(console: Console, game: Game) -> None:
    definition = game.definition
    table = Table(box=None, show_header=False, pad_edge=False)
    table.add_column(style="bold")
    table.add_column(overflow="fold")
    rows = {
        "id": game.id,
        "title": definition.title,
        "description": definition.description,
        "machine": definition.machine,
        "actions": "\n".join(
            f"{name:<12} {' + '.join(keys) or '(nothing)'}" for name, keys in definition.actions.items()
        ),
        "controls": "\n".join(f"{key:<12} {what}" for key, what in definition.controls.items()),
        "variables": ", ".join(definition.variables),
        "reward": definition.reward,
        "win": definition.win or "(never)",
        "loss": definition.loss or "(never)",
        "area": "x {}, y {}, {} by {} pixels".format(*definition.area),
        "presets": _presets(definition.presets),
        "limits": ", ".join(f"{name} {value}" for name, value in definition.limits.model_dump().items() if value),
    }
    for name, text in rows.items():
        if text:
            table.add_row(name, text)
    console.print(table, markup=False, highlight=False)


def _draw(game: Game, path: Path) -> None:
    machine = Spectrum(game.definition.machine, kempston=game.definition.joystick == "kempston")
    machine.load_state(game.start_state())
    write_png(path, machine.screen(), scale=_PICTURE_SCALE)


def _presets(presets: Presets) -> str:
    low, high = presets.frameskip
    frames = f"{low}" if low == high else f"{low} to {high}"
    width, height = presets.size
    return f"{frames} frames a step, {width} by {height} pixels, {presets.colour}, {presets.stack} frames stacked"


def _first_line(text: str) -> str:
    return text.strip().splitlines()[0] if text.strip() else ""
