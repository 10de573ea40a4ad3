# SPDX-License-Identifier: GPL-3.0-or-later
"""Whatever the bytes are, they are a snapshot or a UserError of one line, in bounded time and memory."""

import gzip
import tracemalloc
import zlib
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from snapshot_cases import make, szx_block, szx_file, szx_spcr, szx_z80r

from oakemu_rl.emulator.container import unpack
from oakemu_rl.emulator.snapshots import Snapshot, format_snapshot, parse_snapshot
from oakemu_rl.emulator.snapshots.files import _PARSERS
from oakemu_rl.emulator.snapshots.source import Source
from oakemu_rl.errors import UserError

KINDS = ["sna", "z80", "szx"]


@cache
def good_files(kind: str) -> tuple[bytes, ...]:
    flat = {number: bytes([number]) * 16384 for number in range(8)}
    small = [make(), make(banks={number: flat[number] for number in (5, 2, 0)}), make("128k", banks=flat)]
    files = [format_snapshot(snapshot, kind).data for snapshot in small]
    if kind == "z80":
        files += [format_snapshot(small[1], kind, z80_version=version).data for version in (1, 2)]
        files.append(format_snapshot(small[0], kind, z80_version=1).data)
    if kind == "sna":
        files.append(format_snapshot(make("128k", port_7ffd=5), kind).data)
    return tuple(files)


def check(data: bytes, kind: str) -> None:
    """By its content, as whatever its name says, and as what it certainly is not."""
    for parse in (
        lambda: parse_snapshot(data, f"x.{kind}"),
        lambda: parse_snapshot(unpack(data, "x").data, "x"),
        lambda: _PARSERS[kind](Source(data, "x")),
    ):
        try:
            snapshot = parse()
        except UserError as error:
            is_one_line(error)
        else:
            is_whole(snapshot)


def is_one_line(error: UserError) -> None:
    assert "\n" not in str(error)
    assert str(error).startswith("x")


def is_whole(snapshot: Snapshot) -> None:
    """What was accepted can be written and read again, and is the same then."""
    assert parse_snapshot(format_snapshot(snapshot, "szx").data).banks == snapshot.banks
    assert all("\n" not in warning for warning in snapshot.warnings)


@st.composite
def mutated(draw: st.DrawFn, files: tuple[bytes, ...]) -> bytes:
    data = bytearray(draw(st.sampled_from(files)))
    for _ in range(draw(st.integers(1, 3))):
        highest = draw(st.sampled_from([min(len(data), 100), len(data)])) - 1
        place = draw(st.integers(0, max(highest, 0)))
        how = draw(st.sampled_from(["flip", "byte", "word", "cut", "end", "insert", "repeat"]))
        if how == "flip" and data:
            data[place] ^= 1 << draw(st.integers(0, 7))
        elif how == "byte" and data:
            data[place] = draw(st.integers(0, 255))
        elif how == "word":
            data[place : place + 2] = draw(
                st.sampled_from([b"\0\0", b"\1\0", b"\xff\xff", b"\0\x40", b"\xff\x3f", b"\xed\xed"])
            )
        elif how == "cut":
            del data[place : place + draw(st.integers(1, 20000))]
        elif how == "end":
            del data[place:]
        elif how == "insert":
            data[place:place] = draw(st.binary(max_size=40))
        elif how == "repeat":
            data[place:place] = data[place : place + draw(st.integers(1, 17000))]
    return bytes(data)


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=150, deadline=None)
@given(data=st.data())
def test_mutated_files(kind: str, data: st.DataObject) -> None:
    check(data.draw(mutated(good_files(kind))), kind)


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=100, deadline=None)
@given(data=st.binary(max_size=400))
def test_random_bytes(kind: str, data: bytes) -> None:
    check(data, kind)


@pytest.mark.parametrize("kind", KINDS)
def test_every_length_of_a_small_file(kind: str) -> None:
    data = min(good_files(kind), key=len)
    for length in (*range(min(len(data), 700)), *range(700, len(data), 997)):
        with pytest.raises(UserError, match=r"x.*offset \d+: "):
            parse_snapshot(data[:length], f"x.{kind}")


@settings(max_examples=150, deadline=None)
@given(
    blocks=st.lists(
        st.one_of(
            st.sampled_from([szx_z80r(), szx_spcr()]),
            st.builds(
                lambda letters, size, data: letters + size.to_bytes(4, "little") + data,
                st.sampled_from(
                    [b"Z80R", b"SPCR", b"RAMP", b"AY\0\0", b"KEYB", b"JOY\0", b"CRTR", b"IF1\0", b"\n\n\n\n"]
                ),
                st.one_of(st.integers(0, 60), st.integers(0, 2**32 - 1)),
                st.binary(max_size=60),
            ),
            st.builds(szx_block, st.sampled_from([b"RAMP", b"ATRP", b"AY", b"ROM"]), st.binary(max_size=60)),
            st.binary(min_size=10, max_size=60).map(lambda data: szx_block(b"RAMP", b"\1\0\5" + zlib.compress(data))),
        ),
        max_size=6,
    ),
    machine=st.integers(0, 17),
    minor=st.integers(0, 6),
)
def test_random_blocks(blocks: list[bytes], machine: int, minor: int) -> None:
    check(szx_file(*blocks, machine=machine, minor=minor), "szx")


BOMBS = {
    "szx": szx_file(szx_block(b"RAMP", b"\1\0\5" + zlib.compress(bytes(16 << 20), 9)), machine=1),
    # A megabyte of runs of 255 bytes: 64 MB if nobody stopped.
    "z80": good_files("z80")[3][:30] + b"\xed\xed\xff\x01" * (1 << 18) + b"\x00\xed\xed\x00",
    "gz": gzip.compress(bytes(64 << 20)),
}


@pytest.mark.parametrize(("kind", "limit"), [("szx", 1 << 20), ("z80", 4 << 20), ("gz", 34 << 20)])
def test_bombs_take_no_memory(kind: str, limit: int) -> None:
    tracemalloc.start()
    with pytest.raises(UserError):
        parse_snapshot(unpack(BOMBS[kind], "x").data, f"x.{kind}")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < limit
