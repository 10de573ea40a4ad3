# SPDX-License-Identifier: GPL-3.0-or-later
"""The folder in which what a person plays is recorded."""

import re
from datetime import datetime
from itertools import count
from pathlib import Path

__all__ = ["RecordingFolder"]

_FILES = 50
_BYTES = 256 << 20


class RecordingFolder:
    """The recordings of one game that were made without being asked for; the newest of them are kept.

    Args:
        folder: Where they are; it need not exist.
        name: The game's name for files.
        files: How many are kept.
        nbytes: How many bytes they may have together.
    """

    def __init__(self, folder: Path, name: str, *, files: int = _FILES, nbytes: int = _BYTES) -> None:
        self._folder = folder
        self._name = name
        self._most = files
        self._most_bytes = nbytes
        self._ours = re.compile(rf"{re.escape(name)}-\d{{8}}-\d{{6}}(-\d+)?\.rzx")

    def new_path(self, now: datetime) -> Path:
        """A path that is not taken, called after the time."""
        stem = f"{self._name}-{now:%Y%m%d-%H%M%S}"
        names = (f"{stem}.rzx" if number == 1 else f"{stem}-{number}.rzx" for number in count(1))
        return next(path for name in names if not (path := self._folder / name).exists())

    def prune(self) -> list[Path]:
        """Removes the oldest recordings that are too many, never the newest one, nor files that are called otherwise.

        Returns:
            What was removed.

        Raises:
            OSError: One cannot be removed.
        """
        paths = [path for path in self._folder.glob("*.rzx") if self._ours.fullmatch(path.name)]
        paths.sort(key=lambda path: (path.stat().st_mtime_ns, path.name), reverse=True)
        removed = []
        size = 0
        for number, path in enumerate(paths):
            size += path.stat().st_size
            if number and (number >= self._most or size > self._most_bytes):
                path.unlink()
                removed.append(path)
        return removed
