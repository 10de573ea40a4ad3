# SPDX-License-Identifier: GPL-3.0-or-later
import hashlib
from importlib.resources import files
from pathlib import Path

import pytest

from oakemu_rl.cli.main import main
from oakemu_rl.emulator.snapshots import read_snapshot

ACORNS = Path(str(files("oakemu_rl.games") / "programs" / "acorns.tap"))
TURBO = (
    b"ZXTape!\x1a\x01\x14" + b"\x30\x04made" + bytes.fromhex("11 7808 9b02 df02 9001 2003 970c 08 e803 030000 ff01fe")
)


@pytest.fixture(autouse=True)
def wide(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "160")


def run(capsys: pytest.CaptureFixture[str], *args: str) -> tuple[int, str, str]:
    code = main(["tape", *args])
    out, err = capsys.readouterr()
    return code, out, err


def test_info_tells_every_block(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "info", str(ACORNS))
    lines = [" ".join(line.split()) for line in out.splitlines()]
    assert code == 0
    # 8063 pilot pulses of 2168 T, two of sync, 19 bytes: 6.09 s with the pause.
    assert "1 Program: acorns 0 19 ok 8369 1000 ms 6.09" in lines
    assert "36 bytes, LINE 10" in lines
    assert "3 Bytes: acorns 0 19 ok 8369 1000 ms 6.09" in lines
    assert "7515 bytes, start 32768" in lines
    assert any(line.startswith(".tap, 4 blocks, ") and "4 of 4 parts" in line for line in lines)
    assert f"SHA-256 {hashlib.sha256(ACORNS.read_bytes()).hexdigest()}" in lines


def test_info_tells_times_texts_and_wrong_checksums(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "t.tzx"
    file.write_bytes(TURBO[:-1] + b"\xfd" + b"\x23\x00\x00")
    code, out, _ = run(capsys, "info", str(file))
    lines = [" ".join(line.split()) for line in out.splitlines()]
    assert code == 0
    assert "made" in lines
    assert "pilot 3223 x 2168 T, sync 667 and 735, 0 is 400, 1 is 800" in lines
    assert any("wrong, 254 expected" in line for line in lines)
    assert any(line.startswith("It cannot be played: ") and "never end" in line for line in lines)


def test_convert_writes_a_tap(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    content = ACORNS.read_bytes()[2:21]
    (tmp_path / "t.tzx").write_bytes(b"ZXTape!\x1a\x01\x14\x10\x00\x00\x13\x00" + content)
    out = tmp_path / "t.tap"
    assert run(capsys, "convert", str(tmp_path / "t.tzx"), str(out))[0] == 0
    assert out.read_bytes() == ACORNS.read_bytes()[:21]
    (tmp_path / "u.tzx").write_bytes(TURBO)
    code, _, err = run(capsys, "convert", str(tmp_path / "u.tzx"), str(out))
    assert (code, "block 2 at offset 16 is not in the ROM's timing" in err) == (2, True)


def test_load_writes_what_came_of_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    snapshot, picture = tmp_path / "a.szx", tmp_path / "a.png"
    code, out, _ = run(
        capsys, "load", str(ACORNS), "--frames", "20", "--snapshot", str(snapshot), "--picture", str(picture)
    )
    assert (code, "loaded in" in out) == (0, True)
    assert read_snapshot(snapshot).banks[2][:100] == ACORNS.read_bytes()[-7516:][:100]
    assert picture.read_bytes().startswith(b"\x89PNG")
    code, out, _ = run(capsys, "load", str(ACORNS), "--edges", "--machine", "128k")
    assert (code, "loaded in" in out) == (0, True)


def test_ctrl_c_ends_what_is_run_after_the_tape(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    counts: list[int] = []
    monkeypatch.setattr("oakemu_rl.cli.tape.load_tape", lambda *_, **__: None)
    monkeypatch.setattr("oakemu_rl.emulator.Spectrum.run_frames", lambda _, count: counts.append(count))
    assert run(capsys, "load", str(ACORNS), "--frames", "20")[0] == 0
    assert counts == [1] * 20  # signals are heard between two calls of the core only


def test_a_terminal_sees_a_progress_bar(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")  # rich takes the output for a terminal then
    code, out, err = run(capsys, "load", str(ACORNS), "--edges")
    assert (code, "loaded in" in out) == (0, True)
    assert "block 4 of 4" in err
    assert "s of tape" in err


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["inf", "x"], "unknown word 'inf' after tape (did you mean 'info'?)"),
        (["info"], "FILE is missing"),
        (["convert"], "FILE is missing"),
        (["convert", str(ACORNS)], "OUT is missing"),
        (["convert", str(ACORNS), "x.tzx"], "OUT: x.tzx does not end in .tap"),
        (["load", str(ACORNS), "--machine", "16k"], "16k"),
        (["info", "/nowhere/x.tap"], "/nowhere/x.tap"),
        (["load", str(ACORNS), "--wait", "0"], "--wait"),
    ],
)
def test_mistakes_end_in_one_line(args: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = run(capsys, *args)
    assert code == 2
    assert message in err
    assert err.count("\n") == 1


def test_without_words_the_usage_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys)
    assert (code, "tape info FILE" in out) == (0, True)


def test_a_target_that_cannot_be_written_is_told_before_loading(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("oakemu_rl.cli.tape.load_tape", lambda *_args, **_kinds: pytest.fail("the tape was loaded"))
    for flag in ("--snapshot", "--picture"):
        code, _, err = run(capsys, "load", str(ACORNS), flag, str(tmp_path))
        assert code == 2
        assert "cannot be written: it is a folder" in err


def test_convert_replaces_a_file_whole(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out.tap"
    out.write_bytes(b"before")
    assert run(capsys, "convert", str(ACORNS), str(out))[0] == 0
    assert out.read_bytes() == ACORNS.read_bytes()
    assert [path.name for path in tmp_path.iterdir()] == ["out.tap"]
