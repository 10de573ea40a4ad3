# SPDX-License-Identifier: GPL-3.0-or-later
"""`oakemu-rl demos list`: the recordings that ship, and the user's."""

import json
import sys
from collections.abc import Iterable, Iterator, Sequence
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field
from rich.console import Console
from rich.table import Table
from rich.text import Text

from oakemu_rl.cli.arguments import parse_flags
from oakemu_rl.cli.demo_text import duration_of
from oakemu_rl.demos import SUFFIX, DemoHead, read_head
from oakemu_rl.demos.finding import shipped_demos
from oakemu_rl.errors import UserError
from oakemu_rl.games.library import Library

__all__ = ["run"]


class _ListArguments(BaseModel):
    """The recordings in some places: who played what, for how long, and how it ended.

    Without a place, those that ship with the package and those in your data folder.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    paths: list[Path] = Field(
        default_factory=list,
        description="Recordings, and folders to search for them, with all that is in them.",
        json_schema_extra={"positional": True, "repeated": True, "metavar": "PATH"},
    )
    as_json: bool = Field(
        default=False, description="Print the table as JSON.", json_schema_extra={"aliases": ["--json"]}
    )


def run(args: Sequence[str]) -> int:
    """Prints the table; returns the exit code.

    Raises:
        UserError: A place is not there.
    """
    arguments = parse_flags(_ListArguments, args, prog="oakemu-rl demos list")
    found = list(_found(arguments.paths) if arguments.paths else _known())
    rows, broken = [], []
    for name, path in found:
        try:
            rows.append((name, read_head(path)))
        except (UserError, OSError) as error:
            if path in arguments.paths:  # by itself, not found in a folder
                raise
            broken.append(str(error))
    if arguments.as_json:
        sys.stdout.write(json.dumps([{"file": name, **_figures(head)} for name, head in rows], indent=1) + "\n")
    elif rows:
        Console().print(_table(rows))
    else:
        sys.stdout.write("there are no recordings\n")
    sys.stdout.flush()
    for line in broken:
        sys.stderr.write(f"{line}\n")
    return 0


def _known() -> Iterator[tuple[str, Path]]:
    for entry in shipped_demos().values():
        yield entry.name.removesuffix(SUFFIX), _as_path(entry)
    folder = Library().folder / "recordings"
    if folder.is_dir():
        yield from _found([folder])


def _as_path(entry: Traversable) -> Path:
    return entry if isinstance(entry, Path) else Path(str(entry))


def _found(paths: Iterable[Path]) -> Iterator[tuple[str, Path]]:
    for path in paths:
        if not path.exists():
            raise UserError(f"there is no {path}; give recordings ({SUFFIX}) or folders of them")
        files = sorted(path.rglob(f"*{SUFFIX}")) if path.is_dir() else [path]
        yield from ((str(each), each) for each in files)


def _figures(head: DemoHead) -> dict[str, Any]:
    return {
        "game": head.game_id,
        "source": head.source,
        "outcome": head.outcome,
        "return": head.episode_return,
        "steps": head.steps,
        "frames": head.frames,
    }


def _table(rows: Sequence[tuple[str, DemoHead]]) -> Table:
    table = Table(box=None, pad_edge=False, show_edge=False)
    for name in ("game", "source", "outcome"):
        table.add_column(name, no_wrap=True)
    for name in ("return", "steps", "time"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("recording", overflow="fold")
    for name, head in rows:
        earned = "" if head.episode_return is None else f"{head.episode_return:g}"
        steps = "" if head.steps is None else f"{head.steps:,}"
        table.add_row(head.game_id, head.source, head.outcome, earned, steps, duration_of(head), Text(name))
    return table
