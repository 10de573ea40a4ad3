# SPDX-License-Identifier: GPL-3.0-or-later
"""Gymnasium's own way to play an environment."""

from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.play import play

import oakemu_rl.envs  # noqa: F401 - registers the environments
from oakemu_rl.envs.actions import ActionType, action_set
from oakemu_rl.envs.hand_keys import keys_to_action
from oakemu_rl.games import Game, load_game

pygame = pytest.importorskip("pygame")


def keys(*, action_type: ActionType = "discrete", full: bool = False, **changes: Any) -> dict[tuple[int, ...], Any]:
    acorns = load_game("acorns")
    game = Game(acorns.definition.model_copy(update=changes), acorns.program)
    return keys_to_action(game, action_set(game, full=full, action_type=action_type))


def test_the_keys_that_actions_hold_and_the_arrows() -> None:
    assert keys() == {(ord("o"),): 1, (ord("p"),): 2, (pygame.K_LEFT,): 1, (pygame.K_RIGHT,): 2}


def test_chords() -> None:
    found = keys(
        actions={"stay": [], "left": ["o"], "jump": ["o", "space"], "enter": ["enter"], "go": ["shift", "sym"]}
    )
    assert found == {
        (ord("o"),): 1,
        (pygame.K_LEFT,): 1,
        (ord(" "), ord("o")): 2,
        (ord(" "), pygame.K_LEFT): 2,
        (pygame.K_RETURN,): 3,
        (pygame.K_LCTRL, pygame.K_LSHIFT): 4,
    }


def test_of_two_that_hold_the_same_the_first() -> None:
    assert keys(actions={"stay": [], "one": ["o"], "two": ["o"]}) == {(ord("o"),): 1}


def test_an_arrow_is_a_single_key() -> None:
    assert keys(actions={"stay": [], "left": ["o", "space"]}) == {(ord(" "), ord("o")): 1}


def test_a_joystick() -> None:
    actions = {"stay": [], "left": ["left"], "up": ["up"], "shoot": ["down", "fire"], "right": ["right"]}
    found = keys(joystick="kempston", actions=actions)
    assert found == {
        (pygame.K_LEFT,): 1,
        (pygame.K_UP,): 2,
        (pygame.K_DOWN, pygame.K_LALT): 3,
        (pygame.K_RIGHT,): 4,
    }
    assert keys(joystick="sinclair1", actions={"stay": [], "left": ["left"]}) == {(ord("6"),): 1, (pygame.K_LEFT,): 1}


def test_all_combinations_and_bits() -> None:
    assert keys(full=True)[(ord("o"), ord("p"))] == 3
    bits = keys(action_type="multibinary")
    assert bits[(ord("p"),)].tolist() == [0, 1]
    assert bits[(ord("o"), pygame.K_RIGHT)].tolist() == [1, 1]


def test_gymnasium_plays_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    env = gymnasium.make("ZXSpectrum/Acorns-v0", render_mode="rgb_array", frameskip=1)
    actions: list[int] = []

    def watch(_before: Any, _after: Any, action: int, *_: Any) -> None:
        actions.append(action)
        events = {
            5: (pygame.KEYDOWN, {"key": pygame.K_LEFT}),
            9: (pygame.KEYUP, {"key": pygame.K_LEFT}),
            12: (pygame.QUIT, {}),
        }
        if len(actions) in events:
            kind, details = events[len(actions)]
            pygame.event.post(pygame.event.Event(kind, **details))

    play(env, callback=watch, noop=0, fps=100_000)
    assert actions == [0] * 5 + [1] * 4 + [0] * 3
    env.close()


def test_its_actions_are_in_the_space() -> None:
    env = gymnasium.make("ZXSpectrum/Caverns-v0", action_type="multibinary")
    found = env.get_wrapper_attr("get_keys_to_action")()
    assert found
    assert all(action in env.action_space for action in found.values())
    assert all(np.any(action) for action in found.values())
    env.close()
