# SPDX-License-Identifier: GPL-3.0-or-later
"""Searches RAM for variables: each filter drops every address and type that does not do what the game does."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from oakemu_rl.errors import UserError
from oakemu_rl.games.screen_digits import ShownNumber, read_numbers
from oakemu_rl.games.search_values import RAM_SIZE, SIZES, TYPES, Reading, read_all

__all__ = ["COMPARISONS", "Evidence", "Search", "Snap"]

COMPARISONS: dict[str, Any] = {
    "increased": np.greater,
    "decreased": np.less,
    "changed": np.not_equal,
    "unchanged": np.equal,
}
"""How the last snap is compared with the one before it, by the name of the filter."""

_MOST_UNDONE = 100
_NUMBERS_ASKED = 64


@dataclass(frozen=True)
class Snap:
    """The memory at one moment, in every reading, and the numbers that the display showed."""

    ram: npt.NDArray[np.uint8]
    reading: Reading
    numbers: tuple[ShownNumber, ...]

    @classmethod
    def of(cls, ram: npt.NDArray[np.uint8], display: npt.NDArray[np.uint8] | None = None) -> "Snap":
        """Takes one; arguments as of `Search.snap`."""
        return cls(ram.copy(), read_all(ram), tuple(read_numbers(ram, display)))


@dataclass
class Evidence:
    """What has been seen of all memory, whatever is still a candidate."""

    changes: npt.NDArray[np.int64] = field(default_factory=lambda: np.zeros(RAM_SIZE, np.int64))
    """In how many frames each byte changed, (49152,)."""
    frames: int = 0
    """Frames that were watched."""
    low: npt.NDArray[np.int32] = field(
        default_factory=lambda: np.full((len(TYPES), RAM_SIZE), np.iinfo(np.int32).max, np.int32)
    )
    """The lowest value in a snap, (types, 49152)."""
    high: npt.NDArray[np.int32] = field(
        default_factory=lambda: np.full((len(TYPES), RAM_SIZE), np.iinfo(np.int32).min, np.int32)
    )
    """The highest."""


class Search:
    """A search for variables in 48 KB of RAM, of every type of `TYPES` at once.

    The memory is looked at with `snap`; filters compare the last two snaps, or ask for a value in the last one. Each
    answers in milliseconds.

    Example:
        >>> search = Search()
        >>> search.snap(spectrum.visible_ram())
        >>> spectrum.tap("p", frames=50)  # the score goes from 0 to 1
        >>> search.snap(spectrum.visible_ram())
        >>> search.compare("increased", by=1)
        >>> search.equals(1)
    """

    def __init__(self) -> None:
        self.candidates: npt.NDArray[np.bool_] = np.ones((len(TYPES), RAM_SIZE), np.bool_)
        self.evidence = Evidence()
        self.steps: list[str] = []
        self.before: Snap | None = None
        self.now: Snap | None = None
        self._undo: list[npt.NDArray[np.uint8]] = []
        self._watched: npt.NDArray[np.uint8] | None = None
        for row, size in enumerate(SIZES.values()):
            self.candidates[row, RAM_SIZE - size + 1 :] = False  # they would reach beyond RAM

    @property
    def count(self) -> int:
        """How many pairs of an address and a type are left."""
        return int(self.candidates.sum())

    def watch(self, ram: npt.NDArray[np.uint8]) -> npt.NDArray[np.bool_]:
        """Notes which bytes have changed, once a frame: what changes all the time is no score.

        Args:
            ram: (49152,), from 0x4000 on.

        Returns:
            (49152,): which bytes are not what they were at the last call. After a jump in time (`forget_frame`): none.
        """
        changed = np.zeros(RAM_SIZE, np.bool_) if self._watched is None else ram != self._watched
        self.evidence.changes += changed
        self.evidence.frames += self._watched is not None
        self._watched = ram.copy()
        return changed

    def forget_frame(self) -> None:
        """The machine was put into another state, so the next frame does not follow the last one."""
        self._watched = None

    def snap(self, ram: npt.NDArray[np.uint8], display: npt.NDArray[np.uint8] | None = None) -> None:
        """Takes a look: what was the last snap becomes the one before.

        Args:
            ram: (49152,), from 0x4000 on.
            display: (6144,) or more, the pixels that are shown, if they are not the first part of `ram`.
        """
        self.before, self.now = self.now, Snap.of(ram, display)
        values, valid = self.now.reading.values, self.now.reading.valid
        np.minimum(self.evidence.low, values, out=self.evidence.low, where=valid)
        np.maximum(self.evidence.high, values, out=self.evidence.high, where=valid)

    def compare(self, name: str, *, by: int | None = None) -> None:
        """Keeps what has become more or less, or has changed or not, from the snap before to the last one.

        Args:
            name: One of `COMPARISONS`.
            by: By how much exactly (increased, decreased).

        Raises:
            UserError: There are no two snaps, or `by` makes no sense.
        """
        if by is not None and name not in ("increased", "decreased"):
            raise UserError(f"{name} takes no number; increased and decreased do")
        if by is not None and by < 1:
            raise UserError(f"{name} by {by}: a number from 1 on is needed")
        before, now = self._two(name)
        if by is None:
            self._keep(name, COMPARISONS[name](now.values, before.values) & now.valid & before.valid)
            return
        change = by if name == "increased" else -by
        self._keep(f"{name} by {by}", (now.values - before.values == change) & now.valid & before.valid)

    def equals(self, number: int) -> None:
        """Keeps what is this number in the last snap."""
        reading = self._last("equals").reading
        self._keep(f"equals {number}", (reading.values == number) & reading.valid)

    def greater(self, number: int) -> None:
        """Keeps what is more than this in the last snap."""
        reading = self._last("greater").reading
        self._keep(f"greater {number}", (reading.values > number) & reading.valid)

    def less(self, number: int) -> None:
        """Keeps what is less than this in the last snap."""
        reading = self._last("less").reading
        self._keep(f"less {number}", (reading.values < number) & reading.valid)

    def shown(self, place: tuple[int, int] | None = None) -> tuple[ShownNumber, ...]:
        """Keeps what is a number that the display shows in the last snap.

        Args:
            place: Row and column of the first digit of the one that is meant; None for any of them.

        Returns:
            The numbers that were asked for.

        Raises:
            UserError: The display shows no number, or none at this place, in letters that can be read.
        """
        snap = self._last("digits")
        numbers = tuple(each for each in snap.numbers if place in (None, (each.row, each.column)))
        if not numbers:
            where = "on the display" if place is None else f"at row {place[0]}, column {place[1]}"
            others = ", ".join(f"{each.text} at {each.row} {each.column}" for each in snap.numbers)
            there = f"; there is {others}" if others else "; they are read in character cells of 8x8 pixels"
            raise UserError(f"digits: no number can be read {where}{there}")
        kept = np.zeros_like(self.candidates)
        for value in sorted({each.value for each in numbers})[:_NUMBERS_ASKED]:
            kept |= snap.reading.values == value
        where = "" if place is None else f" {place[0]} {place[1]}"
        self._keep(f"digits{where}", kept & snap.reading.valid)
        return numbers

    def drop_bytes(self, name: str, changed: npt.NDArray[np.bool_]) -> None:
        """Drops whatever has one of these bytes in it, for example those that change while nothing happens.

        Args:
            name: What the step is called.
            changed: (49152,).
        """
        quiet = np.ones_like(self.candidates)
        for row, size in enumerate(SIZES.values()):
            for offset in range(size):
                quiet[row, : RAM_SIZE - offset] &= ~changed[offset:]
        self._keep(name, quiet)

    def undo(self) -> str:
        """Takes the last filter back; returns what it was.

        Raises:
            UserError: There is none.
        """
        if not self._undo:
            raise UserError("there is no filter to take back")
        packed = self._undo.pop()
        self.candidates = np.unpackbits(packed, axis=1).view(np.bool_)
        return self.steps.pop()

    def _keep(self, step: str, kept: npt.NDArray[np.bool_]) -> None:
        self._undo = [*self._undo[-_MOST_UNDONE + 1 :], np.packbits(self.candidates, axis=1)]
        self.steps.append(step)
        self.candidates = self.candidates & kept

    def _last(self, name: str) -> Snap:
        if self.now is None:
            raise UserError(f"{name}: the memory has not been looked at yet; snap does")
        return self.now

    def _two(self, name: str) -> tuple[Reading, Reading]:
        now = self._last(name)
        if self.before is None:
            raise UserError(f"{name}: there is nothing to compare with yet; let the machine run, then ask again")
        return self.before.reading, now.reading
