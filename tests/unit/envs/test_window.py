# SPDX-License-Identifier: GPL-3.0-or-later
"""``render_mode="human"``, in a window without a screen."""

import copy
import sys
from pathlib import Path

import numpy as np
import pytest
from counting_game import STAY
from gymnasium.error import DependencyNotInstalled

from oakemu_rl.envs import SpectrumEnv, SpectrumVectorEnv


@pytest.fixture(autouse=True)
def _no_screen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    pytest.importorskip("pygame")


def test_the_window_shows_the_picture_three_times_as_large(counting: Path) -> None:
    import pygame

    env = SpectrumEnv(counting, render_mode="human", frameskip=1)
    env.reset(seed=1)
    env.step(STAY)
    assert env.render() is None
    surface = pygame.display.get_surface()
    assert surface is not None
    assert surface.get_size() == (960, 720)
    shown = pygame.surfarray.array3d(surface).swapaxes(0, 1)
    twin = SpectrumEnv(counting, render_mode="rgb_array", frameskip=1)
    twin.reset(options={"state": env.get_state()})
    assert np.array_equal(shown[::3, ::3], twin.render())
    env.close()
    env.close()
    assert not pygame.display.get_init()


def test_closing_the_window_by_hand_does_not_stop_the_program(counting: Path) -> None:
    import pygame

    env = SpectrumEnv(counting, render_mode="human", frameskip=1)
    env.reset(seed=1)
    pygame.event.post(pygame.event.Event(pygame.QUIT))
    env.step(STAY)
    assert not pygame.display.get_init()
    assert env.step(STAY)[4]["episode_length"] == 2
    env.close()


def test_a_window_of_the_vector_environment(counting: Path) -> None:
    import pygame

    env = SpectrumVectorEnv(counting, 2, render_mode="human", frameskip=1)
    env.reset(seed=1)
    assert env.render() is None
    assert pygame.display.get_init()
    env.close()
    assert not pygame.display.get_init()


def test_copies_get_a_window_of_their_own(counting: Path) -> None:
    env = SpectrumEnv(counting, render_mode="human", frameskip=1)
    env.reset(seed=1)
    copy.deepcopy(env).close()
    env.close()


def test_without_pygame(counting: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pygame", None)
    with pytest.raises(DependencyNotInstalled, match=r'pip install "oakemu-rl\[play\]"'):
        SpectrumEnv(counting, render_mode="human")
