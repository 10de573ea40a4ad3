# SPDX-License-Identifier: GPL-3.0-or-later
"""`oakemu-rl demos import`: RZX recordings of people, and Minari datasets, as recordings to learn from."""

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field

from oakemu_rl.cli.arguments import parse_flags
from oakemu_rl.cli.demo_text import clock, told
from oakemu_rl.cli.files import check_writable
from oakemu_rl.cli.progress import progress_bar
from oakemu_rl.demos import SUFFIX, save_demo
from oakemu_rl.demos.minari_import import import_minari, is_minari
from oakemu_rl.demos.rzx import Fit, ImportedPlay, ImportSettings, KnownGames, RzxImport, import_rzx
from oakemu_rl.emulator.rzx import read_rzx
from oakemu_rl.errors import UserError
from oakemu_rl.games import Game, load_game

__all__ = ["run"]


class _ImportArguments(BaseModel):
    """Make recordings to learn from out of RZX files of people who play, and of Minari datasets.

    The game of an RZX file is recognised by its memory. Each play in it, from its beginning to its end, becomes a
    recording; what was held becomes the game's actions, one for each step.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    files: list[str] = Field(
        default_factory=list,
        description="RZX files (also in a .zip or .gz); folders or ids of Minari datasets.",
        json_schema_extra={"positional": True, "repeated": True, "metavar": "FILE"},
    )
    game: str | None = Field(
        None,
        description="The game, if its definition is not known by name, or several are of the same program.",
        json_schema_extra={"metavar": "GAME"},
    )
    out: Path = Field(
        Path(),
        description="The folder for the recordings; files of the same names are replaced.",
        json_schema_extra={"metavar": "FOLDER"},
    )
    frameskip: int | None = Field(
        None,
        ge=1,
        le=1000,
        description="RZX: frames a step; None is the game's preset.",
        json_schema_extra={"metavar": "N"},
    )
    exact: bool = Field(
        default=False, description="RZX: refuse keys that do not do what an action does; else the nearest one counts."
    )
    begin: int | None = Field(
        None,
        ge=0,
        description="RZX: a play begins in this frame, though it does not look like the beginning of one.",
        json_schema_extra={"metavar": "FRAME"},
    )
    snapshot: Path | None = Field(
        None,
        description="RZX: the snapshot to start from, where the recording has none.",
        json_schema_extra={"metavar": "FILE"},
    )


def run(args: Sequence[str]) -> int:
    """Runs the verb; returns its exit code.

    Raises:
        UserError: A file is of no use.
        OSError: One cannot be read.
    """
    arguments = parse_flags(_ImportArguments, args, prog="oakemu-rl demos import")
    if not arguments.files:
        raise UserError("FILE is missing: give an RZX file, or the folder or id of a Minari dataset")
    game = None if arguments.game is None else load_game(arguments.game)
    check_writable(arguments.out / f"recording{SUFFIX}")
    games: KnownGames | None = None
    for file in arguments.files:
        if is_minari(file):
            lines = _import_minari(file, game, arguments.out)
        else:
            games = games or (KnownGames.all() if game is None else KnownGames.of([game]))
            lines = _import_rzx(file, games, arguments)
        sys.stdout.writelines(f"{line}\n" for line in lines)
    return 0


def _import_rzx(file: str, games: KnownGames, arguments: _ImportArguments) -> Iterator[str]:
    recording = read_rzx(file, snapshot=arguments.snapshot)
    settings = ImportSettings(arguments.frameskip, arguments.exact, arguments.begin)
    with progress_bar() as progress:
        task = progress.add_task(Path(file).name, total=1.0)
        found = import_rzx(recording, games, settings, on_progress=lambda done: progress.update(task, completed=done))
    yield _headline(file, found)
    for number, play in enumerate(found.plays, start=1):
        yield from _save_play(Path(Path(file).name).stem, number, play, arguments.out)


def _headline(file: str, found: RzxImport) -> str:
    machine = found.game.definition.machine
    text = (
        f"{file}: {found.game.id}, by {found.likeness:.0%} of its program; {clock(found.frames, machine)} "
        f"({found.frames:,} frames)"
    )
    return text + (f"; {found.idle} plays left out in which no key was pressed" if found.idle else "")


def _save_play(stem: str, number: int, play: ImportedPlay, folder: Path) -> Iterator[str]:
    several = len(play.pieces) > 1
    for part, piece in enumerate(play.pieces, start=1):
        path = folder / (f"{stem}-{number}-{part}{SUFFIX}" if several else f"{stem}-{number}{SUFFIX}")
        save_demo(path, piece.demo)
        yield f"  {path}: frames {piece.first:,} to {piece.end:,}, {told(piece.demo)}"
    presses, lost = play.steps.presses, play.steps.lost
    shares = ", ".join(f"{fit.name.lower()} {play.share(fit):.1%}" for fit in Fit)
    yield f"    keys as actions: {shares}; {int(play.mapped.conflicts.sum()):,} frames fit several alike"
    yield f"    presses: {presses:,}, {lost:,} without a step of their own"


def _import_minari(given: str, game: Game | None, folder: Path) -> Iterator[str]:
    stem = "-".join(Path(given).parts[-3:]) if not Path(given).exists() else Path(given).resolve().name
    with progress_bar() as progress:
        task = progress.add_task(given, total=None)
        demos = import_minari(
            given, game, on_episode=lambda done, total: progress.update(task, completed=done, total=total)
        )
        for number, demo in enumerate(demos, start=1):
            path = folder / f"{stem}-{number}{SUFFIX}"
            save_demo(path, demo)
            yield f"{path}: {demo.game_id}, {told(demo)}"
