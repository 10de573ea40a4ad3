# SPDX-License-Identifier: GPL-3.0-or-later
r"""Recordings as files: ``.demo``.

    0   8   "\x89DEMO\r\n\x1a"
    8   4   version
    12  4   length of the head
    16  4   CRC-32 of the head
    20      the head: JSON, UTF-8; what it says of arrays is their names, types and shapes
            the arrays one after the other, packed as one frame of Zstandard with a checksum

Numbers are little-endian. The head can be read alone, however long the episode is. Machines (that at the start, and the
keyframes) are split into pages, of which equal ones are kept once.
"""

import json
import struct
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any, Self

import numpy as np
import zstandard
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from oakemu_rl._whole_file import write_whole
from oakemu_rl.demos.demo import Demo, Source
from oakemu_rl.demos.finding import SUFFIX, find_demo
from oakemu_rl.demos.pages import join_states, split_states
from oakemu_rl.errors import UserError

__all__ = ["VERSION", "DemoHead", "load_demo", "read_head", "save_demo"]

VERSION = 1

_MAGIC = b"\x89DEMO\r\n\x1a"
_PREFIX = struct.Struct("<8sIII")
_MAX_HEAD = 16 << 20
_MAX_ARRAYS = 1 << 30
_LEVEL = 10
# By name, in the order in which they are written: type, and number of dimensions.
_ARRAYS = {
    "pages": ("u1", 2),
    "states": ("<u4", 2),
    "keyframes": ("<i8", 1),
    "keys": ("u1", 2),
    "actions": ("<i8", 1),
    "step_frames": ("<i8", 1),
    "checks": ("<u8", 1),
}
_OPTIONAL = {"actions", "step_frames"}


class DemoHead(BaseModel):
    """What a recording says of itself before its arrays; see `Demo`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    game_id: str
    fingerprint: str
    machine: str
    settings: dict[str, Any]
    action_meanings: tuple[str, ...]
    seed: int | None
    source: Source
    outcome: str
    episode_return: float | None
    check_every: int = Field(ge=1)
    markers: tuple[tuple[int, str], ...]
    state_bytes: int = Field(ge=1, le=1 << 24, description="Length of a saved machine.")
    arrays: dict[str, tuple[int, ...]]

    @classmethod
    def of(cls, demo: Demo, arrays: Mapping[str, NDArray[Any]]) -> Self:
        """The head of a recording."""
        return cls(
            game_id=demo.game_id,
            fingerprint=demo.fingerprint,
            machine=demo.machine,
            settings=dict(demo.settings),
            action_meanings=demo.action_meanings,
            seed=demo.seed,
            source=demo.source,
            outcome=demo.outcome,
            episode_return=demo.episode_return,
            check_every=demo.check_every,
            markers=demo.markers,
            state_bytes=len(demo.start),
            arrays={name: array.shape for name, array in arrays.items()},
        )

    @property
    def frames(self) -> int:
        """F."""
        return self.arrays["keys"][0]

    @property
    def steps(self) -> int | None:
        """S; None where nobody took steps."""
        return self.arrays["actions"][0] if "actions" in self.arrays else None


def save_demo(path: str | Path, demo: Demo) -> None:
    """Writes a recording; an existing file is replaced, and stays if that fails.

    Raises:
        OSError: It cannot be written.
    """
    pages, states = split_states([demo.start, *(state for _, state in demo.keyframes)])
    arrays: dict[str, NDArray[Any]] = {
        "pages": pages,
        "states": states,
        "keyframes": np.array([frame for frame, _ in demo.keyframes], np.int64),
        "keys": demo.keys,
        "checks": demo.checks,
    }
    if demo.actions is not None and demo.step_frames is not None:
        arrays |= {"actions": demo.actions, "step_frames": demo.step_frames}
    head = DemoHead.of(demo, arrays).model_dump_json().encode()
    body = b"".join(np.ascontiguousarray(arrays[name], kind).tobytes() for name, kind, _ in _kinds(arrays))
    packed = zstandard.ZstdCompressor(level=_LEVEL, write_checksum=True).compress(body)
    write_whole(Path(path), _PREFIX.pack(_MAGIC, VERSION, len(head), zlib.crc32(head)) + head + packed)


def read_head(path: str | Path) -> DemoHead:
    """Reads what a recording says of itself, and not its arrays.

    Args:
        path: As of `load_demo`.

    Raises:
        OSError: The file cannot be read.
        UserError: It is no recording, damaged, cut off, or of another version.
    """
    with find_demo(path).open("rb") as stream:
        return _read_head(stream, str(path))


def load_demo(path: str | Path) -> Demo:
    """Reads a recording.

    Args:
        path: A file, or the name of a game of which a recording ships with the package.

    Raises:
        OSError: The file cannot be read.
        UserError: It is no recording, damaged, cut off, or of another version; ``file: what is wrong``.
    """
    with find_demo(path).open("rb") as stream:
        head = _read_head(stream, str(path))
        arrays = _unpack(head, stream.read(_MAX_ARRAYS), str(path))
    try:
        return _demo(head, arrays)
    except (UserError, IndexError) as error:
        raise UserError(f"{path}: damaged: {str(error).removeprefix('recording: ')}") from error


def _read_head(stream: IO[bytes], name: str) -> DemoHead:
    prefix = stream.read(_PREFIX.size)
    if not prefix.startswith(_MAGIC):
        raise UserError(f"{name}: not a recording ({SUFFIX})")
    if len(prefix) < _PREFIX.size:
        raise UserError(f"{name}: the recording is cut off after {len(prefix)} bytes")
    _, version, length, crc = _PREFIX.unpack(prefix)
    if version != VERSION:
        raise UserError(f"{name}: a recording of version {version}; this program reads version {VERSION}")
    if length > _MAX_HEAD:
        raise UserError(f"{name}: damaged: its head has {length} bytes, at most {_MAX_HEAD} are read")
    text = stream.read(length)
    if len(text) < length:
        raise UserError(f"{name}: the recording is cut off after {_PREFIX.size + len(text)} bytes")
    if zlib.crc32(text) != crc:
        raise UserError(f"{name}: damaged: the checksum of its head is wrong")
    try:
        head = DemoHead.model_validate_json(text)
    except ValidationError as error:
        first = error.errors()[0]
        raise UserError(f"{name}: damaged: {'.'.join(map(str, first['loc']))}: {first['msg']}") from error
    _check_arrays(head, name)
    return head


def _check_arrays(head: DemoHead, name: str) -> None:
    wanted = set(_ARRAYS) if "actions" in head.arrays else set(_ARRAYS) - _OPTIONAL
    if set(head.arrays) != wanted or any(len(head.arrays[each]) != _ARRAYS[each][1] for each in wanted):
        raise UserError(f"{name}: damaged: its arrays are {json.dumps(head.arrays)}")


def _unpack(head: DemoHead, packed: bytes, name: str) -> dict[str, NDArray[Any]]:
    sizes = {each: int(np.prod(head.arrays[each], dtype=object)) for each, _, _ in _kinds(head.arrays)}
    nbytes = sum(sizes[each] * np.dtype(kind).itemsize for each, kind, _ in _kinds(head.arrays))
    if not 0 <= nbytes <= _MAX_ARRAYS or min(map(min, head.arrays.values())) < 0:
        raise UserError(f"{name}: damaged: its arrays have {nbytes} bytes, at most {_MAX_ARRAYS} are read")
    try:
        stream = zstandard.ZstdDecompressor(max_window_size=_MAX_ARRAYS).decompressobj()
        body = stream.decompress(packed) if zstandard.frame_content_size(packed) == nbytes else b""
        complete = stream.eof and not stream.unused_data
    except zstandard.ZstdError as error:
        raise UserError(f"{name}: the recording is cut off or damaged ({error})") from None
    if len(body) != nbytes or not complete:
        raise UserError(f"{name}: the recording is cut off or damaged: there are {len(body)} bytes of {nbytes}")
    arrays, place = {}, 0
    for each, kind, _ in _kinds(head.arrays):
        arrays[each] = np.frombuffer(body, kind, sizes[each], place).reshape(head.arrays[each])
        place += arrays[each].nbytes
    return arrays


def _kinds(arrays: Mapping[str, object]) -> list[tuple[str, str, int]]:
    return [(name, *kind) for name, kind in _ARRAYS.items() if name in arrays]


def _demo(head: DemoHead, arrays: Mapping[str, NDArray[Any]]) -> Demo:
    start, *machines = join_states(arrays["pages"], arrays["states"], head.state_bytes)
    if len(machines) != len(arrays["keyframes"]):
        raise UserError(f"it has {len(arrays['keyframes'])} keyframes, but machines of {len(machines)}")
    return Demo(
        game_id=head.game_id,
        fingerprint=head.fingerprint,
        machine=head.machine,
        settings=head.settings,
        action_meanings=head.action_meanings,
        start=start,
        keys=arrays["keys"],
        actions=arrays.get("actions"),
        step_frames=arrays.get("step_frames"),
        seed=head.seed,
        source=head.source,
        outcome=head.outcome,
        episode_return=head.episode_return,
        check_every=head.check_every,
        checks=arrays["checks"],
        keyframes=tuple(zip(arrays["keyframes"].tolist(), machines, strict=True)),
        markers=head.markers,
    )
