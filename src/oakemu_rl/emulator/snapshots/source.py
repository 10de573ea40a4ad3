# SPDX-License-Identifier: GPL-3.0-or-later
"""The bytes of a snapshot file while they are read, and complaints that say where."""

from oakemu_rl.errors import UserError

__all__ = ["Source"]


class Source:
    """The bytes of a file, little-endian.

    Args:
        data: All of them.
        name: Where they came from, for messages.
    """

    def __init__(self, data: bytes, name: str) -> None:
        self.data = data
        self.name = name
        self.warnings: list[str] = []

    def __len__(self) -> int:
        return len(self.data)

    def byte(self, offset: int) -> int:
        """The byte at an offset, which must be in the file."""
        return self.data[offset]

    def word(self, offset: int) -> int:
        """The 16-bit number at an offset."""
        return self.data[offset] | self.data[offset + 1] << 8

    def dword(self, offset: int) -> int:
        """The 32-bit number at an offset."""
        return int.from_bytes(self.data[offset : offset + 4], "little")

    def limited(self, block: str, offset: int, what: str, highest: int) -> int:
        """The byte at an offset, which has to be at most so high."""
        value = self.data[offset]
        if value > highest:
            raise self.error(block, offset, f"{what} is {value}, allowed are 0 to {highest}")
        return value

    def error(self, block: str, offset: int, message: str) -> UserError:
        """A complaint about the byte at an offset: ``file: block at offset 12: message``."""
        return UserError(f"{self.name}: {block} at offset {offset}: {message}")

    def warn(self, block: str, offset: int, message: str) -> None:
        """Notes something that is strange but does no harm."""
        self.warnings.append(f"{block} at offset {offset}: {message}")
