# SPDX-License-Identifier: GPL-3.0-or-later
"""`oakemu-rl games import DIR`: a definition out of what stable-retro has for a game."""

import hashlib
import json
import shlex
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field
from rich.console import Console

from oakemu_rl.cli.arguments import parse_flags
from oakemu_rl.cli.files import write_text
from oakemu_rl.cli.new_definition import check_new, file_of, schema_line
from oakemu_rl.emulator.container import Content, open_content
from oakemu_rl.errors import UserError
from oakemu_rl.games import Definition, load_game
from oakemu_rl.games.beginning import Beginning, begin
from oakemu_rl.games.library import Library
from oakemu_rl.games.retro_import import ImportedGame, import_retro
from oakemu_rl.games.skeleton import name_of
from oakemu_rl.yaml_source import parse_yaml, validate

__all__ = ["run"]


class _ImportArguments(BaseModel):
    """Write a definition out of a folder of stable-retro's: data.json, scenario.json, metadata.json.

    Variables, rewards, ends, actions and the crop are carried over; what has no counterpart is told. Numbers may be
    written in hexadecimal: --base 0x4000.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    folder: Path = Field(
        description="The folder with data.json.", json_schema_extra={"positional": True, "metavar": "DIR"}
    )
    program: str | None = Field(
        None,
        description="The game's tape or snapshot; its start is found out, too.",
        json_schema_extra={"metavar": "FILE"},
    )
    id: str | None = Field(
        None,
        description="The game's id, ZXSpectrum/Name-vN; None makes it of the folder's name.",
        json_schema_extra={"metavar": "ID"},
    )
    out: Path | None = Field(
        None,
        description="The definition to write; None is NAME.yaml in the current folder.",
        json_schema_extra={"metavar": "FILE.yaml"},
    )
    base: str = Field(
        "0", description="What to add to all addresses, where they are counted from the beginning of RAM, say."
    )
    joystick: Literal["kempston", "sinclair1", "sinclair2", "cursor"] = Field(
        "kempston", description="Whose directions the buttons become."
    )
    force: bool = Field(default=False, description="Replace the definition if it exists.")


def run(args: Sequence[str]) -> int:
    """Writes the definition and prints what was lost; returns the exit code.

    Raises:
        OSError: The program cannot be read or kept.
        UserError: The folder, the program or a flag cannot be used; the definition exists or cannot be written.
    """
    if not args:
        raise UserError("name a folder of stable-retro's: oakemu-rl games import DIR")
    arguments = parse_flags(_ImportArguments, args, prog="oakemu-rl games import")
    game = import_retro(arguments.folder, base=_base(arguments.base), joystick=arguments.joystick)
    game_id = arguments.id or f"ZXSpectrum/{name_of(arguments.folder.resolve().name)}-v0"
    out = arguments.out or file_of(game_id)
    check_new(game_id, out, [out], force=arguments.force)
    content = None if arguments.program is None else open_content(arguments.program)
    beginning = None if content is None else begin(content)
    text = "\n".join(_lines(game, game_id, out, content, beginning)) + "\n"
    validate(Definition, parse_yaml(text, name=str(out)))  # what was carried over has to be a definition
    if content is not None:
        Library().add(content.data, name=Path(content.name).name, game=game_id)
    write_text(out, text)
    if content is not None:
        load_game(out).start_state()
    _tell(Console(soft_wrap=True, highlight=False, markup=False), game, out, with_program=content is not None)
    return 0


def _base(text: str) -> int:
    try:
        return int(text, 0)
    except ValueError:
        raise UserError(f"--base: {text!r} is not a whole number, as 16384 and 0x4000 are") from None


def _lines(
    game: ImportedGame, game_id: str, out: Path, content: Content | None, beginning: Beginning | None
) -> Iterable[str]:
    yield schema_line()
    yield f"# Carried over from {game.hint}; oakemu-rl games lint {out} says what looks wrong."
    yield f"id: {game_id}"
    yield f"title: {json.dumps(game.hint[:100], ensure_ascii=False)}"
    yield f"machine: {beginning.spectrum.machine if beginning else '48k'}"
    if content is None or beginning is None:
        yield f"program: {{sha256: [], hint: {json.dumps(game.hint, ensure_ascii=False)}}}"
    else:
        yield "program:"
        yield f"  sha256: [{hashlib.sha256(content.data).hexdigest()}]"
    yield "verified: false  # until somebody has seen that the variables are right"
    if beginning is None:
        yield "# What begins the game after loading: steps of wait, press and until."
        yield "start: []"
    else:
        yield from beginning.lines()
    yield "reset: {noops: [0, 30]}"
    yield from game.lines()
    yield "limits: {steps: 4500}"


def _tell(console: Console, game: ImportedGame, out: Path, *, with_program: bool) -> None:
    console.print(
        f"written to {out}: {len(game.variables)} variables, {len(game.actions)} actions, reward {game.reward}, "
        f"loss {game.loss or '(never)'}"
    )
    for note in game.changed:
        console.print(f"look at:          {note}")
    for note in game.lost:
        console.print(f"not carried over: {note}")
    if with_program:
        console.print(f"next: oakemu-rl games lint {shlex.quote(str(out))}")
    else:
        console.print(f"next: oakemu-rl games import {game.hint} --program FILE --force, once you have the program")
