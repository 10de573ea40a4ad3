# SPDX-License-Identifier: GPL-3.0-or-later
"""How much memory a machine takes, by what the process has more of when there are many."""

from collections.abc import Callable
from pathlib import Path

__all__ = ["bytes_each"]

_PAGE = 4096


def _resident() -> int:
    """Bytes of this process that are in memory (Linux)."""
    return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) * _PAGE


def bytes_each(make: Callable[[int], object], count: int) -> int:
    """What each of `count` things takes that `make` makes; a few are made before, for what they share."""
    few = make(4)
    before = _resident()
    many = make(count)
    taken = _resident() - before
    del few, many
    return round(taken / count)
