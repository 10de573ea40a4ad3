# SPDX-License-Identifier: GPL-3.0-or-later
"""`oakemu-rl demos import` and `export`: RZX files and Minari datasets, in and out."""

import struct
from pathlib import Path

import pytest
from demo_words import complaint, said

from oakemu_rl.demos import Demo, load_demo
from oakemu_rl.demos.rzx import export_rzx
from oakemu_rl.emulator import Spectrum
from oakemu_rl.emulator.rzx import RzxRecorder, rzx_bytes, write_rzx


@pytest.fixture(autouse=True)
def _own_places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OAKEMU_RL_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path / "datasets"))
    monkeypatch.chdir(tmp_path)


@pytest.fixture(scope="module")
def won() -> Demo:
    return load_demo("caverns")


@pytest.fixture(scope="module")
def recording(won: Demo) -> bytes:
    return rzx_bytes(export_rzx([won], "won.rzx"))


def test_an_rzx_file_becomes_a_recording_for_each_play(
    recording: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "won.rzx").write_bytes(recording)
    lines = said(capsys, "import", "won.rzx", "--out", "found").splitlines()
    assert lines == [
        "won.rzx: ZXSpectrum/Caverns-v0, by 100% of its program; 1:27.8 (4,396 frames)",
        "  found/won-1.demo: frames 0 to 4,396, 1,099 steps, 1:27.8, win, return 50",
        "    keys as actions: exact 100.0%, same 0.0%, nearest 0.0%, refused 0.0%; 0 frames fit several alike",
        "    presses: 179, 0 without a step of their own",
    ]
    assert "4,396 frames (1:27.8) as recorded" in said(capsys, "replay", "found/won-1.demo")


def test_recordings_go_to_rzx_and_back(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert said(capsys, "export", "caverns", "--rzx", "sub/out.rzx") == "sub/out.rzx: 1:27.8 (4,396 frames)\n"
    said(capsys, "import", "sub/out.rzx")
    assert load_demo(tmp_path / "out-1.demo").outcome == "win"


def test_recordings_go_to_minari_and_back(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("minari")
    name = "zxspectrum/caverns/script-v0"
    assert said(capsys, "export", "caverns", "--minari", name).startswith(f"{name}: 1 episodes, 1,099 steps, in ")
    assert said(capsys, "import", name) == (
        "zxspectrum-caverns-script-v0-1.demo: ZXSpectrum/Caverns-v0, 1,099 steps, 1:27.8, win, return 50\n"
    )
    assert load_demo(tmp_path / "zxspectrum-caverns-script-v0-1.demo").source == "script"


def encrypted(data: bytes) -> bytes:
    """With the flag that its input block is encrypted."""
    offset = 10
    while data[offset] != 0x80:
        offset += struct.unpack_from("<I", data, offset + 1)[0]
    return data[: offset + 14] + b"\x03" + data[offset + 15 :]


def without_snapshot(data: bytes) -> bytes:
    offset = 10
    while data[offset] != 0x30:
        offset += struct.unpack_from("<I", data, offset + 1)[0]
    length = struct.unpack_from("<I", data, offset + 1)[0]
    return data[:offset] + data[offset + length :]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda data: data[:100], ("bad.rzx", "the file ends")),
        (lambda data: b"RZX?" + data[4:], ("bad.rzx", "not an RZX file")),
        (encrypted, ("bad.rzx", "is encrypted")),
        (without_snapshot, ("bad.rzx", "no snapshot before it")),
    ],
)
def test_files_that_cannot_be_read_are_refused(
    change, words, recording: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "bad.rzx").write_bytes(change(recording))
    said_wrong = complaint(capsys, "import", "bad.rzx")
    assert all(word in said_wrong for word in words)
    assert not list(tmp_path.glob("*.demo"))


def test_a_recording_of_no_game_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    machine = Spectrum()
    with RzxRecorder(machine) as recorder:
        machine.run_frames(30)
    write_rzx(tmp_path / "rom.rzx", recorder.recording())
    wrong = complaint(capsys, "import", "rom.rzx")
    assert wrong.startswith("rom.rzx: its memory is that of no known game (likest: ")


def test_a_recording_of_another_game_is_refused(
    recording: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "won.rzx").write_bytes(recording)
    wrong = complaint(capsys, "import", "won.rzx", "--game", "acorns")
    assert "won.rzx: its memory is that of no known game (likest: ZXSpectrum/Acorns-v0 " in wrong


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["import"], "FILE is missing"),
        (["import", "none.rzx"], "none.rzx: No such file or directory"),
        (["import", "some/thing-v0"], "there is no Minari dataset 'some/thing-v0' here"),
        (["import", "x.rzx", "--frameskip", "0"], "--frameskip"),
        (["import", "x.rzx", "--begin", "-1"], "--begin"),
        (["import", "x.rzx", "--game", "cavern"], "Caverns"),
        (["export"], "DEMO is missing"),
        (["export", "caverns"], "--rzx FILE.rzx or --minari ID"),
        (["export", "caverns", "--rzx", "a.rzx", "--minari", "b"], "--rzx FILE.rzx or --minari ID"),
        (["export", "caverns", "--rzx", "a.mp4"], "--rzx: a.mp4 does not end in .rzx"),
        (["export", "cavern", "--rzx", "a.rzx"], "did you mean 'caverns'?"),
        (["export", "caverns", "--minari", "no id"], "no id: "),
    ],
)
def test_mistakes_are_told_in_one_line(args: list[str], words: str, capsys: pytest.CaptureFixture[str]) -> None:
    if "--minari" in args:
        pytest.importorskip("minari")
    Path("x.rzx").write_bytes(b"")
    assert words in complaint(capsys, *args)
