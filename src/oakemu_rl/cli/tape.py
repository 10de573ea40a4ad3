# SPDX-License-Identifier: GPL-3.0-or-later
"""`oakemu-rl tape`: what is on a tape, the same tape as .tap, and loading it at full speed."""

import sys
from collections.abc import Sequence
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from oakemu_rl.cli.arguments import parse_flags
from oakemu_rl.cli.files import check_writable, write_bytes
from oakemu_rl.cli.tape_report import print_tape
from oakemu_rl.emulator import Spectrum
from oakemu_rl.emulator.png import write_png
from oakemu_rl.emulator.snapshots import from_machine, write_snapshot
from oakemu_rl.emulator.tapes import Progress as TapeProgress
from oakemu_rl.emulator.tapes import load_tape, read_tape, tap_bytes
from oakemu_rl.errors import UserError, nearest

__all__ = ["run"]

_WORDS = ("info", "convert", "load")
_USAGE = """\
usage: oakemu-rl tape info FILE             every block of a tape: kind, name, length, checksum, seconds
       oakemu-rl tape convert FILE OUT.tap  the same tape as .tap, if all its blocks are in the ROM's timing
       oakemu-rl tape load FILE             load it as fast as can be (--help: what to write then)

FILE is a .tap, .tzx or .pzx file, also inside of a .zip or .gz (FILE.zip:MEMBER for one of several).
"""
_PICTURE_SCALE = 2


class _InfoArguments(BaseModel):
    """Every block of a tape."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    file: str = Field("", description="The tape.", json_schema_extra={"positional": True, "metavar": "FILE"})


class _ConvertArguments(BaseModel):
    """The same tape as .tap."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    file: str = Field("", description="The tape.", json_schema_extra={"positional": True, "metavar": "FILE"})
    out: Path | None = Field(
        None, description="The file to write.", json_schema_extra={"positional": True, "metavar": "OUT"}
    )


class _LoadArguments(BaseModel):
    """Loads a tape as a person with a recorder would, at full speed.

    Blocks in the ROM's timing are handed over at once, all others are played edge by edge.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    file: str = Field("", description="The tape.", json_schema_extra={"positional": True, "metavar": "FILE"})
    machine: str = Field("48k", description="48k, 128k or plus2.", json_schema_extra={"metavar": "MACHINE"})
    edges: bool = Field(default=False, description="Play every block edge by edge.")
    wait: int = Field(1500, ge=1, description="Frames (50 a second) that the program may take between two blocks.")
    frames: int = Field(0, ge=0, description="Frames to run on after the tape has ended.")
    snapshot: Path | None = Field(
        None, description="Write the machine then: .sna, .z80 or .szx.", json_schema_extra={"metavar": "FILE"}
    )
    picture: Path | None = Field(None, description="Write a PNG of its screen.", json_schema_extra={"metavar": "FILE"})


def run(args: Sequence[str]) -> int:
    """Runs the verb; returns its exit code."""
    if not args or args[0] in ("-h", "--help"):
        sys.stdout.write(_USAGE)
        return 0
    word, rest = args[0], args[1:]
    if word == "info":
        _info(parse_flags(_InfoArguments, rest, prog="oakemu-rl tape info"))
    elif word == "convert":
        _convert(parse_flags(_ConvertArguments, rest, prog="oakemu-rl tape convert"))
    elif word == "load":
        _load(parse_flags(_LoadArguments, rest, prog="oakemu-rl tape load"))
    else:
        raise UserError(f"unknown word {word!r} after tape{nearest(word, _WORDS)}; use info, convert or load")
    return 0


def _need_file(file: str) -> str:
    if not file:
        raise UserError("FILE is missing: give a .tap, .tzx or .pzx file")
    return file


def _info(arguments: _InfoArguments) -> None:
    print_tape(Console(), _need_file(arguments.file))


def _convert(arguments: _ConvertArguments) -> None:
    tape = read_tape(_need_file(arguments.file))
    if arguments.out is None:
        raise UserError("OUT is missing: give the .tap file to write")
    if arguments.out.suffix.lower() != ".tap":
        raise UserError(f"OUT: {arguments.out} does not end in .tap, the one format that can be written")
    data = tap_bytes(tape)
    if not data:
        raise UserError(f"{tape.name}: there is no data on the tape")
    write_bytes(arguments.out, data)
    sys.stdout.write(f"{arguments.out}: {len(data)} bytes\n")


def _load(arguments: _LoadArguments) -> None:
    tape = read_tape(_need_file(arguments.file))
    for target in (arguments.snapshot, arguments.picture):
        if target is not None:
            check_writable(target)
    spectrum = Spectrum(arguments.machine)
    console = Console(stderr=True)
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.completed:.0f} of {task.total:.0f} s of tape"),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task("loading", total=1.0)  # until the first report says how long the tape is

        def show(progress: TapeProgress) -> None:
            bar.update(
                task,
                description=f"block {progress.block} of {progress.blocks}",
                completed=progress.seconds,
                total=progress.total_seconds,
            )

        load_tape(spectrum, tape, max_frames=arguments.wait, fast=not arguments.edges, progress=show)
    for _ in range(arguments.frames):  # one by one, so that Ctrl-C ends it
        spectrum.run_frames(1)
    if arguments.snapshot is not None:
        for loss in write_snapshot(from_machine(spectrum, tape.name), arguments.snapshot):
            console.print(f"{arguments.snapshot}: without {loss}", markup=False, highlight=False, soft_wrap=True)
    if arguments.picture is not None:
        write_png(arguments.picture, spectrum.screen(), scale=_PICTURE_SCALE)
    seconds = spectrum.frame * spectrum.frame_tstates / spectrum.clock
    sys.stdout.write(
        f"{tape.name}: loaded in {spectrum.frame} frames ({seconds:.1f} seconds of the machine's time), "
        f"PC is 0x{spectrum.registers.pc:04X}\n"
    )
