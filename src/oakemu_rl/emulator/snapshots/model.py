# SPDX-License-Identifier: GPL-3.0-or-later
"""A snapshot: what a machine was when somebody saved it, whatever the format of the file."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from oakemu_rl.errors import UserError, nearest

__all__ = ["BANKS", "BANK_BYTES", "FRAME_TSTATES", "OPTIONAL_REGISTERS", "REGISTERS", "Snapshot", "Written"]

BANK_BYTES = 0x4000
_MAX_NOTE_BYTES = 60_000

FRAME_TSTATES = {"48k": 69_888, "128k": 70_908, "plus2": 70_908}
"""T-states of a frame, by machine."""

BANKS = {"48k": (5, 2, 0), "128k": (0, 1, 2, 3, 4, 5, 6, 7), "plus2": (0, 1, 2, 3, 4, 5, 6, 7)}
"""Numbers of the RAM banks, by machine. Those of a 48K lie at 0x4000, 0x8000 and 0xC000, as in a 128K at power-on."""

_WORDS = ("af", "bc", "de", "hl", "af_", "bc_", "de_", "hl_", "ix", "iy", "sp", "pc")
_LIMITS = {**dict.fromkeys((*_WORDS, "memptr"), 0xFFFF), "i": 0xFF, "r": 0xFF, "q": 0xFF, "im": 2, "iff1": 1, "iff2": 1}

REGISTERS = (*_WORDS, "i", "r", "im", "iff1", "iff2")
"""The registers that every snapshot has."""
OPTIONAL_REGISTERS = ("memptr", "q")
"""Inner registers, which only .szx files have."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A machine at rest between two instructions.

    Raises:
        UserError: Something is missing or does not fit.
    """

    machine: str
    """``48k``, ``128k`` or ``plus2``."""
    registers: Mapping[str, int]
    """By the names of `emulator.Registers`: all of `REGISTERS`, and those of `OPTIONAL_REGISTERS` that are known. If
    `halted`, pc is the byte after the HALT."""
    banks: Mapping[int, bytes]
    """The 16384 bytes of each RAM bank: 5, 2 and 0 of a 48K machine, else 0 to 7."""
    border: int = 7
    """Colour, 0 to 7."""
    late: bool = False
    """Whether the ULA's timing is the late one."""
    t: int | None = None
    """T-states since the interrupt line went low; None if the format does not tell."""
    halted: bool = False
    """Whether the CPU waits in a HALT for an interrupt. Where the format does not tell, `find_halt` does."""
    after_ei: bool = False
    """Whether the last instruction was EI, after which no interrupt is taken."""
    port_fe: int | None = None
    """The last byte written to the ULA (its low 3 bits are the border); None if the format does not tell."""
    port_7ffd: int = 0
    """The paging latch of a 128K machine; bit 5 locks it."""
    ay: bytes | None = None
    """The 16 registers of the sound chip of a 128K machine; None if the format does not tell."""
    ay_selected: int | None = None
    """The last byte written to port 0xFFFD."""
    issue2: bool = False
    """Whether the keyboard is that of an issue 2 machine."""
    kempston: bool = False
    """Whether a Kempston joystick is fitted."""
    name: str = field(default="snapshot", compare=False)
    """Where it came from, for messages."""
    format: str = field(default="", compare=False)
    """The format of the file, in words."""
    note: bytes = field(default=b"", compare=False)
    """What we wrote beside the machine, for ourselves, at most 60,000 bytes; .szx only, where others pass it over."""
    warnings: tuple[str, ...] = field(default=(), compare=False)
    """What was strange about the file, or is not emulated, without making it unusable."""

    def __post_init__(self) -> None:
        if self.machine not in BANKS:
            guess = nearest(self.machine, BANKS)
            raise UserError(f"{self.name}: unknown machine {self.machine!r}, allowed are {', '.join(BANKS)}{guess}")
        self._check_registers()
        numbers = BANKS[self.machine]
        if set(self.banks) != set(numbers):
            given = ", ".join(str(number) for number in sorted(self.banks)) or "none"
            wanted = ", ".join(str(number) for number in numbers)
            raise UserError(f"{self.name}: the RAM banks of a {self.machine} are {wanted}, there are {given}")
        for number, bank in self.banks.items():
            if len(bank) != BANK_BYTES:
                raise UserError(f"{self.name}: bank {number} has {len(bank)} bytes, a bank has {BANK_BYTES}")
        self._check_range("border", self.border, 7)
        self._check_range("t", self.t, FRAME_TSTATES[self.machine] - 1)
        for what in ("port_fe", "port_7ffd", "ay_selected"):
            self._check_range(what, getattr(self, what), 0xFF)
        if self.port_fe is not None and self.port_fe & 7 != self.border:
            raise UserError(f"{self.name}: port_fe is {self.port_fe}, its low 3 bits are not the border {self.border}")
        if self.ay is not None and len(self.ay) != 16:
            raise UserError(f"{self.name}: ay has {len(self.ay)} bytes, the sound chip has 16 registers")
        if len(self.note) > _MAX_NOTE_BYTES:
            raise UserError(f"{self.name}: the note has {len(self.note)} bytes, at most {_MAX_NOTE_BYTES} are allowed")
        if self.machine == "48k" and (self.port_7ffd or self.ay is not None or self.ay_selected is not None):
            raise UserError(f"{self.name}: a 48k has neither port 0x7FFD nor a sound chip")

    def _check_registers(self) -> None:
        missing = [name for name in REGISTERS if name not in self.registers]
        unknown = [name for name in self.registers if name not in _LIMITS]
        if missing or unknown:
            wrong = f"unknown register {unknown[0]!r}" if unknown else f"register {missing[0]!r} is missing"
            raise UserError(f"{self.name}: {wrong}; there are {', '.join((*REGISTERS, *OPTIONAL_REGISTERS))}")
        for name, value in self.registers.items():
            self._check_range(name, value, _LIMITS[name])
        if self.registers.get("q", 0) not in (0, self.registers["af"] & 0xFF):
            raise UserError(f"{self.name}: q is {self.registers['q']}, it is F or 0")

    def _check_range(self, what: str, value: int | None, highest: int) -> None:
        if value is not None and not 0 <= value <= highest:
            raise UserError(f"{self.name}: {what} is {value}, allowed are 0 to {highest}")

    @property
    def pc_in_file(self) -> int:
        """PC as files have it: while the CPU is halted, that of the HALT."""
        pc = self.registers["pc"]
        return (pc - 1) & 0xFFFF if self.halted else pc


class Written(NamedTuple):
    """A snapshot in some format."""

    data: bytes
    lost: tuple[str, ...]
    """What the snapshot has and the format cannot hold."""
