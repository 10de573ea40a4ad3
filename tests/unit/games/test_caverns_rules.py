# SPDX-License-Identifier: GPL-3.0-or-later
"""Caverns by its rules: what kills, what counts, and how a game goes on."""

import pytest
from caverns_machine import (
    AIR,
    DEADLY,
    DEADLY_CELL,
    DYING,
    EMPTY,
    GROUND,
    GUARDIAN,
    KEY,
    LEAVING,
    OVER,
    PLAYING,
    TITLE,
    WON,
    CavernsMachine,
    hall,
)


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
