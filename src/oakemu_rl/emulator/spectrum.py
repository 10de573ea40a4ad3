# SPDX-License-Identifier: GPL-3.0-or-later
"""One ZX Spectrum for people and tools."""

import operator
from collections.abc import Iterable
from typing import Self, SupportsIndex

import numpy as np
from numpy.typing import NDArray

from oakemu_rl._core import Machine
from oakemu_rl.emulator.key_input import KeyInput
from oakemu_rl.emulator.memory_access import MemoryAccess
from oakemu_rl.emulator.registers import Registers
from oakemu_rl.emulator.rom import load_rom
from oakemu_rl.emulator.saved_state import compressed, state_bytes
from oakemu_rl.emulator.watching import Watcher
from oakemu_rl.errors import UserError

__all__ = ["Spectrum"]

# The core hears no Ctrl-C while it runs, so a long run is done in parts of some tenths of a second.
_FRAMES_AT_ONCE = 5_000
_T_AT_ONCE = 350_000_000


class Spectrum(KeyInput, MemoryAccess):
    """A ZX Spectrum, from power-on.

    Time passes only in the ``run_`` methods, and in :meth:`tap` and :meth:`type_keys`, which call them. The same calls
    on the same state always give the same state. One machine belongs to one thread at a time; many run at once, as the
    interpreter lock is released while they run. :meth:`fork`, copying and pickling keep the whole state.

    Example:
        >>> spectrum = Spectrum()
        >>> spectrum.run_frames(100)  # the ROM's copyright message is on the screen
        >>> spectrum.type_keys("p", "1", "enter")  # PRINT 1
        >>> picture = spectrum.screen()

    Args:
        machine: ``"48k"``, ``"128k"`` or ``"plus2"`` (the grey +2).
        contention: Emulate the waits that the display imposes on the CPU, to the T-state. Without, machine code in the
            lower 16K of RAM runs a little too fast, and the emulation is faster.
        late: The ULA has "late" timing, as many machines have once they are warm: all that it does comes 1 T later.
        issue2: With nothing at EAR the machine reads back MIC as well as the speaker bit, as those of issue 2 do.
        kempston: Fit a Kempston joystick at port 0x1F.

    Raises:
        UserError: There is no such machine.
    """

    def __init__(
        self,
        machine: str = "48k",
        *,
        contention: bool = True,
        late: bool = False,
        issue2: bool = False,
        kempston: bool = False,
    ) -> None:
        self._take(
            Machine(
                load_rom(machine), model=machine, contention=contention, late=late, issue2=issue2, kempston=kempston
            )
        )

    def _take(self, machine: Machine) -> None:
        self._machine = machine
        self._registers = Registers(machine)

    # Time

    def run_frames(self, count: int = 1) -> None:
        """Runs to the end of the current frame, ``count`` times.

        A frame is 69888 T-states, 50.08 of them a second; on a 128K machine 70908 and 50.02.
        """
        count = operator.index(count)
        while count > _FRAMES_AT_ONCE:
            self._machine.run_frames(_FRAMES_AT_ONCE)
            count -= _FRAMES_AT_ONCE
        self._machine.run_frames(count)

    def run_tstates(self, count: int) -> None:
        """Runs at least ``count`` T-states (:attr:`clock` of them a second), to the end of an instruction."""
        count = operator.index(count)
        end = self._total_tstates + count
        while count > _T_AT_ONCE:
            self._machine.run_tstates(_T_AT_ONCE)
            count = max(end - self._total_tstates, 0)
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
        while max_frames > _FRAMES_AT_ONCE:
            reached = self._machine.run_until(wanted, _FRAMES_AT_ONCE)
            if reached is not None:
                return reached
            max_frames -= _FRAMES_AT_ONCE
        return self._machine.run_until(wanted, max_frames)

    def reset(self) -> None:
        """Switches the machine off and on: RAM zero, PC 0, no key held. The ROM is ready after about 90 frames."""
        self._machine.power_on()

    @property
    def _total_tstates(self) -> int:
        return self.frame * self.frame_tstates + self.t

    @property
    def frame(self) -> int:
        """Frames since power-on."""
        return self._machine.frame

    @property
    def t(self) -> int:
        """T-states since the current frame began, that is since the interrupt line went low."""
        return self._machine.t

    @property
    def machine(self) -> str:
        """Which machine it is: ``"48k"``, ``"128k"`` or ``"plus2"``."""
        return self._machine.model

    @property
    def frame_tstates(self) -> int:
        """T-states of a frame: 69888, on a 128K machine 70908."""
        return self._machine.frame_tstates

    @property
    def clock(self) -> int:
        """T-states of a second: 3,500,000, on a 128K machine 3,546,900."""
        return self._machine.clock

    @property
    def late(self) -> bool:
        """Whether the ULA has "late" timing."""
        return self._machine.late

    @property
    def contention(self) -> bool:
        """Whether memory and I/O contention are emulated."""
        return self._machine.contention

    @property
    def registers(self) -> Registers:
        """The CPU's registers, to read and to set: ``spectrum.registers.pc``."""
        return self._registers

    # Pictures

    @property
    def border(self) -> int:
        """Border colour, 0 to 7 (bit 0 blue, 1 red, 2 green)."""
        return self._machine.border

    def screen(self, *, border: bool = True) -> NDArray[np.uint8]:
        """What the display memory and the border hold now, as RGB.

        That is the picture of a television, unless the program changes it while the beam draws it: see :meth:`watch`.

        Args:
            border: Whether the border is in the picture.

        Returns:
            A new array, (240, 320, 3) with the border (32 pixels at the sides, 24 above and below), else (192, 256, 3).
        """
        return self._machine.rgb_with_border() if border else self._machine.rgb()

    def watch(self, *, picture: bool = True, sound: bool = True) -> Watcher:
        """Somebody who looks and listens while the machine runs.

        Example:
            >>> watcher = spectrum.watch()
            >>> frame = watcher.run_frame()
            >>> frame.picture.shape, frame.samples.shape
            ((240, 320, 3), (958,))

        Args:
            picture: Draw each frame as the beam does, with stripes in the border and colours that change within a cell.
            sound: Make samples of what the loudspeaker plays.
        """
        return Watcher(self._machine, picture=picture, sound=sound)

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

    def fork(self) -> Self:
        """A second machine that goes on from the same moment, independently. Takes a few microseconds."""
        twin = type(self).__new__(type(self))
        twin._take(self._machine.fork())
        return twin

    def save_state(self, *, compress: bool = False) -> bytes:
        """The whole machine as bytes, with held keys and the position within the frame, without its ROM and tape.

        Args:
            compress: Pack the bytes with Zstandard: a fifth of the size or less, thirty times the time.
        """
        state = self._machine.save()
        return compressed(state) if compress else state

    def load_state(self, state: bytes) -> None:
        """Puts back what :meth:`save_state` returned, compressed or not, on this or another machine of the model.

        Views of the memory stay valid. Late timing, the issue and whether a Kempston joystick is fitted are parts of
        the state; :attr:`contention` is not.

        Raises:
            UserError: The bytes are not a saved machine, damaged, of another version, or of another model; then nothing
                has changed.
        """
        try:
            self._machine.restore(state_bytes(state))
        except ValueError as error:
            raise UserError(str(error)) from None

    def __reduce__(self) -> tuple[object, ...]:
        return _rebuild, (type(self), self.machine, self.contention, self.save_state())

    def __repr__(self) -> str:
        return f"Spectrum({self.machine!r}, frame={self.frame}, t={self.t}, pc=0x{self.registers.pc:04X})"


def _rebuild(kind: type[Spectrum], machine: str, contention: bool, state: bytes) -> Spectrum:  # noqa: FBT001 - called by pickle, by position
    spectrum = kind(machine, contention=contention)
    spectrum.load_state(state)
    return spectrum
