# SPDX-License-Identifier: GPL-3.0-or-later
"""`oakemu-rl demos renew`: a recording of an older definition as one of the present."""

import sys
from collections.abc import Sequence
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field

from oakemu_rl.cli.arguments import parse_flags
from oakemu_rl.cli.demo_out import demo_out
from oakemu_rl.cli.demo_text import told
from oakemu_rl.cli.files import check_writable
from oakemu_rl.demos import load_demo, renew_demo, save_demo
from oakemu_rl.games import load_game

__all__ = ["run"]


class _RenewArguments(BaseModel):
    """Make a recording of the game as it is defined now out of one of an older definition.

    The machine does what it did; the definition says anew how the episode ends and what it earns.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    demo: str = Field("", description="The recording.", json_schema_extra={"positional": True, "metavar": "DEMO"})
    out: Path | None = Field(
        None, description="The file to write.", json_schema_extra={"positional": True, "metavar": "FILE"}
    )
    game: str | None = Field(
        None,
        description="The definition, if it is not known by the recorded id; it has to be of the same program.",
        json_schema_extra={"metavar": "GAME"},
    )


def run(args: Sequence[str]) -> int:
    """Runs the verb; returns its exit code."""
    arguments = parse_flags(_RenewArguments, args, prog="oakemu-rl demos renew")
    out = demo_out(arguments.demo, arguments.out, "where the new one goes")
    demo = load_demo(arguments.demo)
    check_writable(out)
    renewed = renew_demo(demo, load_game(arguments.game or demo.game_id))
    save_demo(out, renewed)
    sys.stdout.write(f"{out}: {told(renewed)}\n")
    return 0
