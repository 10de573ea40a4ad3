# SPDX-License-Identifier: GPL-3.0-or-later
"""The window, on SDL's driver without a screen."""

import sys
from collections.abc import Iterator

import numpy as np
import pytest

from oakemu_rl.emulator import Spectrum
from oakemu_rl.emulator.host_keys import HOST_KEYS
from oakemu_rl.emulator.keyboard import KEYS
from oakemu_rl.emulator.pacing import Pacer
from oakemu_rl.emulator.window import NoDisplayError, Window

pygame = pytest.importorskip("pygame")


@pytest.fixture
def window(monkeypatch: pytest.MonkeyPatch) -> Iterator[Window]:
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    window = Window("Test", scale=2, pacer=Pacer(lambda: 0.0, lambda _: None))
    yield window
    window.close()


def picture(height: int = 12, width: int = 20) -> np.ndarray:
    return np.random.default_rng(1).integers(0, 256, size=(height, width, 3), dtype=np.uint8)


def press(*keys: int) -> None:
    for key in keys:
        pygame.event.post(pygame.event.Event(pygame.KEYDOWN, key=key))


def release(*keys: int) -> None:
    for key in keys:
        pygame.event.post(pygame.event.Event(pygame.KEYUP, key=key))


def shown() -> np.ndarray:
    return pygame.surfarray.array3d(pygame.display.get_surface()).swapaxes(0, 1)


def test_it_opens_with_the_first_picture_and_shows_it(window):
    assert window.poll() == []
    assert not pygame.display.get_init()
    window.show(picture())
    assert pygame.display.get_caption()[0] == "Test"
    assert np.array_equal(shown(), picture().repeat(2, axis=0).repeat(2, axis=1))
    window.set_title("Other")
    assert pygame.display.get_caption()[0] == "Other"


def test_a_resized_window_shows_whole_pixels_in_its_middle(window):
    window.show(picture())
    pygame.display.set_mode((70, 41), pygame.RESIZABLE)
    window.show(picture())
    assert np.array_equal(shown()[2:38, 5:65], picture().repeat(3, axis=0).repeat(3, axis=1))
    assert not shown()[:2].any()
    assert not shown()[:, 65:].any()


def test_keys_are_held_until_they_are_let_go(window):
    window.show(picture())
    press(pygame.K_o, pygame.K_LSHIFT)
    assert window.poll() == ["o", "left shift"]
    assert window.held == {"o", "left shift"}
    assert window.poll() == []
    assert window.held == {"o", "left shift"}
    release(pygame.K_o)
    window.poll()
    assert window.held == {"left shift"}


def test_a_quick_tap_counts_once(window):
    window.show(picture())
    press(pygame.K_o)
    release(pygame.K_o)
    assert window.poll() == ["o"]
    assert window.held == {"o"}
    window.poll()
    assert window.held == frozenset()


def test_keys_let_go_in_another_window_are_let_go(window):
    window.show(picture())
    press(pygame.K_o)
    window.poll()
    pygame.event.post(pygame.event.Event(pygame.WINDOWFOCUSLOST))
    window.poll()
    assert window.held == frozenset()


def test_closing_by_hand(window):
    window.show(picture())
    press(pygame.K_o)
    pygame.event.post(pygame.event.Event(pygame.QUIT))
    window.poll()
    assert window.closed
    assert not pygame.display.get_init()
    assert window.held == frozenset()
    window.show(picture())
    window.set_title("Other")
    assert window.poll() == []
    assert not pygame.display.get_init()


def test_the_rate_is_the_pacer_s(monkeypatch):
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    slept = []
    window = Window("Test", pacer=Pacer(lambda: 0.0, slept.append))
    for _ in range(3):
        window.show(picture(), 10.0)
    window.close()
    assert slept == [pytest.approx(0.1), pytest.approx(0.2)]


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere there is always a display, as far as SDL knows")
def test_without_a_display(monkeypatch):
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "SDL_VIDEODRIVER", "SDL_VIDEO_DRIVER"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(NoDisplayError, match="no display"):
        Window("Test").show(picture())


def test_an_unusable_display(monkeypatch):
    monkeypatch.setenv("SDL_VIDEODRIVER", "nonsense")
    with pytest.raises(NoDisplayError, match="a window cannot be opened"):
        Window("Test").show(picture())


def test_without_pygame(monkeypatch):
    monkeypatch.setitem(sys.modules, "pygame", None)
    with pytest.raises(ModuleNotFoundError):
        Window("Test")


def test_a_modern_keyboard_has_every_key_of_the_spectrum():
    names = {pygame.key.name(getattr(pygame, each)).lower() for each in dir(pygame) if each.startswith("K_")}
    assert HOST_KEYS.keys() <= names
    assert {name for keys in HOST_KEYS.values() for name in keys} == set(KEYS)
    assert HOST_KEYS["backspace"] == ("shift", "0")
    spectrum = Spectrum()
    for keys in HOST_KEYS.values():
        spectrum.press(*keys)
