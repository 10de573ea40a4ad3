# SPDX-License-Identifier: GPL-3.0-or-later
"""A block in the ROM's timing, at once and edge by edge: both must come to the same."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from loading_cases import memory, parity
from tape_maker import program_blocks, standard, tone, tzx

from oakemu_rl.emulator import Spectrum, Tape, TapeBlock, load_tape, parse_tape
from oakemu_rl.emulator.tapes import compile_tape
from oakemu_rl.emulator.tapes.trap import LD_START, has_loading_routine, load_block
from oakemu_rl.errors import UserError

CALLER, BACK = 0x8100, 0x810B


def ld_bytes(content: bytes, *, flag: int, length: int, load: bool, before: bytes, inside: bool) -> Spectrum:
    """A machine whose program at CALLER has called LD-BYTES, or has entered it at 0x0562, and is at LD-START."""
    spectrum = Spectrum()
    registers = spectrum.registers
    if inside:
        # INC D; EX AF,AF'; DEC D; DI; LD A,15; OUT (FE),A; CALL 0562
        spectrum.write_block(CALLER, bytes([0x14, 0x08, 0x15, 0xF3, 0x3E, 0x0F, 0xD3, 0xFE, 0xCD, 0x62, 0x05]))
    else:
        spectrum.write_block(CALLER, bytes([0, 0, 0, 0, 0, 0, 0, 0, 0xCD, 0x56, 0x05]))
    spectrum.write_block(0x9000, before)
    registers.sp, registers.ix, registers.de, registers.af, registers.pc = (
        0xFF00,
        0x9000,
        length,
        flag << 8 | load,
        CALLER,
    )
    assert spectrum.run_until(LD_START, 2) == LD_START
    return spectrum


@settings(max_examples=60, deadline=None)
@given(
    content=st.binary(min_size=2, max_size=6),
    good_parity=st.booleans(),
    right_flag=st.booleans(),
    length=st.integers(0, 8),
    load=st.booleans(),
    equal=st.integers(0, 6),
    inside=st.booleans(),
)
def test_the_trap_comes_to_what_the_edges_come_to(
    *, content: bytes, good_parity: bool, right_flag: bool, length: int, load: bool, equal: int, inside: bool
) -> None:
    """B39: header and data, wrong lengths, wrong flags, VERIFY, the entry 0x0562."""
    if good_parity:
        content = content[:-1] + bytes([parity(content[:-1])])
    flag = content[0] if right_flag else content[0] ^ 0x80
    before = (content[1 : 1 + equal] + bytes(16))[:16]
    trapped = ld_bytes(content, flag=flag, length=length, load=load, before=before, inside=inside)
    played = ld_bytes(content, flag=flag, length=length, load=load, before=before, inside=inside)
    load_block(trapped, content)
    assert trapped.run_until(BACK, 2) == BACK
    played._machine.insert_tape(compile_tape(Tape("t", (TapeBlock(content),))).core)
    played._machine.play_tape()
    assert played.run_until(BACK, 600) == BACK
    for name in ("ix", "de", "a", "h", "sp"):
        assert getattr(trapped.registers, name) == getattr(played.registers, name), name
    assert trapped.registers.f & 1 == played.registers.f & 1
    assert bytes(trapped.memory[0x5000:0x5010]) == bytes(played.memory[0x5000:0x5010])


@pytest.mark.parametrize("fast", [True, False])
def test_a_short_block_without_a_pause_is_played_into_what_follows(*, fast: bool) -> None:
    """B39: 8 bytes instead of 11, then at once a tone, which the ROM takes for bits that are 1."""
    code = bytes(range(0x30, 0x3B))
    head = [standard(block.content) for block in program_blocks(code)[:3]]
    short = standard(TapeBlock.from_data(0xFF, code[:8]).content, pause=0)
    spectrum = Spectrum()
    with pytest.raises(UserError, match="the ROM reports a tape loading error after block"):
        load_tape(spectrum, parse_tape(tzx(*head, short, tone(2168, 3000))), fast=fast)
    assert memory(spectrum, 0x8000, 11) == code[:8] + bytes([parity(b"\xff" + code[:8]), 0xFF, 0xFF])


def test_the_editors_rom_has_no_trap() -> None:
    spectrum = Spectrum("128k")
    assert not has_loading_routine(spectrum)
    spectrum.run_frames(150)
    spectrum.type_keys("enter")
    spectrum.run_frames(60)
    assert has_loading_routine(spectrum)
