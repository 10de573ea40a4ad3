# SPDX-License-Identifier: GPL-3.0-or-later
"""Recordings from the command line: watched, filmed."""

import gzip
import subprocess
from pathlib import Path
from types import SimpleNamespace

import imageio_ffmpeg
import numpy as np
import pytest
from scripted_window import ScriptedWindow

from oakemu_rl.cli import recordings
from oakemu_rl.cli.main import main
from oakemu_rl.emulator import Spectrum
from oakemu_rl.emulator.rzx import RzxPlayer, RzxRecorder, read_rzx

SILENCE = 958.464  # samples of a frame


@pytest.fixture(autouse=True)
def _no_display(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("oakemu_rl.cli.speakers.Speaker", lambda: SimpleNamespace(play=len, close=lambda: None))


@pytest.fixture
def recording(tmp_path: Path) -> Path:
    """A key is typed into BASIC, which clicks."""
    spectrum = Spectrum()
    spectrum.run_frames(100)
    with RzxRecorder(spectrum) as recorder:
        spectrum.press("p")
        spectrum.run_frames(30)
    recorder.write(tmp_path / "typed.rzx")
    return tmp_path / "typed.rzx"


def test_a_recording_in_a_window(recording: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    window = ScriptedWindow({99: ()})
    monkeypatch.setattr(recordings, "Window", lambda title, *, scale: window)  # noqa: ARG005
    assert main(["watch", str(recording)]) == 0
    assert window.closed
    assert len(window.pictures) == 30
    assert [round(rate, 2) for rate in window.rates] == [50.08]
    player = RzxPlayer(read_rzx(recording))
    for (frame, _), shown in zip(player.watch(), window.pictures, strict=True):
        assert np.array_equal(frame.picture, shown[:240])
        assert frame.samples.size == pytest.approx(SILENCE, abs=1)


def test_a_window_pauses_and_ends(recording: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    script = {10: ("space",), 15: ("space",), 18: ("f12",), 20: ("q",)}
    window = ScriptedWindow({poll: script.get(poll, ()) for poll in range(25)})
    monkeypatch.setattr(recordings, "Window", lambda title, *, scale: window)  # noqa: ARG005
    assert main(["watch", str(recording), "--mute"]) == 0
    assert len(window.pictures) == 20
    assert np.array_equal(window.pictures[10], window.pictures[15])
    assert [path.name for path in tmp_path.glob("*.png")] == ["typed-001.png"]


def test_what_a_recording_is_called_does_not_matter(recording: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    window = ScriptedWindow({99: ()})
    monkeypatch.setattr(recordings, "Window", lambda title, *, scale: window)  # noqa: ARG005
    packed = recording.with_name("typed.gz")
    packed.write_bytes(gzip.compress(recording.read_bytes()))
    assert main(["watch", str(packed)]) == 0
    assert len(window.pictures) == 30


def test_without_a_display_nothing_is_said_about_sound(
    recording: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "SDL_VIDEODRIVER"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(recordings, "open_speaker", lambda **_: pytest.fail("the speaker was opened"))
    assert main(["watch", str(recording)]) == 2
    err = capsys.readouterr().err
    assert "no display" in err
    assert err.count("\n") == 1


def test_a_film_of_a_recording(recording: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    film = tmp_path / "typed.mp4"
    assert main(["watch", str(recording), "--film", str(film)]) == 0
    assert capsys.readouterr().out.startswith(f"{film}: 0.6 s, ")
    said = subprocess.run(
        [imageio_ffmpeg.get_ffmpeg_exe(), "-i", str(film)], capture_output=True, text=True, check=False
    ).stderr
    assert "Video: h264" in said
    assert "Audio: aac" in said


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["--episodes", "3"], "--episodes is for agents; "),
        (["--film", "a.avi"], "--film: a.avi must end in .mp4 or .gif"),
    ],
)
def test_mistakes_are_one_line(
    args: list[str], message: str, recording: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["watch", str(recording), *args]) == 2
    err = capsys.readouterr().err
    assert message in err
    assert err.count("\n") == 1


def test_what_cannot_be_played_is_no_film(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "x.rzx"
    assert main(["watch", str(path), "--film", str(tmp_path / "x.mp4")]) == 2
    assert "x.rzx: No such file" in capsys.readouterr().err
    path.write_bytes(b"RZX")
    assert main(["watch", str(path), "--film", str(tmp_path / "x.mp4")]) == 2
    assert "x.rzx" in capsys.readouterr().err
    assert not (tmp_path / "x.mp4").exists()
