# SPDX-License-Identifier: GPL-3.0-or-later
"""`oakemu-rl demos trim`: a part of a recording."""

import sys
from collections.abc import Sequence
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field

from oakemu_rl.cli.arguments import parse_flags
from oakemu_rl.cli.demo_out import demo_out
from oakemu_rl.cli.demo_text import duration_of, frame_of
from oakemu_rl.cli.files import check_writable
from oakemu_rl.demos import cut_demo, load_demo, save_demo
from oakemu_rl.errors import UserError

__all__ = ["run"]


class _TrimArguments(BaseModel):
    """Cut a part out of a recording, as a recording of its own that begins there.

    Moments are given in steps (250; in frames where the recording has no steps), in frames (f1000), as a time (1:05.2),
    or by the name of a marker ("room 3").
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    demo: str = Field("", description="The recording.", json_schema_extra={"positional": True, "metavar": "DEMO"})
    out: Path | None = Field(
        None, description="The file to write.", json_schema_extra={"positional": True, "metavar": "FILE"}
    )
    begin: str | None = Field(
        None,
        description="Where the part begins; None is the beginning.",
        json_schema_extra={"metavar": "MOMENT", "aliases": ["--from"]},
    )
    end: str | None = Field(
        None,
        description="Where it ends; None is the end.",
        json_schema_extra={"metavar": "MOMENT", "aliases": ["--to"]},
    )


def run(args: Sequence[str]) -> int:
    """Runs the verb; returns its exit code."""
    arguments = parse_flags(_TrimArguments, args, prog="oakemu-rl demos trim")
    out = demo_out(arguments.demo, arguments.out, "where its part goes")
    if arguments.begin is None and arguments.end is None:
        raise UserError("nothing is to be cut off: give --begin, --end, or both")
    demo = load_demo(arguments.demo)
    first = 0 if arguments.begin is None else frame_of(demo, arguments.begin, "--begin")
    last = demo.frames if arguments.end is None else frame_of(demo, arguments.end, "--end")
    if first >= last:
        raise UserError(f"nothing would be left: --begin is frame {first}, --end is frame {last}")
    check_writable(out)
    part = cut_demo(demo, first, last)
    save_demo(out, part)
    steps = "" if part.steps is None else f"{part.steps:,} steps, "
    sys.stdout.write(f"{out}: {steps}{part.frames:,} frames, {duration_of(part)}\n")
    return 0
