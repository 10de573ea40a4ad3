# SPDX-License-Identifier: GPL-3.0-or-later
"""Whatever a file holds, reading and playing it ends, and all that it can raise is one clear line."""

from contextlib import suppress

from hypothesis import given, settings
from hypothesis import strategies as st
from tape_maker import (
    LOOP_END,
    RETURN,
    STOP_48K,
    call,
    csw,
    data,
    direct,
    generalized,
    jump,
    level,
    loop,
    paus,
    pause,
    program_blocks,
    puls,
    pulses,
    pure_data,
    pzx,
    pzx_block,
    select,
    standard,
    text,
    tone,
    turbo,
    tzx,
)

from oakemu_rl.emulator import Spectrum, Tape, TapeBlock, parse_tap
from oakemu_rl.emulator.tapes import compile_tape, parse_pzx, parse_tape, parse_tzx, tap_bytes
from oakemu_rl.emulator.tapes.describe import describe_block
from oakemu_rl.emulator.tapes.measure import measure_block
from oakemu_rl.errors import UserError
from oakemu_rl.games import load_game

BLOCK = TapeBlock.from_data(0, b"\x03code      \x01\x00\x00\x80\x00\x80").content
SYMBOLS = [(0, [855, 855]), (1, [1710, 1710]), (3, [5])]
TZX = tzx(
    standard(BLOCK),
    call(9, 10),
    turbo(BLOCK, zero=500, one=900, used=5),
    loop(3),
    tone(2168, 100),
    pulses(1, 2, 3),
    LOOP_END,
    pure_data(BLOCK, pause=5),
    jump(5),
    direct(b"\x0f\xf0", 79, pause=5),
    RETURN,
    csw(b"\x05\x06\x00\x01\x01\x00\x00", 3),
    RETURN,
    generalized([(0, [2168])], [(0, 10)], SYMBOLS, b"\x12\x24", 8, 1000),
    pause(7),
    select((1, b"48K"), (2, b"128K")),
    STOP_48K,
    level(1),
    text(b"hello"),
    standard(BLOCK, 0),
)
PZX = pzx(
    puls((8063, 2168), (1, 667), (1, 735)),
    data(BLOCK),
    paus(3_500_000),
    puls((3, 70000)),
    data(b"abc", 20, (5,), (6, 7, 8), 0, 9),
    pzx_block(b"STOP", b"\1\0"),
    pzx_block(b"BRWS", b"x"),
)
TAP = tap_bytes(Tape("t", program_blocks(b"\xc9")))
FILES = (TZX, PZX, TAP, load_game("acorns").program)


def read_and_play(file: bytes) -> None:
    tape = parse_tape(file, "x.tap")
    for block in tape.blocks:
        describe_block(block)
        measure_block(block)
    program = compile_tape(tape)
    spectrum = Spectrum()
    machine = spectrum._machine
    machine.insert_tape(program.core)
    for _ in range(4):  # stops are started again
        machine.play_tape()
        spectrum.run_frames(3)
    assert 0 <= machine.tape_position <= program.core.duration
    spectrum.load_state(spectrum.save_state())


def test_the_files_are_good() -> None:
    for file in FILES:
        read_and_play(file)


@settings(max_examples=300, deadline=None)
@given(tail=st.binary(max_size=200), head=st.sampled_from([b"", b"ZXTape!\x1a\x01\x14", b"PZXT\2\0\0\0\1\0", b"PZXT"]))
def test_random_bytes(tail: bytes, head: bytes) -> None:
    for parse in (parse_tap, parse_tzx, parse_pzx):
        with suppress(UserError):
            parse(head + tail)
    with suppress(UserError):
        read_and_play(head + tail)


changes = st.lists(st.tuples(st.integers(0, 1 << 20), st.integers(0, 255)), min_size=1, max_size=6)


@settings(max_examples=300, deadline=None)
@given(
    file=st.sampled_from(FILES),
    changes=changes,
    cut=st.one_of(st.none(), st.integers(0, 1 << 20)),
    twice=st.one_of(st.none(), st.tuples(st.integers(0, 1 << 20), st.integers(1, 40))),
)
def test_mutated_files(
    file: bytes, changes: list[tuple[int, int]], cut: int | None, twice: tuple[int, int] | None
) -> None:
    mutated = bytearray(file)
    for place, value in changes:
        mutated[place % len(mutated)] = value
    if twice is not None:
        place = twice[0] % len(mutated)
        mutated[place:place] = mutated[place : place + twice[1]]
    if cut is not None:
        del mutated[cut % len(mutated) :]
    complaint = ""
    try:
        read_and_play(bytes(mutated))
    except UserError as error:
        complaint = str(error)
    assert complaint == "" or (complaint.startswith("x.tap") and "\n" not in complaint)
