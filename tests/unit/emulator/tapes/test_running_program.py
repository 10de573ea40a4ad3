# SPDX-License-Identifier: GPL-3.0-or-later
"""Tapes that are put in for a program that is running already."""

import pytest

from oakemu_rl.emulator import Spectrum, TapeBlock, load_tape, parse_tap
from oakemu_rl.errors import UserError

ASKING = bytes([
    0xDD, 0x21, 0x00, 0x90,  # LD IX,9000
    0x11, 0x07, 0x00,        # LD DE,7
    0x3E, 0xFF,              # LD A,FF
    0x37,                    # SCF
    0xCD, 0x56, 0x05,        # CALL LD-BYTES
    0x18, 0xFE,              # JR self
])  # fmt: skip


def asking_machine() -> Spectrum:
    machine = Spectrum()
    machine.run_frames(100)
    machine.write_block(0x8000, ASKING)
    machine.write_block(0xA000, b"mine")
    machine.registers.pc = 0x8000
    return machine


def tape(content: bytes) -> bytes:
    block = TapeBlock.from_data(0xFF, content).content
    return len(block).to_bytes(2, "little") + block


@pytest.mark.parametrize("how", ["at once", "edge by edge"])
def test_the_program_goes_on_and_gets_what_it_asks_for(how: str) -> None:
    machine = asking_machine()
    load_tape(machine, parse_tap(tape(b"level 2")), boot=False, fast=how == "at once")
    machine.run_frames(2)
    assert machine.registers.pc == 0x800D
    assert bytes(machine.peek(0x9000 + index) for index in range(7)) == b"level 2"
    assert bytes(machine.peek(0xA000 + index) for index in range(4)) == b"mine"


def test_one_that_does_not_ask() -> None:
    machine = Spectrum()
    with pytest.raises(UserError, match="has not asked for block 1 of 1 within 50 frames"):
        load_tape(machine, parse_tap(tape(b"level 2")), boot=False, max_frames=50)
