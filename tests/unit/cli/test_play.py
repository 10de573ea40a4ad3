# SPDX-License-Identifier: GPL-3.0-or-later
"""`oakemu-rl play`: flags, the window, and what is left behind."""

import signal
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from scripted_window import ScriptedWindow, hold

from oakemu_rl.cli import play
from oakemu_rl.cli.main import main
from oakemu_rl.demos import demo_steps, load_demo, replay
from oakemu_rl.emulator import Spectrum, parse_snapshot, read_snapshot
from oakemu_rl.emulator.rzx import RzxPlayer, read_rzx
from oakemu_rl.games import load_game

Opened = Callable[..., ScriptedWindow]


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's folder, and the current one."""
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    monkeypatch.setenv("OAKEMU_RL_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


@pytest.fixture
def windows(monkeypatch: pytest.MonkeyPatch) -> list[ScriptedWindow]:
    """The windows that will open, in their order."""
    waiting: list[ScriptedWindow] = []

    def open_window(title: str, *, scale: int) -> ScriptedWindow:
        window = waiting.pop(0)
        window.opened = (title, scale)  # type: ignore[attr-defined]  # for the test
        return window

    monkeypatch.setattr(play, "Window", open_window)
    return waiting


def end_of(path: Path) -> Spectrum:
    player = RzxPlayer(read_rzx(path))
    player.run_frames()
    return player.spectrum


def kept(home: Path) -> list[Path]:
    return sorted((home / "recordings").rglob("*.rzx"))


def test_the_window(windows: list[ScriptedWindow]) -> None:
    window = ScriptedWindow({4: ("escape",)})
    windows.append(window)
    assert main(["play", "acorns", "--scale", "2", "--from-start-state"]) == 0
    assert window.opened == ("Acorns", 2)  # type: ignore[attr-defined]  # set when it opened
    assert len(window.pictures) == 4
    assert window.titles == ["Acorns: score 0, lives 5"]
    assert window.closed


def test_without_a_game_it_is_acorns(windows: list[ScriptedWindow]) -> None:
    window = ScriptedWindow({2: ("escape",)})
    windows.append(window)
    assert main(["play"]) == 0
    assert window.opened == ("Acorns", 3)  # type: ignore[attr-defined]  # set when it opened


class TestRecording:
    def test_is_on_by_default(
        self, windows: list[ScriptedWindow], home: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        windows.append(ScriptedWindow(hold((5, 30, "right"), (60, 1, "escape"))))
        assert main(["play", "acorns", "--from-start-state"]) == 0
        (path,) = kept(home)
        assert path.parent == home / "recordings" / "acorns"
        assert capsys.readouterr().out == f"{path}: 1.2 s\n"
        keys = RzxPlayer(read_rzx(path)).run_frames()
        assert (keys.held[6:34, 5] == 1).all()
        assert (keys.held[37:, 5] == 0).all()

    def test_is_what_the_machine_became_after_rewinding(
        self, windows: list[ScriptedWindow], home: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        sessions = []
        monkeypatch.setattr(
            play, "PlaySession", lambda *args, **kwargs: sessions.append(_session(*args, **kwargs)) or sessions[0]
        )
        script = hold(
            (5, 60, "right"), (70, 40, "f2"), (115, 20, "left"), (140, 1, "f6"), (150, 1, "f7"), (170, 1, "x")
        )
        windows.append(ScriptedWindow(script))
        assert main(["play", "acorns", "--from-start-state"]) == 0
        (path,) = kept(home)
        assert np.array_equal(end_of(path).memory, sessions[0].machine.memory)

    def test_nothing_pressed_is_nothing_recorded(
        self, windows: list[ScriptedWindow], home: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        windows.append(ScriptedWindow(hold((60, 1, "escape"))))
        assert main(["play", "acorns"]) == 0
        assert kept(home) == []
        assert capsys.readouterr().out == ""

    def test_may_be_switched_off(self, windows: list[ScriptedWindow], home: Path) -> None:
        windows.append(ScriptedWindow(hold((5, 30, "right"), (60, 1, "escape"))))
        assert main(["play", "acorns", "--from-start-state", "--no-record"]) == 0
        assert kept(home) == []

    def test_into_a_file(
        self, windows: list[ScriptedWindow], home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        windows.append(ScriptedWindow(hold((50, 1, "escape"))))
        path = tmp_path / "new" / "mine.rzx"
        assert main(["play", "acorns", "--from-start-state", "--record", str(path)]) == 0
        assert capsys.readouterr().out == f"{path}: 1.0 s\n"
        assert read_rzx(path).frames == 50
        assert kept(home) == []

    def test_the_window_closed_by_hand_keeps_it(self, windows: list[ScriptedWindow], home: Path) -> None:
        windows.append(ScriptedWindow(hold((5, 30, "right"), (40, 1, "close"))))
        assert main(["play", "acorns", "--from-start-state"]) == 0
        assert read_rzx(kept(home)[0]).frames == 40

    @pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
    def test_ctrl_c_keeps_it(self, windows: list[ScriptedWindow], home: Path, number: signal.Signals) -> None:
        class Window(ScriptedWindow):
            def show(self, picture: np.ndarray, rate: float) -> None:
                super().show(picture, rate)
                if len(self.pictures) == 20:
                    signal.raise_signal(number)

        windows.append(Window(hold((0, 99, "right"))))
        assert main(["play", "acorns", "--from-start-state"]) == 130
        assert read_rzx(kept(home)[0]).frames == 20

    def test_what_goes_wrong_keeps_it(self, windows: list[ScriptedWindow], home: Path) -> None:
        class Window(ScriptedWindow):
            def show(self, picture: np.ndarray, rate: float) -> None:
                super().show(picture, rate)
                if len(self.pictures) == 20:
                    raise OSError(5, "the screen has gone", "screen")

        windows.append(Window(hold((0, 99, "right"))))
        assert main(["play", "acorns", "--from-start-state"]) == 2
        assert read_rzx(kept(home)[0]).frames == 20

    def test_for_agents_begins_where_they_do_and_has_their_steps(
        self, windows: list[ScriptedWindow], home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        windows.append(ScriptedWindow(hold((6, 30, "right"), (60, 1, "escape"))))
        path = tmp_path / "mine.demo"
        assert main(["play", "acorns", "--record", str(path)]) == 0
        assert not kept(home)
        assert capsys.readouterr().out == f"{path}: 15 steps, 0:01.2, running, return 0\n"
        demo = load_demo(path)
        assert demo.start == load_game("acorns").start_state()
        # 6 pictures without a key; that of the next, in the middle of a step, counts from the step that follows.
        assert [demo.action_meanings[action] for action in demo.actions] == ["stay"] * 2 + ["right"] * 7 + ["stay"] * 6
        assert replay(demo, load_game("acorns")).frame
        assert demo_steps(demo, load_game("acorns"), {}).outcome == "running"

    def test_goes_on_where_another_ends(self, windows: list[ScriptedWindow], tmp_path: Path) -> None:
        windows.append(ScriptedWindow(hold((5, 30, "right"), (60, 1, "escape"))))
        first, whole = tmp_path / "first.rzx", tmp_path / "whole.rzx"
        assert main(["play", "acorns", "--from-start-state", "--record", str(first)]) == 0
        windows.append(ScriptedWindow(hold((5, 30, "left"), (40, 1, "escape"))))
        assert main(["play", "--rzx", str(first), "--record", str(whole)]) == 0
        recording = read_rzx(whole)
        assert [len(part.inputs) for part in recording.parts] == [60, 40]
        keys = RzxPlayer(recording).run_frames()
        assert (keys.held[6:34, 5] == 1).all()
        assert (keys.held[66:94, 5] == 2).all()

    def test_a_folder_that_cannot_be_written_is_said_before(
        self, windows: list[ScriptedWindow], home: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        home.mkdir()
        (home / "recordings").touch()
        assert main(["play", "acorns"]) == 2
        err = capsys.readouterr().err
        assert "cannot be written" in err
        assert "--no-record plays without a recording" in err
        assert err.count("\n") == 1
        windows.append(ScriptedWindow(hold((5, 1, "escape"))))
        assert main(["play", "acorns", "--no-record"]) == 0

    def test_only_the_newest_are_kept(self, windows: list[ScriptedWindow], home: Path) -> None:
        folder = home / "recordings" / "acorns"
        folder.mkdir(parents=True)
        for number in range(60):
            (folder / f"acorns-20200101-{number:06d}.rzx").touch()
        windows.append(ScriptedWindow(hold((5, 30, "right"), (60, 1, "escape"))))
        assert main(["play", "acorns", "--from-start-state"]) == 0
        assert len(kept(home)) == 50
        assert kept(home)[-1].stat().st_size > 0


class TestStates:
    def test_survive_a_restart(self, windows: list[ScriptedWindow], home: Path, tmp_path: Path) -> None:
        windows.append(ScriptedWindow(hold((5, 30, "right"), (40, 1, "f6"), (41, 1, "escape"))))
        assert main(["play", "acorns", "--from-start-state", "--no-record"]) == 0
        assert (home / "states" / "acorns" / "slot-1.szx").exists()
        path = tmp_path / "later.rzx"
        for state in ("1", str(home / "states" / "acorns" / "slot-1.szx")):
            windows.append(ScriptedWindow(hold((10, 1, "escape"))))
            assert main(["play", "acorns", "--state", state, "--record", str(path)]) == 0
            recording = read_rzx(path)
            assert [len(part.inputs) for part in recording.parts] == [10]
            snapshot = recording.parts[0].snapshot
            assert snapshot is not None
            slot = read_snapshot(home / "states" / "acorns" / "slot-1.szx")
            assert parse_snapshot(snapshot.data).banks[5] == slot.banks[5]  # with the screen

    def test_of_another_game_are_refused(
        self, windows: list[ScriptedWindow], home: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        windows.append(ScriptedWindow(hold((5, 1, "f6"), (6, 1, "escape"))))
        assert main(["play", "acorns"]) == 0
        slot = home / "states" / "acorns" / "slot-1.szx"
        assert main(["play", "caverns", "--state", str(slot)]) == 2
        err = capsys.readouterr().err
        assert f"{slot}: this is a state of ZXSpectrum/Acorns-v0, not of ZXSpectrum/Caverns-v0" in err
        assert err.count("\n") == 1


class TestKeys:
    def test_flags_and_file(self, windows: list[ScriptedWindow], home: Path, tmp_path: Path) -> None:
        home.mkdir()
        (home / "keys.yaml").write_text("keys: {z: left, x: left}\nhotkeys: {quit: q}\n")
        windows.append(ScriptedWindow(hold((5, 10, "z"), (20, 10, "x"), (40, 1, "q"))))
        path = tmp_path / "x.rzx"
        assert main(["play", "acorns", "--from-start-state", "--keys", "x=right", "--record", str(path)]) == 0
        keys = RzxPlayer(read_rzx(path)).run_frames()
        assert (keys.held[6:14, 5] == 2).all()
        assert (keys.held[21:29, 5] == 1).all()

    def test_a_joystick_on_the_arrows(self, windows: list[ScriptedWindow], capsys: pytest.CaptureFixture[str]) -> None:
        windows.append(ScriptedWindow(hold((5, 1, "f3"), (6, 1, "escape"))))
        assert main(["play", "acorns", "--from-start-state", "--joystick", "kempston", "--no-record"]) == 0
        assert main(["games", "check", "acorns-001.szx"]) == 0
        assert "Kempston" in capsys.readouterr().out

    def test_a_flag_goes_before_the_file(self, home: Path, capsys: pytest.CaptureFixture[str]) -> None:
        home.mkdir()
        (home / "keys.yaml").write_text("joystick: kempston\nhotkeys: {rewind: backspace}\n")
        assert main(["play", "acorns", "--show-keys"]) == 0
        lines = capsys.readouterr().out.splitlines()
        assert any(line.startswith("left ") and "kempston left" in line for line in lines)
        assert [line.split()[1] for line in lines if line.startswith("backspace")] == ["rewind"]
        assert main(["play", "acorns", "--show-keys", "--joystick", "sinclair1"]) == 0
        assert "sinclair1 left" in capsys.readouterr().out

    def test_are_shown(self, home: Path, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["play", "acorns", "--show-keys", "--keys", "z=shift+5", "--joystick", "kempston"]) == 0
        out = capsys.readouterr().out
        rows = {line[:13].strip(): line[13:].strip() for line in out.splitlines()}
        assert rows["left"] == "kempston left"
        assert rows["z"] == "shift+5"
        assert rows["f2"] == "rewind (hold)"
        assert f"{home / 'keys.yaml'} may change them" in out


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["acornz"], "unknown game 'acornz' (did you mean"),
        (["--scale", "0"], "--scale"),
        (["--full-screen"], "unknown flag --full-screen"),
        (["--record", "a.rzx", "--no-record"], "--record: give either a file or --no-record"),
        (["--record", "../here"], "here cannot be written: it is a folder"),
        (["--rzx", "a.rzx", "--state", "1"], "--state: with --rzx, play begins where a.rzx ends"),
        (["--rzx", "a.rzx", "--from-start-state"], "--from-start-state: with --rzx"),
        (["acorns", "--start", "deflt"], "unknown start 'deflt' (did you mean 'default'?)"),
        (["--rzx", "a.rzx"], "a.rzx: No such file"),
        (["--state", "1"], "--state: nothing has been saved in slot 1 ("),
        (["--state", "10"], "--state: there is no slot 10; slots are 0 to 9"),
        (["--state", "gone.szx"], "gone.szx: cannot be read: No such file"),
        (["--keys", "left"], "--keys: 'left' is not KEY=HELD"),
        (["--keys", "tab=o"], "'tab' is a key of the game as well as the hotkey turbo"),
        (["--joystick", "kempson"], "--joystick: "),
        (["no.tap"], "no.tap: No such file"),
        (["--record", "a.demo", "--rzx", "a.rzx"], "--record a.demo: a recording for agents begins where they do"),
        (["--record", "a.demo", "--joystick", "kempston"], "--joystick kempston: agents have none in this game"),
        (["--record", "../here/"], "here cannot be written: it is a folder"),
    ],
)
def test_mistakes_are_one_line(args: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["play", *args]) == 2
    err = capsys.readouterr().err
    assert message in err
    assert err.count("\n") == 1


def test_a_mistake_in_the_file_has_a_place(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    home.mkdir()
    (home / "keys.yaml").write_text("keys:\n  left: oo\n")
    assert main(["play", "acorns"]) == 2
    assert f"{home / 'keys.yaml'}:2:9: there is no 'oo' to hold" in capsys.readouterr().err


def test_without_pygame(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setitem(sys.modules, "pygame", None)
    assert main(["play"]) == 2
    err = capsys.readouterr().err
    assert "pip install 'oakemu-rl[play]'" in err
    assert err.count("\n") == 1


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere there is always a display, as far as SDL knows")
def test_without_a_display(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], home: Path) -> None:
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "SDL_VIDEODRIVER", "SDL_VIDEO_DRIVER"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("SDL_AUDIODRIVER", "nonsense")  # nor sound, of which there is then no word
    assert main(["play"]) == 2
    err = capsys.readouterr().err
    assert "no display to open a window on (neither DISPLAY nor WAYLAND_DISPLAY is set)" in err
    assert err.count("\n") == 1
    assert kept(home) == []


class KeptSound:
    """Stands in for `oakemu_rl.emulator.speaker.Speaker`."""

    def __init__(self) -> None:
        self.samples: list[np.ndarray] = []
        self.closed = False

    def play(self, samples: np.ndarray) -> None:
        self.samples.append(samples)

    def close(self) -> None:
        self.closed = True


@pytest.mark.parametrize(("flags", "opened"), [((), 1), (("--mute",), 0), (("--no-sound",), 0)])
def test_mute(
    flags: tuple[str, ...], opened: int, windows: list[ScriptedWindow], monkeypatch: pytest.MonkeyPatch
) -> None:
    speakers: list[KeptSound] = []

    def make() -> KeptSound:
        speakers.append(KeptSound())
        return speakers[-1]

    monkeypatch.setattr("oakemu_rl.cli.speakers.Speaker", make)
    windows.append(ScriptedWindow(hold((4, 1, "x"))))
    assert main(["play", "--from-start-state", *flags]) == 0
    assert len(speakers) == opened
    assert all(speaker.closed and len(speaker.samples) == 5 for speaker in speakers)


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere SDL has no driver that is sure to fail")
def test_without_an_audio_device_it_is_silent(
    windows: list[ScriptedWindow], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("SDL_AUDIODRIVER", "nonsense")
    window = ScriptedWindow(hold((4, 1, "x")))
    windows.append(window)
    assert main(["play", "--from-start-state"]) == 0
    err = capsys.readouterr().err
    assert "note: there is no sound" in err
    assert err.count("\n") == 1
    assert len(window.pictures) == 5


_session = play.PlaySession
