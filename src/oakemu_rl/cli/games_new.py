# SPDX-License-Identifier: GPL-3.0-or-later
"""`oakemu-rl games new FILE`: a definition to fill in, out of a tape or a snapshot, and a look at its start."""

import shlex
from collections.abc import Sequence
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field
from rich.console import Console

from oakemu_rl.cli import play
from oakemu_rl.cli.arguments import parse_flags
from oakemu_rl.cli.files import write_text
from oakemu_rl.cli.games_show import draw_start
from oakemu_rl.cli.new_definition import check_new, file_of, schema_line
from oakemu_rl.emulator.container import Content, open_content
from oakemu_rl.emulator.window import NoDisplayError, Window
from oakemu_rl.errors import UserError
from oakemu_rl.games import load_game
from oakemu_rl.games.files import hashes_of
from oakemu_rl.games.library import Library
from oakemu_rl.games.matching import games_of_program
from oakemu_rl.games.skeleton import Skeleton, make_skeleton, name_of

__all__ = ["run"]


class _NewArguments(BaseModel):
    """Write a definition to fill in, out of a tape or a snapshot.

    The program is loaded, keys are tried to find out what begins the game and what plays it, and all that is written
    down with comments. The definition loads and can be played as it is; then the start is shown in a window, or, where
    there is no display, as a PNG beside it.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    file: str = Field(
        description="A tape or a snapshot; FILE.zip:MEMBER for one of several in an archive.",
        json_schema_extra={"positional": True, "metavar": "FILE"},
    )
    id: str | None = Field(
        None,
        description="The game's id, ZXSpectrum/Name-vN; None makes it of the file's name.",
        json_schema_extra={"metavar": "ID"},
    )
    out: Path | None = Field(
        None,
        description="The definition to write; None is NAME.yaml in the current folder.",
        json_schema_extra={"metavar": "FILE.yaml"},
    )
    force: bool = Field(default=False, description="Replace the definition if it exists.")
    window: bool = Field(default=True, description="Show the start in a window, where there is a display.")


def run(args: Sequence[str]) -> int:
    """Writes the definition; returns the exit code.

    Raises:
        OSError: The program cannot be read or kept.
        UserError: It is no program or cannot be loaded; the definition exists, cannot be written, or the id is taken.
    """
    if not args:
        raise UserError("name a tape or a snapshot: oakemu-rl games new FILE")
    arguments = parse_flags(_NewArguments, args, prog="oakemu-rl games new")
    content = open_content(arguments.file)
    game_id = arguments.id or f"ZXSpectrum/{name_of(content.name)}-v0"
    out = arguments.out or file_of(game_id)
    picture = out.with_suffix(".png")
    check_new(game_id, out, (out, picture), force=arguments.force)
    console = Console(soft_wrap=True, highlight=False, markup=False)
    skeleton = make_skeleton(content, game_id=game_id, file=shlex.quote(str(out)))
    _write(skeleton, content, game_id, out)
    _tell(console, skeleton, content, out)
    _show_start(console, out, picture, window=arguments.window)
    return 0


def _write(skeleton: Skeleton, content: Content, game_id: str, out: Path) -> None:
    """Writes the definition, and keeps the program where any definition finds it."""
    Library().add(content.data, name=Path(content.name).name, game=game_id)
    write_text(out, f"{schema_line()}\n{skeleton.text}")
    load_game(out).start_state()  # whatever was found has to work


def _tell(console: Console, skeleton: Skeleton, content: Content, out: Path) -> None:
    known = games_of_program(hashes_of(content.data, content.name))
    if known:
        console.print(f"note: the program is known already, as {', '.join(known)}")
    beginning = skeleton.beginning
    why = f", as it does not load on a 48k: {beginning.wrong_machine}" if beginning.wrong_machine else ""
    console.print(f"machine: {beginning.spectrum.machine}{why}")
    if beginning.steps:
        console.print(f"start:   {', then '.join(str(step) for step in beginning.steps)}")
    if beginning.routines:
        console.print("tape:    what comes after the program is never asked for, so loading ends as soon as it runs")
    console.print(f"keys:    {' '.join(skeleton.found.keys) or 'none was seen to do anything'}")
    if skeleton.found.reads_kempston:
        console.print("joystick: the game looks for a Kempston joystick")
    console.print(f"written to {out}; the program is kept in {Library().folder}")
    file = shlex.quote(str(out))
    for text, command in (
        ("look at the start, and mend it if need be", f"oakemu-rl play {file} --from-start-state"),
        ("find its variables", f"oakemu-rl games search {file}"),
        ("once there are variables, a reward and an end", f"oakemu-rl games lint {file}"),
        ("train", f"oakemu-rl train {file}"),
    ):
        console.print(f"next: {command}  ({text})")


def _show_start(console: Console, out: Path, picture: Path, *, window: bool) -> None:
    if window and _shown_in_window(out):
        return
    draw_start(load_game(out), picture)
    console.print(f"the start is shown in {picture}")


def _shown_in_window(out: Path) -> bool:
    """Lets the person play from the start on; false where no window can be opened."""
    try:
        Window("").check_display()
        play.run([str(out), "--from-start-state"])
    except (NoDisplayError, ModuleNotFoundError):  # pygame is an extra
        return False
    return True
