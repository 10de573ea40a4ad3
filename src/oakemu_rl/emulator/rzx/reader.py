# SPDX-License-Identifier: GPL-3.0-or-later
"""Reading RZX files, versions 0.12 and 0.13.

After the 10 bytes of the header (``RZX!``, version, flags) a file is a row of blocks: a byte that says what it is, a
32-bit length of the whole block, and what follows from that. Source: https://worldofspectrum.net/RZXformat.html
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
_VERSIONS: Final = ((0, 12), (0, 13))
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
            inputs = _read_inputs(block, budget)
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
    if version not in _VERSIONS:
        known = " and ".join(f"{major}.{minor}" for major, minor in _VERSIONS)
        raise UserError(f"{name}: RZX version {version[0]}.{version[1]} at offset 4; {known} are known")
    return version


def _blocks(data: bytes, name: str) -> Iterator[_Block]:
    view = memoryview(data)
    offset, number = 10, 1
    while offset < len(data):
        left = len(data) - offset
        if left < 5:
            raise UserError(f"{name}: the file ends within block {number}, which begins at offset {offset}")
        kind = data[offset]
        length = int.from_bytes(data[offset + 1 : offset + 5], "little")
        block = _Block(name, number, offset, kind, view[offset + 5 : offset + length])
        least = _LEAST.get(kind, 5)
        if length < least:
            raise block.error(f"has length {length}, the least is {least}")
        if length > left:
            raise block.error(f"has length {length}, but the file ends after {left} bytes of it")
        yield block
        offset += length
        number += 1


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


def _read_inputs(block: _Block, most: int) -> FrameInputs:
    frames, tstates, flags = struct.unpack_from("<IxII", block.body)
    if flags & _ENCRYPTED:
        raise block.error("is encrypted, and cannot be played")
    content = block.body[13:]
    data = block.unpacked(content, most) if flags & _PACKED else bytes(content)
    if 4 * frames > len(data):
        raise block.error(f"says that it has {frames} frames, but {len(data)} bytes hold no more than {len(data) // 4}")
    fetches, starts, counts = _scan_frames(block, data, frames)
    return FrameInputs(
        fetches=np.array(fetches, dtype=np.uint16),
        starts=np.array(starts, dtype=np.int64),
        counts=np.array(counts, dtype=np.uint16),
        data=np.frombuffer(data, dtype=np.uint8),
        tstates=tstates,
    )


def _scan_frames(block: _Block, data: bytes, frames: int) -> tuple[list[int], list[int], list[int]]:
    unpack = struct.Struct("<HH").unpack_from
    fetches, starts, counts = [0] * frames, [0] * frames, [0] * frames
    size = len(data)
    at, start, count = 0, -1, 0
    for frame in range(frames):
        if at + 4 > size:
            raise block.error(f"has {frames} frames, but its data ends at byte {size}, before frame {frame}")
        fetches[frame], reads = unpack(data, at)
        at += 4
        if reads != _REPEATED:
            start, count = at, reads
            at += reads
            if at > size:
                raise block.error(f"ends at byte {size} of its data, within the {reads} port reads of frame {frame}")
        elif start < 0:
            raise block.error(f"begins with a frame that repeats the one before it (frame {frame})")
        starts[frame], counts[frame] = start, count
    if at != size:
        raise block.error(f"has {size - at} bytes of data after the last of its {frames} frames")
    return fetches, starts, counts
