"""
The native core of OakEmu-RL: one ZX Spectrum (Machine), and many of them on a thread pool (Batch).
"""

from collections.abc import Sequence
from typing import Annotated

import numpy
from numpy.typing import NDArray


class Machine:
    """One ZX Spectrum 48K. To be used by one thread at a time."""

    def __init__(self, rom: bytes, *, contention: bool = True, kempston: bool = False) -> None:
        """A machine in its power-on state; `rom` is the 16 KiB image."""

    def power_on(self) -> None:
        """Puts the machine into its power-on state: RAM zero, PC 0, no key held."""

    def run_frames(self, count: int) -> None:
        """
        Runs to the end of the current frame, `count` times. The GIL is released.
        """

    def run_tstates(self, tstates: int) -> None:
        """Runs at least `tstates` T-states. The GIL is released."""

    def run_until(self, addresses: Sequence[int], max_frames: int) -> int | None:
        """
        Runs until an instruction at one of the addresses is about to be executed; returns its address, or None after `max_frames` frame ends. The GIL is released.
        """

    def save(self) -> bytes:
        """
        The whole machine without its ROM: a header (magic OAKS, version, size, CRC-32), then the state.
        """

    def restore(self, data: bytes) -> None:
        """
        Puts back what `save` returned. Raises ValueError that says what is wrong, and then nothing has changed.
        """

    def get_register(self, name: str) -> int:
        """
        A register by its lower-case name (af, a, f, ..., af_, ..., ix, pc, memptr, i, r, q, im, iff1, halted).
        """

    def set_register(self, name: str, value: int) -> None:
        """Raises ValueError for an unknown name or a value that does not fit."""

    def read(self, address: int) -> int:
        """The byte at an address, ROM or RAM."""

    def write(self, address: int, value: int) -> None:
        """Writes a byte of RAM; an address in ROM is a ValueError."""

    @property
    def ram(self) -> Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C')]:
        """
        Addresses 0x4000 to 0xFFFF as a writable view, which keeps the machine alive.
        """

    @property
    def rom(self) -> Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', writable=False)]:
        """Addresses 0 to 0x3FFF as a read-only view."""

    @property
    def keys(self) -> Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C')]:
        """
        Held keys of the 8 half rows (FEFE first), bits 0 to 4, 1 = held; a writable view.
        """

    @property
    def t(self) -> int:
        """T-states since this frame began."""

    @property
    def frame(self) -> int:
        """Frames since power-on."""

    @property
    def contention(self) -> bool:
        """Whether contention is emulated."""

    @property
    def kempston_fitted(self) -> bool:
        """Whether a Kempston joystick is fitted."""

    @property
    def border(self) -> int:
        """Border colour, 0 to 7."""

    @border.setter
    def border(self, arg: int, /) -> None: ...

    @property
    def kempston(self) -> int:
        """
        Kempston joystick: bits 0 right, 1 left, 2 down, 3 up, 4 fire; 1 = pressed.
        """

    @kempston.setter
    def kempston(self, arg: int, /) -> None: ...

    def indexed(self, x: int = 0, y: int = 0, width: int = 256, height: int = 192) -> Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='C')]:
        """
        Colours 0 to 15 of a rectangle of the display, a new array (height, width).
        """

    def grey(self, x: int = 0, y: int = 0, width: int = 256, height: int = 192) -> Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='C')]:
        """Luminance of a rectangle of the display, a new array (height, width)."""

    def ink(self, x: int = 0, y: int = 0, width: int = 256, height: int = 192) -> Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='C')]:
        """
        1 where a pixel of the bitmap is set, else 0, a new array (height, width).
        """

    def rgb(self, x: int = 0, y: int = 0, width: int = 256, height: int = 192) -> Annotated[NDArray[numpy.uint8], dict(shape=(None, None, 3), order='C')]:
        """A rectangle of the display, a new array (height, width, 3)."""

    def rgb_with_border(self) -> Annotated[NDArray[numpy.uint8], dict(shape=(None, None, 3), order='C')]:
        """The display and its border, a new array (240, 320, 3)."""
