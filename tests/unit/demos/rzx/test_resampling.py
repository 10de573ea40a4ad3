# SPDX-License-Identifier: GPL-3.0-or-later
"""From the actions of frames to those of steps, without losing short presses."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oakemu_rl.demos.rzx.resampling import resample
from oakemu_rl.games.keys import action_row

LETTERS = ".lrjL"  # . holds nothing, L what l and j hold
TABLE = np.stack([action_row(held, "none") for held in ([], ["o"], ["p"], ["space"], ["o", "space"])])


def steps(text, frameskip=4):
    """The steps of frames that are written as letters, and how many presses got none."""
    result = resample(np.array([LETTERS.index(letter) for letter in text.replace(" ", "")], np.int64), frameskip, TABLE)
    return "".join(LETTERS[action] for action in result.actions), result.lost


@pytest.mark.parametrize(
    ("frames", "wanted"),
    [
        ("llll rrrr ....", "lr."),
        ("lllr rrrr", "lr"),  # what was played in most frames of a step
        ("llrr rrrr", "lr"),  # of equals, what came first
        ("lrrr rrrr", "lr"),  # a press of one frame is a press
        (".... .j.. ....", ".j."),
        ("...j .... ....", "j.."),
        ("...j j...", "j."),  # as long in both: the first
        ("...j jj..", ".j"),  # where it was longer
        ("llll lj.. ....", "lj."),
        ("llll ljll llll", "ljl"),  # as a jump on the run
        ("llll lllj llll", "ljl"),
        ("l... .l..", "ll"),
    ],
)
def test_short_presses_get_a_step(frames, wanted):
    assert steps(frames) == (wanted, 0)


def test_of_two_presses_in_one_step_the_longer_is_kept_and_the_other_is_counted():
    assert steps("jrr. ....") == ("r.", 1)


def test_a_press_may_take_the_step_of_one_whose_keys_it_holds():
    assert steps("lllL ....") == ("L.", 0)
    assert steps("jlll ....") == ("l.", 1)


def test_a_press_goes_where_another_can_do_without():
    # In the second step there are both; the long one has two more.
    assert steps("llll lljl llll") == ("ljl", 0)


def test_presses_of_the_same_keys_stay_apart_where_there_is_room():
    assert steps("jjjj jj.j jjjj") == ("j.j", 0)


def test_a_pause_takes_no_press_its_only_step():
    assert steps("jj.j") == ("j", 1)


def test_a_pause_between_different_presses_needs_no_step():
    assert steps("llll .rrr rrrr") == ("lrr", 0)


def test_frames_after_the_last_whole_step_are_left_out():
    assert steps("llll rr") == ("l", 0)
    assert steps("lll") == ("", 0)


def test_steps_of_one_frame_are_the_frames():
    assert steps("lr.jjl", frameskip=1) == ("lr.jjl", 0)


def test_presses_are_counted():
    actions = np.array([LETTERS.index(letter) for letter in "ll..rrj."], np.int64)
    assert resample(actions, 2, TABLE).presses == 3


@given(
    frames=st.lists(st.integers(0, 4), max_size=60).map(lambda played: np.array(played, np.int64)),
    frameskip=st.integers(1, 7),
)
def test_every_step_plays_what_was_played_in_it_and_nothing_is_lost_unseen(frames, frameskip):
    result = resample(frames, frameskip, TABLE)
    whole = frames[: len(result.actions) * frameskip].reshape(-1, frameskip)
    assert len(result.actions) == len(frames) // frameskip
    assert all(action in step for action, step in zip(result.actions, whole, strict=True))
    flat = whole.reshape(-1)
    begins = (np.diff(flat, prepend=-1) != 0) & (flat != 0)
    played = (np.diff(result.actions, prepend=-1) != 0) & (result.actions != 0)
    assert result.presses == begins.sum()
    assert played.sum() <= result.presses
    assert result.lost <= result.presses - min(1, int(played.sum()))


@given(lengths=st.lists(st.integers(1, 3), min_size=1, max_size=20))
def test_presses_that_are_a_step_apart_are_never_lost(lengths):
    frames = [frame for length in lengths for frame in (*[3] * length, *[0] * 8)]
    assert resample(np.array(frames, np.int64), 4, TABLE).lost == 0
