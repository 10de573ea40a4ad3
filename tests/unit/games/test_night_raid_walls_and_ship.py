# SPDX-License-Identifier: GPL-3.0-or-later
"""Night Raid's walls, which crumble, and its mothership, which crosses for points and leads the last wave."""

import numpy as np
import pytest
from night_raid_machine import (
    BAT,
    BOSS,
    BURST,
    CROSSING,
    NO_SHIP,
    PLAYING,
    SHOWN,
    WALL_PITCH,
    WALL_X,
    WALL_Y,
    WALLS,
    WON,
    NightRaidMachine,
    alone,
    calm,
    fight,
)
from numpy.typing import NDArray

WHOLE = 160


def picture(machine: NightRaidMachine) -> NDArray[np.bool_]:
    """Which pixels of the walls' lines are ink, shape (16, 256)."""
    bits = machine.spectrum.screen_indexed(0, WALL_Y, 256, 16)
    return bits & 7 > 0


def test_walls_are_whole_at_the_start_and_as_the_screen_shows_them() -> None:
    machine = calm()
    assert int(machine.walls().sum()) == machine.byte("walls_left") == WHOLE
    shown = picture(machine)
    for wall in range(WALLS):
        for row in range(4):
            for column in range(6):
                x, y = WALL_X + WALL_PITCH * wall + 4 * column, 4 * row
                lit = int(shown[y : y + 4, x : x + 4].sum())
                assert lit == (15 if machine.walls()[wall, row, column] else 0)


@pytest.mark.parametrize("wall", range(WALLS))
@pytest.mark.parametrize("column", [0, 2, 5])
def test_a_shot_takes_half_of_the_lowest_block_over_it(wall: int, column: int) -> None:
    machine = calm()
    x = WALL_X + WALL_PITCH * wall + 4 * column
    lowest = max(row for row in range(4) if machine.walls()[wall, row, column])
    for left in (1, 0):
        machine.put_shot(x, 156)
        machine.frame(4)
        assert machine.walls()[wall, lowest, column] == left
        assert machine.byte("shot_y") == 0
        shown = picture(machine)[4 * lowest : 4 * lowest + 4, x : x + 4]
        assert (0 < shown.sum() < 12) if left else not shown.any()
    assert machine.byte("walls_left") == WHOLE - 2 == int(machine.walls().sum())
    machine.put_shot(x, 156)
    machine.frame(4)
    assert machine.walls()[wall, lowest - 1, column] == 1


def test_a_bomb_takes_half_of_the_highest_block_below_it() -> None:
    machine = calm()
    x = WALL_X + WALL_PITCH + 8
    machine.put_bomb(x, 120)
    machine.frame(12)
    assert machine.bombs() == []
    assert machine.walls()[1, 0, 2] == 1
    assert machine.byte("walls_left") == WHOLE - 1


def test_between_the_walls_and_through_a_hole_shots_and_bombs_pass() -> None:
    machine = calm()
    machine.walls()[2, :, 1] = 0
    for x in (WALL_X - 2, WALL_X + 26, WALL_X + 2 * WALL_PITCH + 4):
        machine.table("raiders", 28, 4)[:, 1] = 200 if x < 128 else 40
        machine.put_shot(x, 156)
        machine.frame(6)
        assert 0 < machine.byte("shot_y") < WALL_Y - 8
        machine.put_shot(0, 0)
        machine.write("player_x", 230)
        machine.put_bomb(x & ~3, 120)
        machine.frame(16)
        assert machine.bombs()[0][1] > WALL_Y + 8
        machine.put_bomb(0, 0)
    assert machine.byte("walls_left") == WHOLE


def test_a_raider_that_flies_low_tears_down_what_it_meets() -> None:
    machine = alone(x=230, y=120)
    machine.write("wave_moves", 1)
    machine.write("march_dx", 2)
    machine.frame(2)
    assert machine.raiders()[0].y == 128
    assert machine.byte("walls_left") == WHOLE, "it is right of the last one"
    slots = machine.table("raiders", 28, 4)
    slots[3, 1:3] = 12, 120
    machine.frame(3)
    assert machine.raiders()[0][2:] == (8, 128)
    slots[3, 1:3] = 56, 120
    machine.write("march_edge", 1)
    machine.frame(2)
    assert machine.raiders()[0].y == 128
    assert [int(wall.sum()) for wall in machine.walls()] == [0, 40, 40, 40]
    assert machine.byte("walls_left") == 120
    assert machine.raiders()[0].x >= WALL_X + 24
    assert not picture(machine)[:, WALL_X : WALL_X + 24].any()


def test_a_diver_ends_at_a_wall_and_the_wall_with_it() -> None:
    machine = calm()
    machine.put_diver(BAT, WALL_X + WALL_PITCH + 2, 120)
    left = machine.byte("raiders_left")
    machine.frame(3)
    assert (machine.byte("diver"), machine.byte("raiders_left")) == (BURST, left - 1)
    assert [int(wall.sum()) for wall in machine.walls()] == [40, 0, 40, 40]
    assert machine.score() == 0
    machine.frame(10)
    assert not picture(machine)[:, WALL_X + WALL_PITCH : WALL_X + WALL_PITCH + 24].any()
    machine.put_diver(BAT, WALL_X + WALL_PITCH + 2, 120)
    machine.frame(8)
    assert machine.byte("diver") == BAT, "nothing is left to hold it up"


def test_walls_are_mended_before_every_other_wave() -> None:
    for wave, mended in ((2, False), (3, True), (4, False), (5, True), (6, False)):
        machine = fight()
        machine.walls()[0] = 0
        machine.write("walls_left", 120)
        machine.begin_wave(wave)
        assert (int(machine.walls().sum()) == WHOLE) is mended
        assert machine.byte("walls_left") == (WHOLE if mended else 120)
        assert picture(machine)[:, WALL_X : WALL_X + 24].any() == mended


@pytest.mark.parametrize("direction", [1, 255])
def test_the_mothership_crosses_the_screen(direction: int) -> None:
    machine = calm()
    machine.write("ship", CROSSING)
    machine.write("ship_dx", direction)
    first = 0 if direction == 1 else 144
    machine.write("ship_x", first)
    while machine.byte("ship_x") == first:
        machine.frame()
    for _ in range(300):
        if machine.byte("ship") == NO_SHIP:
            break
        x = 2 * machine.byte("ship_x") - 32
        lit = np.flatnonzero((machine.spectrum.screen_indexed(0, 16, 256, 12) & 7 > 0).any(axis=0))
        visible = [column for column in range(x, x + 32) if 0 <= column < 256]
        assert list(lit) == visible
        machine.frame()
    assert machine.byte("ship") == NO_SHIP
    assert not (machine.spectrum.screen_indexed(0, 16, 256, 16) & 7 > 0).any()
    assert machine.byte("ships_shot") == 0


def test_the_mothership_comes_by_itself_and_from_either_side() -> None:
    sides = set()
    for seed in range(1, 9):
        machine = calm(7919 * seed)
        machine.write("ship_clock", 1)
        machine.frame(10)
        assert machine.byte("ship") == CROSSING
        sides.add(machine.byte("ship_dx"))
    assert sides == {1, 255}


@pytest.mark.parametrize(("column", "hit"), [(-1, False), (2, True), (28, True), (31, False)])
def test_a_crossing_mothership_is_worth_its_points(column: int, *, hit: bool) -> None:
    machine = calm()
    machine.write("ship", CROSSING)
    machine.write("ship_dx", 0)
    machine.write("ship_x", 66)
    machine.write_word("ship_worth", 0x0150)
    machine.put_shot(100 + column, 30)
    machine.frame(2)
    assert machine.score() == (150 if hit else 0)
    assert machine.byte("ships_shot") == hit
    assert machine.byte("ship") == (SHOWN if hit else CROSSING)
    if hit:
        machine.frame(45)
        assert machine.byte("ship") == NO_SHIP
        assert not (machine.spectrum.screen_indexed(0, 16, 256, 16) & 7 > 0).any()


def test_the_boss_takes_16_hits_and_the_last_wave_is_won() -> None:
    machine = calm(wave=6)
    machine.frame(60)
    assert (machine.byte("ship"), machine.byte("ship_hits")) == (BOSS, 16)
    machine.table("raiders", 28, 4)[:, 0] = 0
    machine.write("marching", 0)
    machine.write("raiders_left", 0)
    for hits in range(1, 17):
        assert machine.mode == PLAYING
        before = machine.score()
        machine.put_shot(2 * machine.byte("ship_x") - 32 + 14, 32)
        machine.frame(2)
        assert machine.byte("ship_hits") == 16 - hits
        assert machine.score() == before + 20 + (600 if hits == 16 else 0)  # the boss 500, the wave 100
    assert (machine.byte("ships_shot"), machine.byte("won"), machine.byte("waves_beaten")) == (1, 1, 2)
    machine.frame(10)
    assert (machine.mode, machine.byte("lives")) == (WON, 3)


def test_the_boss_stays_within_the_screen_and_is_not_beaten_as_long_as_raiders_fly() -> None:
    machine = calm(wave=6)
    machine.frame(60)
    places = set()
    for _ in range(600):
        machine.frame()
        places.add(machine.byte("ship_x"))
    assert min(places) >= 16
    assert max(places) <= 128
    assert len(places) > 60
    machine.write("ship_hits", 1)
    machine.put_shot(2 * machine.byte("ship_x") - 32 + 14, 32)
    machine.frame(2)
    assert machine.byte("ships_shot") == 1
    machine.frame(10)
    assert (machine.mode, machine.byte("won")) == (PLAYING, 0)


def test_the_boss_launches_divers_for_nothing_when_the_march_is_over() -> None:
    machine = calm(wave=6)
    machine.frame(60)
    machine.table("raiders", 28, 4)[:, 0] = 0
    machine.write("marching", 0)
    machine.write("raiders_left", 0)
    machine.write("dive_period", 20)
    machine.write("dive_clock", 1)
    machine.frame(5)
    assert (machine.byte("diver"), machine.byte("raiders_left"), machine.byte("diver_worth")) == (BAT, 1, 0)
    assert abs(machine.byte("diver_x") - (2 * machine.byte("ship_x") - 32 + 8)) <= 4


def test_the_boss_drops_bombs_too() -> None:
    machine = calm(wave=6)
    machine.frame(60)
    machine.table("raiders", 28, 4)[:, 0] = 0
    machine.write("marching", 0)
    machine.write("raiders_left", 1)
    machine.write("bomb_clock", 1)
    while not machine.bombs():
        machine.frame()
    assert machine.bombs()[0][1] <= 28 + 3


def test_no_mothership_crosses_in_the_last_wave() -> None:
    machine = calm(wave=6)
    machine.write("ship", NO_SHIP)
    machine.write("ship_clock", 1)
    machine.frame(40)
    assert machine.byte("ship") == NO_SHIP
