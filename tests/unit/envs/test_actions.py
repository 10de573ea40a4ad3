# SPDX-License-Identifier: GPL-3.0-or-later
"""The actions of an environment, before it is one."""

from pathlib import Path

import numpy as np
import pytest
from counting_game import DEFINITION, write_game
from gymnasium.spaces import Discrete, MultiBinary

from oakemu_rl.envs.actions import action_set, joined_programs
from oakemu_rl.errors import UserError
from oakemu_rl.games import Game, load_game
from oakemu_rl.games.keys import action_row

A, B = [("variable", 0.0)], [("variable", 1.0), ("logical_not", 0.0)]


@pytest.fixture(scope="module")
def game(tmp_path_factory: pytest.TempPathFactory) -> Game:
    own = "{left: [q], stay: [], both: [o, p], right: [p]}"
    definition = DEFINITION.replace("{stay: [], score: [o], die: [p]}", own)
    return load_game(write_game(tmp_path_factory.mktemp("actions"), definition))


def test_own_actions(game: Game) -> None:
    actions = action_set(game, full=False, action_type="discrete")
    assert actions.names == ("left", "stay", "both", "right")
    assert actions.noop == 1
    assert actions.space == Discrete(4)
    assert actions.masks([A, [], B, []]) == [A, [], B, []]
    assert actions.masks([]) == []


def test_every_combination(game: Game) -> None:
    actions = action_set(game, full=True, action_type="discrete")
    assert actions.names == ("left", "stay", "both", "right", "o", "q+o", "q+p", "q+o+p")
    assert actions.table.tolist() == [
        action_row(held, "none").tolist() for held in ("q", "", "op", "p", "o", "qo", "qp", "qop")
    ]
    assert actions.meanings == list(actions.names)


def test_a_combination_is_allowed_where_all_are_that_it_contains(game: Game) -> None:
    masks = action_set(game, full=True, action_type="discrete").masks([A, [], B, []])
    assert masks == [A, [], B, [], [], A, A, [*A, *B, ("logical_and", 0.0)]]


def test_bits_are_keys(game: Game) -> None:
    actions = action_set(game, full=False, action_type="multibinary")
    assert actions.inputs == ("q", "o", "p")
    assert actions.meanings == ["q", "o", "p"]
    assert actions.space == MultiBinary(3)
    assert actions.noop == 0
    assert not actions.table[0].any()
    assert actions.table.shape == (8, 9)
    for number in range(8):
        held = [key for bit, key in enumerate("qop") if number >> bit & 1]
        assert np.array_equal(actions.table[number], action_row(held, "none"))
        assert actions.names[number] == "+".join(held)


@pytest.mark.parametrize("keys", ["0123456789abc", ""])
def test_numbers_of_bits_that_are_refused(tmp_path: Path, keys: str) -> None:
    own = ", ".join(["stay: []", *(f"k{key}: ['{key}']" for key in keys)])
    definition = DEFINITION.replace("{stay: [], score: [o], die: [p]}", f"{{{own}}}")
    game = load_game(write_game(tmp_path, definition))
    message = "13 different keys, that is 8192 combinations; at most 12" if keys else "hold no keys at all"
    with pytest.raises(
        UserError, match=f"action_type='multibinary': the actions of ZXSpectrum/Counting-v0 .*{message}"
    ):
        action_set(game, full=False, action_type="multibinary")


def test_conditions_that_are_joined() -> None:
    assert joined_programs([]) == []
    assert joined_programs([[], []]) == []
    assert joined_programs([[], A]) == A
    assert joined_programs([A, B, A]) == [*A, *B, ("logical_and", 0.0), *A, ("logical_and", 0.0)]
