# SPDX-License-Identifier: GPL-3.0-or-later
import shutil
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import imageio_ffmpeg
import numpy as np
import pytest
import torch
from PIL import Image
from scripted_window import ScriptedWindow, hold

from oakemu_rl.cli import watch
from oakemu_rl.cli.main import main
from oakemu_rl.envs import SpectrumEnv
from oakemu_rl.evaluation import ModelPlayer, episode_seeds, play_episode
from oakemu_rl.training.agent import load_agent

EPISODE = 60 * 4 + 100  # steps of 4 frames, and the epilogue


@pytest.fixture(autouse=True)
def _one_thread() -> None:
    torch.set_num_threads(1)


def watched(monkeypatch: pytest.MonkeyPatch, script: dict[int, tuple[str, ...]], *args: str) -> ScriptedWindow:
    window = ScriptedWindow(script)
    monkeypatch.setattr(watch, "Window", lambda title, *, scale: window)  # noqa: ARG005 # the signature of the real one
    assert main(["watch", *args]) == 0
    assert window.closed
    return window


def test_a_window_shows_the_agent_s_episodes(tiny_run, monkeypatch, capsys):
    window = watched(monkeypatch, {10_000: ()}, str(tiny_run), "--episodes", "2", "--seed", "9")
    assert len(window.pictures) == 2 * EPISODE
    agent = load_agent(tiny_run)
    env = SpectrumEnv(agent.game, **agent.env_options)
    moments = list(play_episode(env, ModelPlayer(agent.model), episode_seeds(9, 2)[1]))
    for moment, picture in zip(moments, window.pictures[EPISODE:], strict=False):
        assert np.array_equal(moment.picture, picture[:240])
    assert window.titles == ["Acorns: episode 1", "Acorns: episode 2"]
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 2
    assert lines[1] == (
        f"episode 2: score {moments[-1].info['score']}, return {moments[-1].episode_return:g}, 60 steps, truncated"
    )


def test_a_window_is_heard(tiny_run, monkeypatch):
    played = []
    speaker = SimpleNamespace(play=played.append, close=lambda: played.append(None))
    monkeypatch.setattr("oakemu_rl.cli.speakers.Speaker", lambda: speaker)
    watched(monkeypatch, hold((30, 1, "q"), (99, 1, "x")), str(tiny_run))
    assert played.pop() is None
    assert sum(samples.size for samples in played) == pytest.approx(31 * 958.464, abs=1)
    watched(monkeypatch, hold((3, 1, "q"), (99, 1, "x")), str(tiny_run), "--mute")
    assert len(played) == 31


@pytest.mark.parametrize("key", ["escape", "q", "close"])
def test_a_person_may_leave_at_any_time(tiny_run, monkeypatch, key, capsys):
    window = watched(monkeypatch, hold((30, 1, key), (99, 1, "x")), str(tiny_run))
    assert len(window.pictures) == 30
    assert capsys.readouterr().out == ""


def test_space_pauses_and_n_goes_on(tiny_run, monkeypatch):
    script = hold((10, 1, "space"), (30, 1, "space"), (50, 1, "n"), (55, 1, "q"))
    window = watched(monkeypatch, script, str(tiny_run))
    pictures = window.pictures
    assert all(np.array_equal(picture, pictures[10]) for picture in pictures[10:30])
    assert window.titles == ["Acorns: episode 1", "Acorns: episode 2"]
    assert len(pictures) == 54  # the press of N shows nothing


def test_a_picture(tiny_run, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    window = watched(monkeypatch, hold((7, 1, "f12"), (8, 1, "q")), str(tiny_run))
    with Image.open("acorns-001.png") as image:
        assert np.array_equal(np.asarray(image)[::2, ::2], window.pictures[7][:240])


def test_a_film(tiny_run, tmp_path, capsys):
    path = tmp_path / "films" / "two.mp4"
    assert main(["watch", str(tiny_run), "--film", str(path), "--episodes", "2", "--sampled", "--seed", "3"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(":")[0] for line in lines[:2]] == ["episode 1", "episode 2"]
    assert f"{path}: 13.6 s" in lines[2]
    count, seconds = imageio_ffmpeg.count_frames_and_secs(str(path))
    assert count == 2 * EPISODE
    command = [imageio_ffmpeg.get_ffmpeg_exe(), "-i", str(path), "-f", "s16le", "-"]
    heard = np.frombuffer(subprocess.run(command, check=True, capture_output=True).stdout, np.int16)
    assert heard.size / 48_000 == pytest.approx(seconds, abs=0.02)
    assert np.abs(heard).max() > 1000  # the game sounds
    assert [each.name for each in path.parent.iterdir()] == ["two.mp4"]


def test_a_silent_film(tiny_run, tmp_path, capsys):
    path = tmp_path / "silent.mp4"
    assert main(["watch", str(tiny_run), "-o", str(path), "--no-sound", "--quiet"]) == 0
    about = subprocess.run([imageio_ffmpeg.get_ffmpeg_exe(), "-i", str(path)], check=False, capture_output=True).stderr
    assert b"Video: h264" in about
    assert b"Audio" not in about


def test_a_film_is_one_episode_by_default(tiny_run, tmp_path, capsys):
    path = tmp_path / "one.gif"
    assert main(["watch", str(tiny_run), "-o", str(path), "--quiet"]) == 0
    with Image.open(path) as image:
        assert image.is_animated
    assert capsys.readouterr() == ("", "")


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere there is always a display, as far as SDL knows")
def test_without_a_display(tiny_run, monkeypatch, capsys):
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "SDL_VIDEODRIVER", "SDL_VIDEO_DRIVER"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("SDL_AUDIODRIVER", "nonsense")  # nor sound, of which there is then no word
    assert main(["watch", str(tiny_run)]) == 2
    err = capsys.readouterr().err
    assert "no display" in err
    assert f"oakemu-rl watch {tiny_run} --film FILE.mp4 writes a film instead" in err
    assert err.count("\n") == 1


def test_without_pygame(tiny_run, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "pygame", None)
    assert main(["watch", str(tiny_run)]) == 2
    assert "pip install 'oakemu-rl[play]'" in capsys.readouterr().err


@pytest.mark.parametrize("verb", ["evaluate", "watch", "export"])
@pytest.mark.parametrize("damage", ["nowhere", "foreign", "truncated", "empty"])
def test_what_is_no_agent_is_one_line(verb, damage, tiny_run, tmp_path, capsys):
    folder = tmp_path / "run"
    if damage == "foreign":
        folder.mkdir()
        (folder / "notes.txt").write_text("mine")
    elif damage != "nowhere":
        shutil.copytree(tiny_run, folder)
    if damage == "empty":
        shutil.rmtree(folder / "checkpoints")
    if damage == "truncated":
        (tensors,) = folder.glob("checkpoints/*/tensors.pt")
        tensors.write_bytes(tensors.read_bytes()[:500])
    assert main([verb, str(folder)]) == 2
    err = capsys.readouterr().err
    assert str(folder) in err
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["--film", "a.avi"], "--film: a.avi must end in .mp4 or .gif"),
        (["--episodes", "0"], "--episodes"),
        (["--seed", "-1"], "--seed"),
        (["--flim", "a.mp4"], "did you mean '--film'"),
        (["--game", "Other"], "unknown game 'Other'"),
    ],
)
def test_mistakes_are_one_line(args, message, tiny_run, capsys):
    assert main(["watch", str(tiny_run), *args]) == 2
    err = capsys.readouterr().err
    assert message in err
    assert err.count("\n") == 1


def test_a_film_that_cannot_be_written(tiny_run, tmp_path, capsys):
    (tmp_path / "file").write_text("")
    assert main(["watch", str(tiny_run), "--film", str(tmp_path / "file" / "a.gif")]) == 2
    assert "cannot write the film" in capsys.readouterr().err
    assert Path(tmp_path / "file").read_text() == ""
