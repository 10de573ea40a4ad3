# SPDX-License-Identifier: GPL-3.0-or-later
"""Caverns by its rules: how the player moves, what kills, what counts."""

import pytest
from caverns_machine import (
    AIR,
    BELT_LEFT,
    BELT_RIGHT,
    CRUMBLING,
    DEADLY,
    DEADLY_CELL,
    DYING,
    EMPTY,
    FALL,
    FLOOR,
    GUARDIAN,
    KEY,
    LEAVING,
    OVER,
    PLAYING,
    TITLE,
    WALL,
    WON,
    CavernsMachine,
)

GROUND = 168  # y of a player who stands on the lowest line
# Of each frame of a jump; the way down is the mirror image.
ROWS_UP = (3, 2, 2, 2, 2, 2, 1, 1, 1, 1, 1, 1, 0, 1, 0, 0, 0, 0)


def hall() -> CavernsMachine:
    """Room 1 emptied: walls all round, the player on the ground in the middle."""
    machine = CavernsMachine(guardians=False)
    machine.cells()[4:23, 1:31] = EMPTY
    machine.put(120, GROUND)
    return machine


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


@pytest.mark.parametrize("room", range(1, 7))
def test_every_plant_and_every_spike_kills(room: int) -> None:
    lines, columns = (CavernsMachine(room).cells() == DEADLY_CELL).nonzero()
    for line, column in zip(lines[::3], columns[::3], strict=True):
        machine = CavernsMachine(room, guardians=False)
        machine.put(int(column) * 8 - 4, int(line) * 8 - 8)
        machine.act("stay")
        assert (machine.mode, machine.byte("cause"), machine.byte("lives")) == (DYING, DEADLY, 2)


def test_spikes_kill_at_the_first_pixel() -> None:
    machine = hall()
    machine.cells()[22, 20] = DEADLY_CELL
    machine.act("right", 28)  # the body ends at column 159, the spike begins at 160
    assert machine.mode == PLAYING
    machine.act("right")
    assert (machine.mode, machine.byte("cause")) == (DYING, DEADLY)


@pytest.mark.parametrize("room", range(1, 7))
def test_every_guardian_kills(room: int) -> None:
    for number, guardian in enumerate(CavernsMachine(room).guardians()):
        for beside, below, dies in ((8, 0, True), (-8, 0, True), (0, -10, True), (12, 0, False), (0, -14, False)):
            machine = CavernsMachine(room)
            for slot in range(4):
                if slot != number:
                    machine.write("guardians", 255, 8 * slot)
            machine.cells()[4:23] &= 0xC0  # neither keys nor plants
            guardian = machine.guardians()[0]
            machine.put(guardian.x + beside, guardian.y + below)
            machine.write("jump", 17)  # at rest in the air
            machine.write("jump_dx", 0)
            machine.act("stay")
            assert (machine.mode == DYING) is dies, (guardian, beside, below)
            assert machine.byte("cause") == (GUARDIAN if dies else 0)


def test_air_runs_out() -> None:
    machine = hall()
    period = machine.byte("air_period")
    machine.frame(period)
    assert machine.byte("air") == 223
    machine.frame(3 * period)
    assert machine.byte("air") == 220
    machine.write("air", 1)
    machine.frame(period)
    assert machine.byte("air") == 0
    assert (machine.mode, machine.byte("cause"), machine.byte("lives")) == (DYING, AIR, 2)


def test_the_bar_shows_the_air() -> None:
    machine = hall()
    for air in (223, 220, 216, 215, 9, 1):
        machine.write("air", air + 1)
        machine.write("air_timer", 1)
        machine.frame()
        bar = machine.spectrum.screen_grey(32, 16, 224, 8)
        assert machine.byte("air") == air
        assert bar[3, air] == 0
        if air % 8:
            assert bar[3, air - 1] > 0
        assert (bar[3, 8 * (air // 8) : air] > 0).all()


def test_keys_open_the_door_and_the_door_ends_the_room() -> None:
    machine = CavernsMachine(guardians=False)
    door = (machine.byte("exit_x"), machine.byte("exit_y"))
    machine.put(*door)
    machine.frame(3)
    assert machine.mode == PLAYING, "it is closed"
    lines, columns = (machine.cells() == KEY).nonzero()
    for number, (line, column) in enumerate(zip(lines, columns, strict=True), 1):
        assert machine.byte("exit_open") == 0
        machine.put(int(column) * 8 - 4, int(line) * 8)
        machine.frame()
        assert machine.cells()[line, column] == EMPTY
        assert machine.byte("keys_left") == 3 - number
        assert machine.byte("progress") == machine.word("keys_taken") == number
        assert machine.score() == 100 * number
    assert machine.byte("exit_open") == 1
    machine.put(door[0] - 8, door[1])
    machine.act("stay")
    assert machine.mode == PLAYING
    machine.put(door[0] - 7, door[1])
    air = machine.byte("air")
    machine.act("stay")
    assert machine.mode == LEAVING
    assert (machine.byte("rooms_done"), machine.byte("progress"), machine.byte("won")) == (1, 4, 0)
    assert machine.score() == 800
    machine.frame(air // 4 + 20)
    assert (machine.mode, machine.byte("room"), machine.byte("air")) == (PLAYING, 2, 224)
    assert machine.score() == 800 + 5 * air


def test_the_last_door_wins() -> None:
    machine = CavernsMachine(6, guardians=False)
    machine.write("exit_open", 1)
    machine.put(machine.byte("exit_x"), machine.byte("exit_y"))
    machine.frame(1)
    assert (machine.byte("won"), machine.mode) == (1, LEAVING)
    machine.frame(100)
    assert machine.mode == WON
    assert machine.byte("lives") == 3


def die(machine: CavernsMachine) -> None:
    machine.write("air", 1)
    machine.write("air_timer", 1)
    machine.act("stay")
    assert machine.mode == DYING


def test_a_death_begins_the_room_anew_and_keys_taken_twice_are_no_progress() -> None:
    machine = CavernsMachine(guardians=False)
    line, column = (int(where[0]) for where in (machine.cells() == KEY).nonzero())
    for lives in (2, 1):
        machine.put(column * 8 - 4, line * 8)
        machine.frame()
        assert machine.byte("progress") == 1
        die(machine)
        machine.frame(50)
        assert (machine.mode, machine.byte("lives"), machine.byte("keys_left")) == (PLAYING, lives, 3)
        assert machine.place == (16, GROUND)
        assert machine.byte("air") > 220
    assert machine.word("keys_taken") == 2


def test_three_deaths_end_the_game_and_space_leads_to_the_next() -> None:
    machine = CavernsMachine()
    for lives in (2, 1, 0):
        die(machine)
        assert machine.byte("lives") == lives
        machine.act("jump", 60)
    assert machine.mode == OVER
    machine.act("jump", 80)
    assert machine.mode == OVER, "a key held since the game does not skip the message"
    machine.act("stay", 3)
    machine.act("jump", 60)
    assert machine.mode == TITLE
    machine.act("stay", 3)
    machine.act("jump", 4)
    machine.act("stay", 20)
    assert machine.mode == PLAYING
    assert (machine.byte("lives"), machine.score(), machine.byte("room"), machine.byte("progress")) == (3, 0, 1, 0)


def test_guardians_follow_the_clock_of_the_room() -> None:
    machine = CavernsMachine(4)
    machine.put(8, 16)  # out of their way
    machine.write("jump", 17)

    def paths(frames: int) -> list[list[tuple[int, int]]]:
        seen = []
        for _ in range(frames):
            machine.write("jump", 17)
            machine.write("player_y", 16)
            machine.frame()
            seen.append([(guardian.x, guardian.y) for guardian in machine.guardians()])
        return seen

    clock = machine.word("room_frames")
    first = paths(300)
    drop = [places[0] for places in first]
    assert {x for x, _ in drop} == {96}
    assert {y for _, y in drop} == set(range(32, 169)), "it falls through both floors and begins again"
    beetle = [places[3] for places in first]
    assert {x for x, _ in beetle} == set(range(120, 185))
    die(machine)
    machine.frame(31)
    while machine.mode != PLAYING or machine.word("room_frames") < clock:
        machine.frame()
    assert paths(300) == first
