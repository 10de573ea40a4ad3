# SPDX-License-Identifier: GPL-3.0-or-later
"""The codes behind ED that mean nothing: 8 T, and nothing happens (Young, "The Undocumented Z80 Documented", 3.2)."""

import numpy as np
import pytest

from oakemu_rl.emulator import Spectrum

CODE = 0x9000
_BLOCKS = {base + row for base in (0xA0, 0xA8, 0xB0, 0xB8) for row in range(4)}
UNDEFINED = sorted(set(range(256)) - set(range(0x40, 0x77)) - set(range(0x78, 0x7F)) - _BLOCKS)
REGISTERS = {"af": 0x12FF, "bc": 0x8001, "de": 0x8002, "hl": 0xA003, "ix": 0x8004, "iy": 0x8005, "memptr": 0x8006}


def machine(code: int) -> Spectrum:
    """In the upper, uncontended half of memory, early in a frame, about to execute ED `code`."""
    spectrum = Spectrum()
    spectrum.run_tstates(100)
    spectrum.write_block(CODE, bytes([0xED, code, 0x18, 0xFE]))
    for name, value in {
        **REGISTERS,
        "sp": 0xFF00,
        "pc": CODE,
        "iff1": 0,
        "iff2": 1,
        "im": 1,
        "i": 0x3F,
        "r": 0,
    }.items():
        setattr(spectrum.registers, name, value)
    return spectrum


@pytest.mark.parametrize("code", UNDEFINED)
def test_an_undefined_code_takes_8_t_and_does_nothing(code: int) -> None:
    spectrum = machine(code)
    memory, t = spectrum.memory.copy(), spectrum.t
    assert spectrum.run_until(CODE + 2, 1) == CODE + 2
    registers = spectrum.registers
    assert spectrum.t - t == 8
    assert {name: getattr(registers, name) for name in REGISTERS} == REGISTERS
    assert (registers.sp, registers.r, registers.iff1, registers.iff2, registers.im) == (0xFF00, 2, 0, 1, 1)
    assert np.array_equal(spectrum.memory, memory)


@pytest.mark.parametrize("code", range(256))
def test_no_code_ends_the_machine(code: int) -> None:
    spectrum = machine(code)
    frame = spectrum.frame
    spectrum.run_frames(2)
    assert spectrum.frame == frame + 2
