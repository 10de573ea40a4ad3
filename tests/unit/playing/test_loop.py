# SPDX-License-Identifier: GPL-3.0-or-later
"""A session in a window of pygame's, on SDL's driver without a screen."""

from pathlib import Path

import pytest
from playing_tools import make_session

from oakemu_rl.emulator.pacing import Pacer
from oakemu_rl.emulator.window import Window
from oakemu_rl.playing import Playable, PlaySession, play_in_window

pygame = pytest.importorskip("pygame")


@pytest.fixture
def window(monkeypatch: pytest.MonkeyPatch) -> Window:
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    return Window("Test", pacer=Pacer(lambda: 0.0, lambda _: None))


class Script:
    """Posts events after so many pictures, and notes what the machine holds."""

    def __init__(self, session: PlaySession, events: dict[int, tuple[int, dict[str, int]]]) -> None:
        self._session = session
        self._events = events
        self.held: list[tuple[str, ...]] = []

    def __call__(self) -> None:
        self.held.append(self._session.machine.held_keys)
        if len(self.held) in self._events:
            kind, details = self._events[len(self.held)]
            pygame.event.post(pygame.event.Event(kind, **details))


def test_keys_pictures_and_quitting(acorns: Playable, tmp_path: Path, window: Window) -> None:
    session = make_session(acorns, tmp_path)
    script = Script(
        session,
        {
            3: (pygame.KEYDOWN, {"key": pygame.K_RIGHT}),
            6: (pygame.KEYUP, {"key": pygame.K_RIGHT}),
            8: (pygame.KEYDOWN, {"key": pygame.K_ESCAPE}),
        },
    )
    play_in_window(session, window, after=script)
    assert script.held == [()] * 3 + [("p",)] * 3 + [()] * 2
    assert pygame.display.get_surface().get_size() == (960, 798)
    assert pygame.display.get_caption()[0] == "Acorns: score 0, lives 5"
    window.close()


def test_closing_the_window(acorns: Playable, tmp_path: Path, window: Window) -> None:
    session = make_session(acorns, tmp_path)
    script = Script(session, {5: (pygame.QUIT, {})})
    play_in_window(session, window, after=script)
    assert len(script.held) == 5
    assert window.closed


def test_being_stopped(acorns: Playable, tmp_path: Path, window: Window) -> None:
    session = make_session(acorns, tmp_path)
    script = Script(session, {})
    play_in_window(session, window, after=script, stopped=lambda: len(script.held) == 7)
    assert len(script.held) == 7
    window.close()


@pytest.mark.parametrize("key", ["left", "page up", "f2", "tab"])
def test_at_any_speed(acorns: Playable, tmp_path: Path, window: Window, key: str) -> None:
    session = make_session(acorns, tmp_path)
    window.show(session.machine.screen())  # opens it, so that key codes are known
    script = Script(session, {2: (pygame.KEYDOWN, {"key": pygame.key.key_code(key)}), 9: (pygame.QUIT, {})})
    play_in_window(session, window, after=script)
    assert len(script.held) == 9
