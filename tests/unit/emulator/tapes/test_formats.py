# SPDX-License-Identifier: GPL-3.0-or-later
"""Reading files: what is in them, and what is said of those that are damaged."""

import gzip
import zipfile
import zlib
from pathlib import Path

import pytest
from skoolkit.tape import parse_pzx as skoolkit_parse_pzx
from skoolkit.tape import parse_tzx as skoolkit_parse_tzx
from tape_maker import (
    LOOP_END,
    PZX_HEAD,
    RETURN,
    STOP_48K,
    TZX_HEAD,
    call,
    csw,
    data,
    direct,
    dword,
    generalized,
    jump,
    level,
    loop,
    paus,
    pause,
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
    word,
)

from oakemu_rl.emulator import TapeBlock, parse_tape, read_tape
from oakemu_rl.emulator.tapes import compile_tape, parse_pzx, parse_tzx, tap_bytes
from oakemu_rl.emulator.tapes.csw import MAX_CSW_BYTES
from oakemu_rl.emulator.tapes.describe import describe_block
from oakemu_rl.errors import UserError

BLOCK = TapeBlock.from_data(0xFF, b"abc").content
EVERYTHING = tzx(
    standard(BLOCK),
    turbo(BLOCK),
    tone(2168, 100),
    pulses(1, 2, 3),
    pure_data(BLOCK, pause=5),
    direct(b"\x0f", 79, pause=5),
    csw(b"\x05\x06", 2),
    generalized([(0, [2168])], [(0, 10)], [(0, [855, 855]), (0, [1710, 1710])], BLOCK, 8 * len(BLOCK), 1000),
    pause(7),
    pause(0),
    b"\x21\x04side",
    b"\x22",
    loop(3),
    LOOP_END,
    select((1, b"48K"), (2, b"128K")),
    STOP_48K,
    level(1),
    text(b"made\x1b[2J by hand"),
    b"\x31\x05\x05hello",
    b"\x32" + word(10) + b"\x02\x00\x04Game\x01\x01U",
    b"\x33\x01\x00\x01\x02",
    b"\x34" + bytes(8),
    b"\x35" + b"POKEs".ljust(16) + dword(3) + b"\x00\x01\x02",
    b"\x40\x01\x03\x00\x00abc",
    b"\x5aXTape!\x1a\x01\x14",
)


def test_every_block_of_a_tzx_is_told() -> None:
    assert [describe_block(block) for block in parse_tzx(EVERYTHING).blocks] == [
        "standard data, 5 bytes",
        "turbo data, 5 bytes",
        "pure tone, 100 x 2168 T",
        "pulses, 3",
        "pure data, 5 bytes",
        "direct recording, 8 samples of 79 T",
        "CSW recording (RLE), 2 pulses at 44100 Hz",
        "generalized data, 40 symbols, pilot of 10",
        "pause, 7 ms",
        "stop",
        "group",
        "group end",
        "loop, 3 times",
        "loop end",
        "select, 2 options",
        "stop if 48K",
        "set level high",
        "text",
        "message",
        "archive info",
        "hardware",
        "emulation info",
        "custom info",
        "snapshot",
        "glue",
    ]


def test_texts_are_shown_without_what_a_terminal_obeys() -> None:
    blocks = parse_tzx(EVERYTHING).blocks
    assert blocks[17].text == ("made?[2J by hand",)  # type: ignore[union-attr]
    assert blocks[19].text == ("Full title: Game", "Software house/publisher: U")  # type: ignore[union-attr]
    assert blocks[20].text == (
        "Computer ZX Spectrum 48K Plus: Runs on this machine, but does not use its special features",
    )  # type: ignore[union-attr]


def test_blocks_begin_where_skoolkit_finds_them() -> None:
    ours = parse_tzx(EVERYTHING)
    theirs = skoolkit_parse_tzx(EVERYTHING)
    assert len(ours.blocks) == len(theirs.blocks)
    assert [EVERYTHING[offset] for offset in ours.offsets] == [block.block_id for block in theirs.blocks]
    file = pzx(puls((3, 5)), data(BLOCK), paus(9), pzx_block(b"STOP", b"\1\0"), pzx_block(b"BRWS", b"level 1"))
    assert [file[offset : offset + 4].decode() for offset in parse_pzx(file).offsets] == [
        block.block_id for block in skoolkit_parse_pzx(file).blocks
    ]


def test_pzx_blocks_are_told() -> None:
    head = PZX_HEAD[:4] + dword(2 + 25) + b"\1\0" + b"Game\0Publisher\0Us\0Year\0" + b"8\0"
    file = head + puls((8063, 2168), (1, 667)) + data(b"\xff\x80", 9) + paus(3500, 1)
    file += (
        pzx_block(b"STOP", b"\1\0")
        + pzx_block(b"STOP", b"\0\0")
        + pzx_block(b"BRWS", b"here")
        + pzx_block(b"XYZ!", b"??")
    )
    tape = parse_pzx(file)
    assert [describe_block(block) for block in tape.blocks] == [
        "archive info",
        "pulses, 8064",
        "pure data, 2 bytes (9 bits)",
        "pause, 1 ms",
        "stop if 48K",
        "stop",
        "browse point",
        "unknown (XYZ!)",
    ]
    assert tape.blocks[0].text == ("Title: Game", "Publisher: Us", "Year: 8")  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("file", "message"),
    [
        (b"ZXTape!\x1a\x01", "x: the file ends at offset 9, within the header of 10 bytes"),
        (b"ZXTape!\x1a\x02\x00", "x: the file has .tzx version 2.0, version 1 can be read"),
        (TZX_HEAD, "x: the tape has no blocks"),
        (tzx(text(b"a"), b"\x99"), "x: block 2 at offset 13 has the ID 0x99, which .tzx does not know"),
        (
            tzx(standard(BLOCK))[:-1],
            "x: block 1 at offset 10 ends within its data: 5 bytes are needed at offset 15, 4 are left",
        ),
        (
            tzx(b"\x10\x00"),
            "x: block 1 at offset 10 ends within its pause: 2 bytes are needed at offset 11, 1 are left",
        ),
        (tzx(turbo(BLOCK, used=9)), "uses 9 bits of its last byte, it can be 1 to 8"),
        (tzx(pure_data(BLOCK, used=0)), "uses 0 bits of its last byte, it can be 1 to 8"),
        (tzx(pulses(1, 2)[:-1]), "ends within its pulses"),
        (tzx(direct(b"\xff", 0)), "has samples of 0 T-states"),
        (tzx(level(2)), "sets the level to 02, it can be 0 or 1"),
        (tzx(b"\x2b" + dword(0)), "sets the level to nothing"),
        (tzx(b"\x16" + dword(3)), "has length 3, which includes itself: the least is 4"),
        (tzx(b"\x28" + word(9) + b"\x01\x01\x00\x01a"), "has length 9, its options together have 5 bytes"),
        (tzx(b"\x32" + word(9) + b"\x01\x00\x01a"), "has length 9, its texts together have 4 bytes"),
        (tzx(b"\x5aYTape!\x1a\x01\x14"), "but does not read ZXTape!"),
        (tzx(csw(b"\x05", 2)), "announces 2 pulses, but has 1"),
        (tzx(csw(b"\x05\x00\x01", 2)), "ends within a long pulse"),
        (tzx(csw(b"\x05", 1, rate=0)), "has a sampling rate of 0"),
        (tzx(csw(b"\x05", 1, compression=3)), "has compression 3, it can be 1 (RLE) or 2 (Z-RLE)"),
        (tzx(csw(b"junk", 1, compression=2)), "has broken zlib data at offset 25"),
        (tzx(csw(zlib.compress(b"\x05\x06")[:-3], 2, compression=2)), "has zlib data at offset 25 that is cut off"),
        (
            tzx(csw(zlib.compress(b"\x01" * (MAX_CSW_BYTES + 1)), 9, compression=2)),
            f"unpacks to more than {MAX_CSW_BYTES} bytes",
        ),
        (tzx(csw(b"\x00\xff\xff\xff\xff" * 2, 2, rate=1)), "lasts 8589934590 seconds"),
        (tzx(csw(b"\x00\xff\xff\xff\xff", 1, rate=4)), "has a pulse of 3758096383125000 T-states"),
        (tzx(b"\x18" + dword(9) + bytes(9)), "has length 9, the least is 10"),
        (tzx(b"\x18" + dword(99) + bytes(9)), "has length 99, but only 9 bytes follow in the file"),
        (tzx(generalized([(0, [5])], [(1, 2)])), "has symbol 1 in its pilot, of 1 symbols"),
        (tzx(generalized(symbols=[(0, [5])] * 3, content=b"\x1b", count=4)), "has symbol 3 in its data, of 3 symbols"),
        (
            tzx(generalized(symbols=[(0, [5])] * 2, content=b"\x1b", count=9)),
            "ends at offset 36, but 2 bytes are needed at offset 35",
        ),
        (tzx(generalized(symbols=[(0, [5])] * 2, content=b"\x1b\x00", count=4)), "its parts together have"),
        (tzx(generalized()[:-3]), "has length 14, but only 11 bytes follow in the file"),
        (b"PZXT\x01\x00\x00\x00\x01", "x: block 1 at offset 0 has size 1, the least is 2 (the version)"),
        (b"PZXT\x02\x00\x00\x00\x02\x00", "has .pzx version 2.0, version 1 can be read"),
        (pzx(b"PUL"), "x: block 2 at offset 10 ends within its tag: 4 bytes are needed at offset 10, 3 are left"),
        (pzx(b"\x00UL\xff" + dword(0)), "has the tag 00 55 4c ff, a tag is four letters"),
        (pzx(b"PULS" + dword(5) + b"ab"), "has size 5, but only 2 bytes follow in the file"),
        (pzx(pzx_block(b"PULS", b"\x05")), "ends at offset 19 within a pulse"),
        (pzx(pzx_block(b"PULS", b"\x05\x80")), "ends at offset 20 within a pulse"),
        (pzx(pzx_block(b"PULS", b"\x00\x80")), "ends at offset 20 within a pulse"),
        (pzx(pzx_block(b"DATA", b"\x05")), "has size 1, the least is 8"),
        (pzx(data(BLOCK, 41)), "has 41 bits, but only 5 bytes of data"),
        (pzx(data(BLOCK, 8)), "has size 21, its parts together have 17 bytes"),
        (pzx(pzx_block(b"DATA", dword(8) + b"\0\0\2\2" + b"abc")), "ends at offset 29 within its pulses"),
        (pzx(pzx_block(b"PAUS", b"abc")), "has size 3, a pause has 4"),
        (pzx(pzx_block(b"STOP", b"abc")), "has size 3, a stop has 2"),
        (b"", "x: the file is no tape (.tap, .tzx or .pzx): it is empty"),
        (b"hello", "x: the file is no tape (.tap, .tzx or .pzx): it begins with 68 65"),
        (b"RZX!" + bytes(99), "x: the file is a recording (.rzx), not a tape"),
    ],
)
def test_damaged_files_are_named_with_block_and_offset(file: bytes, message: str) -> None:
    with pytest.raises(UserError) as caught:
        parse_tape(file, "x")
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("blocks", "message"),
    [
        ([jump(0)], "x: block 1 at offset 10 is reached again and again, the tape would never end"),
        ([tone(5, 5), text(b"a"), jump(-2)], "x: block 1 at offset 10 is reached again and again"),
        ([jump(1), jump(-1)], "x: block 1 at offset 10 is reached again"),
        ([jump(2), tone(1, 1)], "x: block 1 at offset 10 leads to block 3, the tape has 2"),
        ([jump(-1)], "x: block 1 at offset 10 leads to block 0, the tape has 1"),
        ([loop(2), tone(1, 1)], "x: block 1 at offset 10 begins a loop that does not end"),
        ([LOOP_END], "x: block 1 at offset 10 ends a loop that has not begun"),
        ([loop(2), loop(2), LOOP_END, LOOP_END], "x: block 2 at offset 13 begins a loop within a loop"),
        ([RETURN], "x: block 1 at offset 10 returns without a call"),
        ([call(1), tone(1, 1)], "x: block 1 at offset 10 calls blocks that do not return"),
        ([call(1), call(1), RETURN], "x: block 2 at offset 15 calls within a call"),
        (
            [call(2), jump(3), loop(2), RETURN, LOOP_END],
            "x: block 5 at offset 22 ends a loop that has begun outside of this call",
        ),
        (
            [b"\x16" + dword(5) + b"a"],
            "x: block 1 at offset 10 is Commodore 64 ROM data, which a ZX Spectrum cannot play",
        ),
        ([loop(65535), tone(65535, 65535), LOOP_END], "x: the tape is longer than 100 hours"),
        (
            [loop(65535), tone(0, 65535), LOOP_END],
            "x: the tape has more than 10000000 pulses and commands that take no time",
        ),
        ([loop(65535), *[level(1)] * 500, LOOP_END], "x: the tape has more than 10000000 pulses"),
        (
            [call(*[2] * 60000), jump(5), tone(1, 1), tone(1, 1), tone(1, 1), RETURN, text(b"")],
            "makes the tape play more than 100000 blocks by calls",
        ),
    ],
)
def test_tapes_that_go_nowhere(blocks: list[bytes], message: str) -> None:
    with pytest.raises(UserError) as caught:
        compile_tape(parse_tape(tzx(*blocks), "x"))
    assert message in str(caught.value)


def test_a_loop_of_65535_turns_takes_no_memory() -> None:
    program = compile_tape(parse_tape(tzx(loop(65535), tone(100, 2), LOOP_END)))
    assert program.core.segments < 10
    assert program.core.duration == 65535 * 200 + 3500


def test_loops_of_0_and_1_turns_play_once() -> None:
    for times in (0, 1):
        core = compile_tape(parse_tape(tzx(loop(times), tone(100, 2), LOOP_END))).core
        assert core.edges(10_000) == [(100, 1), (200, 0)]


def test_blocks_in_the_roms_timing_are_known_in_every_form() -> None:
    split = [tone(2168, 3223), pulses(667, 735), pure_data(BLOCK, pause=1000)]
    forms = {
        "standard": [standard(BLOCK)],
        "turbo": [turbo(BLOCK)],
        "nearly": [turbo(BLOCK, pilot=2100, zero=870, one=1690)],
        "split": split,
        "after another": [standard(BLOCK), *split],
    }
    for name, blocks in forms.items():
        program = compile_tape(parse_tape(tzx(text(b"first"), *blocks)))
        assert [part.content for part in program.parts] == [BLOCK] * (2 if name == "after another" else 1), name
    others = {
        "fast": [turbo(BLOCK, zero=400, one=800)],
        "some bits": [turbo(BLOCK, used=7)],
        "short pilot": [turbo(BLOCK, pulses=1500)],
        "no pilot": [pure_data(BLOCK)],
        "pause before the bits": [tone(2168, 3223), pulses(667, 735), pause(1), pure_data(BLOCK)],
        "one more pulse": [tone(2168, 3223), pulses(667, 735, 100), pure_data(BLOCK)],
        "flag only": [standard(b"\xff")],
    }
    for name, blocks in others.items():
        assert all(part.content is None for part in compile_tape(parse_tape(tzx(*blocks))).parts), name


def test_to_tap_names_the_block_that_has_no_place_there() -> None:
    tape = parse_tape(tzx(text(b"a"), standard(BLOCK), turbo(BLOCK, zero=400, one=800)), "x")
    with pytest.raises(UserError, match="x: block 3 at offset 23 is not in the ROM's timing"):
        tap_bytes(tape)
    assert tap_bytes(parse_tape(tzx(text(b"a"), standard(BLOCK), pause(99)), "x")) == word(len(BLOCK)) + BLOCK


def test_files_may_be_packed(tmp_path: Path) -> None:
    file = tzx(standard(BLOCK))
    (tmp_path / "a.tzx.gz").write_bytes(gzip.compress(file))
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("readme.txt", "hello")
        archive.writestr("b.tap", file)  # its content decides
    assert read_tape(tmp_path / "a.tzx.gz").blocks == read_tape(tmp_path / "a.zip").blocks
    assert read_tape(tmp_path / "a.zip").name.endswith("a.zip:b.tap")
