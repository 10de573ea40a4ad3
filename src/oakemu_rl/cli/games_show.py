# SPDX-License-Identifier: GPL-3.0-or-later
"""`oakemu-rl games show GAME`: everything about one game."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field
from rich.console import Console
from rich.table import Table

from oakemu_rl.cli.arguments import parse_flags
from oakemu_rl.emulator.png import write_png
from oakemu_rl.games import Definition, Game, find_definition, load_game
from oakemu_rl.games.files import MissingProgramError
from oakemu_rl.games.settings import Limits, Presets
from oakemu_rl.games.start_state import new_machine
from oakemu_rl.games.variables import Variable

__all__ = ["draw_start", "run"]

_PICTURE_SCALE = 2


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
    """Prints a game; returns the exit code.

    Raises:
        UserError: There is no such game, it is broken, or a picture is asked for and its program is not there.
    """
    arguments = parse_flags(_ShowArguments, args, prog="oakemu-rl games show")
    try:
        game = load_game(arguments.game)
        definition, missing = game.definition, ""
    except MissingProgramError as error:
        if arguments.picture is not None:
            raise
        definition, missing = find_definition(arguments.game), str(error)
    console = Console()
    table = Table(box=None, show_header=False, pad_edge=False)
    table.add_column(style="bold")
    table.add_column(overflow="fold")
    for name, text in _rows(definition, missing):
        if text:
            table.add_row(name, text)
    console.print(table, markup=False, highlight=False)
    if arguments.picture is not None:
        draw_start(game, arguments.picture)
    return 0


def draw_start(game: Game, path: Path) -> None:
    """Writes a PNG of the frame in which episodes begin.

    Raises:
        UserError: The start is not reached, or the file cannot be written.
    """
    machine = new_machine(game.definition)
    machine.load_state(game.start_state())
    write_png(path, machine.screen(), scale=_PICTURE_SCALE)


def _rows(definition: Definition, missing: str) -> Iterator[tuple[str, str]]:
    yield "id", definition.id
    yield "title", definition.title
    yield "description", definition.description
    yield "machine", definition.machine
    yield "program", missing or _program(definition)
    yield "verified", "" if definition.verified else "not yet: nobody has checked it on the real program"
    yield "start", "\n".join(str(step) for step in definition.start)
    for name in definition.starts:
        yield f"start {name}", _other_start(definition, name)
    yield "actions", _lines({name: " + ".join(keys) or "(nothing)" for name, keys in definition.actions.items()})
    yield "allowed if", _lines(definition.allow)
    yield "joystick", "" if definition.joystick == "none" else definition.joystick
    yield "controls", _lines(definition.controls)
    yield "variables", _lines({name: _variable(variable) for name, variable in definition.variables.items()})
    yield "derived", _lines(definition.derived)
    yield "routines", _lines({name: f"0x{address:04X}" for name, address in definition.routines.items()})
    yield "reward", _expression(definition.reward)
    yield "judged by", "" if definition.evaluation is None else _expression(definition.evaluation.reward)
    yield "win", definition.win or "(never)"
    yield "loss", definition.loss or "(never)"
    yield "area", "x {}, y {}, {} by {} pixels".format(*definition.area)
    yield "presets", _presets(definition.presets)
    yield "limits", _limits(definition.limits)


def _other_start(definition: Definition, name: str) -> str:
    start = definition.starts[name]
    origin = start.snapshot or (f"after {start.after}" if start.after else "after loading")
    return "\n".join([f"weight {start.weight:g}, {origin}", *(str(step) for step in start.start)])


def _variable(variable: Variable) -> str:
    items = f", {variable.count} of them" if variable.is_table else ""
    return f"0x{variable.at:04X} {variable.type}{items}"


def _limits(limits: Limits) -> str:
    counted = [f"{name} {value}" for name, value in (("steps", limits.steps), ("frames", limits.frames)) if value]
    if limits.stall is not None:
        counted.append(f"{limits.stall.steps} steps in which {limits.stall.value} does not change")
    return ", ".join(counted)


def _program(definition: Definition) -> str:
    source = definition.program
    return source.bundled or "\n".join(f"SHA-256 {each}" for each in source.sha256 or ()) or "a file of yours"


def _expression(reward: str | Mapping[str, str]) -> str:
    return reward if isinstance(reward, str) else _lines(reward)


def _lines(pairs: Mapping[str, str]) -> str:
    width = max((len(name) for name in pairs), default=0)
    return "\n".join(f"{name:<{width}}  {text}" for name, text in pairs.items())


def _presets(presets: Presets) -> str:
    low, high = presets.frameskip
    frames = f"{low}" if low == high else f"{low} to {high}"
    width, height = presets.size
    return f"{frames} frames a step, {width} by {height} pixels, {presets.colour}, {presets.stack} frames stacked"
