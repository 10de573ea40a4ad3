# SPDX-License-Identifier: GPL-3.0-or-later
"""A tape as the core plays it, and which of its parts the ROM's loading routine could take at once."""

from bisect import bisect_right
from dataclasses import dataclass, field
from functools import cached_property

from oakemu_rl._core import Tape as CoreTape
from oakemu_rl.emulator.tapes.tape import Tape

__all__ = ["Part", "Program"]


@dataclass(frozen=True, slots=True)
class Part:
    """A piece of tape that is heard: one block, or several that make up one in the ROM's timing."""

    first: int
    """Its first segment."""
    end: int
    """The segment behind it and the silence that follows."""
    blocks: tuple[int, ...]
    """The places of its blocks."""
    content: bytes | None = field(repr=False)
    """Flag, data and parity if the ROM's routine reads it."""
    in_loop: bool = False
    silence: int = 0
    """T of silence behind it, until something else is heard or the tape stops."""


@dataclass(frozen=True)
class Program:
    """A tape that can be played."""

    tape: Tape
    core: CoreTape
    parts: tuple[Part, ...]
    """In the order in which they are played."""
    silent: tuple[bool, ...] = field(repr=False)
    """Whether nothing is to be heard in a segment."""
    stops: tuple[bool, ...] = field(repr=False)
    """Whether the tape stops at a segment."""

    @cached_property
    def _firsts(self) -> list[int]:
        return [part.first for part in self.parts]

    def part_at(self, segment: int) -> int:
        """The place in `parts` of what is played at a segment, or was last; -1 before the first."""
        return bisect_right(self._firsts, segment) - 1

    @cached_property
    def last_silence(self) -> int:
        """The segment from which on nothing more is to be heard."""
        return next((index + 1 for index in reversed(range(len(self.silent))) if not self.silent[index]), 0)

    def stopped_by_command(self, segment: int) -> bool:
        """Whether a tape that stands at a segment does so because of a command before it."""
        return 0 < segment <= len(self.stops) and self.stops[segment - 1]

    def next_part(self, segment: int, item: int) -> int | None:
        """The place in `parts` of what comes next if there is silence until then, else None."""
        if item == 0 and segment in self._starts:
            return self._starts[segment]
        following = self.part_at(segment) + 1
        if following >= len(self.parts):
            return None
        return following if all(self.silent[segment : self.parts[following].first]) else None

    @cached_property
    def _starts(self) -> dict[int, int]:
        return {part.first: index for index, part in enumerate(self.parts)}
