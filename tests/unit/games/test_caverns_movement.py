# SPDX-License-Identifier: GPL-3.0-or-later
"""How the player of Caverns walks, jumps and falls, and what floors do."""

import pytest
from caverns_machine import (
    BELT_LEFT,
    BELT_RIGHT,
    CRUMBLING,
    DYING,
    EMPTY,
    FALL,
    FLOOR,
    GROUND,
    PLAYING,
    WALL,
    CavernsMachine,
    hall,
)

# Of each frame of a jump; the way down is the mirror image.
ROWS_UP = (3, 2, 2, 2, 2, 2, 1, 1, 1, 1, 1, 1, 0, 1, 0, 0, 0, 0)


def test_walking_is_a_pixel_a_frame_up_to_the_walls() -> None:
    machine = hall()
    for action, step in (("stay", 0), ("right", 1), ("left", -1)):
        x, y = machine.place
        machine.act(action, 10)
        assert machine.place == (x + 10 * step, y)
    machine.act("right", 200)
    assert machine.place == (31 * 8 - 12, GROUND)
    machine.act("left", 250)
    assert machine.place == (8 - 4, GROUND)


def test_both_directions_at_once_are_none() -> None:
    machine = hall()
    machine.spectrum.press("o", "p")
    machine.frame(5)
    assert machine.place == (120, GROUND)


@pytest.mark.parametrize(("action", "step"), [("jump", 0), ("right_jump", 1), ("left_jump", -1)])
@pytest.mark.parametrize("in_the_air", ["stay", "left", "right", "right_jump"])
def test_a_jump_is_one_fixed_arc(action: str, step: int, in_the_air: str) -> None:
    machine = hall()
    height = 0
    for frame, rows in enumerate([*ROWS_UP, *(-rows for rows in reversed(ROWS_UP))], 1):
        machine.act(action if frame == 1 else in_the_air)
        height += rows
        assert machine.place == (120 + step * frame, GROUND - height)
    assert frame == 36
    assert height == 0
    assert machine.byte("jump") == 0


def test_the_jump_key_held_jumps_again_at_once() -> None:
    machine = hall()
    machine.act("right_jump", 72)
    assert machine.place == (192, GROUND)


def test_a_ceiling_ends_a_jump_and_its_way_aside() -> None:
    machine = hall()
    machine.cells()[19, 10:25] = WALL  # its lower edge is 8 rows above the head
    rows = []
    for _ in range(8):
        machine.act("right_jump" if not rows else "stay")
        rows.append(GROUND - machine.place[1])
    assert rows == [3, 5, 7, 8, 6, 4, 2, 0]
    assert machine.place[0] == 123, "three frames aside, then the bump and straight down"
    assert machine.byte("jump") == 0


def test_floors_carry_from_above_and_let_through_from_below() -> None:
    machine = hall()
    machine.cells()[21, 10:25] = FLOOR
    machine.act("jump")
    machine.act("stay", 60)
    assert machine.place == (120, GROUND - 16)
    machine.act("right", 84)
    assert machine.place == (196, GROUND)


@pytest.mark.parametrize(("lines", "dies"), [(5, False), (6, True)])
def test_a_fall_of_five_lines_is_survived(lines: int, dies: bool) -> None:  # noqa: FBT001 - a case of the table
    machine = hall()
    machine.cells()[23 - lines, 10:20] = FLOOR
    machine.put(140, GROUND - 8 * lines)
    machine.act("right", 16 + 4 * lines)
    assert machine.place[0] == 156, "falling, there is no way aside"
    assert machine.place[1] == GROUND
    assert machine.mode == (DYING if dies else PLAYING)
    assert machine.byte("cause") == (FALL if dies else 0)


def test_a_jump_counts_from_its_highest_point() -> None:
    for lines, mode in ((2, PLAYING), (3, DYING)):
        machine = hall()
        machine.cells()[23 - lines, 10:20] = FLOOR
        machine.put(140, GROUND - 8 * lines)
        machine.act("right_jump", 36 + 4 * lines)
        assert machine.place == (176, GROUND)
        assert machine.mode == mode


@pytest.mark.parametrize(("belt", "way"), [(BELT_LEFT, -1), (BELT_RIGHT, 1)])
def test_a_conveyor_carries(belt: int, way: int) -> None:
    for action, step in (("stay", 0), ("right", 1), ("left", -1)):
        machine = hall()
        machine.cells()[23, 1:31] = belt
        machine.act(action, 10)
        assert machine.place == (120 + 10 * (way + step), GROUND)
    machine.put(120, GROUND)
    machine.act("right_jump", 35)
    assert machine.place[0] == 155, "in the air nothing carries"


def test_a_crumbling_floor_wears_under_the_feet_only_and_goes() -> None:
    machine = hall()
    machine.cells()[15, 15:18] = CRUMBLING
    machine.put(124, 104)  # the body is just cell 16
    frames = 0
    while machine.byte("jump") == 0:
        machine.act("stay")
        frames += 1
        wear = machine.cells()[15, 15:18].tolist()
        assert wear[0] == wear[2] == CRUMBLING
        assert wear[1] in {CRUMBLING + frames // 4, CRUMBLING + (frames + 3) // 4, EMPTY}
        assert frames < 40
    assert 29 <= frames <= 33
    assert machine.cells()[15, 16] == EMPTY
    machine.frame(10)
    assert machine.place[1] > 104


def test_a_crumbling_floor_is_worn_by_walking_over_it() -> None:
    machine = CavernsMachine(3, guardians=False)
    machine.put(52, 136)
    machine.act("right", 30)
    line = machine.cells()[19, 7:11].tolist()
    assert all(CRUMBLING < cell < CRUMBLING + 8 for cell in line[1:3])
    screen = machine.spectrum.screen_grey(9 * 8, 19 * 8, 8, 8) > 0
    worn = line[2] - CRUMBLING
    assert screen[: 8 - worn].any(axis=1).all()
    assert not screen[8 - worn :].any(), "it gets thinner from below"
