# SPDX-License-Identifier: GPL-3.0-or-later
"""`oakemu-rl explore`: finds ways through a game without learning, as recordings to learn from."""

import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, NonNegativeInt, PositiveInt
from rich.progress import SpinnerColumn, TaskProgressColumn, TextColumn, TimeRemainingColumn

from oakemu_rl._processors import usable_processors
from oakemu_rl._stop_signals import EXIT_STOPPED
from oakemu_rl.cli.arguments import parse_flags
from oakemu_rl.cli.demo_text import told
from oakemu_rl.cli.files import check_writable
from oakemu_rl.cli.progress import progress_bar
from oakemu_rl.demos import SUFFIX, Demo, save_demo
from oakemu_rl.errors import UserError
from oakemu_rl.exploration import ExplorationSettings, Explorer, best_cells
from oakemu_rl.quantities import parse_count

__all__ = ["run"]


class _ExploreArguments(BaseModel):
    """Find ways through a game without learning, and keep the best as recordings to learn from.

    Goes back to moments that were seldom seen and plays on from there at random. Ctrl-C ends it early and keeps what
    was found.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    game: str = Field(
        "", description="Game id, name or definition file.", json_schema_extra={"positional": True, "metavar": "GAME"}
    )
    steps: Annotated[int, BeforeValidator(parse_count)] = Field(
        1_000_000,
        gt=0,
        description="Steps to play in all (200000, 200k, 1e6), rounded up to whole rounds.",
        json_schema_extra={"metavar": "COUNT"},
    )
    episodic_life: bool = Field(
        default=False, description="End trips where a life is lost: ways that lose none, as for agents of one life."
    )
    until_win: bool = Field(default=False, description="End with the round in which the game is first won.")
    cell: list[str] = Field(
        default_factory=list,
        description="An expression of what tells moments apart, such as 'room' or 'player_x // 8'; may be given often. "
        "Without: the definition's cells, or the picture.",
        json_schema_extra={"repeated": True, "metavar": "EXPRESSION"},
    )
    keep: PositiveInt = Field(
        1, description="Recordings to write: the best way, and the shortest to each of the next returns."
    )
    out: Path = Field(
        Path(),
        description="The folder for the recordings; files of the same names are replaced.",
        json_schema_extra={"metavar": "FOLDER"},
    )
    start: str = Field("default", description="The start state.", json_schema_extra={"metavar": "NAME"})
    seed: NonNegativeInt = Field(0, description="Of the random trips, and of the game where it is random.")
    num_threads: PositiveInt | None = Field(
        None, description="Threads; None is one for each processor. What is found does not depend on them."
    )
    frameskip: int | None = Field(
        None, ge=1, le=1000, description="Frames a step; None is the game's preset.", json_schema_extra={"metavar": "N"}
    )
    trips: PositiveInt = Field(64, description="Trips a round.")
    trip_steps: PositiveInt = Field(100, description="Steps a trip, at most.")
    repeat: float = Field(0.9, ge=0, lt=1, description="How likely a step plays the last action once more.")


def run(args: Sequence[str]) -> int:
    """Runs the verb; returns its exit code.

    Raises:
        UserError: The game is unknown, or something cannot be used.
    """
    arguments = parse_flags(_ExploreArguments, args, prog="oakemu-rl explore")
    if not arguments.game:
        raise UserError("GAME is missing: give a game's id, name or definition file")
    explorer = _open(arguments)
    stem = explorer.game.definition.name.lower()
    paths = [arguments.out / f"{stem}-way-{number}{SUFFIX}" for number in range(1, arguments.keep + 1)]
    check_writable(paths[0])
    began = time.perf_counter()
    stopped = _explore(explorer, arguments)
    seconds = time.perf_counter() - began
    sys.stdout.writelines(f"{line}\n" for line in _summary(explorer, seconds, stopped=stopped))
    demos = _best_demos(explorer, arguments.keep)
    for path, demo in zip(paths, demos, strict=False):
        save_demo(path, demo)
        sys.stdout.write(f"{path}: {told(demo)}\n")
    if not demos:
        sys.stdout.write("no way earns more than standing at the start; nothing was written\n")
    return EXIT_STOPPED if stopped else 0


def _open(arguments: _ExploreArguments) -> Explorer:
    settings = ExplorationSettings(
        cells=arguments.cell or None,
        start=arguments.start,
        seed=arguments.seed,
        num_threads=arguments.num_threads or usable_processors(),
        trips=arguments.trips,
        trip_steps=arguments.trip_steps,
        repeat=arguments.repeat,
    )
    return Explorer(arguments.game, settings, frameskip=arguments.frameskip, episodic_life=arguments.episodic_life)


def _explore(explorer: Explorer, arguments: _ExploreArguments) -> bool:
    """Explores until the steps are played; returns whether somebody stopped it before."""
    columns = (SpinnerColumn(), TextColumn("{task.description}"), TaskProgressColumn(), TimeRemainingColumn())
    with progress_bar(*columns) as progress:
        task = progress.add_task("", total=arguments.steps)
        try:
            while explorer.num_steps < arguments.steps and not (arguments.until_win and explorer.num_wins):
                explorer.explore()
                progress.update(task, completed=explorer.num_steps, description=_headline(explorer))
        except KeyboardInterrupt:
            return True
    return False


def _headline(explorer: Explorer) -> str:
    text = f"{explorer.num_steps:,} steps, {explorer.num_cells:,} cells, return {explorer.cells().returns.max():g}"
    win = explorer.best_win
    return text if win is None else f"{text}, won with {win[0]:g} in {win[1]:,} steps"


def _summary(explorer: Explorer, seconds: float, *, stopped: bool) -> list[str]:
    cells = ", ".join(explorer.cell_texts) or "the picture"
    rate = explorer.num_frames / max(seconds, 1e-9)
    memory = f"{explorer.nbytes / 1e6:,.1f} MB of memory"
    return [
        f"{explorer.game.id}: {_headline(explorer)}{' (stopped)' if stopped else ''}",
        f"a cell is: {cells}",
        f"{explorer.num_trips:,} trips, {explorer.num_frames:,} frames, {rate:,.0f} a second, {memory}",
    ]


def _best_demos(explorer: Explorer, count: int) -> list[Demo]:
    """The best ways, the best first: a won one before all others."""
    demos = [] if explorer.best_win is None else [explorer.winning_demo()]
    demos += [explorer.demo(cell) for cell in best_cells(explorer.cells(), count - len(demos))]
    return demos
