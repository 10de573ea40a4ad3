# SPDX-License-Identifier: GPL-3.0-or-later
"""Remembers a search between runs: a file per program in the user's folder."""

import io
import zipfile
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from oakemu_rl._whole_file import write_whole
from oakemu_rl.errors import UserError
from oakemu_rl.games.library import Library
from oakemu_rl.games.search import Search
from oakemu_rl.games.search_values import RAM_SIZE, TYPES

__all__ = ["SearchStore"]

_VERSION = 1
# What numpy's reader of archives raises when the bytes are wrong.
_BROKEN = (ValueError, KeyError, EOFError, TypeError, NotImplementedError, zipfile.BadZipFile, zlib.error)

_MOST_RANGES = 50_000  # of more candidates than these, what values they had says little, and the file would be large


class SearchStore:
    """Where the search in one program is kept.

    Args:
        sha256: Of the program.
        library: The user's folder.
    """

    def __init__(self, sha256: str, library: Library | None = None) -> None:
        self.path: Path = (library or Library()).folder / "search" / f"{sha256}.npz"

    def load(self) -> Search | None:
        """The search as it was; None if there is none. Snaps are not kept: another run is at another moment.

        Raises:
            UserError: The file is damaged.
            OSError: It cannot be read.
        """
        try:
            with np.load(io.BytesIO(self.path.read_bytes()), allow_pickle=False) as arrays:
                return _restored({name: arrays[name] for name in arrays.files})
        except FileNotFoundError:
            return None
        except _BROKEN as error:
            raise UserError(
                f"{self.path}: the remembered search cannot be read ({error}); --fresh begins anew"
            ) from error

    def save(self, search: Search) -> None:
        """Writes it down, whole or not at all; a search without a filter is forgotten.

        Raises:
            OSError: It cannot be written.
        """
        if not search.steps:
            self.forget()
            return
        kept = search.candidates if search.count <= _MOST_RANGES else np.zeros_like(search.candidates)
        buffer = io.BytesIO()
        np.savez_compressed(
            buffer,
            version=np.array(_VERSION),
            types=np.array(TYPES),
            candidates=np.packbits(search.candidates, axis=1),
            changes=search.evidence.changes,
            frames=np.array(search.evidence.frames),
            low=search.evidence.low[kept],
            high=search.evidence.high[kept],
            steps=np.array(search.steps),
        )
        self.path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(self.path, buffer.getvalue())

    def forget(self) -> None:
        """Takes the file away, if there is one.

        Raises:
            OSError: It cannot be removed.
        """
        self.path.unlink(missing_ok=True)


def _restored(arrays: dict[str, npt.NDArray[Any]]) -> Search:
    if int(arrays["version"]) != _VERSION or tuple(arrays["types"].tolist()) != TYPES:
        raise ValueError("it was written by another version")
    search = Search()
    candidates = np.unpackbits(arrays["candidates"], axis=1).view(np.bool_)
    changes = arrays["changes"]
    if candidates.shape != search.candidates.shape or changes.shape != (RAM_SIZE,) or changes.dtype != np.int64:
        raise ValueError("its arrays have other shapes")
    search.candidates &= candidates
    search.evidence.changes = changes
    search.evidence.frames = int(arrays["frames"])
    search.steps = [str(step) for step in arrays["steps"].tolist()]
    if arrays["low"].size:
        search.evidence.low[candidates] = arrays["low"]
        search.evidence.high[candidates] = arrays["high"]
    return search
