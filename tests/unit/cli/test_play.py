# SPDX-License-Identifier: GPL-3.0-or-later
import sys
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from scripted_window import ScriptedWindow, hold

from oakemu_rl.cli import play
from oakemu_rl.cli.main import main
from oakemu_rl.cli.playing import PlaySession, host_keys_of
from oakemu_rl.emulator import Spectrum, load_tape, parse_tap
from oakemu_rl.emulator.pacing import Pacer
from oakemu_rl.emulator.window import Window
from oakemu_rl.games import Game, load_game

TITLE_FRAMES = 110


@pytest.fixture(scope="module")
def acorns() -> Game:
    return load_game("acorns")


def session(game: Game, script: dict[int, tuple[str, ...]], folder: Path, **kwargs: bool) -> PlaySession:
    return PlaySession(game, ScriptedWindow(script), pictures=folder, **kwargs)


def value(game: Game, played: PlaySession, name: str) -> int:
    return game.definition.variables[name].read(played.machine.memory)


def changed(game: Game, **changes: object) -> Game:
    return Game(game.definition.model_copy(update=changes), game.program)


def test_it_begins_with_what_the_tape_shows(acorns, tmp_path):
    played = session(acorns, hold((TITLE_FRAMES, 1, "x")), tmp_path)
    first = played.machine.frame
    played.run()
    spectrum = Spectrum()
    load_tape(spectrum, parse_tap(acorns.program))
    assert first == spectrum.frame
    spectrum.run_frames(TITLE_FRAMES + 1)
    assert np.array_equal(played._window.pictures[-1][:240], spectrum.screen())
    assert played.machine.frame == first + TITLE_FRAMES + 1  # a picture a frame
    assert value(acorns, played, "mode") == 0


def test_space_starts_a_game_and_the_arrows_move_the_basket(acorns, tmp_path):
    played = session(acorns, hold((TITLE_FRAMES, 4, "space"), (200, 10, "left"), (230, 1, "x")), tmp_path)
    positions = []
    while played.step():
        positions.append(value(acorns, played, "basket_x"))
    assert value(acorns, played, "mode") == 1
    assert positions[199] - positions[220] == pytest.approx(30, abs=3)  # 3 pixels a frame
    assert played._window.titles[-1] == "Acorns: score 0, lives 5"


def test_it_may_begin_where_an_agent_begins(acorns, tmp_path):
    played = session(acorns, hold((0, 1, "p")), tmp_path, from_start_state=True)
    assert played.machine.save_state() == acorns.start_state()
    played.step()
    assert played.machine.held_keys == ("p",)
    played.run()
    assert value(acorns, played, "mode") == 1


def test_states_are_kept_and_brought_back(acorns, tmp_path):
    script = hold((2, 1, "f7"), (5, 1, "f6"), (20, 1, "f7"), (21, 1, "x"), (30, 1, "f5"))
    played = session(acorns, script, tmp_path, from_start_state=True)
    frames = []
    while played.step():
        frames.append(played.machine.frame - frames[0] if frames else played.machine.frame)
    # A state that was saved before frame 5 was played is brought back before frame 20 is.
    assert frames[2:8] == [2, 3, 4, 5, 6, 7]
    assert frames[19:22] == [19, 5, 6]
    assert frames[30] == 0


def test_a_picture_is_written_under_a_free_name(acorns, tmp_path):
    (tmp_path / "acorns-001.png").write_text("mine")
    played = session(acorns, hold((100, 1, "f12"), (101, 1, "x")), tmp_path)
    played.run()
    assert (tmp_path / "acorns-001.png").read_text() == "mine"
    with Image.open(tmp_path / "acorns-002.png") as image:
        assert np.array_equal(np.asarray(image)[::2, ::2], played._window.pictures[99][:240])


def test_the_caption_tells_keys_and_for_a_while_what_was_done(acorns, tmp_path):
    played = session(acorns, hold((5, 1, "f6"), (150, 1, "x")), tmp_path)
    played.run()
    captions = [picture[240:] for picture in played._window.pictures]
    assert np.array_equal(captions[0], captions[4])
    assert not np.array_equal(captions[5], captions[4])
    assert np.array_equal(captions[5], captions[104])
    assert np.array_equal(captions[105], captions[4])
    without = changed(acorns, controls={})
    other = session(without, hold((1, 1, "x")), tmp_path)
    other.run()
    assert not np.array_equal(other._window.pictures[0][240:252], captions[0][:12])


@pytest.mark.parametrize("end", ["escape", "close"])
def test_it_ends(acorns, tmp_path, end):
    played = session(acorns, hold((3, 1, end), (9, 1, "x")), tmp_path)
    played.run()
    assert len(played._window.pictures) == 3


def test_arrows_without_actions_of_their_names_are_cursor_keys(acorns, tmp_path):
    assert host_keys_of(changed(acorns, actions={"stay": []}))["up"] == ("shift", "7")
    assert host_keys_of(acorns)["left"] == ("o",)
    played = session(changed(acorns, actions={"stay": []}), hold((0, 1, "down")), tmp_path)
    played.step()
    assert set(played.machine.held_keys) == {"shift", "6"}


def test_arrows_and_alt_are_the_joystick(acorns, tmp_path):
    actions = {"stay": [], "left": ["left"], "fire": ["fire"]}
    game = changed(acorns, joystick="kempston", actions=actions)
    played = session(game, {0: ("left", "left alt", "a"), 1: ()}, tmp_path)
    played.step()
    assert played.machine._machine.kempston == 0b10010
    assert played.machine.held_keys == ("a",)
    played.step()
    assert played.machine._machine.kempston == 0
    sinclair = session(changed(acorns, joystick="sinclair1", actions=actions), {0: ("left",)}, tmp_path)
    sinclair.step()
    assert sinclair.machine.held_keys == ("6",)


def test_in_a_real_window(acorns, tmp_path, monkeypatch):
    pygame = pytest.importorskip("pygame")
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    window = Window("Test", pacer=Pacer(lambda: 0.0, lambda _: None))
    played = PlaySession(acorns, window, from_start_state=True, pictures=tmp_path)
    assert played.step()
    assert pygame.display.get_surface().get_size() == (960, 798)
    pygame.event.post(pygame.event.Event(pygame.KEYDOWN, key=pygame.K_RIGHT))
    assert played.step()
    assert played.machine.held_keys == ("p",)
    pygame.event.post(pygame.event.Event(pygame.KEYUP, key=pygame.K_RIGHT))
    assert played.step()
    assert played.machine.held_keys == ()
    pygame.event.post(pygame.event.Event(pygame.KEYDOWN, key=pygame.K_ESCAPE))
    assert not played.step()
    window.close()


def test_the_verb(monkeypatch):
    windows = []

    def open_window(title: str, *, scale: int) -> ScriptedWindow:
        windows.append((title, scale, ScriptedWindow({4: ("escape",)})))
        return windows[-1][2]

    monkeypatch.setattr(play, "Window", open_window)
    assert main(["play", "acorns", "--scale", "2", "--from-start-state"]) == 0
    ((title, scale, window),) = windows
    assert (title, scale) == ("Acorns", 2)
    assert len(window.pictures) == 4
    assert window.closed


def test_without_pygame(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "pygame", None)
    assert main(["play"]) == 2
    err = capsys.readouterr().err
    assert "pip install 'oakemu-rl[play]'" in err
    assert err.count("\n") == 1


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere there is always a display, as far as SDL knows")
def test_without_a_display(monkeypatch, capsys):
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "SDL_VIDEODRIVER", "SDL_VIDEO_DRIVER"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("SDL_AUDIODRIVER", "nonsense")  # nor sound, of which there is then no word
    assert main(["play"]) == 2
    err = capsys.readouterr().err
    assert "no display" in err
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["acornz"], "unknown game 'acornz' (did you mean"),
        (["--scale", "0"], "--scale"),
        (["--full-screen"], "unknown flag --full-screen"),
    ],
)
def test_mistakes_are_one_line(args, message, capsys):
    assert main(["play", *args]) == 2
    err = capsys.readouterr().err
    assert message in err
    assert err.count("\n") == 1


class KeptSound:
    """Stands in for `oakemu_rl.emulator.speaker.Speaker`."""

    def __init__(self) -> None:
        self.samples: list[np.ndarray] = []
        self.closed = False

    def play(self, samples: np.ndarray) -> None:
        self.samples.append(samples)

    def close(self) -> None:
        self.closed = True


def test_it_is_heard_frame_by_frame(acorns, tmp_path):
    script = hold((TITLE_FRAMES, 4, "space"), (TITLE_FRAMES + 300, 1, "x"))
    speaker = KeptSound()
    played = PlaySession(acorns, ScriptedWindow(script), speaker=speaker, pictures=tmp_path)
    played.run()
    assert len(speaker.samples) == len(played._window.pictures)
    sound = np.concatenate(speaker.samples)
    assert sound.size == pytest.approx(len(speaker.samples) * 958.464, abs=1)
    assert np.abs(sound).max() > 1000  # the game sounds
    assert list(played._window.rates) == [pytest.approx(50.08, abs=0.001)]


def test_the_picture_is_the_beam_s(acorns, tmp_path):
    played = session(acorns, hold((1, 1, "f12"), (3, 1, "x")), tmp_path, from_start_state=True)
    # OUT (0xFE),A; INC A; JP: a border that changes all the time.
    played.machine.write_block(0x8000, b"\xf3\xd3\xfe\x3c\xc3\x01\x80")
    played.machine.registers.pc = 0x8000
    played.run()
    assert len({tuple(pixel) for pixel in played._window.pictures[1][:24].reshape(-1, 3)}) == 8
    with Image.open(tmp_path / "acorns-001.png") as image:
        assert np.array_equal(np.asarray(image)[::2, ::2], played._window.pictures[0][:240])


@pytest.mark.parametrize(("flags", "opened"), [((), 1), (("--mute",), 0), (("--no-sound",), 0)])
def test_mute(flags, opened, monkeypatch):
    speakers = []

    def make() -> KeptSound:
        speakers.append(KeptSound())
        return speakers[-1]

    monkeypatch.setattr("oakemu_rl.cli.speakers.Speaker", make)
    monkeypatch.setattr(play, "Window", lambda title, *, scale: ScriptedWindow(hold((4, 1, "x"))))  # noqa: ARG005 # the signature of the real one
    assert main(["play", "--from-start-state", *flags]) == 0
    assert len(speakers) == opened
    assert all(speaker.closed and len(speaker.samples) == 5 for speaker in speakers)


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere SDL has no driver that is sure to fail")
def test_without_an_audio_device_it_is_silent(monkeypatch, capsys):
    monkeypatch.setenv("SDL_AUDIODRIVER", "nonsense")
    window = ScriptedWindow(hold((4, 1, "x")))
    monkeypatch.setattr(play, "Window", lambda title, *, scale: window)  # noqa: ARG005 # the signature of the real one
    assert main(["play", "--from-start-state"]) == 0
    err = capsys.readouterr().err
    assert "note: there is no sound" in err
    assert err.count("\n") == 1
    assert len(window.pictures) == 5
