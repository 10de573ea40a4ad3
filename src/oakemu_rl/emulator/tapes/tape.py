# SPDX-License-Identifier: GPL-3.0-or-later
"""A tape: its blocks in the order of the file."""

from dataclasses import dataclass

from oakemu_rl.emulator.tapes.blocks import Block

__all__ = ["Tape"]


@dataclass(frozen=True, slots=True)
class Tape:
    """A tape: its blocks in order."""

    name: str
    """Where it came from, for messages."""
    blocks: tuple[Block, ...]
    format: str = "tap"
    """The file's format: tap, tzx or pzx."""
    offsets: tuple[int, ...] = ()
    """Where the blocks begin in the file, if it came from one."""

    def where(self, index: int) -> str:
        """Names a block in a message.

        Args:
            index: Its place in `blocks`.
        """
        offset = f" at offset {self.offsets[index]}" if self.offsets else ""
        return f"{self.name}: block {index + 1}{offset}"
