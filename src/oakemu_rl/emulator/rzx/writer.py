# SPDX-License-Identifier: GPL-3.0-or-later
"""Writing RZX files, version 0.13."""

import struct
import zlib
from importlib.metadata import version
from pathlib import Path

from oakemu_rl._whole_file import write_whole
from oakemu_rl.emulator.rzx.recording import FrameInputs, Rzx, RzxCreator, RzxSnapshot
from oakemu_rl.errors import UserError

__all__ = ["CREATOR_NAME", "rzx_bytes", "this_creator", "write_rzx"]

CREATOR_NAME = "OakEmu-RL"

_CREATOR, _SNAPSHOT, _INPUT = 0x10, 0x30, 0x80
_PACKED = 2
_REPEATED = 0xFFFF


def this_creator() -> RzxCreator:
    """What our own recordings say made them."""
    major, minor = version("oakemu-rl").split(".")[:2]
    return RzxCreator(CREATOR_NAME, int(major), int(minor))


def write_rzx(path: str | Path, recording: Rzx, *, compressed: bool = True) -> None:
    """Writes a recording, whole or not at all; an existing file is replaced.

    Args:
        path: The file.
        recording: What it shall hold. The snapshots are embedded.
        compressed: Pack snapshots and input with zlib.

    Raises:
        UserError: It cannot be written, or the recording does not fit into the format.
    """
    path = Path(path)
    data = rzx_bytes(recording, compressed=compressed)
    try:
        write_whole(path, data)
    except OSError as error:
        raise UserError(f"cannot write the recording {path}: {error.strerror or error}") from error


def rzx_bytes(recording: Rzx, *, compressed: bool = True) -> bytes:
    """A recording in the RZX format, version 0.13.

    Raises:
        UserError: It does not fit into the format.
    """
    creator = recording.creator or this_creator()
    out = [b"RZX!\0\x0d\0\0\0\0", _block(_CREATOR, _creator(creator))]
    for part in recording.parts:
        if part.snapshot is not None:
            out.append(_block(_SNAPSHOT, _snapshot(part.snapshot, compressed=compressed)))
        out.append(_block(_INPUT, _input(part.inputs, compressed=compressed)))
    return b"".join(out)


def _block(kind: int, body: bytes) -> bytes:
    return struct.pack("<BI", kind, 5 + len(body)) + body


def _creator(creator: RzxCreator) -> bytes:
    return struct.pack("<20sHH", creator.name.encode("ascii", "replace")[:19], creator.major, creator.minor)


def _snapshot(snapshot: RzxSnapshot, *, compressed: bool) -> bytes:
    flags = _PACKED if compressed else 0
    data = zlib.compress(snapshot.data, 9) if compressed else snapshot.data
    return struct.pack("<I4sI", flags, snapshot.extension.encode("ascii")[:3], len(snapshot.data)) + data


def _input(inputs: FrameInputs, *, compressed: bool) -> bytes:
    data = _frames(inputs)
    flags = _PACKED if compressed else 0
    header = struct.pack("<IBII", len(inputs), 0, inputs.tstates, flags)
    return header + (zlib.compress(data, 9) if compressed else data)


def _frames(inputs: FrameInputs) -> bytes:
    """Each frame's M1 cycles, number of port reads, and what they gave; equal ones in a row are written once."""
    pack = struct.Struct("<HH").pack
    content = inputs.data.tobytes()
    out: list[bytes] = []
    last = b""
    for fetches, start, count in zip(
        inputs.fetches.tolist(), inputs.starts.tolist(), inputs.counts.tolist(), strict=True
    ):
        values = content[start : start + count]
        if count == _REPEATED:
            raise UserError(f"a frame with {count} port reads does not fit into the RZX format")
        if values and values == last:
            out.append(pack(fetches, _REPEATED))
        else:
            out += (pack(fetches, count), values)
            last = values
    return b"".join(out)
