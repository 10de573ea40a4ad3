# SPDX-License-Identifier: GPL-3.0-or-later
import gzip
import io
import struct
import tracemalloc
import zipfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oakemu_rl.emulator.container import MAX_CONTENT_BYTES, MAX_FILE_BYTES, open_content, unpack
from oakemu_rl.errors import UserError

TAP = b"\x03\x00\xff\x01\xfe"
SNA = bytes(49179)


def zipped(*members: tuple[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", method) as archive:
        for name, data in members:
            archive.writestr(name, data)
    return stream.getvalue()


def write(folder: Path, name: str, data: bytes) -> str:
    (folder / name).write_bytes(data)
    return str(folder / name)


@pytest.mark.parametrize(
    ("data", "suffix"),
    [
        (TAP, ""),
        (gzip.compress(TAP), ""),
        (gzip.compress(gzip.compress(TAP)), ""),
        (zipped(("a.tap", TAP)), ":a.tap"),
        (zipped(("a", TAP)), ":a"),
        (zipped(("folder/", b""), ("folder/a.png", TAP), ("readme.txt", b"Read me!")), ":folder/a.png"),
        (zipped(("a.tap", TAP), method=zipfile.ZIP_STORED), ":a.tap"),
        (gzip.compress(zipped(("a.tap", TAP))), ":a.tap"),
        (zipped(("a.tap.gz", gzip.compress(TAP))), ":a.tap.gz"),
        (zipped(("b.zip", zipped(("a.tap", TAP)))), ":b.zip:a.tap"),
    ],
)
def test_what_is_packed_comes_out(data: bytes, suffix: str, tmp_path: Path) -> None:
    path = write(tmp_path, "x.bin", data)
    content = open_content(path)
    assert (content.name, content.data, content.kind) == (path + suffix, TAP, "tap")
    assert unpack(data, path) == content


def test_a_member_can_be_named(tmp_path: Path) -> None:
    path = write(tmp_path, "x.zip", zipped(("a.tap", TAP), ("b.sna", SNA), ("c:d.txt", b"text")))
    with pytest.raises(
        UserError, match=rf"^{path}: there are several .* in it, a\.tap, b\.sna; name one as {path}:a\.tap$"
    ):
        open_content(path)
    assert open_content(f"{path}:b.sna").kind == "sna"
    assert open_content(f"{path}:c:d.txt").data == b"text"
    with pytest.raises(
        UserError, match=r"there is no member 'b\.snd' \(did you mean 'b\.sna'\?\); there are a\.tap, b"
    ):
        open_content(f"{path}:b.snd")


def test_a_colon_in_a_file_name_is_just_that(tmp_path: Path) -> None:
    write(tmp_path, "a", b"another file")
    assert open_content(write(tmp_path, "a:b.tap", TAP)).data == TAP
    path = write(tmp_path, "plain.tap", TAP)
    with pytest.raises(UserError, match=r"plain\.tap is no \.zip file, so there is no member 'a' in it"):
        open_content(f"{path}:a")
    with pytest.raises(UserError, match=r"plain\.tap\.gz is no \.zip file"):
        open_content(write(tmp_path, "plain.tap.gz", gzip.compress(TAP)) + ":a")
    with pytest.raises(FileNotFoundError):
        open_content(tmp_path / "none.zip:a")


def test_what_is_called_so_is_taken_for_want_of_better() -> None:
    content = unpack(zipped(("a.z80", b"broken"), ("b.txt", b"text")), "x.zip")
    assert (content.name, content.data, content.kind) == ("x.zip:a.z80", b"broken", None)
    assert unpack(zipped(("a.z80", b"broken"), ("b.txt", TAP)), "x.zip").name == "x.zip:b.txt"


DEEP = gzip.compress(gzip.compress(gzip.compress(TAP)))
BOMB = bytes(MAX_CONTENT_BYTES + 1)


def broken_zip() -> bytes:
    data = bytearray(zipped(("a.tap", TAP * 100), method=zipfile.ZIP_STORED))
    data[50] ^= 1
    return bytes(data)


def encrypted_zip() -> bytes:
    data = bytearray(zipped(("a.tap", TAP)))
    data[6] |= 1
    data[data.index(b"PK\x01\x02") + 8] |= 1
    return bytes(data)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (BOMB, "x: the file has 8388609 bytes, at most 8388608 are read"),
        (gzip.compress(BOMB), "x: it unpacks to more than 8388608 bytes, no more are read"),
        (zipped(("a.tap", BOMB)), "x:a.tap: it unpacks to more than 8388608 bytes, no more are read"),
        (zipped(("a.tap", gzip.compress(BOMB))), "x:a.tap: it unpacks to more than 8388608 bytes, no more are read"),
        (
            zipped(*((f"{number}.bin", bytes(MAX_CONTENT_BYTES)) for number in range(5))),
            "x:4.bin: what is packed here comes to more than 33554432 bytes, no more are read",
        ),
        (DEEP, "x: a packed file in a packed file in a packed file; unpack it by hand"),
        (
            zipped(("a.gz", gzip.compress(gzip.compress(TAP)))),
            "x:a.gz: a packed file in a packed file in a packed file",
        ),
        (gzip.compress(TAP)[:-1], "x: the gzip data is broken: "),
        (gzip.compress(TAP)[:12], "x: the gzip data is broken: "),
        (gzip.compress(TAP) + b"?", "x: the gzip data is broken: "),
        (zipped(), "x: there is no snapshot, tape or recording in it; it holds nothing"),
        (
            zipped(("a.txt", b"text"), ("b.txt", b"text")),
            "x: there is no snapshot, tape or recording in it; it holds a.txt, b",
        ),
        (
            zipped(*((f"{number}.txt", b"text") for number in range(11))),
            "it holds 0.txt, 1.txt, 2.txt, 3.txt, 4.txt, 5.txt, 6.txt, 7.txt and 3 more",
        ),
        (
            zipped(("a.z80", b"x"), ("b.sna", b"y")),
            "x: there is no snapshot, tape or recording in it; it holds a.z80, b.sna",
        ),
        (zipped(*((f"{number}", b"") for number in range(2001))), "x: the archive has 2001 members, at most 2000 are"),
        (zipped(("a.tap", TAP))[:-5], "x: the .zip file is broken or of an unknown kind: "),
        (broken_zip(), "x:a.tap at offset 0: the member cannot be unpacked: Bad CRC-32"),
        (
            zipped(("a\nb.tap", TAP), method=zipfile.ZIP_LZMA),
            "x:a?b.tap at offset 0: it is packed by method 14, allowed",
        ),
        (zipped(("a.tap", TAP), method=zipfile.ZIP_BZIP2), "x:a.tap at offset 0: it is packed by method 12, allowed"),
        (encrypted_zip(), "x:a.tap at offset 0: it is encrypted, allowed are stored and deflated members"),
    ],
    ids=range(20),
)
def test_what_cannot_be_unpacked(data: bytes, message: str) -> None:
    with pytest.raises(UserError) as raised:
        unpack(data, "x")
    assert message in str(raised.value)
    assert "\n" not in str(raised.value)


def test_other_members_may_be_broken_or_huge() -> None:
    data = zipped(("scan.tif", bytes(9 << 20)), ("deep.gz", DEEP), ("a.tap", TAP))
    assert unpack(data, "x").name == "x:a.tap"
    with pytest.raises(
        UserError, match=r"^x: there is no snapshot, tape or recording in it; it holds scan\.tif, a\.txt$"
    ):
        unpack(zipped(("scan.tif", bytes(9 << 20)), ("a.txt", b"text")), "x")


def test_a_file_that_is_too_large_is_not_read_whole(tmp_path: Path) -> None:
    path = tmp_path / "x.tap"
    with path.open("wb") as stream:
        stream.truncate(1 << 32)
    tracemalloc.start()
    with pytest.raises(UserError, match=f"the file has more than {MAX_FILE_BYTES} bytes"):
        open_content(path)
    assert tracemalloc.get_traced_memory()[1] < 3 * MAX_FILE_BYTES
    tracemalloc.stop()


def test_a_member_without_a_name() -> None:

    nameless = bytearray(zipped(("n", TAP), method=zipfile.ZIP_STORED))
    central = nameless.index(b"PK\x01\x02")
    nameless[central + 28] = 0  # the length of its name
    nameless[central + 30] = 1  # of an extra field instead
    with pytest.raises(UserError, match=r"^x"):
        unpack(bytes(nameless), "x")


def test_a_folder_is_an_os_error(tmp_path: Path) -> None:
    with pytest.raises(IsADirectoryError):
        open_content(tmp_path)


@settings(max_examples=150, deadline=None)
@given(data=st.data())
def test_mutated_archives_are_opened_or_refused(data: st.DataObject) -> None:
    seed = data.draw(
        st.sampled_from(
            [
                zipped(("a.tap", TAP * 50), ("b.txt", b"text")),
                zipped(("a.tap", TAP * 50), method=zipfile.ZIP_STORED),
                zipped(("a.tap", TAP * 50), method=zipfile.ZIP_BZIP2),
                zipped(("a.tap", TAP * 50), method=zipfile.ZIP_LZMA),
                gzip.compress(TAP * 50, mtime=0),
            ]
        )
    )
    broken = bytearray(seed)
    for _ in range(data.draw(st.integers(1, 4))):
        place = data.draw(st.integers(0, len(broken) - 1))
        broken[place] ^= data.draw(st.one_of(st.integers(0, 255), st.integers(0, 7).map((1).__lshift__)))
    broken = broken[: data.draw(st.one_of(st.just(len(broken)), st.integers(0, len(broken))))]
    if data.draw(st.booleans()) and len(broken) > 30:
        struct.pack_into("<I", broken, data.draw(st.integers(0, len(broken) - 4)), data.draw(st.integers(0, 2**32 - 1)))
    try:
        content = unpack(bytes(broken), "x")
    except UserError as error:
        one_line(error)
    else:
        assert len(content.data) <= MAX_CONTENT_BYTES


def one_line(error: UserError) -> None:
    assert "\n" not in str(error)
