# SPDX-License-Identifier: GPL-3.0-or-later
"""`oakemu-rl demos replay`: play a recording again and see that everything happens as it did."""

import sys
from collections.abc import Sequence

from pydantic import BaseModel, ConfigDict, Field

from oakemu_rl.cli.arguments import parse_flags
from oakemu_rl.cli.demo_text import duration_of
from oakemu_rl.cli.progress import progress_bar
from oakemu_rl.demos import load_demo, replay
from oakemu_rl.errors import UserError
from oakemu_rl.games import load_game

__all__ = ["run"]


class _ReplayArguments(BaseModel):
    """Play recordings again, and compare the machine with what was recorded.

    The first frame that differs ends it, and is named.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    demos: list[str] = Field(
        default_factory=list,
        description="Recordings.",
        json_schema_extra={"positional": True, "repeated": True, "metavar": "DEMO"},
    )
    game: str | None = Field(
        None,
        description="The game, if its definition is not one of those that are known by name.",
        json_schema_extra={"metavar": "GAME"},
    )


def run(args: Sequence[str]) -> int:
    """Runs the verb; returns its exit code.

    Raises:
        DesyncError: Something happens that did not.
    """
    arguments = parse_flags(_ReplayArguments, args, prog="oakemu-rl demos replay")
    if not arguments.demos:
        raise UserError("DEMO is missing: give a recording, or the name of a game of which one ships")
    for name in arguments.demos:
        _replay(name, arguments.game)
    return 0


def _replay(name: str, game: str | None) -> None:
    demo = load_demo(name)
    with progress_bar() as progress:
        task = progress.add_task(name, total=demo.frames)
        try:
            replay(demo, load_game(game or demo.game_id), on_frame=lambda frame: progress.update(task, completed=frame))
        except UserError as error:
            raise UserError(f"{name}: {error}") from error
    sys.stdout.write(
        f"{name}: {demo.frames:,} frames ({duration_of(demo)}) as recorded, {len(demo.checks):,} checks agree\n"
    )
