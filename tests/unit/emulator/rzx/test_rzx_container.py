# SPDX-License-Identifier: GPL-3.0-or-later
"""The container, byte by byte. What it should mean is worked out by hand from the format's description."""

import struct
import zlib
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oakemu_rl.emulator.rzx import FrameInputs, Rzx, RzxCreator, RzxPart, RzxSnapshot, parse_rzx, read_rzx, rzx_bytes
from oakemu_rl.errors import UserError

HEADER = b"RZX!\x00\x0d\x00\x00\x00\x00"
# A snapshot is opaque to the container.
IMAGE = bytes(range(200))


def block(kind: int, body: bytes) -> bytes:
    return struct.pack("<BI", kind, len(body) + 5) + body


def snapshot_block(image: bytes = IMAGE, *, packed: bool = False, extension: bytes = b"z80\0") -> bytes:
    data = zlib.compress(image) if packed else image
    return block(0x30, struct.pack("<I", 2 if packed else 0) + extension + struct.pack("<I", len(image)) + data)


def input_block(frames: bytes, count: int, *, packed: bool = False, tstates: int = 0, flags: int = 0) -> bytes:
    data = zlib.compress(frames) if packed else frames
    return block(0x80, struct.pack("<IBII", count, 0, tstates, flags | (2 if packed else 0)) + data)


# Three frames: 100 fetches with reads BF FF; 101 with the same again; 102 with none.
FRAMES = bytes([100, 0, 2, 0, 0xBF, 0xFF]) + bytes([101, 0, 0xFF, 0xFF]) + bytes([102, 0, 0, 0])


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("minor", [10, 12, 13])
def test_a_file_by_hand(minor: int, packed: bool) -> None:  # noqa: FBT001 - a parameter of the test
    creator = block(0x10, b"Made by hand".ljust(20, b"\0") + bytes([1, 0, 0x2C, 1]) + b"what it likes")
    data = HEADER[:5] + bytes([minor]) + HEADER[6:] + creator
    data += snapshot_block(packed=packed) + input_block(FRAMES, 3, packed=packed, tstates=0x01020304)
    recording = parse_rzx(data, "x.rzx")
    assert recording.version == (0, minor)
    assert recording.creator == RzxCreator("Made by hand", 1, 300)
    assert str(recording.creator) == "Made by hand 1.300"
    assert not recording.signed
    assert recording.frames == 3
    (part,) = recording.parts
    assert part.snapshot is not None
    assert (part.snapshot.extension, part.snapshot.data) == ("z80", IMAGE)
    assert part.inputs.tstates == 0x01020304
    assert part.inputs.fetches.tolist() == [100, 101, 102]
    assert [part.inputs.values(frame) for frame in range(3)] == [b"\xbf\xff", b"\xbf\xff", b""]


def test_signatures_and_unknown_blocks_are_skipped_by_their_length() -> None:
    data = HEADER + block(0x20, bytes(8)) + block(0x11, b"\x80\x30") + snapshot_block() + block(0x7F, b"")
    data += input_block(FRAMES, 3) + block(0x21, bytes(40))
    recording = parse_rzx(data)
    assert recording.frames == 3
    assert recording.signed
    assert recording.creator is None


def test_a_repeated_frame_after_an_empty_one_is_empty() -> None:
    frames = FRAMES + bytes([103, 0, 0xFF, 0xFF])
    (part,) = parse_rzx(HEADER + snapshot_block() + input_block(frames, 4)).parts
    assert part.inputs.values(3) == b""


def test_a_repeated_frame_after_an_empty_one_may_be_the_last_with_reads() -> None:
    empty, repeated, other = bytes([103, 0, 0, 0]), bytes([104, 0, 0xFF, 0xFF]), bytes([105, 0, 1, 0, 0xBB])
    frames = FRAMES + empty + repeated + other + repeated + empty + repeated
    (part,) = parse_rzx(HEADER + snapshot_block() + input_block(frames, 9)).parts
    assert [part.inputs.values(frame) for frame in range(3, 9)] == [b"", b"", b"\xbb", b"\xbb", b"", b""]
    passing = part.inputs.passing_empty()
    assert [passing.values(frame) for frame in range(3, 9)] == [b"", b"\xbf\xff", b"\xbb", b"\xbb", b"", b"\xbb"]
    assert passing.fetches.tolist() == [100, 101, 102, 103, 104, 105, 104, 103, 104]


def test_a_block_may_begin_with_a_repetition_of_the_last_frame_with_reads() -> None:
    second = bytes([104, 0, 0xFF, 0xFF]) + bytes([105, 0, 1, 0, 0xBB]) + bytes([106, 0, 0xFF, 0xFF])
    data = HEADER + snapshot_block() + input_block(FRAMES, 3) + input_block(second, 3, packed=True)
    data += input_block(FRAMES[-4:], 1) + input_block(second, 1)
    parts = parse_rzx(data).parts
    assert [parts[1].inputs.values(frame) for frame in range(3)] == [b"\xbf\xff", b"\xbb", b"\xbb"]
    assert parts[3].inputs.values(0) == b"\xbb"


def test_frames_without_fetches_are_none() -> None:
    none = bytes([0, 0, 1, 0, 0xEE])
    data = HEADER + snapshot_block() + input_block(none + FRAMES[:6] + bytes(4) + FRAMES[6:] + none, 6)
    (part,) = parse_rzx(data).parts
    assert part.inputs.fetches.tolist() == [100, 101, 102]
    # The repetition is of a frame that is none; others take it for that of the last one with reads.
    assert [part.inputs.values(frame) for frame in range(3)] == [b"\xbf\xff", b"", b""]
    assert part.inputs.passing_empty().values(1) == b"\xbf\xff"


def test_what_follows_the_last_frame_means_nothing() -> None:
    for packed in (False, True):
        (part,) = parse_rzx(HEADER + snapshot_block() + input_block(FRAMES, 2, packed=packed)).parts
        assert part.inputs.fetches.tolist() == [100, 101]


def test_an_unfinished_block_of_length_0_ends_the_file() -> None:
    data = HEADER + snapshot_block() + input_block(FRAMES, 3)
    for end in (b"\x80" + bytes(17), bytes(100)):
        assert parse_rzx(data + end).frames == 3
        with pytest.raises(UserError, match="has length 0"):
            parse_rzx(HEADER + snapshot_block() + end)


def test_the_last_snapshot_before_an_input_block_is_the_one() -> None:
    other = bytes(reversed(IMAGE))
    data = HEADER + snapshot_block(other) + snapshot_block(extension=b"SZX\0") + input_block(FRAMES, 3)
    data += input_block(FRAMES, 3) + snapshot_block(other) + input_block(FRAMES, 3) + snapshot_block()
    recording = parse_rzx(data)
    snapshots = [part.snapshot and (part.snapshot.extension, part.snapshot.data) for part in recording.parts]
    assert snapshots == [("szx", IMAGE), None, ("z80", other)]
    assert recording.frames == 9
    assert recording.part_starts == (0, 3, 6)


class TestExternalSnapshot:
    @staticmethod
    def data(name: bytes) -> bytes:
        descriptor = bytes([1, 2, 3, 4]) + name + b"\0"
        body = struct.pack("<I", 1) + b"sna\0" + struct.pack("<I", len(descriptor)) + descriptor
        return HEADER + block(0x30, body) + input_block(FRAMES, 3)

    @pytest.mark.parametrize("name", [b"game.sna", b"C:\\SPEC\\GAME.SNA", b"/home/somebody/Game.sna"])
    def test_is_found_beside_the_file(self, tmp_path: Path, name: bytes) -> None:
        (tmp_path / "x.rzx").write_bytes(self.data(name))
        (tmp_path / "game.sna").write_bytes(IMAGE)
        snapshot = read_rzx(tmp_path / "x.rzx").parts[0].snapshot
        assert snapshot is not None
        assert (snapshot.name, snapshot.data) == (str(tmp_path / "game.sna"), IMAGE)

    def test_can_be_named(self, tmp_path: Path) -> None:
        (tmp_path / "x.rzx").write_bytes(self.data(b"game.sna"))
        (tmp_path / "other.z80").write_bytes(IMAGE)
        snapshot = read_rzx(tmp_path / "x.rzx", snapshot=tmp_path / "other.z80").parts[0].snapshot
        assert snapshot is not None
        assert (snapshot.extension, snapshot.data) == ("z80", IMAGE)

    @pytest.mark.parametrize("name", [b"", b"..", b"../..", b"/"])
    def test_without_a_name(self, tmp_path: Path, name: bytes) -> None:
        with pytest.raises(UserError, match=r"refers to a snapshot file without naming one"):
            parse_rzx(self.data(name), folder=tmp_path)

    def test_that_is_missing(self, tmp_path: Path) -> None:
        (tmp_path / "game.sna").mkdir()
        with pytest.raises(
            UserError, match=r"block 1 at offset 10 \(0x30, snapshot\) refers to .*, which is not in the"
        ):
            parse_rzx(self.data(b"game.sna"), folder=tmp_path)
        with pytest.raises(UserError, match=r"'game.sna', which is not part of it"):
            parse_rzx(self.data(b"game.sna"))


SNAPSHOT = snapshot_block()
INPUT = f"x.rzx: block 2 at offset {10 + len(SNAPSHOT)} (0x80, input recording) "


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "x.rzx: not an RZX file, which begins with 'RZX!'"),
        (b"RZX", "x.rzx: not an RZX file"),
        (b"RZX!\0\x0d\0\0", "x.rzx: the file ends at offset 8, within its header of 10 bytes"),
        (b"RZX!\1\x0d\0\0\0\0", "x.rzx: RZX version 1.13 at offset 4; those that are known begin with 0"),
        (HEADER, "x.rzx: there is no block with recorded input (0x80)"),
        (HEADER + SNAPSHOT, "x.rzx: there is no block with recorded input (0x80)"),
        (HEADER + b"\x10\x1d", "x.rzx: the file ends within block 1, which begins at offset 10"),
        (HEADER + block(0x10, bytes(3)), "x.rzx: block 1 at offset 10 (0x10, creator) has length 8, the least is 29"),
        (HEADER + b"\x55\4\0\0\0", "x.rzx: block 1 at offset 10 (0x55, unknown) has length 4, the least is 5"),
        (HEADER + b"\x55\0\1\0\0", "(0x55, unknown) has length 256, but the file ends after 5 bytes of it"),
        (HEADER + input_block(FRAMES, 3), "(0x80, input recording) has no snapshot before it to start from"),
        (HEADER + SNAPSHOT + input_block(FRAMES, 3, flags=1), INPUT + "is encrypted, and cannot be played"),
        (
            HEADER + SNAPSHOT + input_block(FRAMES[:-3], 3),
            INPUT + "says that it has 3 frames, but 11 bytes hold no more than 2",
        ),
        (
            HEADER + SNAPSHOT + input_block(FRAMES[:4], 1),
            INPUT + "ends at byte 4 of its data, within the 2 port reads of frame 0",
        ),
        (
            HEADER + SNAPSHOT + input_block(FRAMES + bytes(3), 4),
            INPUT + "has 4 frames, but its data ends at byte 17, before frame 3",
        ),
        (
            HEADER + SNAPSHOT + input_block(FRAMES[6:10], 1),
            INPUT + "begins with a frame that repeats the one before it",
        ),
        (HEADER + SNAPSHOT + input_block(FRAMES, 1 << 31), INPUT + "says that it has 2147483648 frames"),
        (HEADER + SNAPSHOT + block(0x80, struct.pack("<IBII", 3, 0, 0, 2) + FRAMES), INPUT + "cannot be unpacked: "),
        (
            HEADER + SNAPSHOT + block(0x80, struct.pack("<IBII", 3, 0, 0, 2) + zlib.compress(FRAMES)[:-6]),
            INPUT + "ends within its packed data",
        ),
        (HEADER + SNAPSHOT[:13] + b"\x10" + SNAPSHOT[14:], "x.rzx: block 1 at offset 10 (0x30, snapshot) "),
        (
            HEADER + block(0x30, struct.pack("<I4sI", 0, b"z80", 7) + bytes(8)),
            "(0x30, snapshot) has a snapshot of 8 bytes, but says that there are 7",
        ),
        (
            HEADER + block(0x30, struct.pack("<I4sI", 2, b"z80", 7) + zlib.compress(bytes(8))),
            "(0x30, snapshot) unpacks to more than 7 bytes",
        ),
        (
            HEADER + block(0x30, struct.pack("<I4sI", 2, b"z80", 9) + zlib.compress(bytes(8))),
            "(0x30, snapshot) has a snapshot of 8 bytes, but says that there are 9",
        ),
        (
            HEADER + block(0x30, struct.pack("<I4sI", 2, b"z80", 1 << 31) + zlib.compress(bytes(8))),
            "(0x30, snapshot) says that its snapshot has 2147483648 bytes, the most is 16777216",
        ),
    ],
)
def test_a_malformed_file_names_block_and_offset(data: bytes, message: str) -> None:
    with pytest.raises(UserError) as caught:
        parse_rzx(data, "x.rzx")
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_packed_input_that_unfolds_without_end_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("oakemu_rl.emulator.rzx.reader._LARGEST", 1000)
    small = input_block(bytes([1, 0, 0, 0] * 100), 100, packed=True)
    assert parse_rzx(HEADER + SNAPSHOT + small + small).frames == 200
    with pytest.raises(UserError, match=r"block 4 .* unpacks to more than 200 bytes"):
        parse_rzx(HEADER + SNAPSHOT + small + small + small)


@given(
    frames=st.lists(st.tuples(st.integers(1, 65535), st.binary(max_size=3)), max_size=20),
    tstates=st.integers(0, 69887),
    compressed=st.booleans(),
)
def test_what_is_written_reads_the_same(frames: list[tuple[int, bytes]], tstates: int, *, compressed: bool) -> None:
    inputs = FrameInputs.from_frames(frames, tstates)
    snapshot = RzxSnapshot("made", "szx", IMAGE)
    first = Rzx("made", (RzxPart(snapshot, inputs), RzxPart(None, inputs)))
    data = rzx_bytes(first, compressed=compressed)
    second = parse_rzx(data)
    assert [part.inputs for part in second.parts] == [inputs, inputs]
    assert second.parts[0].snapshot is not None
    assert second.parts[0].snapshot.data == IMAGE
    assert second.parts[1].snapshot is None
    assert second.creator is not None
    assert second.creator.name == "OakEmu-RL"


def test_equal_frames_are_written_once() -> None:
    inputs = FrameInputs.from_frames([(1, b"ab"), (2, b"ab"), (3, b""), (4, b""), (5, b"ab")])
    data = rzx_bytes(Rzx("made", (RzxPart(RzxSnapshot("made", "z80", b""), inputs),)), compressed=False)
    assert data.endswith(b"\1\0\2\0ab" + b"\2\0\xff\xff" + b"\3\0\0\0" + b"\4\0\0\0" + b"\5\0\2\0ab")


def test_a_frame_with_too_many_reads_cannot_be_written() -> None:
    inputs = FrameInputs.from_frames([(1, bytes(0xFFFF))])
    with pytest.raises(UserError, match="65535 port reads does not fit"):
        rzx_bytes(Rzx("made", (RzxPart(None, inputs),)))


def parse_or_refuse(data: bytes) -> Rzx | None:
    try:
        return parse_rzx(data)
    except UserError as error:
        message = str(error)
    assert "\n" not in message
    return None


@given(data=st.binary(max_size=300))
def test_any_bytes_are_a_recording_or_a_user_error(data: bytes) -> None:
    parse_or_refuse(HEADER + data)


SOUND = HEADER + block(0x10, bytes(24)) + snapshot_block(packed=True) + input_block(FRAMES * 5, 15, packed=True)


@settings(max_examples=300)
@given(
    changes=st.lists(st.tuples(st.integers(0, len(SOUND) - 1), st.integers(0, 255)), max_size=4), cut=st.integers(0, 60)
)
def test_a_damaged_file_is_a_recording_or_a_user_error(changes: list[tuple[int, int]], cut: int) -> None:
    data = bytearray(SOUND)
    for place, value in changes:
        data[place] = value
    recording = parse_or_refuse(bytes(data[: len(data) - cut]))
    for part in recording.parts if recording else ():
        assert all(len(part.inputs.values(k)) == part.inputs.counts[k] for k in range(len(part.inputs)))


def test_an_hour() -> None:
    frames = b"".join(struct.pack("<HH", 17000 + k % 50, 40) + bytes([k % 256]) * 40 for k in range(180_000))
    data = HEADER + snapshot_block() + input_block(frames, 180_000, packed=True)
    recording = parse_rzx(data)
    assert recording.frames == 180_000
    assert recording.parts[0].inputs.values(179_999) == bytes([179_999 % 256]) * 40
