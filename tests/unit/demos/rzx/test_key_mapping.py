# SPDX-License-Identifier: GPL-3.0-or-later
"""Which actions stand for what was held."""

import numpy as np
import pytest

from oakemu_rl.demos.rzx.mapping import Fit, describe_keys, map_keys
from oakemu_rl.games.keys import action_row

ACTIONS = {"stay": [], "left": ["o"], "right": ["p"], "jump": ["space"], "left_jump": ["o", "space"]}
NAMES = list(ACTIONS)
TABLE = np.stack([action_row(held, "none") for held in ACTIONS.values()])
NOOP = 0


def mapped(*frames):
    """The names of the actions, how they fit, and the frames with a conflict."""
    held = np.array([action_row(keys, "none") for keys in frames], np.uint8).reshape(-1, 9)
    result = map_keys(held, TABLE, NOOP)
    names = [NAMES[action] for action in result.actions]
    return names, [Fit(fit) for fit in result.fits], np.flatnonzero(result.conflicts).tolist()


def test_keys_of_an_action_are_that_action():
    names, fits, conflicts = mapped([], ["o"], ["p"], ["space"], ["space", "o"])
    assert names == NAMES
    assert set(fits) == {Fit.EXACT}
    assert conflicts == []


def test_of_two_actions_with_the_same_keys_the_first_is_meant():
    table = np.stack([action_row(held, "none") for held in ([], ["o"], ["o"])])
    assert map_keys(np.array([action_row(["o"], "none")]), table, 0).actions.tolist() == [1]


def test_other_keys_that_are_held_as_well_are_passed_over():
    assert mapped(["o", "x"]) == (["left"], [Fit.NEAREST], [])


def test_keys_of_no_action_are_refused_and_nothing_stands_for_them():
    assert mapped(["x"], ["enter", "shift"]) == (["stay", "stay"], [Fit.REFUSED] * 2, [])


def test_the_action_that_differs_in_the_fewest_keys_is_nearest():
    # o, p and space: left_jump lacks one key; any other action lacks two.
    assert mapped(["o", "p", "space"]) == (["left_jump"], [Fit.NEAREST], [])


def test_of_equally_near_actions_the_one_being_played_goes_on():
    names, fits, conflicts = mapped(["p"], ["o", "p"], ["o", "p"], ["o"], ["o", "p"])
    assert names == ["right", "right", "right", "left", "left"]
    assert fits[1] == Fit.NEAREST
    assert conflicts == [1, 2, 4]


def test_of_equally_near_actions_none_of_which_was_played_the_first_is_taken():
    assert mapped(["o", "p"])[0] == ["left"]


def test_what_was_not_held_is_not_made_up_without_need():
    # p and space: right and jump lack one key each; left_jump would lack one and hold one too many.
    names, _, conflicts = mapped(["p", "space"])
    assert names == ["right"]
    assert conflicts == [0]
    table = np.stack([action_row(held, "none") for held in (["o", "p"], [])])
    # o alone: as near to both as to none.
    assert map_keys(np.array([action_row(["o"], "none")]), table, 1).actions.tolist() == [1]


def test_the_joystick_counts_as_keys_do():
    table = np.stack([action_row(held, "kempston") for held in ([], ["left"], ["left", "fire"])])
    held = np.array([action_row(["left"], "kempston"), action_row(["left", "fire"], "kempston")])
    assert map_keys(held, table, 0).actions.tolist() == [1, 2]


def test_how_many_frames_fit_is_counted():
    held = np.array([action_row(keys, "none") for keys in (["o"], ["o", "x"], ["x"], ["p"])])
    result = map_keys(held, TABLE, NOOP)
    assert [result.count(fit) for fit in Fit] == [2, 0, 1, 1]
    part = result.part(1, 3)
    assert [part.count(fit) for fit in Fit] == [0, 0, 1, 1]
    assert part.actions.tolist() == [1, 0]


def test_other_keys_may_be_known_to_do_the_same():
    held = np.array([action_row(keys, "none") for keys in (["q"], ["o", "p"], ["o"])])
    same = {held[0].tobytes(): 1, held[1].tobytes(): 2, held[2].tobytes(): 3}
    result = map_keys(held, TABLE, NOOP, same)
    assert result.actions.tolist() == [1, 2, 1]  # the keys of an action are that action
    assert result.fits.tolist() == [Fit.SAME, Fit.SAME, Fit.EXACT]
    assert not result.conflicts.any()


def test_no_frames_are_no_actions():
    assert map_keys(np.zeros((0, 9), np.uint8), TABLE, NOOP).actions.shape == (0,)


@pytest.mark.parametrize(("keys", "words"), [([], "nothing"), (["o"], "o"), (["o", "space"], "o + space")])
def test_keys_are_named_as_people_write_them(keys, words):
    assert describe_keys(action_row(keys, "none")) == words
