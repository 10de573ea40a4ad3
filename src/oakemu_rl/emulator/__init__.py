# SPDX-License-Identifier: GPL-3.0-or-later
"""One ZX Spectrum, for people and tools: run it, press its keys, look at it, save it, load tapes into it."""

from oakemu_rl.emulator.registers import Registers
from oakemu_rl.emulator.rom import load_rom
from oakemu_rl.emulator.snapshots import (
    Snapshot,
    from_machine,
    parse_snapshot,
    read_snapshot,
    to_machine,
    write_snapshot,
)
from oakemu_rl.emulator.spectrum import Spectrum
from oakemu_rl.emulator.state_store import StateStore
from oakemu_rl.emulator.tapes import Tape, TapeBlock, load_tape, parse_tap, parse_tape, read_tape

__all__ = [
    "Registers",
    "Snapshot",
    "Spectrum",
    "StateStore",
    "Tape",
    "TapeBlock",
    "from_machine",
    "load_rom",
    "load_tape",
    "parse_snapshot",
    "parse_tap",
    "parse_tape",
    "read_snapshot",
    "read_tape",
    "to_machine",
    "write_snapshot",
]
