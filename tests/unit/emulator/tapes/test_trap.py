# SPDX-License-Identifier: GPL-3.0-or-later
import re
from collections.abc import Callable
from functools import reduce
from operator import xor

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tape_maker import program_blocks

from oakemu_rl.emulator import Spectrum, Tape, TapeBlock, load_tape
from oakemu_rl.emulator.tapes.trap import load_block
from oakemu_rl.errors import UserError

LD_BYTES = 0x0556
LD_START = 0x056C
BACK = 0x8000  # where LD-BYTES returns to

# BORDER 2; the top left cell's first line; stop here.
CODE = bytes([0x3E, 2, 0xD3, 0xFE, 0x21, 0x00, 0x40, 0x36, 0xFF, 0x18, 0xFE])

BLOCKS = program_blocks(CODE)


@pytest.mark.parametrize("contention", [True, False])
def test_a_program_loads_and_runs(contention: bool, read_text: Callable[[Spectrum], list[str]]) -> None:  # noqa: FBT001 - parametrized
    spectrum = Spectrum(contention=contention)
    spectrum.press("space")
    load_tape(spectrum, Tape("hello.tap", BLOCKS))
    assert bytes(spectrum.memory[0x4000 : 0x4000 + len(CODE)]) == CODE
    assert read_text(spectrum)[1] == "Bytes: code"
    assert spectrum.held_keys == ()
    assert spectrum.run_until(0x8000, 50) == 0x8000
    spectrum.run_frames(1)
    assert (spectrum.border, spectrum.peek(0x4000)) == (2, 0xFF)


def test_loading_is_deterministic() -> None:
    states = []
    for frames in (0, 7):
        spectrum = Spectrum()
        spectrum.run_frames(frames)
        load_tape(spectrum, Tape("hello.tap", BLOCKS))
        states.append(spectrum.save_state())
    assert states[0] == states[1]


@pytest.mark.parametrize(
    ("blocks", "message"),
    [
        (BLOCKS + BLOCKS[3:], "the program has not asked for block 5 of 5 within 200 frames, it is at address 0x800"),
        (BLOCKS[:1] + BLOCKS[3:], "the last block, 2, has 11 bytes, the program asks for 36"),
        (BLOCKS[2:], "the last block, 2, has flag 255, the program asks for 0"),
        ((*BLOCKS[:3], TapeBlock(BLOCKS[3].content[:-1] + b"\0")), "the last block, 4, has a wrong parity byte"),
        (
            (*BLOCKS[:3], TapeBlock.from_data(0xFF, CODE[:-1])),
            "the last block, 4, has 10 bytes, the program asks for 11",
        ),
        (
            (*BLOCKS[:3], TapeBlock.from_data(0xFF, CODE[:-1]), BLOCKS[3]),
            "the ROM reports a tape loading error after block 4 of 5 .*; block 4 has 10 bytes, the program asks for 11",
        ),
    ],
)
def test_what_does_not_load_is_named(blocks: tuple[TapeBlock, ...], message: str) -> None:
    with pytest.raises(UserError, match=f"bad.tap: .*{message}"):
        load_tape(Spectrum(), Tape("bad.tap", blocks), max_frames=200)


def test_blocks_with_a_foreign_flag_are_skipped() -> None:
    spectrum = Spectrum()
    foreign = TapeBlock.from_data(0x42, b"not this one")
    load_tape(spectrum, Tape("t", (foreign, *BLOCKS)))
    assert bytes(spectrum.memory[0x4000 : 0x4000 + len(CODE)]) == CODE


def call_ld_bytes(
    block: TapeBlock, *, flag: int, length: int, load: bool = True, target: int = 0x9000, before: bytes = b""
) -> tuple[Spectrum, str]:
    """Calls the ROM's routine as a program does, and lets it come back to BACK; also returns what the trap says."""
    spectrum = at_ld_start(flag=flag, length=length, load=load, target=target, before=before)
    problem = load_block(spectrum, block.content)
    assert spectrum.run_until(BACK, 2) == BACK
    assert spectrum.registers.sp == 0xFF02
    return spectrum, problem


def at_ld_start(*, flag: int, length: int, load: bool = True, target: int = 0x9000, before: bytes = b"") -> Spectrum:
    """A machine whose program has called LD-BYTES; `before` is in memory at the target."""
    spectrum = Spectrum()
    registers = spectrum.registers
    spectrum.write_block(0xFF00, BACK.to_bytes(2, "little"))
    spectrum.write_block(target, before)
    registers.sp, registers.ix, registers.de, registers.af = 0xFF00, target, length, flag << 8 | load
    registers.pc = LD_BYTES
    assert spectrum.run_until(LD_START, 2) == LD_START
    return spectrum


def rom_reference(stream: bytes, flag: int, length: int, *, load: bool, memory: bytes) -> tuple[bytes, int, int, bool]:
    """The ROM's loop, byte by byte: what is at the target, IX, DE and the carry afterwards."""
    ix, de, parity, checked_flag = 0, length, 0, False
    target = bytearray(memory)
    for byte in stream:
        parity ^= byte
        if de == 0:
            return bytes(target), ix, de, parity == 0
        if not checked_flag:
            if byte != flag:
                return bytes(target), ix, de, False
            checked_flag = True
            continue
        if load:
            target[ix] = byte
        elif target[ix] != byte:
            return bytes(target), ix, de, False
        ix += 1
        de -= 1
    return bytes(target), ix, de, False


@settings(max_examples=100)
@given(
    content=st.binary(min_size=2, max_size=12),
    good_parity=st.booleans(),
    right_flag=st.booleans(),
    length=st.integers(0, 13),
    load=st.booleans(),
    equal=st.integers(0, 13),
)
def test_the_trap_does_what_the_roms_loop_does(
    *, content: bytes, good_parity: bool, right_flag: bool, length: int, load: bool, equal: int
) -> None:
    if good_parity:
        content = content[:-1] + bytes([reduce(xor, content[:-1])])
    flag = content[0] if right_flag else content[0] ^ 0x80
    memory = (content[1 : 1 + equal] + bytes(16))[:16]
    spectrum, problem = call_ld_bytes(TapeBlock(content), flag=flag, length=length, load=load, before=memory)
    expected, ix, de, carry = rom_reference(content, flag, length, load=load, memory=memory)
    registers = spectrum.registers
    assert bytes(spectrum.memory[0x5000:0x5010]) == expected
    assert (registers.ix, registers.de, bool(registers.f & 1)) == (0x9000 + ix, de, carry)
    assert (problem == "") is carry


def test_the_registers_after_a_block_by_hand() -> None:
    spectrum, _ = call_ld_bytes(TapeBlock.from_data(0xFF, b"\x11\x22"), flag=0xFF, length=2)
    registers = spectrum.registers
    # A = 0 before CP 1: S, H, N and carry; L is the byte read last, the parity; H what all bytes give together.
    assert (registers.af, registers.l, registers.h) == (0x0093, 0xFF ^ 0x11 ^ 0x22, 0)
    assert (registers.ix, registers.de) == (0x9002, 0)
    assert registers.iff1 == 1  # SA/LD-RET enables interrupts


def test_a_loader_that_enters_behind_the_beginning_is_served() -> None:
    spectrum = Spectrum()
    registers = spectrum.registers
    # INC D; EX AF,AF'; DEC D; DI; LD A,15; OUT (254),A; CALL 0x0562; and back here.
    loader = bytes([0x14, 0x08, 0x15, 0xF3, 0x3E, 0x0F, 0xD3, 0xFE, 0xCD, 0x62, 0x05])
    spectrum.write_block(0x8100, loader)
    registers.sp, registers.ix, registers.de, registers.af, registers.pc = 0xFF00, 0x9000, 3, 0x4201, 0x8100
    assert spectrum.run_until(LD_START, 2) == LD_START
    assert load_block(spectrum, TapeBlock.from_data(0x42, b"abc").content) == ""
    assert spectrum.run_until(0x8100 + len(loader), 2) is not None
    assert bytes(spectrum.memory[0x5000:0x5003]) == b"abc"
    assert registers.f & 1 == 1


def test_a_loader_without_a_flag_byte_gets_every_byte() -> None:
    spectrum = Spectrum()
    registers = spectrum.registers
    registers.sp, registers.ix, registers.de = 0xFF00, 0x9000, 3
    registers.af_ = 0x0041  # Z: the first byte is data
    registers.pc = LD_START
    assert load_block(spectrum, TapeBlock(bytes([1, 2, 3, 1 ^ 2 ^ 3])).content) == ""
    assert bytes(spectrum.memory[0x5000:0x5003]) == b"\x01\x02\x03"
    assert (registers.ix, registers.de) == (0x9003, 0)


def test_loading_goes_around_the_end_of_memory_and_leaves_rom_alone() -> None:
    spectrum, _ = call_ld_bytes(TapeBlock.from_data(0xFF, b"abcd"), flag=0xFF, length=4, target=0xFFFE)
    assert bytes(spectrum.memory[-2:]) == b"ab"
    assert spectrum.peek(0) == 0xF3
    assert spectrum.registers.ix == 2


def test_the_rom_is_as_the_trap_expects() -> None:
    rom = Spectrum().rom.tobytes()
    assert rom[0x056C:0x056F] == bytes([0xCD, 0xE7, 0x05])  # CALL LD-EDGE-1
    assert rom[0x05DF:0x05E3] == bytes([0x7C, 0xFE, 0x01, 0xC9])  # LD A,H; CP 1; RET
    assert re.search(rb"1982 Sinclair Research Lt\xe4", rom)
