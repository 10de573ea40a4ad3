# SPDX-License-Identifier: GPL-3.0-or-later
"""Parts of recordings."""

from dataclasses import replace

import numpy as np
import pytest

from oakemu_rl.demos import Demo, DemoReader, cut_demo, machine_of, replay
from oakemu_rl.errors import UserError
from oakemu_rl.games import Game, load_game


def test_a_part_plays_what_the_whole_does(caverns: Demo) -> None:
    part = cut_demo(caverns, 2160, 2964)
    assert (part.frames, part.steps, part.outcome) == (804, 201, "running")
    assert (part.seed, part.episode_return) == (None, None)
    assert part.markers == ((0, "room 4"), (804, "room 5"))
    assert [frame for frame, _ in part.keyframes] == [250, 500, 750, 804]
    assert np.array_equal(part.actions, caverns.actions[540:741])
    end = replay(part, load_game("caverns"))
    assert end.save_state() == DemoReader(caverns).state_at(frame=2964)


def test_nothing_is_held_at_its_start_and_all_else_is_as_it_was(caverns: Demo) -> None:
    start = DemoReader(caverns).machine_at(frame=20)
    assert start.held_keys
    start.release_all()
    assert cut_demo(caverns, 20, 40).start == start.save_state()


def test_the_end_keeps_its_outcome(caverns: Demo) -> None:
    part = cut_demo(caverns, 4000)
    assert (part.frames, part.outcome, part.markers) == (396, "win", ())
    assert load_game("caverns").read(replay(part, load_game("caverns")).visible_ram())["won"] == 1
    assert cut_demo(part) is part


def test_a_part_of_a_part_is_a_part(counted: Demo, game: Game) -> None:
    one = cut_demo(cut_demo(counted, 10, 60), 6, 30)
    other = cut_demo(counted, 16, 40)
    assert one.start == other.start
    assert np.array_equal(one.checks, other.checks)
    assert replay(one, game).frame == replay(other, game).frame


def test_frames_without_steps_are_cut_anywhere(counted: Demo, game: Game) -> None:
    part = cut_demo(replace(counted, actions=None, step_frames=None), 3, 10)
    assert (part.frames, part.steps) == (7, None)
    assert replay(part, game).frame == machine_of(counted).frame + 10


@pytest.mark.parametrize(
    ("first", "last", "complaint"),
    [
        (-1, 4, "has no frames -1 to 4; it has 0 to 68"),
        (4, 4, "no frames 4 to 4"),
        (4, 70, "no frames 4 to 70"),
        (3, 10, "begin or end within a step"),
        (4, 9, "begin or end within a step"),
    ],
)
def test_what_is_no_part_is_refused(counted: Demo, first: int, last: int, complaint: str) -> None:
    with pytest.raises(UserError, match=complaint):
        cut_demo(counted, first, last)
