# SPDX-License-Identifier: GPL-3.0-or-later
"""Recorded routes, and how they are cut into legs."""

import numpy as np
import pytest

from oakemu_rl.curricula import Course, Leg
from oakemu_rl.errors import UserError

REWARDS = np.array([1.0, 0.0, 2.0, 0.0, 4.0])
STATES = [bytes([step]) for step in range(6)]
ROOMS = np.array([0, 0, 0, 1, 1, 2])  # before each of five steps, and after the last


def test_a_route_is_cut_where_the_variable_changes() -> None:
    course = Course.divided(STATES, REWARDS, {"room": ROOMS}, "room")
    # Its last change comes with the end: nothing would be left to play.
    assert course.legs == (Leg(0, 3, 0), Leg(3, 5, 1))


def test_a_route_that_nothing_divides_is_one_leg() -> None:
    assert Course.divided(STATES, REWARDS, {"room": ROOMS}, None).legs == (Leg(0, 5),)


def test_what_is_owed_is_what_the_recording_won_to_the_end_of_the_leg() -> None:
    course = Course.divided(STATES, REWARDS, {"room": ROOMS}, "room")
    first, second = course.legs
    assert [course.owed(first, step) for step in range(3)] == [3.0, 2.0, 2.0]
    assert [course.owed(second, step) for step in (3, 4)] == [4.0, 4.0]


def test_an_unknown_variable_is_named_with_the_nearest() -> None:
    with pytest.raises(UserError, match=r"no variable 'rooom' \(did you mean 'room'\?\)"):
        Course.divided(STATES, REWARDS, {"room": ROOMS}, "rooom")


def test_an_empty_recording_is_refused() -> None:
    with pytest.raises(UserError, match="no steps"):
        Course.divided(STATES[:1], REWARDS[:0], {"room": ROOMS[:1]}, "room")


def test_legs_make_up_the_whole() -> None:
    with pytest.raises(ValueError, match="do not make up"):
        Course(STATES, REWARDS, (Leg(0, 2), Leg(3, 5)))
    with pytest.raises(ValueError, match="do not make up"):
        Course(STATES, REWARDS, (Leg(0, 4),))
    with pytest.raises(ValueError, match="as many states"):
        Course(STATES[:4], REWARDS, (Leg(0, 5),))
