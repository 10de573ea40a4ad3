# SPDX-License-Identifier: GPL-3.0-or-later
"""Opens files, also inside of .zip and .gz, within limits that no archive can break."""

import gzip
import io
import struct
import zipfile
import zlib
from dataclasses import dataclass
from pathlib import Path

from oakemu_rl.emulator.detection import KIND_NAMES, detect
from oakemu_rl.errors import UserError, nearest

__all__ = ["MAX_CONTENT_BYTES", "MAX_FILE_BYTES", "Content", "open_content", "unpack"]

MAX_FILE_BYTES = 16 << 20
MAX_CONTENT_BYTES = 8 << 20
"""Of one file after unpacking: a snapshot has at most 0.2 MB, a long tape or recording a few."""
_MAX_TOTAL_BYTES = 32 << 20  # of all members of an archive that are looked into, and all levels
_MAX_DEPTH = 1  # a packed file in a packed file
_MAX_MEMBERS = 2000
_LISTED_MEMBERS = 8

_GZIP = b"\x1f\x8b\x08"
_ZIP = (b"PK\x03\x04", b"PK\x05\x06")
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)  # others are rare, and LZMA may ask for any amount of memory
_ENCRYPTED = 1
_KNOWN_SUFFIXES = tuple(f".{kind}" for kind in KIND_NAMES)

# What Python's readers of archives raise when the bytes are wrong. They have no common base but Exception.
_BROKEN = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    EOFError,
    NotImplementedError,
    OSError,  # gzip.BadGzipFile
    OverflowError,
    UnicodeDecodeError,
    ValueError,
)


@dataclass(frozen=True, slots=True)
class Content:
    """A file, unpacked."""

    name: str
    """The path, with ``:member`` behind it if it came out of a .zip; for messages."""
    data: bytes

    @property
    def kind(self) -> str | None:
        """What it is by its content, as `detect` says."""
        return detect(self.data)


def open_content(path: str | Path) -> Content:
    """Reads a file; from a .zip the one member that is a snapshot, a tape or a recording.

    Args:
        path: A file, or ``file.zip:member`` for a certain member of an archive.

    Raises:
        OSError: The file cannot be read.
        UserError: It is too large, broken, holds nothing usable or several files of which one has to be named.
    """
    file, member = _split_member(str(path))
    with file.open("rb") as stream:
        data = stream.read(MAX_FILE_BYTES + 1)
    if len(data) > MAX_FILE_BYTES:
        raise UserError(
            f"{file}: the file has more than {MAX_FILE_BYTES} bytes, which no snapshot, tape or recording has"
        )
    return unpack(data, str(file), member)


def unpack(data: bytes, name: str, member: str | None = None) -> Content:
    """What `open_content` does after reading the file.

    Args:
        data: The bytes of the file.
        name: Its path, for messages.
        member: The member of a .zip that is wanted.

    Raises:
        UserError: As `open_content`.
    """
    if len(data) > MAX_CONTENT_BYTES and not data.startswith((*_ZIP, _GZIP)):
        raise UserError(f"{name}: the file has {len(data)} bytes, at most {MAX_CONTENT_BYTES} are read")
    return _Unpacker().unpack(Content(name, data), member, depth=0)


def _split_member(path: str) -> tuple[Path, str | None]:
    """The file and the member of ``file.zip:member``. A file whose own name has a colon is itself."""
    if Path(path).exists():
        return Path(path), None
    place = path.find(":")
    while place != -1:
        if Path(path[:place]).is_file():
            return Path(path[:place]), path[place + 1 :]
        place = path.find(":", place + 1)
    return Path(path), None


class _Unpacker:
    """Unpacks one file, and adds up what comes out."""

    def __init__(self) -> None:
        self._left = _MAX_TOTAL_BYTES

    def unpack(self, content: Content, member: str | None, *, depth: int) -> Content:
        packed = content.data.startswith((*_ZIP, _GZIP))
        if packed and depth > _MAX_DEPTH:
            raise UserError(f"{content.name}: a packed file in a packed file in a packed file; unpack it by hand")
        if content.data.startswith(_ZIP):
            return self._from_zip(content, member, depth)
        if member is not None:
            raise UserError(f"{content.name} is no .zip file, so there is no member {member!r} in it")
        if packed:
            return self.unpack(Content(content.name, self._gunzip(content)), None, depth=depth + 1)
        return content

    def _gunzip(self, content: Content) -> bytes:
        try:
            with gzip.GzipFile(fileobj=io.BytesIO(content.data)) as stream:
                data = stream.read(MAX_CONTENT_BYTES + 1)
        except _BROKEN as error:
            raise UserError(f"{content.name}: the gzip data is broken: {error}") from error
        self._count(data, content.name)
        return data

    def _from_zip(self, content: Content, wanted: str | None, depth: int) -> Content:
        try:
            with zipfile.ZipFile(io.BytesIO(content.data)) as archive:
                members = [
                    info for info in archive.infolist() if not info.filename.endswith("/")
                ]  # is_dir fails on no name
                if wanted is not None:
                    return self._read_member(archive, _find_member(members, wanted, content.name), content.name, depth)
                return self._choose(archive, members, content.name, depth)
        except UserError:
            raise
        except _BROKEN as error:
            raise UserError(f"{content.name}: the .zip file is broken or of an unknown kind: {error}") from error

    def _choose(self, archive: zipfile.ZipFile, members: list[zipfile.ZipInfo], name: str, depth: int) -> Content:
        """The one member that is of a known kind by its content; failing that, the one that is called so."""
        if len(members) > _MAX_MEMBERS:
            raise UserError(f"{name}: the archive has {len(members)} members, at most {_MAX_MEMBERS} are looked at")
        known: list[Content] = []
        called_so: list[Content] = []
        problems: list[UserError] = []
        for info in members:
            has_suffix = info.filename.lower().endswith(_KNOWN_SUFFIXES)
            if info.file_size > MAX_CONTENT_BYTES and not has_suffix:
                continue  # a scan of the inlay, say
            try:
                content = self._read_member(archive, info, name, depth)
            except UserError as error:
                problems.append(error)
                continue
            if content.kind is not None:
                known.append(content)
            elif has_suffix:
                called_so.append(content)
        if len(known) > 1:
            names = [content.name[len(name) + 1 :] for content in known]
            raise UserError(
                f"{name}: there are several files for a Spectrum in it, {_listed(names)}; name one as {known[0].name}"
            )
        if problems and not known:
            raise problems[0]
        if known or len(called_so) == 1:
            return (known or called_so)[0]  # the parser says what is wrong with one that is only called so
        names = [_printable(info.filename) for info in members]
        raise UserError(
            f"{name}: there is no snapshot, tape or recording in it; it holds {_listed(names) or 'nothing'}"
        )

    def _read_member(self, archive: zipfile.ZipFile, info: zipfile.ZipInfo, name: str, depth: int) -> Content:
        where = f"{name}:{_printable(info.filename)}"
        if info.flag_bits & _ENCRYPTED or info.compress_type not in _METHODS:
            how = "encrypted" if info.flag_bits & _ENCRYPTED else f"packed by method {info.compress_type}"
            raise UserError(
                f"{where} at offset {info.header_offset}: it is {how}, allowed are stored and deflated members"
            )
        try:
            with archive.open(info) as stream:
                data = stream.read(MAX_CONTENT_BYTES + 1)
        except _BROKEN as error:
            raise UserError(
                f"{where} at offset {info.header_offset}: the member cannot be unpacked: {error}"
            ) from error
        self._count(data, where)
        return self.unpack(Content(where, data), None, depth=depth + 1)

    def _count(self, data: bytes, name: str) -> None:
        self._left -= len(data)
        if len(data) > MAX_CONTENT_BYTES:
            raise UserError(f"{name}: it unpacks to more than {MAX_CONTENT_BYTES} bytes, no more are read")
        if self._left < 0:
            raise UserError(
                f"{name}: what is packed here comes to more than {_MAX_TOTAL_BYTES} bytes, no more are read"
            )


def _find_member(members: list[zipfile.ZipInfo], wanted: str, name: str) -> zipfile.ZipInfo:
    for info in members:
        if info.filename == wanted:
            return info
    names = [_printable(info.filename) for info in members]
    raise UserError(f"{name}: there is no member {wanted!r}{nearest(wanted, names)}; there are {_listed(names)}")


def _printable(name: str) -> str:
    return "".join(letter if letter.isprintable() else "?" for letter in name)


def _listed(names: list[str]) -> str:
    shown = names[:_LISTED_MEMBERS]
    more = len(names) - len(shown)
    return ", ".join(shown) + (f" and {more} more" if more else "")
