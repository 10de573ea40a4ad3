# SPDX-License-Identifier: GPL-3.0-or-later
"""`oakemu-rl demos export`: recordings as RZX, for other emulators, or as a Minari dataset, for other learners."""

import sys
from collections.abc import Sequence
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field

from oakemu_rl.cli.arguments import parse_flags
from oakemu_rl.cli.demo_text import clock
from oakemu_rl.cli.files import check_writable, write_bytes
from oakemu_rl.demos import Demo, load_demo
from oakemu_rl.demos.minari_export import export_minari
from oakemu_rl.demos.rzx import export_rzx
from oakemu_rl.emulator.rzx import rzx_bytes
from oakemu_rl.errors import UserError
from oakemu_rl.games import load_game

__all__ = ["run"]


class _ExportArguments(BaseModel):
    """Write recordings as an RZX file, which other emulators play, or as a Minari dataset.

    Several recordings become one file: an RZX file that plays one after the other, or the episodes of a dataset.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    demos: list[str] = Field(
        default_factory=list,
        description="Recordings.",
        json_schema_extra={"positional": True, "repeated": True, "metavar": "DEMO"},
    )
    rzx: Path | None = Field(None, description="The RZX file to write.", json_schema_extra={"metavar": "FILE.rzx"})
    minari: str | None = Field(
        None,
        description="The id of the dataset to write, such as zxspectrum/caverns/human-v0; Minari says where it lies.",
        json_schema_extra={"metavar": "ID"},
    )
    game: str | None = Field(
        None,
        description="The game, if its definition is not one of those that are known by name.",
        json_schema_extra={"metavar": "GAME"},
    )


def run(args: Sequence[str]) -> int:
    """Runs the verb; returns its exit code.

    Raises:
        UserError: A recording is of no use, or what is to be written cannot be.
        OSError: One cannot be read.
    """
    arguments = parse_flags(_ExportArguments, args, prog="oakemu-rl demos export")
    if not arguments.demos:
        raise UserError("DEMO is missing: give recordings, or the name of a game of which one ships")
    if (arguments.rzx is None) == (arguments.minari is None):
        raise UserError("say what to write: --rzx FILE.rzx or --minari ID")
    if arguments.rzx is not None and arguments.rzx.suffix.lower() != ".rzx":
        raise UserError(f"--rzx: {arguments.rzx} does not end in .rzx")
    demos = [load_demo(name) for name in arguments.demos]
    if arguments.rzx is not None:
        _write_rzx(demos, arguments.rzx)
    elif arguments.minari is not None:
        _write_minari(demos, arguments.minari, arguments.game)
    return 0


def _write_rzx(demos: Sequence[Demo], path: Path) -> None:
    check_writable(path)
    recording = export_rzx(demos, str(path))
    write_bytes(path, rzx_bytes(recording))
    sys.stdout.write(f"{path}: {clock(recording.frames, demos[0].machine)} ({recording.frames:,} frames)\n")


def _write_minari(demos: Sequence[Demo], dataset_id: str, game: str | None) -> None:
    data = export_minari(demos, load_game(game or demos[0].game_id), dataset_id)
    steps = sum(demo.steps or 0 for demo in demos)
    sys.stdout.write(f"{dataset_id}: {len(demos)} episodes, {steps:,} steps, in {data}\n")
