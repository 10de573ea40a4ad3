# SPDX-License-Identifier: GPL-3.0-or-later
"""Snapshots in files: read whatever their content is, written as the path's extension says."""

import gzip
import io
import zipfile
from collections.abc import Callable
from pathlib import Path, PurePath

from oakemu_rl._whole_file import write_whole
from oakemu_rl.emulator.container import open_content
from oakemu_rl.emulator.detection import KIND_NAMES, detect, first_bytes
from oakemu_rl.emulator.snapshots.model import Snapshot, Written
from oakemu_rl.emulator.snapshots.sna import format_sna, parse_sna
from oakemu_rl.emulator.snapshots.source import Source
from oakemu_rl.emulator.snapshots.szx import parse_szx
from oakemu_rl.emulator.snapshots.szx_write import format_szx
from oakemu_rl.emulator.snapshots.z80 import parse_z80
from oakemu_rl.emulator.snapshots.z80_write import format_z80
from oakemu_rl.errors import UserError, nearest

__all__ = ["format_snapshot", "parse_snapshot", "read_snapshot", "write_snapshot"]

_PARSERS: dict[str, Callable[[Source], Snapshot]] = {"sna": parse_sna, "z80": parse_z80, "szx": parse_szx}


def read_snapshot(path: str | Path) -> Snapshot:
    """Reads a .sna, .z80 or .szx file, also inside of a .zip or .gz. Its content decides which it is.

    Args:
        path: The file, or ``file.zip:member``.

    Raises:
        OSError: It cannot be read.
        UserError: It is no snapshot, a broken one, or one of a machine that is not emulated; the message names file,
            block and offset.
    """
    content = open_content(path)
    return parse_snapshot(content.data, content.name)


def parse_snapshot(data: bytes, name: str = "snapshot") -> Snapshot:
    """Reads the bytes of a .sna, .z80 or .szx file.

    Args:
        data: All bytes of the file.
        name: Where they came from, for messages. Its extension decides nothing but what an unknown file is told about.

    Raises:
        UserError: As `read_snapshot`.
    """
    source = Source(bytes(data), name)
    kind = detect(source.data)
    if kind in _PARSERS:
        return _PARSERS[kind](source)
    if kind is not None:
        raise UserError(f"{name} is {KIND_NAMES[kind]}, not a snapshot")
    called = PurePath(name).suffix.lower().removeprefix(".")
    if called in _PARSERS and data:
        if called == "szx":
            raise source.error("header", 0, f"a .szx file begins with ZXST; {first_bytes(data)}")
        _PARSERS[called](source)  # its complaint is the best that can be said
    raise source.error("header", 0, f"this is no snapshot (.sna, .z80, .szx), tape or recording; {first_bytes(data)}")


def format_snapshot(snapshot: Snapshot, kind: str, *, z80_version: int = 3) -> Written:
    """The bytes of a snapshot in a format.

    Args:
        snapshot: What is written.
        kind: ``sna``, ``z80`` or ``szx``.
        z80_version: The version of a .z80 file: 1, 2 or 3.

    Raises:
        UserError: The format is unknown, or cannot hold this machine.
    """
    if kind == "z80":
        return format_z80(snapshot, z80_version)
    if kind not in _PARSERS:
        guess = nearest(kind, _PARSERS)
        raise UserError(f"unknown format {kind!r} of snapshots, allowed are {', '.join(_PARSERS)}{guess}")
    return format_sna(snapshot) if kind == "sna" else format_szx(snapshot)


def write_snapshot(snapshot: Snapshot, path: str | Path, *, z80_version: int = 3) -> tuple[str, ...]:
    """Writes a snapshot as .sna, .z80 or .szx, as the path's extension says; whole or not at all.

    With ``.gz`` or ``.zip`` behind that, as in ``game.szx.gz``, it is packed as well.

    Args:
        snapshot: What is written.
        path: The file; an existing one is replaced.
        z80_version: The version of a .z80 file: 1, 2 or 3.

    Returns:
        What the snapshot has and the format cannot hold, in words; nothing for .szx.

    Raises:
        OSError: The file cannot be written.
        UserError: It is no snapshot, the extension is unknown, or the format cannot hold this machine.
    """
    if not isinstance(snapshot, Snapshot):
        raise UserError(f"a snapshot is what read_snapshot and from_machine give, not {snapshot!r}")
    path = Path(path)
    packing = path.suffix.lower() if path.suffix.lower() in (".gz", ".zip") else ""
    inner = Path(path.stem) if packing else path
    kind = inner.suffix.lower().removeprefix(".")
    if kind not in _PARSERS:
        allowed = [f".{kind}" for kind in _PARSERS]
        found = f"unknown extension .{kind}" if kind else "there is no extension"
        raise UserError(
            f"{path}: {found}, snapshots are written as {', '.join(allowed)}{nearest(inner.suffix.lower(), allowed)}"
        )
    written = format_snapshot(snapshot, kind, z80_version=z80_version)
    write_whole(path, _pack(written.data, packing, inner.name))
    return written.lost


def _pack(data: bytes, packing: str, name: str) -> bytes:
    """The same bytes every time: no date is in them."""
    if packing == ".gz":
        return gzip.compress(data, mtime=0)
    if packing == ".zip":
        archive = io.BytesIO()
        with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as writer:
            writer.writestr(zipfile.ZipInfo(name), data, zipfile.ZIP_DEFLATED)
        return archive.getvalue()
    return data
