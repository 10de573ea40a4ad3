# SPDX-License-Identifier: GPL-3.0-or-later
"""Which actions of a game the keys stand for that a person held."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from oakemu_rl.emulator.rzx import held_names

__all__ = ["Fit", "MappedKeys", "describe_keys", "map_keys"]

_NONE_BEFORE = -1


class Fit(IntEnum):
    """How well an action says what was held."""

    EXACT = 0
    """It holds just these keys."""
    SAME = 1
    """It does the same, as the machine has shown."""
    NEAREST = 2
    """No action does; it is the one that differs in the fewest keys."""
    REFUSED = 3
    """No action holds any of these keys; the no-op stands in for them."""


@dataclass(frozen=True, eq=False)
class MappedKeys:
    """Actions in place of keys, for F frames.

    Attributes:
        actions: (F,) int64.
        fits: (F,) uint8, a `Fit` each.
        conflicts: (F,) bool: several actions were equally near.
    """

    actions: NDArray[np.int64]
    fits: NDArray[np.uint8]
    conflicts: NDArray[np.bool_]

    def part(self, first: int, end: int) -> "MappedKeys":
        """Those of some frames."""
        return MappedKeys(self.actions[first:end], self.fits[first:end], self.conflicts[first:end])

    def count(self, fit: Fit) -> int:
        """How many frames fit so well."""
        return int((self.fits == fit).sum())


@dataclass(frozen=True)
class _Choice:
    """What may stand for one combination of keys: several actions if they are equally near."""

    fit: Fit
    actions: tuple[int, ...]


def map_keys(
    held: NDArray[np.uint8], table: NDArray[np.uint8], noop: int, same: Mapping[bytes, int] | None = None
) -> MappedKeys:
    """Finds the action for the keys of each frame.

    An action is as near as few keys differ. Of several that are equally near, the one that was being played goes on;
    else one that holds nothing which was not held; else the first.

    Args:
        held: (F, 9), bits of the eight half rows and the Kempston byte, as of `PlayedKeys.held`.
        table: What the actions hold, (A, 9), as of `Game.action_table`.
        noop: The number of the action that holds nothing.
        same: Actions that do the same as other keys, by the nine bytes of these.
    """
    rows, which = np.unique(held, axis=0, return_inverse=True)
    choices = [_choose(row, table, noop, same or {}) for row in rows]
    which = which.reshape(-1)
    actions = np.array([choice.actions[0] for choice in choices], np.int64)[which]
    conflicts = np.array([len(choice.actions) > 1 for choice in choices], np.bool_)[which]
    for frame in np.flatnonzero(conflicts).tolist():
        before = int(actions[frame - 1]) if frame else _NONE_BEFORE
        if before in choices[which[frame]].actions:
            actions[frame] = before
    fits = np.array([choice.fit for choice in choices], np.uint8)[which]
    return MappedKeys(actions, fits, conflicts)


def describe_keys(row: NDArray[np.uint8]) -> str:
    """The names of what is held, as people write it: ``o + space``; ``nothing`` if nothing is."""
    return " + ".join(held_names(row)) or "nothing"


def _choose(row: NDArray[np.uint8], table: NDArray[np.uint8], noop: int, same: Mapping[bytes, int]) -> _Choice:
    exact = np.flatnonzero((table == row).all(axis=1))
    if exact.size:
        return _Choice(Fit.EXACT, (int(exact[0]),))
    if row.tobytes() in same:
        return _Choice(Fit.SAME, (same[row.tobytes()],))
    known = row & np.bitwise_or.reduce(table, axis=0)  # keys that no action holds say nothing
    if not known.any():
        return _Choice(Fit.REFUSED, (noop,))
    differing = _count_bits(table ^ known)
    near = np.flatnonzero(differing == differing.min())
    # One that holds more than the person did comes after those that hold less.
    invented = _count_bits(table[near] & ~known)
    ordered = near[np.argsort(invented, kind="stable")]
    return _Choice(Fit.NEAREST, tuple(int(action) for action in ordered))


def _count_bits(rows: NDArray[np.uint8]) -> NDArray[np.int64]:
    counts: NDArray[np.int64] = np.unpackbits(rows, axis=1).sum(axis=1, dtype=np.int64)
    return counts
