# SPDX-License-Identifier: GPL-3.0-or-later
"""What is in a machine's memory, to look at and to change."""

import operator

import numpy as np
from numpy.typing import NDArray

from oakemu_rl._core import Machine
from oakemu_rl.errors import UserError

__all__ = ["MemoryAccess"]

_RAM_START = 0x4000
_PAGE = 0x4000


class MemoryAccess:
    """RAM, by address and by bank, the ROM, the paging latch and the sound chip's registers of a machine."""

    _machine: Machine

    @property
    def memory(self) -> NDArray[np.uint8]:
        """All RAM, shape (49152,): ``memory[0]`` is address 0x4000.

        On a 128K machine it has shape (131072,), and holds the banks 5, 2, 0, 1, 3, 4, 6, 7 in that order.

        It is the machine's own memory, not a copy: it shows what the machine writes, and writing to it changes the
        machine.
        """
        return self._machine.ram

    def bank(self, number: int) -> NDArray[np.uint8]:
        """One bank of RAM, shape (16384,), the machine's own memory as in :attr:`memory`.

        Args:
            number: 0 to 7; a 48K machine has 5 (at 0x4000), 2 (at 0x8000) and 0 (at 0xC000).

        Raises:
            ValueError: The machine has no such bank.
        """
        return self._machine.bank(number)

    def visible_ram(self) -> NDArray[np.uint8]:
        """What the CPU sees at 0x4000 to 0xFFFF, a new array (49152,)."""
        paged = self.port_7ffd & 7
        return np.concatenate([self.bank(5), self.bank(2), self.bank(paged)])

    @property
    def port_7ffd(self) -> int:
        """The paging latch of a 128K machine, 0 on a 48K one.

        Bits 0 to 2 are the bank at 0xC000, bit 3 shows the screen of bank 7, bit 4 is the ROM, bit 5 locks the latch.
        """
        return self._machine.port_7ffd

    @port_7ffd.setter
    def port_7ffd(self, value: int) -> None:
        self._machine.port_7ffd = value

    @property
    def ay(self) -> NDArray[np.uint8]:
        """The 16 registers of a 128K machine's sound chip, the machine's own as in :attr:`memory`."""
        return self._machine.ay

    @property
    def rom(self) -> NDArray[np.uint8]:
        """The ROM that is paged in, shape (16384,), read-only."""
        return self._machine.rom

    def peek(self, address: int) -> int:
        """The byte at an address, 0 to 65535."""
        return self._machine.read(address)

    def poke(self, address: int, value: int) -> None:
        """Writes one byte.

        Raises:
            ValueError: The address is not in RAM (16384 to 65535), or the value not a byte.
        """
        self._machine.write(address, value)

    def read_word(self, address: int) -> int:
        """The 16-bit value at an address, low byte first; the byte after 65535 is that at 0."""
        address = operator.index(address)  # a small numpy integer would overflow
        return self.peek(address) | self.peek((address + 1) & 0xFFFF) << 8

    def write_block(self, address: int, data: bytes) -> None:
        """Copies bytes into RAM.

        Raises:
            UserError: They do not lie in RAM as a whole; then nothing was written.
        """
        if not _RAM_START <= address <= 0x10000 - len(data):
            raise UserError(f"{len(data)} bytes at {address} do not lie in RAM, which is 16384 to 65535")
        banks = (5, 2, self.port_7ffd & 7)
        rest = np.frombuffer(data, dtype=np.uint8)
        while rest.size:
            page, start = divmod(address - _RAM_START, _PAGE)
            part = rest[: _PAGE - start]
            self.bank(banks[page])[start : start + part.size] = part
            address, rest = address + part.size, rest[part.size :]
