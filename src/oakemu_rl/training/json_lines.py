# SPDX-License-Identifier: GPL-3.0-or-later
"""Records as JSON lines: one object a line, readable while the run goes on, cut back to the checkpoint on resume."""

import json
import math
import os
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from oakemu_rl.training.records import Record

__all__ = ["JsonLinesWriter", "cut_back", "read_json_lines", "size_of"]


class JsonLinesWriter:
    """Appends records of some kinds to a file; each line is handed to the system at once.

    Args:
        path: The file; made if it does not exist.
        kinds: The kinds of record that belong in it.
    """

    def __init__(self, path: Path, *kinds: str) -> None:
        self._path = path
        self._kinds = frozenset(kinds)

    def write(self, record: Record) -> None:
        """Appends one line; a number that is not finite becomes null, as JSON has no word for it.

        Raises:
            OSError: The line could not be written; what stood before it stays readable and can be added to.
        """
        if record.kind not in self._kinds:
            return
        values = {key: _plain(value) for key, value in record.values.items()}
        line = json.dumps({"step": record.step, "kind": record.kind, **values}, allow_nan=False)
        size = size_of(self._path)
        try:
            with self._path.open("a", encoding="utf-8") as file:
                file.write(line + "\n")
        except OSError:
            with suppress(OSError):  # the disk has given up altogether: readers stop at the half line
                cut_back(self._path, size)
            raise


def read_json_lines(path: Path) -> Iterator[Mapping[str, Any]]:
    """The objects of a file, up to a line that a kill cut short; none when there is no file."""
    if not path.is_file():
        return
    with path.open(encoding="utf-8", errors="replace") as file:
        for line in file:
            try:
                value = json.loads(line)
            except json.JSONDecodeError:
                return
            if not line.endswith("\n") or not isinstance(value, dict):
                return
            yield value


def size_of(path: Path) -> int:
    """The bytes of a file, 0 when there is none: what a checkpoint notes for `cut_back`."""
    return path.stat().st_size if path.is_file() else 0


def cut_back(path: Path, size: int) -> None:
    """Drops what was written after a checkpoint, so that a resumed run writes no line twice.

    Args:
        path: The file; nothing happens when it does not exist or is no longer than that.
        size: Its bytes when the checkpoint was made, which end with a whole line.

    Raises:
        OSError: It cannot be written.
    """
    if size_of(path) > size:
        os.truncate(path, size)


def _plain(value: float | str) -> float | str | None:
    return None if isinstance(value, float) and not math.isfinite(value) else value
