# SPDX-License-Identifier: GPL-3.0-or-later
"""Tapes: .tap, .tzx and .pzx files, and loading them as a person with a recorder would."""

from oakemu_rl.emulator.tapes.blocks import Block, TapeBlock
from oakemu_rl.emulator.tapes.compiler import compile_tape
from oakemu_rl.emulator.tapes.complaints import NotAskedFor
from oakemu_rl.emulator.tapes.files import parse_tape, read_tape
from oakemu_rl.emulator.tapes.loader import Progress, load_next_blocks, load_tape
from oakemu_rl.emulator.tapes.program import Program
from oakemu_rl.emulator.tapes.pzx import parse_pzx
from oakemu_rl.emulator.tapes.tap import parse_tap, tap_bytes
from oakemu_rl.emulator.tapes.tape import Tape
from oakemu_rl.emulator.tapes.tzx import parse_tzx

__all__ = [
    "Block",
    "NotAskedFor",
    "Program",
    "Progress",
    "Tape",
    "TapeBlock",
    "compile_tape",
    "load_next_blocks",
    "load_tape",
    "parse_pzx",
    "parse_tap",
    "parse_tape",
    "parse_tzx",
    "read_tape",
    "tap_bytes",
]
