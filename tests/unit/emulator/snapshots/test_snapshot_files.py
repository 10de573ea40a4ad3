# SPDX-License-Identifier: GPL-3.0-or-later
import gzip
import os
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest
from snapshot_cases import REGISTERS, bank, make

from oakemu_rl.emulator import Spectrum
from oakemu_rl.emulator.snapshots import Snapshot, format_snapshot, parse_snapshot, read_snapshot, write_snapshot
from oakemu_rl.errors import UserError


@pytest.mark.parametrize("suffix", ["sna", "z80", "szx"])
@pytest.mark.parametrize("called", ["a.sna", "a.z80", "a.szx", "a.tap", "a", "a.b.png"])
def test_content_decides_not_the_extension(suffix: str, called: str, tmp_path: Path) -> None:
    path = tmp_path / called
    path.write_bytes(format_snapshot(make("128k"), suffix).data)
    snapshot = read_snapshot(path)
    assert snapshot.format.startswith(f".{suffix}")
    assert snapshot.name == str(path)
    assert snapshot.banks == make("128k").banks


@pytest.mark.parametrize("name", ["a.szx", "A.SZX", "a.szx.gz", "a.szx.zip", "a.b.z80", "a.sna.GZ"])
def test_what_is_written_is_read(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    write_snapshot(make("128k"), path)
    assert read_snapshot(path).banks == make("128k").banks
    assert [entry.name for entry in tmp_path.iterdir()] == [name]
    again = path.read_bytes()
    write_snapshot(make("128k"), path)
    assert path.read_bytes() == again


def test_the_packed_file_is_one_that_others_read(tmp_path: Path) -> None:
    write_snapshot(make(), tmp_path / "a.z80.zip")
    write_snapshot(make(), tmp_path / "a.z80.gz")
    with zipfile.ZipFile(tmp_path / "a.z80.zip") as archive:
        assert archive.namelist() == ["a.z80"]
        assert archive.read("a.z80") == gzip.decompress((tmp_path / "a.z80.gz").read_bytes())


def test_what_gets_lost_is_returned(tmp_path: Path) -> None:
    assert write_snapshot(make(t=5), tmp_path / "a.z80", z80_version=1) == ("T = 5",)
    assert write_snapshot(make(t=5), tmp_path / "a.z80") == ()
    assert read_snapshot(tmp_path / "a.z80").format == ".z80 version 3"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("a.zx80", "unknown extension .zx80, snapshots are written as .sna, .z80, .szx (did you mean '.z80'?)"),
        ("a.tap", "unknown extension .tap, snapshots are written as .sna, .z80, .szx"),
        ("a", "there is no extension, snapshots are written as"),
        ("a.gz", "there is no extension, snapshots are written as"),
        ("a.szy.gz", "unknown extension .szy, snapshots are written as .sna, .z80, .szx (did you mean '.szx'?)"),
    ],
)
def test_an_unknown_extension(name: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(UserError) as raised:
        write_snapshot(make(), tmp_path / name)
    assert str(raised.value).startswith(f"{tmp_path / name}: {message}")
    assert list(tmp_path.iterdir()) == []


def test_a_file_is_replaced_whole(tmp_path: Path) -> None:
    path = tmp_path / "a.szx"
    path.write_bytes(b"old")
    os.link(path, tmp_path / "reader")  # as somebody sees it who has it open
    write_snapshot(make(), path)
    assert (tmp_path / "reader").read_bytes() == b"old"
    assert read_snapshot(path).banks == make().banks


def test_a_file_that_cannot_be_written_stays_as_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.szx"
    path.write_bytes(b"old")

    def full(_descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        write_snapshot(make(), path)
    assert path.read_bytes() == b"old"
    assert [entry.name for entry in tmp_path.iterdir()] == ["a.szx"]


def test_an_error_names_the_file_that_was_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "nowhere" / "a.szx"
    with pytest.raises(FileNotFoundError) as raised:
        write_snapshot(make(), path)
    assert raised.value.filename == str(path)


@pytest.mark.parametrize(
    ("data", "name", "message"),
    [
        (
            b"",
            "a.sna",
            "a.sna: header at offset 0: this is no snapshot (.sna, .z80, .szx), tape or recording; it is empty",
        ),
        (
            b"GIF89a",
            "a.gif",
            "this is no snapshot (.sna, .z80, .szx), tape or recording; it begins with 47 49 46 38 39 61",
        ),
        (
            b"GIF89a",
            "a.szx",
            "a.szx: header at offset 0: a .szx file begins with ZXST; it begins with 47 49 46 38 39 61",
        ),
        (b"GIF89a", "a.SNA", "a.SNA: end of the file at offset 6: a .sna file has 49179, 131103 or 147487 bytes"),
        (b"GIF89a", "a.z80", "a.z80: header at offset 6: the file ends here, a .z80 header has 30 bytes"),
        (b"\x02\x00\xff\xff", "a.sna", "a.sna is a tape (.tap), not a snapshot"),
        (b"ZXTape!\x1a\x01\x14", "a.sna", "a.sna is a tape (.tzx), not a snapshot"),
        (b"PZXT....", "a", "a is a tape (.pzx), not a snapshot"),
        (b"RZX!....", "a", "a is a recording (.rzx), not a snapshot"),
    ],
)
def test_what_is_no_snapshot(data: bytes, name: str, message: str) -> None:
    with pytest.raises(UserError) as raised:
        parse_snapshot(data, name)
    assert message in str(raised.value)


def test_a_missing_file_is_an_os_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        read_snapshot(tmp_path / "none.sna")
    with pytest.raises(FileNotFoundError):
        read_snapshot(tmp_path / "none.zip:a.sna")


# Snapshots made in Python


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"machine": "48"}, "unknown machine '48', allowed are 48k, 128k, plus2 (did you mean '48k'?)"),
        ({"registers": {**REGISTERS, "af": 0x10000}}, "af is 65536, allowed are 0 to 65535"),
        ({"registers": {**REGISTERS, "im": 3}}, "im is 3, allowed are 0 to 2"),
        ({"registers": {**REGISTERS, "a": 3}}, "unknown register 'a'; there are af, bc,"),
        ({"registers": {"af": 0}}, "register 'bc' is missing; there are"),
        ({"registers": {**REGISTERS, "q": 0x35}}, "q is 53, it is F or 0"),
        ({"banks": {5: bank(5), 2: bank(2)}}, "the RAM banks of a 48k are 5, 2, 0, there are 2, 5"),
        ({"banks": {5: bank(5), 2: bank(2), 0: b""}}, "bank 0 has 0 bytes, a bank has 16384"),
        ({"border": 8}, "border is 8, allowed are 0 to 7"),
        ({"t": 69888}, "t is 69888, allowed are 0 to 69887"),
        ({"t": -1}, "t is -1, allowed are 0 to 69887"),
        ({"port_fe": 6}, "port_fe is 6, its low 3 bits are not the border 5"),
        ({"port_fe": 256}, "port_fe is 256, allowed are 0 to 255"),
        ({"port_7ffd": 1}, "a 48k has neither port 0x7FFD nor a sound chip"),
        ({"ay": bytes(16)}, "a 48k has neither port 0x7FFD nor a sound chip"),
    ],
)
def test_what_does_not_fit_a_machine(changes: dict[str, object], message: str) -> None:
    with pytest.raises(UserError) as raised:
        replace(make(), **changes)
    assert str(raised.value).startswith(f"snapshot: {message}")


def test_a_sound_chip_has_16_registers() -> None:
    with pytest.raises(UserError, match="ay has 15 bytes"):
        make("128k", ay=bytes(15))


def test_equality_is_of_the_machine_not_of_the_file() -> None:
    assert replace(make(), name="other", format=".szx", warnings=("odd",)) == make()
    assert replace(make(), border=6) != make()
    assert isinstance(make(), Snapshot)


def test_a_machine_is_no_snapshot(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="a snapshot is what read_snapshot and from_machine give, not Spectrum"):
        write_snapshot(Spectrum(), tmp_path / "a.sna")  # type: ignore[arg-type]  # under test
    assert not list(tmp_path.iterdir())
