# SPDX-License-Identifier: GPL-3.0-or-later
"""Takes a file of blocks apart; whatever is missing is named with the file, the block and its place."""

from typing import NoReturn

from oakemu_rl.errors import UserError

__all__ = ["BlockReader", "printable"]


class BlockReader:
    """The bytes of a file, and where the block begins that is being read.

    Args:
        data: The file.
        name: Where it came from, for messages.
        offset: Where the first block begins.
    """

    def __init__(self, data: bytes, name: str, offset: int = 0) -> None:
        self.data = data
        self.name = name
        self.offset = offset
        self.number = 0
        self.begin = offset

    @property
    def left(self) -> int:
        """Bytes that have not been read."""
        return len(self.data) - self.offset

    def next_block(self) -> bool:
        """Whether there is one more block; if so, it begins here."""
        self.begin = self.offset
        self.number += self.left > 0
        return self.left > 0

    def fail(self, what: str) -> NoReturn:
        """Refuses the block that is being read.

        Raises:
            UserError: ``file: block n at offset o`` and `what`.
        """
        raise UserError(f"{self.name}: block {self.number} at offset {self.begin} {what}")

    def take(self, count: int, what: str) -> bytes:
        """The next bytes.

        Raises:
            UserError: There are not so many; `what` says what they would have been.
        """
        if count > self.left:
            self.fail(f"ends within its {what}: {count} bytes are needed at offset {self.offset}, {self.left} are left")
        self.offset += count
        return self.data[self.offset - count : self.offset]

    def number_of(self, size: int, what: str) -> int:
        """The next number of some bytes, low byte first."""
        return int.from_bytes(self.take(size, what), "little")

    def byte(self, what: str) -> int:
        """The next byte."""
        return self.number_of(1, what)

    def word(self, what: str) -> int:
        """The next number of 2 bytes."""
        return self.number_of(2, what)

    def signed(self, what: str) -> int:
        """The next number of 2 bytes, -32768 to 32767."""
        return int.from_bytes(self.take(2, what), "little", signed=True)

    def text(self, size: int, what: str) -> str:
        """The next bytes as one line that can be shown."""
        return printable(self.take(size, what))


def printable(data: bytes) -> str:
    """Latin-1 text as one line without anything that a terminal would obey."""
    lines = data.decode("latin-1").replace("\r\n", "\r").replace("\n", "\r").split("\r")
    return " / ".join("".join(c if c.isprintable() else "?" for c in line).strip() for line in lines).strip(" /")
