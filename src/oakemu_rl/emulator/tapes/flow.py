# SPDX-License-Identifier: GPL-3.0-or-later
"""The order in which a tape's blocks are played: jumps and calls are followed, loops are kept as loops."""

from dataclasses import dataclass
from typing import NoReturn

from oakemu_rl.emulator.tapes.blocks import CallBlock, JumpBlock, LoopBlock, LoopEndBlock, ReturnBlock
from oakemu_rl.emulator.tapes.tape import Tape
from oakemu_rl.errors import UserError

__all__ = ["LoopBegins", "LoopEnds", "Visit", "play_order"]

_MAX_VISITS = 100_000
"""How many blocks a tape may play with its calls, each loop counted once, beyond those that it has."""


@dataclass(frozen=True, slots=True)
class Visit:
    """A block is played."""

    index: int


@dataclass(frozen=True, slots=True)
class LoopBegins:
    """What follows is played several times."""

    times: int


@dataclass(frozen=True, slots=True)
class LoopEnds:
    """The end of that."""


@dataclass(frozen=True, slots=True)
class _Place:
    """Where the tape is. It has no other memory, so that who comes to the same place twice never leaves."""

    index: int
    call: int | None = None
    """The block that has called."""
    next_call: int = 0
    """Which of its calls is the next one."""
    loop: tuple[int, int | None, int] | None = None
    """The loop that is open, and from where it was called."""


def play_order(tape: Tape) -> list[Visit | LoopBegins | LoopEnds]:
    """What is played, one after the other.

    Raises:
        UserError: A jump, loop or call leads nowhere, or the tape would never end.
    """
    return _Walk(tape).run()


class _Walk:
    def __init__(self, tape: Tape) -> None:
        self._tape = tape
        self._order: list[Visit | LoopBegins | LoopEnds] = []
        self._seen: set[_Place] = set()

    def run(self) -> list[Visit | LoopBegins | LoopEnds]:
        place = _Place(0)
        blocks = self._tape.blocks
        while place.index < len(blocks):
            if place in self._seen:
                self._fail(place, "is reached again and again, the tape would never end")
            self._seen.add(place)
            if len(self._seen) > len(blocks) + _MAX_VISITS:
                self._fail(place, f"makes the tape play more than {_MAX_VISITS} blocks by calls")
            place = self._step(place)
        if place.call is not None:
            self._fail(_Place(place.call), "calls blocks that do not return")
        if place.loop is not None:
            self._fail(_Place(place.loop[0]), "begins a loop that does not end")
        return self._order

    def _step(self, place: _Place) -> _Place:
        index, call, next_call, loop = place.index, place.call, place.next_call, place.loop
        match self._tape.blocks[index]:
            case JumpBlock(offset):
                return _Place(self._target(place, offset), call, next_call, loop)
            case CallBlock(offsets):
                if call is not None:
                    self._fail(place, "calls within a call")
                if not offsets:
                    return _Place(index + 1, None, 0, loop)
                return _Place(self._target(place, offsets[0]), index, 1, loop)
            case ReturnBlock():
                return self._return(place)
            case LoopBlock(times):
                if loop is not None:
                    self._fail(place, "begins a loop within a loop")
                self._order.append(LoopBegins(max(times, 1)))
                return _Place(index + 1, call, next_call, (index, call, next_call))
            case LoopEndBlock():
                if loop is None:
                    self._fail(place, "ends a loop that has not begun")
                if loop[1:] != (call, next_call):
                    self._fail(place, "ends a loop that has begun outside of this call")
                self._order.append(LoopEnds())
                return _Place(index + 1, call, next_call)
            case _:
                self._order.append(Visit(index))
                return _Place(index + 1, call, next_call, loop)

    def _return(self, place: _Place) -> _Place:
        if place.call is None:
            self._fail(place, "returns without a call")
        caller = self._tape.blocks[place.call]
        assert isinstance(caller, CallBlock)  # noqa: S101 - an invariant of this class
        if place.next_call < len(caller.offsets):
            target = self._target(_Place(place.call), caller.offsets[place.next_call])
            return _Place(target, place.call, place.next_call + 1, place.loop)
        return _Place(place.call + 1, None, 0, place.loop)

    def _target(self, place: _Place, offset: int) -> int:
        target = place.index + offset
        if not 0 <= target < len(self._tape.blocks):
            self._fail(place, f"leads to block {target + 1}, the tape has {len(self._tape.blocks)}")
        return target

    def _fail(self, place: _Place, what: str) -> NoReturn:
        raise UserError(f"{self._tape.where(place.index)} {what}")
