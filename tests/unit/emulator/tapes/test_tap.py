# SPDX-License-Identifier: GPL-3.0-or-later
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from skoolkit.tape import parse_tap as skoolkit_parse_tap

from oakemu_rl.emulator import Tape, TapeBlock, parse_tap, read_tape
from oakemu_rl.emulator.tapes import tap_bytes
from oakemu_rl.errors import UserError


def test_a_file_by_hand(tmp_path: Path) -> None:
    path = tmp_path / "two.tap"
    path.write_bytes(bytes([4, 0, 0x00, 1, 2, 3, 3, 0, 0xFF, 7, 0xF9]))
    tape = read_tape(path)
    assert tape.name == str(path)
    assert [(block.flag, block.data) for block in tape.blocks] == [(0, b"\x01\x02"), (0xFF, b"\x07")]
    assert TapeBlock.from_data(0xFF, b"\x07").content == bytes([0xFF, 7, 0xF8])


@given(contents=st.lists(st.binary(min_size=2, max_size=50), min_size=1, max_size=5))
def test_the_format_round_trips_and_agrees_with_skoolkit(contents: list[bytes]) -> None:
    data = tap_bytes(Tape("made", tuple(TapeBlock(content) for content in contents)))
    assert [block.content for block in parse_tap(data).blocks] == contents
    assert [bytes(block.data) for block in skoolkit_parse_tap(data).blocks] == contents


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "x.tap: the file is empty"),
        (b"\x13", "x.tap: block 1 at offset 0 has 1 byte"),
        (b"\x03\x00ab", "x.tap: block 1 at offset 0 has length 3, but only 2 bytes follow in the file"),
        (b"\x02\x00ab\x00\x00", "x.tap: block 2 at offset 4 has length 0, the least is 2"),
        (b"\x02\x00ab\x01\x00a", "x.tap: block 2 at offset 4 has length 1, the least is 2"),
        (b"\x02\x00ab\x02", "x.tap: block 2 at offset 4 has 1 byte"),
        (b"\x02\x00ab\x02\x00a", "x.tap: block 2 at offset 4 has length 2, but only 1 bytes follow"),
        (b"ZXTape!\x1a\x01\x14", "x.tap: block 1 at offset 0 has length 22618, but only 8 bytes follow"),
    ],
)
def test_a_malformed_file_names_block_and_offset(data: bytes, message: str) -> None:
    with pytest.raises(UserError, match=message):
        parse_tap(data, "x.tap")


@given(data=st.binary(max_size=100))
def test_any_bytes_are_a_tape_or_a_user_error(data: bytes) -> None:
    try:
        tape = parse_tap(data)
    except UserError:
        return
    assert tap_bytes(tape) == data


def test_a_missing_file_is_an_os_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        read_tape(tmp_path / "none.tap")
