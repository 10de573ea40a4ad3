# SPDX-License-Identifier: GPL-3.0-or-later
"""Puts what a search has left in order, and proposes the type of each."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from oakemu_rl.games._names import RAM_START
from oakemu_rl.games.search import Evidence, Search, Snap
from oakemu_rl.games.search_values import SIZES, TYPES, last_bytes

__all__ = ["Proposal", "rank"]

_DISPLAY_END = 0x5B00 - RAM_START
_SYSTEM = slice(0x5C00 - RAM_START, 0x5CB6 - RAM_START)  # the ROM's variables

# What speaks against a candidate, in points. The order matters, not the numbers.
_IN_DISPLAY = 20.0
_IN_SYSTEM = 3.0
_NEVER_CHANGED = 4.0
_RESTLESS = 6.0
_RESTLESS_RATE = 0.1  # changes a frame, from which on it is a position or a clock
_REDUNDANT = 6.0
_SHOWN = -2.0
_WIDTH_SHOWN = -2.0

# The narrowest reading that has stood all filters is the likeliest; digits are rarer than binary numbers.
_BASE = np.array(
    [
        {"u8": 0.0, "u16le": 2.0, "u16be": 2.5, "u24": 3.0, "i8": 3.5}.get(
            name, (1.0 if name.startswith("bcd") else 1.5) + 0.1 * size
        )
        for name, size in SIZES.items()
    ]
)
_NUMERALS = -4.0  # characters of digits, of which a longer number is the likelier one
_NUMERALS_EACH = -0.2


@dataclass(frozen=True, slots=True)
class Proposal:
    """A place in memory that may be a variable, in its likeliest reading."""

    address: int
    """Of its first byte."""
    type: str
    """One of `TYPES`."""
    value: int
    """Now."""
    low: int
    """The lowest value in a snap."""
    high: int
    """The highest."""
    changes: int
    """In how many frames it changed."""
    shown_at: tuple[int, int] | None
    """Row and column of a number on the display that is this value, also in the snap before."""
    others: tuple[tuple[int, str], ...]
    """Other readings of the same number: addresses and types, the likelier first."""


def rank(search: Search, limit: int) -> list[Proposal]:
    """The likeliest candidates first.

    Readings that share the byte of least weight are one proposal: it has the likeliest type, the others come with it.

    Args:
        search: A search with at least one snap.
        limit: How many at most.
    """
    now = search.now
    if now is None:
        return []
    types, addresses = np.nonzero(search.candidates)
    lasts = last_bytes(types, addresses)
    snaps = [now] if search.before is None else [now, search.before]
    places = _shown_places(snaps, types, addresses)
    costs = _costs(search.evidence, now, types, addresses, lasts, places)
    order = np.lexsort((addresses, costs))
    found: dict[int, list[int]] = {}
    for index in order.tolist():
        group = found.setdefault(int(lasts[index]), [])
        if len(found) > limit:
            del found[int(lasts[index])]
            continue
        group.append(index)
    return [_proposal(search.evidence, now, types, addresses, places, group) for group in found.values()]


def _proposal(
    evidence: Evidence,
    now: Snap,
    types: npt.NDArray[np.intp],
    addresses: npt.NDArray[np.intp],
    places: npt.NDArray[np.int16],
    group: list[int],
) -> Proposal:
    named = [(RAM_START + int(addresses[index]), TYPES[types[index]]) for index in group]
    first = group[0]
    where = types[first], addresses[first]
    place = int(places[first])
    address, size = int(addresses[first]), SIZES[TYPES[types[first]]]
    return Proposal(
        *named[0],
        value=int(now.reading.values[where]),
        low=int(evidence.low[where]),
        high=int(evidence.high[where]),
        changes=int(evidence.changes[address : address + size].max()),
        shown_at=None if place < 0 else (place >> 5, place & 31),
        others=tuple(named[1:]),
    )


def _shown_places(
    snaps: Sequence[Snap], types: npt.NDArray[np.intp], addresses: npt.NDArray[np.intp]
) -> npt.NDArray[np.int16]:
    """For each candidate where the display shows it in all snaps (row * 32 + column), -1 if nowhere."""
    places = np.full(len(types), -1, np.int16)
    for number in snaps[0].numbers:
        same = np.ones(len(types), np.bool_)
        for snap in snaps:
            there = [each.value for each in snap.numbers if (each.row, each.column) == (number.row, number.column)]
            same &= snap.reading.values[types, addresses] == (there[0] if there else -1)
        places[same & (places < 0)] = number.row << 5 | number.column
    return places


def _costs(
    evidence: Evidence,
    now: Snap,
    types: npt.NDArray[np.intp],
    addresses: npt.NDArray[np.intp],
    lasts: npt.NDArray[np.intp],
    places: npt.NDArray[np.int16],
) -> npt.NDArray[np.float64]:
    ram = now.ram
    names, sizes = np.array(TYPES), np.array(list(SIZES.values()))
    costs = _BASE[types]
    costs[lasts < _DISPLAY_END] += _IN_DISPLAY
    costs[(lasts >= _SYSTEM.start) & (lasts < _SYSTEM.stop)] += _IN_SYSTEM
    low, high = evidence.low[types, addresses], evidence.high[types, addresses]
    costs[low == high] += _NEVER_CHANGED
    rate = _most_changes(evidence.changes)[sizes[types], addresses] / max(evidence.frames, 1)
    costs += _RESTLESS * np.minimum(rate / _RESTLESS_RATE, 1.0)
    numeral = (ram[lasts] >= ord("0")) & (ram[lasts] <= ord("9"))
    is_ascii = np.char.startswith(names, "ascii")[types]
    costs[is_ascii & numeral] += (_NUMERALS + _NUMERALS_EACH * sizes[types])[is_ascii & numeral]
    # Where they give the same value as a byte does, they say nothing of their own.
    costs[(sizes[types] == 1) & (names[types] != "u8") & (high <= 9) & (low >= 0) & ~numeral] += _REDUNDANT
    costs[places >= 0] += _SHOWN
    digits = {number.row << 5 | number.column: len(number.text) for number in now.numbers}
    wanted = np.array([digits.get(place, 0) for place in places.tolist()])
    is_bcd = np.char.startswith(names, "bcd")[types]
    fits = (is_bcd & (sizes[types] == (wanted + 1) // 2)) | (is_ascii & (sizes[types] == wanted))
    costs[fits & (wanted > 1)] += _WIDTH_SHOWN
    return costs


def _most_changes(changes: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """By number of bytes, from 0 on, and address: the changes of the byte that changed most often."""
    widest = max(SIZES.values())
    most = np.zeros((widest + 1, len(changes)), np.int64)
    for size in range(1, widest + 1):
        length = len(changes) - size + 1
        np.maximum(most[size - 1, :length], changes[size - 1 :], out=most[size, :length])
    return most
