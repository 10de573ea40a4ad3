# SPDX-License-Identifier: GPL-3.0-or-later
"""Reading RZX files, of all versions up to 0.13.

After the 10 bytes of the header (``RZX!``, version, flags) a file is a row of blocks: a byte that says what it is, a
32-bit length of the whole block, and what follows from that. Source: https://worldofspectrum.net/RZXformat.html

Where files differ from that, what counts is what the emulators that wrote them read. Ramsoft's library, which some of
them use, has a repeated frame repeat the last one with port reads, also that of the block before; and it leaves a
block of length 0 at the end of the file if a recording was paused there.
"""

import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Final

import numpy as np

from oakemu_rl.emulator.container import open_content
from oakemu_rl.emulator.rzx.recording import FrameInputs, Rzx, RzxCreator, RzxPart, RzxSnapshot
from oakemu_rl.errors import UserError

__all__ = ["parse_rzx", "read_rzx"]

_SIGNATURE: Final = b"RZX!"
_CREATOR, _SECURITY, _SEAL, _SNAPSHOT, _INPUT = 0x10, 0x20, 0x21, 0x30, 0x80
_NAMES = {
    _CREATOR: "creator",
    _SECURITY: "security information",
    _SEAL: "signature",
    _SNAPSHOT: "snapshot",
    _INPUT: "input recording",
}
_LEAST = {_CREATOR: 29, _SNAPSHOT: 17, _INPUT: 18}
_EXTERNAL, _PACKED_SNAPSHOT = 1, 2
_ENCRYPTED, _PACKED = 1, 2
_REPEATED = 0xFFFF

# An hour of a game that polls its keys all the time has less than this; what is packed may not unfold into more.
_LARGEST = 256 << 20
_LARGEST_SNAPSHOT = 16 << 20


@dataclass(frozen=True, slots=True)
class _Block:
    """One block, and how to speak of it."""

    file: str
    number: int
    offset: int
    kind: int
    body: memoryview
    """What follows the length."""

    @property
    def name(self) -> str:
        kind = _NAMES.get(self.kind, "unknown")
        return f"{self.file}: block {self.number} at offset {self.offset} (0x{self.kind:02X}, {kind})"

    def error(self, problem: str) -> UserError:
        return UserError(f"{self.name} {problem}")

    def unpacked(self, data: memoryview, most: int) -> bytes:
        """What zlib has packed."""
        unpacker = zlib.decompressobj()
        try:
            unfolded = unpacker.decompress(data, most + 1)
        except zlib.error as error:
            raise self.error(f"cannot be unpacked: {error}") from None
        if len(unfolded) > most:
            raise self.error(f"unpacks to more than {most} bytes")
        if not unpacker.eof:
            raise self.error(f"ends within its packed data, after {len(unfolded)} unpacked bytes")
        return unfolded


def read_rzx(path: str | Path, *, snapshot: str | Path | None = None) -> Rzx:
    """Reads an RZX file, also inside of a .zip or .gz, and the snapshot beside it that it may refer to.

    Args:
        path: The file, or ``file.zip:member``.
        snapshot: A snapshot file to start from, in place of the one that the recording has or lacks.

    Raises:
        UserError: It is not an RZX file, damaged, encrypted, or its snapshot is missing.
        OSError: It cannot be read.
    """
    start = None
    if snapshot is not None:
        content = open_content(snapshot)
        start = RzxSnapshot(content.name, Path(content.name).suffix.lstrip(".").lower(), content.data, external=True)
    name, data = _read_file(path)
    return parse_rzx(data, name, folder=Path(path).parent, snapshot=start)


def _read_file(path: str | Path) -> tuple[str, bytes]:
    """The recording's name and bytes. An hour of frames that are not packed is more than other files may have."""
    file = Path(path)
    if file.is_file():
        with file.open("rb") as stream:
            if stream.read(len(_SIGNATURE)) == _SIGNATURE:
                data = _SIGNATURE + stream.read(_LARGEST)
                if len(data) > _LARGEST:
                    raise UserError(f"{path} has more than {_LARGEST} bytes, which no recording has")
                return str(path), data
    content = open_content(path)
    return content.name, content.data


def parse_rzx(
    data: bytes, name: str = "recording", *, folder: Path | None = None, snapshot: RzxSnapshot | None = None
) -> Rzx:
    """Reads the RZX format.

    Args:
        data: The file's bytes.
        name: Where they came from, for messages.
        folder: Where a snapshot lies that the recording refers to; None if there is no such place.
        snapshot: What to start from, in place of the recording's first snapshot.

    Raises:
        UserError: The bytes are not an RZX file, damaged or encrypted, or the snapshot is missing.
    """
    version = _read_header(data, name)
    creator: RzxCreator | None = None
    signed = False
    pending = snapshot
    parts: list[RzxPart] = []
    budget = _LARGEST
    for block in _blocks(data, name):
        if block.kind == _CREATOR and creator is None:
            creator = _read_creator(block)
        elif block.kind in (_SECURITY, _SEAL):
            signed = True
        elif block.kind == _SNAPSHOT and (snapshot is None or parts):
            pending = _read_snapshot(block, folder)
        elif block.kind == _INPUT:
            if pending is None and not parts:
                raise block.error("has no snapshot before it to start from; name one that fits")
            inputs = _read_inputs(block, budget, _last_reads(parts))
            budget -= len(inputs.data)
            parts.append(RzxPart(pending, inputs))
            pending = None
    if not parts:
        raise UserError(f"{name}: there is no block with recorded input (0x{_INPUT:02X})")
    return Rzx(name, tuple(parts), version, creator, signed)


def _read_header(data: bytes, name: str) -> tuple[int, int]:
    if not data.startswith(_SIGNATURE):
        raise UserError(f"{name}: not an RZX file, which begins with {_SIGNATURE.decode()!r}")
    if len(data) < 10:
        raise UserError(f"{name}: the file ends at offset {len(data)}, within its header of 10 bytes")
    version = (data[4], data[5])
    if version[0]:
        raise UserError(f"{name}: RZX version {version[0]}.{version[1]} at offset 4; those that are known begin with 0")
    return version


def _blocks(data: bytes, name: str) -> Iterator[_Block]:
    view = memoryview(data)
    offset, number, has_input = 10, 1, False
    while offset < len(data):
        left = len(data) - offset
        if left < 5:
            raise UserError(f"{name}: the file ends within block {number}, which begins at offset {offset}")
        kind = data[offset]
        length = int.from_bytes(data[offset + 1 : offset + 5], "little")
        if length == 0 and has_input:
            return
        block = _Block(name, number, offset, kind, view[offset + 5 : offset + length])
        least = _LEAST.get(kind, 5)
        if length < least:
            raise block.error(f"has length {length}, the least is {least}")
        if length > left:
            raise block.error(f"has length {length}, but the file ends after {left} bytes of it")
        yield block
        offset += length
        number += 1
        has_input |= kind == _INPUT


def _text(data: bytes) -> str:
    """The characters up to the first zero byte; what is no printable ASCII becomes a question mark."""
    return "".join(chr(code) if 32 <= code < 127 else "?" for code in data.split(b"\0", 1)[0]).strip()


def _read_creator(block: _Block) -> RzxCreator:
    major, minor = struct.unpack_from("<HH", block.body, 20)
    return RzxCreator(_text(bytes(block.body[:20])), major, minor)


def _read_snapshot(block: _Block, folder: Path | None) -> RzxSnapshot:
    flags, extension, size = struct.unpack_from("<I4sI", block.body)
    extension = _text(extension).lstrip(".").lower()
    content = block.body[12:]
    if flags & _EXTERNAL:
        return _find_snapshot(block, extension, bytes(content), folder)
    if size > _LARGEST_SNAPSHOT:
        raise block.error(f"says that its snapshot has {size} bytes, the most is {_LARGEST_SNAPSHOT}")
    data = block.unpacked(content, size) if flags & _PACKED_SNAPSHOT else bytes(content)
    if len(data) != size:
        raise block.error(f"has a snapshot of {len(data)} bytes, but says that there are {size}")
    return RzxSnapshot(block.name, extension, data)


def _find_snapshot(block: _Block, extension: str, descriptor: bytes, folder: Path | None) -> RzxSnapshot:
    """The file that a recording refers to: 4 bytes of a checksum of no fixed kind, then its name."""
    # The name may be a path on the machine of whoever recorded it. Only its last part means something here.
    wanted = PurePosixPath(_text(descriptor[4:]).replace("\\", "/")).name
    if wanted in ("", ".."):
        raise block.error("refers to a snapshot file without naming one")
    if folder is None:
        raise block.error(f"refers to the snapshot file {wanted!r}, which is not part of it")
    files = (path for path in sorted(folder.iterdir()) if path.name.lower() == wanted.lower())
    found = next(filter(Path.is_file, files), None)
    if found is None:
        raise block.error(f"refers to the snapshot file {wanted!r}, which is not in the folder {folder}")
    content = open_content(found)
    return RzxSnapshot(content.name, extension, content.data, external=True)


def _last_reads(parts: list[RzxPart]) -> bytes:
    """What the last frame with port reads read."""
    for part in reversed(parts):
        with_reads = np.flatnonzero(part.inputs.counts)
        if with_reads.size:
            return part.inputs.values(int(with_reads[-1]))
    return b""


def _read_inputs(block: _Block, most: int, last_reads: bytes) -> FrameInputs:
    frames, tstates, flags = struct.unpack_from("<IxII", block.body)
    if flags & _ENCRYPTED:
        raise block.error("is encrypted, and cannot be played")
    content = block.body[13:]
    data = block.unpacked(content, most) if flags & _PACKED else bytes(content)
    if 4 * frames > len(data):
        raise block.error(f"says that it has {frames} frames, but {len(data)} bytes hold no more than {len(data) // 4}")
    found, empty_repeats = _scan_frames(block, data, frames, len(last_reads))
    fetches, starts, counts = np.array(found, dtype=np.int64).reshape(-1, 3).T
    return FrameInputs(
        fetches=fetches.astype(np.uint16),
        starts=np.ascontiguousarray(starts),
        counts=counts.astype(np.uint16),
        data=np.frombuffer(data + last_reads, dtype=np.uint8),
        tstates=tstates,
        empty_repeats=np.array(empty_repeats, dtype=np.int64).reshape(-1, 3),
    )


_Rows = list[tuple[int, int, int]]


def _scan_frames(block: _Block, data: bytes, frames: int, before: int) -> tuple[_Rows, _Rows]:
    """Finds what each frame reads; frames without fetches are none, by custom.

    Args:
        block: For messages.
        data: The frames.
        frames: How many there are. What follows them means nothing.
        before: How many bytes the last frame with port reads before the block read; they stand behind `data`.

    Returns:
        Fetches, start and count of each frame, and the `FrameInputs.empty_repeats`.
    """
    unpack = struct.Struct("<HH").unpack_from
    found: _Rows = []
    empty_repeats: _Rows = []
    size = len(data)
    at, start, count = 0, size, before
    full = (start, count)  # of the last frame with port reads
    for frame in range(frames):
        if at + 4 > size:
            raise block.error(f"has {frames} frames, but its data ends at byte {size}, before frame {frame}")
        fetches, reads = unpack(data, at)
        at += 4
        if reads != _REPEATED:
            start, count = at, reads
            at += reads
            if at > size:
                raise block.error(f"ends at byte {size} of its data, within the {reads} port reads of frame {frame}")
            full = (start, count) if count else full
        elif start == size and not before:
            raise block.error(f"begins with a frame that repeats the one before it (frame {frame})")
        elif not count and full[1]:
            empty_repeats.append((len(found), *full))
        if fetches:
            found.append((fetches, start, count))
    return found, empty_repeats
