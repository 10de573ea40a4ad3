# SPDX-License-Identifier: GPL-3.0-or-later
"""In which start state an episode of a batch begins: drawn by weight, or chosen."""

from typing import Any

import numpy as np
import pytest
from batch_game import FRAMES, KEYS, BatchGame, start_state, variable
from batch_model import belt_start
from numpy.testing import assert_array_equal

from oakemu_rl import _core


def _starts() -> list[bytes]:
    return [belt_start(seed, border=seed) for seed in range(4)]


def test_starts_are_drawn_by_weight() -> None:
    game = BatchGame(start_states=_starts(), start_weights=[0.0, 1.0, 3.0, 0.0], num_envs=2000)
    game.reset()
    drawn = np.bincount(game["start"], minlength=4).tolist()
    assert drawn[0] == drawn[3] == 0
    assert 1420 < drawn[2] < 1580  # 1500, within 4 sigma
    assert [game.batch.render(i)[0, 0].any() for i in range(4)] == [True] * 4  # no border is black


@pytest.mark.parametrize("weights", [[], [1.0] * 4, [0.25] * 4])
def test_equal_weights_are_none(weights: list[float]) -> None:
    one, other = (BatchGame(start_states=_starts(), start_weights=w, num_envs=400) for w in ([], weights))
    one.reset()
    other.reset()
    assert_array_equal(one["start"], other["start"])
    assert all(70 < count < 130 for count in np.bincount(one["start"]))


def test_a_single_choice_draws_nothing() -> None:
    """The stickiness of what follows is as with a single start state."""
    lone = BatchGame(start_states=[start_state()], repeat_action_probability=0.5, num_envs=50)
    certain = BatchGame(
        start_states=[*_starts(), start_state()],
        start_weights=[0, 0, 0, 0, 1e-3],
        repeat_action_probability=0.5,
        num_envs=50,
    )
    for game in (lone, certain):
        game.reset()
        game.step(1)
    assert_array_equal(lone["actions_taken"], certain["actions_taken"])
    assert certain["start"].tolist() == [4] * 50


def test_starts_are_chosen() -> None:
    game = BatchGame(start_states=_starts(), start_weights=[1.0, 1.0, 1.0, 0.0], num_envs=4)
    game.reset(starts=[3, 0, -1, 2])
    assert game["start"][[0, 1, 3]].tolist() == [3, 0, 2]
    assert game["start"][2] in (0, 1, 2)
    borders = [_core.Machine(bytes(16384)) for _ in range(4)]
    for i, machine in enumerate(borders):
        machine.restore(game.batch.machine_state(i))
    assert [machine.border for machine in borders] == game["start"].tolist()
    game.reset(np.array([False, True, False, False]), starts=[1, 1, 1, 1])
    assert game["start"][[0, 1, 3]].tolist() == [3, 1, 2]
    game.batch.set_state(0, game.batch.get_state(3))
    game.batch.observe(None, game.outputs)
    assert game["start"][0] == 2
    for starts in ([0, 0, 4, 0], [0, 0, -2, 0]):
        with pytest.raises(
            ValueError, match=rf"starts: {starts[2]} for environment 2; allowed are -1 \(draw\) and 0 to 3"
        ):
            game.reset(starts=starts)
    with pytest.raises(ValueError, match=r"starts: int64 \(3,\) given, wanted int64 \(4,\)"):
        game.reset(starts=[0, 0, 0])


def test_a_chosen_start_ends_a_game_that_would_go_on() -> None:
    """After a lost life a reset goes on, unless it is told where to begin."""
    falling = [variable(FRAMES), variable(KEYS)]
    changes: dict[str, Any] = {
        "variables": falling,
        "derived": [[("constant", 5.0), ("variable", 1.0), ("subtract", 0.0)]],
        "lives_variable": 2,
        "episodic_life": True,
    }
    game = BatchGame(**changes)
    for starts, frames in (([-1], 2), ([0], 0), (None, 2)):
        game.reset(starts=[0])
        game.step(0)
        game.step(1)
        assert game["outcome"].tolist() == [4]
        game.reset(starts=starts)
        assert game["variables"][0, 0] == frames
