# SPDX-License-Identifier: GPL-3.0-or-later
"""Recordings of episodes in a window and as films."""

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from scripted_window import ScriptedWindow

from oakemu_rl.cli import recordings
from oakemu_rl.cli.main import main
from oakemu_rl.cli.shown_recording import shown_demo
from oakemu_rl.demos import Demo, cut_demo, load_demo, machine_of, save_demo
from oakemu_rl.emulator.caption import caption


@pytest.fixture(scope="module")
def won() -> Demo:
    """The last half second of the game that wins."""
    return cut_demo(load_demo("caverns"), 4372)


@pytest.fixture
def file(won: Demo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr("oakemu_rl.cli.speakers.Speaker", lambda: SimpleNamespace(play=len, close=lambda: None))
    save_demo(tmp_path / "won.demo", replace(won, markers=((0, "last steps"),)))
    return tmp_path / "won.demo"


def lines(shown: list[tuple[object, list[list[tuple[str, object]]]]]) -> list[list[str]]:
    return [["".join(text for text, _ in line) for line in each] for _, each in shown]


def test_every_frame_is_what_the_machine_draws(file: Path, won: Demo) -> None:
    recording = shown_demo(file)
    frames = list(recording.watch(sound=False))
    assert len(frames) == recording.frames == 24 + 100  # and what the game says after the win
    machine = machine_of(won)
    watcher = machine.watch(sound=False)
    for row, (frame, _) in zip(won.keys, frames, strict=False):
        machine.hold_row(row)
        assert np.array_equal(watcher.run_frame().picture, frame.picture)


def test_what_is_said_beneath(file: Path, won: Demo) -> None:
    said = lines(list(shown_demo(file).watch(sound=False)))
    action = won.action_meanings[won.actions[0]]
    assert said[0] == ["0:00.0  SCORE 8110    last steps", f"STEP  1      {action}"]
    assert said[4][1].startswith("STEP  2 ")
    assert said[23][1] == said[-1][1] == "WIN"


def test_keys_are_said_where_there_are_no_steps(won: Demo, tmp_path: Path) -> None:
    keys = won.keys.copy()
    keys[0, 0] = 0b11  # shift and z
    strange = replace(won, game_id="ZXSpectrum/Gone-v0", keys=keys, actions=None, step_frames=None, outcome="running")
    strange = replace(strange, checks=strange.checks[:1], check_every=24)
    save_demo(tmp_path / "strange.demo", strange)
    shown = shown_demo(tmp_path / "strange.demo").watch(sound=False)
    first = next(shown)
    assert lines([first]) == [["0:00.0  ", "shift z"]]


def test_a_window_shows_it(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    window = ScriptedWindow({199: ()})
    monkeypatch.setattr(recordings, "Window", lambda title, *, scale: window)  # noqa: ARG005
    assert main(["watch", str(file)]) == 0
    wanted = [caption(frame.picture, said) for frame, said in shown_demo(file).watch(sound=False)]
    assert len(window.pictures) == len(wanted) == 124
    for one, other in zip(window.pictures, wanted, strict=True):
        assert np.array_equal(one, other)


@pytest.mark.parametrize("suffix", ["mp4", "gif"])
def test_a_film_of_it(file: Path, suffix: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    film = tmp_path / f"won.{suffix}"
    assert main(["demos", "film", str(file), str(film)]) == 0
    assert capsys.readouterr().out.startswith(f"{film}: 2.5 s, ")
    assert film.stat().st_size > 1000


def test_what_desyncs_is_no_film(won: Demo, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    save_demo(tmp_path / "bad.demo", replace(won, checks=won.checks + np.uint64(1)))
    assert main(["demos", "film", str(tmp_path / "bad.demo"), str(tmp_path / "bad.gif")]) == 2
    assert "the recording of ZXSpectrum/Caverns-v0 desyncs at frame 10" in capsys.readouterr().err
    assert not (tmp_path / "bad.gif").exists()


@pytest.mark.parametrize(
    ("args", "text"),
    [
        (["film"], "give DEMO, a recording, and FILE"),
        (["film", "caverns", "a.avi"], "FILE: a.avi must end in .mp4 or .gif"),
        (["film", "cavens", "a.mp4"], "there is no recording 'cavens'"),
    ],
)
def test_mistakes_in_filming_are_one_line(args: list[str], text: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["demos", *args]) == 2
    err = capsys.readouterr().err
    assert text in err
    assert err.count("\n") == 1
