# SPDX-License-Identifier: GPL-3.0-or-later
"""Tape files. A .tap file is a row of blocks, each a 16-bit length, then a flag byte, data and a parity byte."""

from dataclasses import dataclass
from functools import reduce
from operator import xor
from pathlib import Path

from oakemu_rl.errors import UserError

__all__ = ["Tape", "TapeBlock", "parse_tap", "read_tap"]


@dataclass(frozen=True, slots=True)
class TapeBlock:
    """One block of a tape."""

    content: bytes
    """Everything that was recorded: flag byte, data, parity byte; at least 2 bytes."""

    @property
    def flag(self) -> int:
        """0 for a header, 255 for data in the ROM's format; loaders of games use others."""
        return self.content[0]

    @property
    def data(self) -> bytes:
        """The bytes between flag and parity."""
        return self.content[1:-1]

    @property
    def parity_ok(self) -> bool:
        """Whether all bytes, exclusive-or together, give 0."""
        return reduce(xor, self.content) == 0

    @classmethod
    def from_data(cls, flag: int, data: bytes) -> "TapeBlock":
        """A block with the right parity byte."""
        return cls(bytes([flag, *data, reduce(xor, data, flag)]))


@dataclass(frozen=True, slots=True)
class Tape:
    """A tape: its blocks in order."""

    name: str
    """Where it came from, for messages."""
    blocks: tuple[TapeBlock, ...]

    def to_tap(self) -> bytes:
        """The tape in the .tap format."""
        return b"".join(len(block.content).to_bytes(2, "little") + block.content for block in self.blocks)


def parse_tap(data: bytes, name: str = "tape") -> Tape:
    """Reads the .tap format.

    Args:
        data: The file's bytes.
        name: Where they came from, for messages.

    Raises:
        UserError: The bytes are not of that format; names the block and its offset in the file.
    """
    blocks: list[TapeBlock] = []
    offset = 0
    while offset < len(data):
        where = f"{name}: block {len(blocks) + 1} at offset {offset}"
        left = len(data) - offset - 2
        if left < 0:
            raise UserError(f"{where} has 1 byte, a block begins with a length of 2 bytes")
        length = int.from_bytes(data[offset : offset + 2], "little")
        if length < 2:
            raise UserError(f"{where} has length {length}, the least is 2 (flag and parity)")
        if length > left:
            raise UserError(f"{where} has length {length}, but only {left} bytes follow in the file")
        blocks.append(TapeBlock(data[offset + 2 : offset + 2 + length]))
        offset += 2 + length
    if not blocks:
        raise UserError(f"{name}: the file is empty, a .tap file holds at least one block")
    return Tape(name, tuple(blocks))


def read_tap(path: str | Path) -> Tape:
    """Reads a .tap file.

    Raises:
        OSError: The file cannot be read.
        UserError: It is not of that format.
    """
    return parse_tap(Path(path).read_bytes(), str(path))
