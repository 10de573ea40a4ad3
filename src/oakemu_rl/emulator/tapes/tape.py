# SPDX-License-Identifier: GPL-3.0-or-later
"""A tape: its blocks in the order of the file."""

from dataclasses import dataclass

from oakemu_rl.emulator.tapes.blocks import Block, TapeBlock
from oakemu_rl.errors import UserError

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

    def to_tap(self) -> bytes:
        """The tape in the .tap format, which holds blocks in the ROM's timing and nothing else.

        Pauses and texts are left out.

        Raises:
            UserError: A block cannot be written in that format.
        """
        from oakemu_rl.emulator.tapes.program import compile_tape

        if all(isinstance(block, TapeBlock) for block in self.blocks):
            contents = [block.content for block in self.blocks if isinstance(block, TapeBlock)]
        else:
            contents = []
            for part in compile_tape(self).parts:
                if part.content is None:
                    raise UserError(
                        f"{self.where(part.blocks[0])} is not in the ROM's timing, .tap has no place for it"
                    )
                contents.append(part.content)
        return b"".join(len(content).to_bytes(2, "little") + content for content in contents)
