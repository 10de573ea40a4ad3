# SPDX-License-Identifier: GPL-3.0-or-later
import gzip
import hashlib
import zipfile
from importlib import resources
from pathlib import Path

import pytest

from oakemu_rl.cli.main import main
from oakemu_rl.emulator import Spectrum
from oakemu_rl.emulator.rzx import RzxRecorder
from oakemu_rl.emulator.snapshots import from_machine, write_snapshot
from oakemu_rl.games import register_game, registry
from oakemu_rl.games.matching import games_of_program


@pytest.fixture(autouse=True)
def wide(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")


def rows(capsys: pytest.CaptureFixture[str]) -> dict[str, str]:
    """What was printed, by the words in the first column."""
    out, err = capsys.readouterr()
    assert err == ""
    return dict(line.rstrip().split("  ", 1) for line in out.splitlines() if not line.startswith(" "))


def values(capsys: pytest.CaptureFixture[str]) -> dict[str, str]:
    return {name: text.strip() for name, text in rows(capsys).items()}


def machine(model: str) -> Spectrum:
    spectrum = Spectrum(model, kempston=True)
    spectrum.run_frames(100)
    spectrum.registers.pc, spectrum.registers.sp, spectrum.registers.im = 0x8765, 0x7654, 2
    return spectrum


def test_a_128k_snapshot(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    spectrum = machine("128k")
    spectrum.port_7ffd = 0x3B
    spectrum.ay[:] = range(16)
    spectrum._machine.t = 33_000
    path = tmp_path / "game.bin"
    write_snapshot(from_machine(spectrum), tmp_path / "game.szx")
    (tmp_path / "game.szx").rename(path)
    assert main(["games", "check", str(path)]) == 0
    assert values(capsys) == {
        "file": str(path),
        "format": ".szx version 1.5",
        "machine": "ZX Spectrum 128K",
        "PC": "0x8765",
        "SP": "0x7654",
        "interrupts": "enabled, mode 2",
        "border": str(spectrum.border),
        "T": "33000",
        "port 0x7FFD": "0x3B: bank 3 at 0xC000, screen of bank 7, ROM 1, locked",
        "AY": f"{bytes(range(16)).hex(' ').upper()}, register {spectrum._machine.ay_selected}",
        "joystick": "Kempston",
        "problems": "none",
        "SHA-256": hashlib.sha256(path.read_bytes()).hexdigest(),
        "game": "no known game",
    }


def test_a_48k_snapshot_with_a_problem(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "game.sna"
    data = bytearray(49179)
    data[23:25] = b"\x00\x10"
    path.write_bytes(gzip.compress(data))
    assert main(["games", "check", str(path)]) == 0
    found = values(capsys)
    assert found["format"] == ".sna"
    assert found["machine"] == "ZX Spectrum 48K"
    assert found["T"] == "not in this format"
    assert found["problems"].startswith("header at offset 23: SP is 0x1000, so that PC")
    assert found["SHA-256"] == hashlib.sha256(data).hexdigest()
    assert found["SHA-256 packed"] == hashlib.sha256(path.read_bytes()).hexdigest()
    assert "AY" not in found


def test_a_tape_in_an_archive_is_known_for_its_game(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tape = resources.files("oakemu_rl.games") / "programs" / "acorns.tap"
    path = tmp_path / "acorns.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("oak.tap", tape.read_bytes())
        archive.writestr("readme.txt", "Read me!")
    for name in (str(path), f"{path}:oak.tap"):
        assert main(["games", "check", name]) == 0
        out = capsys.readouterr().out
        assert f"{path}:oak.tap" in out
        assert ".tap" in out
        assert "Program: acorns" in out
        assert hashlib.sha256(tape.read_bytes()).hexdigest() in out
        assert "ZXSpectrum/Acorns-v0" in out


def test_games_by_the_hash_of_their_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "_registered", {})
    tape = (resources.files("oakemu_rl.games") / "programs" / "acorns.tap").read_bytes()
    digest = hashlib.sha256(tape).hexdigest()
    assert games_of_program([digest]) == ("ZXSpectrum/Acorns-v0",)
    assert games_of_program(["0" * 64]) == ()
    definition = (resources.files("oakemu_rl.games") / "definitions" / "acorns.yaml").read_text("utf-8")
    mine = tmp_path / "mine.yaml"
    mine.write_text(
        definition.replace("ZXSpectrum/Acorns-v0", "ZXSpectrum/Checked-v3").replace("acorns.tap", "mine.tap")
    )
    (tmp_path / "mine.tap").write_bytes(tape + tape[:21])
    register_game(mine)
    assert games_of_program([hashlib.sha256(tape + tape[:21]).hexdigest()]) == ("ZXSpectrum/Checked-v3",)


def test_a_recording(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    spectrum = machine("plus2")
    with RzxRecorder(spectrum) as recorder:
        spectrum.run_frames(50)
    recorder.write(tmp_path / "game.rzx")
    path = tmp_path / "game.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.write(tmp_path / "game.rzx", "game.rzx")
    assert main(["games", "check", str(path)]) == 0
    said = values(capsys)
    assert said["file"] == f"{path}:game.rzx"
    assert said["format"] == ".rzx version 0.13"
    assert said["machine"] == "ZX Spectrum +2"
    assert said["frames"].startswith("50, 1.0 s")
    assert said["playback"] == "to its end, with flags 1"


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("a.txt", b"text", "a.txt: header at offset 0: this is no snapshot (.sna, .z80, .szx), tape or recording"),
        ("a.rzx", b"RZX!\0\x0d\0\0\0\0", "a.rzx: there is no block with recorded input"),
        ("a.sna", b"ZXST\1\4\1\0ABCD", "a.sna: block at offset 8: 4 bytes are left, a block begins with 8"),
        ("a.tap", b"\1", "a.tap: block 1 at offset 0"),
        ("a.zip", b"PK\3\4", "a.zip: the .zip file is broken"),
    ],
)
def test_what_cannot_be_used_is_one_line_and_2(
    name: str, data: bytes, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / name).write_bytes(data)
    assert main(["games", "check", str(tmp_path / name)]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(f"oakemu-rl: error: {tmp_path}/{message}")
    assert err.count("\n") == 1


def test_there_has_to_be_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["games", "check"]) == 2
    assert "name a file to check: oakemu-rl games check FILE" in capsys.readouterr().err
    assert main(["games", "check", str(tmp_path / "none.sna")]) == 2
    assert f"{tmp_path}/none.sna: No such file or directory" in capsys.readouterr().err
    assert main(["games", "chek"]) == 2
    assert "did you mean 'check'?)" in capsys.readouterr().err
