# SPDX-License-Identifier: GPL-3.0-or-later
"""Turns of edge loops that are taken at once: state by state the same as one instruction after the other."""

import hashlib

import pytest
from custom_loaders import turbo_loader
from tape_maker import standard, tone, turbo, tzx

from oakemu_rl._core import EdgeLoops
from oakemu_rl.emulator import Spectrum, parse_tape
from oakemu_rl.emulator.tapes import Program, compile_tape

LD_EDGE_1, LD_SAMPLE, LD_DELAY = 0x05E7, 0x05ED, 0x05E9
PAYLOAD = hashlib.shake_128(b"loops").digest(300)
TURBO_LOOP = 0x8060


def twins(spectrum: Spectrum, program: Program) -> tuple[Spectrum, Spectrum, EdgeLoops]:
    """Two machines with the tape playing, and the loops of their memory."""
    spectrum._machine.insert_tape(program.core)
    spectrum._machine.play_tape()
    loops = EdgeLoops()
    loops.find(spectrum._machine)
    return spectrum, spectrum.fork(), loops


def assert_equal_runs(spectrum: Spectrum, program: Program, frames: int) -> None:
    plain, fast, loops = twins(spectrum, program)
    for frame in range(frames):
        plain.run_frames(1)
        assert loops.run_frame(fast._machine, []) is None
        assert fast.save_state() == plain.save_state(), f"frame {frame}"
    assert plain._machine.tape_reads > 100 * frames  # it did listen


def listening(machine: str, *, late: bool, contention: bool) -> Spectrum:
    """A machine in whose ROM LD-BYTES waits for a block of 300 bytes."""
    spectrum = Spectrum(machine, late=late, contention=contention)
    if machine != "48k":
        spectrum._machine.port_7ffd = 0x10
    registers = spectrum.registers
    registers.sp, registers.ix, registers.de, registers.af, registers.pc = 0xFF00, 0x4000, 300, 0xFF01, 0x0556
    return spectrum


@pytest.mark.parametrize("machine", ["48k", "128k"])
@pytest.mark.parametrize("late", [False, True])
@pytest.mark.parametrize("contention", [False, True])
def test_the_roms_loops(*, machine: str, late: bool, contention: bool) -> None:
    content = bytes([0xFF]) + PAYLOAD + b"\0"
    program = compile_tape(parse_tape(tzx(tone(30000, 2), standard(content))))
    assert_equal_runs(listening(machine, late=late, contention=contention), program, 240)


def test_the_roms_loops_are_found() -> None:
    spectrum = Spectrum()
    loops = EdgeLoops()
    loops.find(spectrum._machine)
    assert loops.addresses == [LD_SAMPLE, LD_DELAY]
    editor = Spectrum("128k")
    loops.find(editor._machine)
    assert loops.addresses == []


@pytest.mark.parametrize("origin", [0x8000, 0x6000, 0xC000])
def test_loops_in_ram(origin: int) -> None:
    # In contended memory nothing is taken at once, and all is the same nevertheless; the loader is too slow there.
    code = bytearray(turbo_loader(len(PAYLOAD)))
    for place in range(len(code) - 2):
        if code[place] in (0xCD, 0xD4, 0xCA, 0xC3) and code[place + 2] == 0x80:
            code[place + 2] = origin >> 8
    spectrum = Spectrum()
    spectrum.write_block(origin, bytes(code))
    spectrum.registers.pc, spectrum.registers.sp = origin, 0xFFF0
    block = turbo(PAYLOAD + b"\0", pilot=1500, pulses=1500, sync=(400, 500), zero=400, one=800)
    _, _, loops = twins(spectrum.fork(), program := compile_tape(parse_tape(tzx(block))))
    assert origin + 0x60 in loops.addresses
    assert_equal_runs(spectrum, program, 100)
    loaded = bytes(spectrum.peek(0x9000 + k) for k in range(len(PAYLOAD)))
    assert (loaded == PAYLOAD) is (origin != 0x6000)


@pytest.mark.parametrize(
    ("name", "loop"),
    [
        ("counts down", "05 C8 3E 7F DB FE 1F D0 A9 E6 20 28 F3"),
        ("no key", "04 C8 3E 7F DB FE 1F 00 A9 E6 20 28 F3"),
        ("shorter", "04 C8 3E 7F DB FE 1F A9 E6 20 28 F4"),
        ("other keys", "04 C8 3E 00 DB FE 1F D0 A9 E6 20 28 F3"),
        ("a port without waits", "04 C8 3E BF DB FE 1F D0 A9 E6 20 28 F3"),
    ],
)
@pytest.mark.parametrize("key", ["", "space", "a"])
@pytest.mark.parametrize("interrupts", [False, True])
@pytest.mark.parametrize("i", [0x3F, 0x40])
def test_other_loops(name: str, loop: str, key: str, *, interrupts: bool, i: int) -> None:
    # LD C,A and again: CALL edge; LD A,C; CPL; LD C,A; LD A,5; JR again.  edge: the delay, and the loop; SCF; RET
    head = "4F CD 20 80 79 2F 4F 3E 05 18 F6"
    spectrum = Spectrum()
    spectrum.write_block(0x8000, bytes.fromhex(head))
    spectrum.write_block(0x8020, bytes.fromhex("3E 05 3D 20 FD A7" + loop + "37 C9"))
    registers = spectrum.registers
    registers.pc, registers.sp, registers.i, registers.im = 0x8000, 0xFF00, i, 1
    registers.iff1 = registers.iff2 = int(interrupts)
    spectrum.write_block(0x5C00, bytes(200))
    registers.iy = 0x5C3A
    if key:
        spectrum.press(key)
    program = compile_tape(parse_tape(tzx(tone(1234, 300), tone(5000, 300), tone(61, 3000), tone(59, 3000))))
    _, _, loops = twins(spectrum.fork(), program)
    assert {0x8022, 0x8026} <= set(loops.addresses)
    assert_equal_runs(spectrum, program, 30)


def test_a_stop_in_a_loop_is_obeyed() -> None:
    spectrum = listening("48k", late=False, contention=True)
    program = compile_tape(parse_tape(tzx(tone(2168, 5000))))
    _, fast, loops = twins(spectrum, program)
    assert loops.run_frame(fast._machine, [LD_SAMPLE]) == LD_SAMPLE
    assert fast.registers.pc == LD_SAMPLE
    assert loops.run_frame(fast._machine, [0x05FA]) == 0x05FA  # behind the loop
    for _ in range(3):
        assert loops.run_frame(fast._machine, []) is None
