# SPDX-License-Identifier: GPL-3.0-or-later
"""One ZX Spectrum 48K for people and tools."""

import operator
from collections.abc import Iterable
from typing import SupportsIndex

import numpy as np
from numpy.typing import NDArray

from oakemu_rl._core import Machine
from oakemu_rl.emulator.keyboard import KEYS, find_key, split_combination
from oakemu_rl.emulator.registers import Registers
from oakemu_rl.emulator.rom import load_rom
from oakemu_rl.emulator.saved_state import state_bytes
from oakemu_rl.errors import UserError

__all__ = ["Spectrum"]

_RAM_START = 0x4000


class Spectrum:
    """A ZX Spectrum 48K, from power-on.

    Time passes only in the ``run_`` methods, and in :meth:`tap` and :meth:`type_keys`, which call them. The same calls
    on the same state always give the same state. One machine belongs to one thread at a time; many run at once, as the
    interpreter lock is released while they run. Copying (``copy.deepcopy``) and pickling keep the whole state.

    Example:
        >>> spectrum = Spectrum()
        >>> spectrum.run_frames(100)  # the ROM's copyright message is on the screen
        >>> spectrum.type_keys("p", "1", "enter")  # PRINT 1
        >>> picture = spectrum.screen()

    Args:
        contention: Emulate the waits that the display imposes on the CPU, to the T-state. Without, machine code in the
            lower 16K of RAM runs a little too fast, and the emulation is faster.
        kempston: Fit a Kempston joystick at port 0x1F.
    """

    def __init__(self, *, contention: bool = True, kempston: bool = False) -> None:
        self._machine = Machine(load_rom("48k"), contention=contention, kempston=kempston)
        self._registers = Registers(self._machine)

    # Time

    def run_frames(self, count: int = 1) -> None:
        """Runs to the end of the current frame, ``count`` times. A frame is 69888 T-states, 50.08 of them a second."""
        self._machine.run_frames(count)

    def run_tstates(self, count: int) -> None:
        """Runs at least ``count`` T-states (3,500,000 a second), to the end of an instruction."""
        self._machine.run_tstates(count)

    def run_until(self, addresses: SupportsIndex | Iterable[int], max_frames: int) -> int | None:
        """Runs until the CPU is about to execute an instruction at one of the addresses.

        Called again after it stopped, it executes the instruction at which it stopped first.

        Args:
            addresses: One address or several.
            max_frames: How many ends of frames to pass at most.

        Returns:
            The address that was reached (it is in PC, not yet executed), or None when the frames were over before.
        """
        wanted = list(addresses) if isinstance(addresses, Iterable) else [operator.index(addresses)]
        return self._machine.run_until(wanted, max_frames)

    def reset(self) -> None:
        """Switches the machine off and on: RAM zero, PC 0, no key held. The ROM is ready after about 90 frames."""
        self._machine.power_on()

    @property
    def frame(self) -> int:
        """Frames since power-on."""
        return self._machine.frame

    @property
    def t(self) -> int:
        """T-states since the current frame began, that is since the interrupt line went low."""
        return self._machine.t

    @property
    def contention(self) -> bool:
        """Whether memory and I/O contention are emulated."""
        return self._machine.contention

    # Keys and joystick

    def press(self, *keys: str) -> None:
        """Holds keys down until they are released: ``spectrum.press("shift", "5")``.

        Args:
            keys: ``a`` to ``z``, ``0`` to ``9``, ``space``, ``enter``, ``shift``, ``sym``.

        Raises:
            UserError: There is no such key; then no key's state has changed.
        """
        matrix = self._machine.keys
        for key in [find_key(name) for name in keys]:
            matrix[key.row] |= 1 << key.bit

    def release(self, *keys: str) -> None:
        """Lets keys go; a key that is not held stays so.

        Raises:
            UserError: There is no such key; then no key's state has changed.
        """
        matrix = self._machine.keys
        for key in [find_key(name) for name in keys]:
            matrix[key.row] &= ~(1 << key.bit) & 0x1F

    def release_all(self) -> None:
        """Lets every key and the joystick go."""
        self._machine.keys[:] = 0
        self._machine.kempston = 0

    @property
    def held_keys(self) -> tuple[str, ...]:
        """The names of the keys that are down."""
        matrix = self._machine.keys
        return tuple(name for name, key in KEYS.items() if matrix[key.row] >> key.bit & 1)

    def tap(self, *keys: str, frames: int = 5, gap: int = 8) -> None:
        """Presses keys together for some frames, lets them go, and waits.

        Args:
            keys: Names of keys.
            frames: How long they are held.
            gap: Frames that run after that. The ROM needs more than 5 to take the same key for pressed anew.

        Raises:
            UserError: There is no such key, or a number of frames is negative; then nothing was pressed.
        """
        _check_frames(frames=frames, gap=gap)
        self.press(*keys)
        self.run_frames(frames)
        self.release(*keys)
        self.run_frames(gap)

    def type_keys(self, *combinations: str, frames: int = 5, gap: int = 8) -> None:
        """Taps one combination after the other: ``type_keys("j", "sym+p", "sym+p", "enter")`` types ``LOAD ""``.

        Args:
            combinations: Keys joined by ``+``, or a single key.
            frames: How long each is held.
            gap: Frames that run after each.

        Raises:
            UserError: There is no such key, or a number of frames is negative; then nothing was typed.
        """
        _check_frames(frames=frames, gap=gap)
        for keys in [split_combination(combination) for combination in combinations]:
            self.tap(*keys, frames=frames, gap=gap)

    def joystick(
        self, *, up: bool = False, down: bool = False, left: bool = False, right: bool = False, fire: bool = False
    ) -> None:
        """Puts the Kempston joystick into a position, in which it stays; without arguments, it is let go.

        Raises:
            UserError: No Kempston joystick is fitted.
        """
        if not self._machine.kempston_fitted:
            raise UserError("no Kempston joystick is fitted; make the machine with Spectrum(kempston=True)")
        self._machine.kempston = right | left << 1 | down << 2 | up << 3 | fire << 4

    # Memory and registers

    @property
    def registers(self) -> Registers:
        """The CPU's registers, to read and to set: ``spectrum.registers.pc``."""
        return self._registers

    @property
    def memory(self) -> NDArray[np.uint8]:
        """The RAM, shape (49152,): ``memory[0]`` is address 0x4000.

        It is the machine's own memory, not a copy: it shows what the machine writes, and writing to it changes the
        machine.
        """
        return self._machine.ram

    @property
    def rom(self) -> NDArray[np.uint8]:
        """The ROM, shape (16384,), read-only."""
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
        start = address - _RAM_START
        self.memory[start : start + len(data)] = np.frombuffer(data, dtype=np.uint8)

    # Pictures

    @property
    def border(self) -> int:
        """Border colour, 0 to 7 (bit 0 blue, 1 red, 2 green)."""
        return self._machine.border

    def screen(self, *, border: bool = True) -> NDArray[np.uint8]:
        """What a television shows now, as RGB.

        Args:
            border: Whether the border is in the picture.

        Returns:
            A new array, (240, 320, 3) with the border (32 pixels at the sides, 24 above and below), else (192, 256, 3).
        """
        return self._machine.rgb_with_border() if border else self._machine.rgb()

    def screen_grey(self, x: int = 0, y: int = 0, width: int = 256, height: int = 192) -> NDArray[np.uint8]:
        """The luminance (ITU-R BT.601) of a rectangle of the display, a new array (height, width).

        Raises:
            ValueError: The rectangle does not lie on the 256x192 display.
        """
        return self._machine.grey(x, y, width, height)

    def screen_indexed(self, x: int = 0, y: int = 0, width: int = 256, height: int = 192) -> NDArray[np.uint8]:
        """The colours of a rectangle of the display, a new array (height, width).

        A colour is 0 to 15: bit 0 blue, 1 red, 2 green, 3 bright.

        Raises:
            ValueError: The rectangle does not lie on the 256x192 display.
        """
        return self._machine.indexed(x, y, width, height)

    # States

    def save(self) -> bytes:
        """The whole machine as bytes, with held keys and the position within the frame, without its ROM."""
        return self._machine.save()

    def restore(self, state: bytes) -> None:
        """Puts back what :meth:`save` returned, on this or another machine. Views of the memory stay valid.

        Raises:
            UserError: The bytes are not a saved machine, damaged, or of another version; then nothing has changed.
        """
        try:
            self._machine.restore(state_bytes(state))
        except ValueError as error:
            raise UserError(str(error)) from None

    def __reduce__(self) -> tuple[object, ...]:
        return _rebuild, (type(self), self.contention, self.save())

    def __repr__(self) -> str:
        return f"Spectrum(frame={self.frame}, t={self.t}, pc=0x{self.registers.pc:04X})"


def _rebuild(kind: type[Spectrum], contention: bool, state: bytes) -> Spectrum:  # noqa: FBT001 - called by pickle, by position
    spectrum = kind(contention=contention)
    spectrum.restore(state)
    return spectrum


def _check_frames(**numbers: int) -> None:
    for name, number in numbers.items():
        if number < 0:
            raise UserError(f"{name} is a number of frames, 0 or more, not {number}")
