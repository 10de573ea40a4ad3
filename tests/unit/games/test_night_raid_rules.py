# SPDX-License-Identifier: GPL-3.0-or-later
"""Night Raid by its rules: what a shot hits, what it is worth, what costs a gun, and how the game goes on."""

import pytest
from night_raid_machine import (
    BAT,
    BURST,
    CRAB,
    DYING,
    GRUB,
    LANTERN,
    OVER,
    PLAYING,
    POINTS,
    TITLE,
    NightRaidMachine,
    alone,
    calm,
    fight,
)

WAVES = {1: 21, 2: 16, 3: 22, 4: 14, 5: 28, 6: 12}


def test_the_gun_moves_2_pixels_a_frame_between_the_edges() -> None:
    machine = calm()
    for action, step in (("stay", 0), ("right", 2), ("left", -2), ("right_fire", 2), ("left_fire", -2)):
        before = machine.byte("player_x")
        machine.act(action, 2)
        assert machine.byte("player_x") == before + 2 * step
    machine.hold()
    machine.spectrum.press("o", "p")
    before = machine.byte("player_x")
    machine.frame(2)
    assert machine.byte("player_x") == before
    machine.act("right", 120)
    assert machine.byte("player_x") == 230
    machine.act("left", 120)
    assert machine.byte("player_x") == 10


def test_one_shot_at_a_time_goes_6_rows_a_frame() -> None:
    machine = alone(x=200)
    machine.act("fire")
    assert (machine.byte("shot_x"), machine.byte("shot_y")) == (machine.byte("player_x") + 6, 156)
    machine.act("right_fire", 10)
    assert machine.byte("shot_y") == 156 - 60
    assert machine.word("shots_fired") == 1
    machine.act("stay", 14)
    assert machine.byte("shot_y") == 0, "it has left through the top"
    machine.act("fire")
    assert machine.word("shots_fired") == 2


@pytest.mark.parametrize("kind", sorted(POINTS))
def test_a_raider_is_worth_what_the_title_says(kind: int) -> None:
    machine = alone(kind)
    machine.write("raiders_left", 2)  # another one keeps the wave going
    machine.put_shot(126, 80)
    machine.frame()
    assert machine.score() == POINTS[kind]
    assert (machine.byte("raiders_left"), machine.byte("marching"), machine.word("raiders_shot")) == (1, 0, 1)
    assert machine.raiders() == []
    assert machine.byte("shot_y") == 0
    assert (machine.byte("burst"), machine.byte("burst_x"), machine.byte("burst_y")) == (BURST, 120, 64)
    machine.frame(8)
    assert machine.byte("burst") == 0


@pytest.mark.parametrize(("beside", "hit"), [(-2, False), (0, True), (14, True), (16, False)])
def test_a_shot_must_touch_the_raider(beside: int, *, hit: bool) -> None:
    machine = alone()
    machine.put_shot(120 + beside, 80)
    machine.frame(4)
    assert (machine.score() > 0) is hit


def test_while_a_raider_bursts_the_others_stand_still() -> None:
    machine = fight()
    machine.write("bomb_clock", 200)
    target = machine.raiders()[3]
    machine.put_shot(target.x + 6, target.y + 14)
    machine.frame()
    assert machine.byte("burst") == BURST
    before = machine.raiders()
    machine.frame(7)
    assert machine.raiders() == before
    machine.frame(2)
    assert machine.raiders() != before


def test_a_shot_meets_a_bomb_and_both_are_gone() -> None:
    for beside, met in ((-2, False), (-1, True), (3, True), (4, False)):
        machine = calm()
        machine.put_bomb(16, 110)
        machine.put_shot(16 + beside, 118)
        machine.frame(2)
        assert (machine.bombs() == []) is met
        assert (machine.byte("shot_y") == 0) is met


@pytest.mark.parametrize(("beside", "dies"), [(-4, False), (-2, True), (12, True), (14, False)])
def test_a_bomb_on_the_gun_costs_it(beside: int, *, dies: bool) -> None:
    machine = calm()
    machine.write("player_x", 60)
    machine.put_bomb(60 + beside, 154)
    machine.frame()
    assert machine.mode == PLAYING, "its tip is a row above the gun"
    machine.frame(7)
    assert machine.mode == (DYING if dies else PLAYING)
    assert machine.byte("lives") == (2 if dies else 3)
    assert machine.bombs() == []


def test_after_a_death_the_next_gun_goes_on_under_an_empty_sky() -> None:
    machine = calm()
    raiders = machine.raiders()
    machine.write("player_x", 60)
    machine.put_bomb(64, 156)
    machine.put_bomb(200, 60, slot=3)
    machine.put_shot(220, 100)
    machine.put_diver(BAT, 100, 60)
    left = machine.byte("raiders_left")
    machine.frame(2)
    assert machine.mode == DYING
    machine.frame(60)
    assert machine.mode == PLAYING
    assert (machine.byte("lives"), machine.byte("player_x"), machine.raiders()) == (2, 60, raiders)
    assert machine.bombs() == []
    assert (machine.byte("shot_y"), machine.byte("diver"), machine.byte("raiders_left")) == (0, 0, left - 1)


def test_the_last_gun_ends_the_game_and_space_leads_to_the_next() -> None:
    machine = calm()
    machine.write("lives", 1)
    machine.put_bomb(machine.byte("player_x") + 4, 156)
    machine.frame(2)
    assert (machine.byte("lives"), machine.mode) == (0, DYING)
    machine.act("fire", 100)
    assert machine.mode == OVER
    machine.act("fire", 80)
    assert machine.mode == OVER, "a key held since the game does not skip the message"
    machine.act("stay", 3)
    machine.act("fire", 20)
    assert machine.mode == TITLE
    machine.act("stay", 5)
    machine.act("fire", 10)
    assert machine.mode == PLAYING
    assert (machine.byte("lives"), machine.score(), machine.byte("wave"), machine.byte("ship")) == (3, 0, 1, 0)


def test_raiders_step_down_and_turn_at_the_edge() -> None:
    machine = alone(x=226)
    machine.write("wave_moves", 1)
    machine.write("march_dx", 2)
    places = []
    for _ in range(7):
        machine.frame()
        places.append(machine.raiders()[0][2:])
    assert places == [(228, 64), (230, 64), (232, 64), (232, 72), (230, 72), (228, 72), (226, 72)]
    assert machine.byte("lowest_y") == 72
    machine.table("raiders", 28, 4)[3, 1] = 12
    machine.frame(3)
    assert machine.raiders()[0][2:] == (8, 80)


def test_fewer_raiders_march_faster() -> None:
    machine = fight(wave=5)
    machine.write("bomb_clock", 200)
    before = {raider.place: raider.x for raider in machine.raiders()}
    machine.frame()
    assert sum(raider.x != before[raider.place] for raider in machine.raiders()) == 3
    machine = alone(x=100)
    machine.write("wave_moves", 3)
    machine.write("march_dx", 2)
    machine.frame(5)
    assert machine.raiders()[0].x == 110, "the last one moves once a frame"
    machine.table("raiders", 28, 4)[4, :3] = GRUB, 160, 64
    machine.write("marching", 2)
    machine.frame(6)
    assert [raider.x for raider in machine.raiders()] == [116, 166], "two take turns"


def test_a_raider_that_gets_down_ends_the_game_whatever_guns_there_are() -> None:
    machine = alone(x=230, y=136)
    machine.write("wave_moves", 1)
    machine.write("march_dx", 2)
    machine.frame(2)
    assert (machine.raiders()[0].y, machine.byte("landed"), machine.mode) == (144, 0, PLAYING)
    machine.table("raiders", 28, 4)[3, 1] = 10
    machine.frame(2)
    assert (machine.byte("landed"), machine.mode, machine.byte("lives")) == (1, DYING, 0)
    machine.frame(62)
    assert machine.mode == OVER


@pytest.mark.parametrize("wave", range(1, 7))
def test_waves_come_in_their_formations(wave: int) -> None:
    machine = fight(wave=wave)
    assert (machine.byte("wave"), machine.byte("raiders_left"), machine.byte("marching")) == (
        wave,
        WAVES[wave],
        WAVES[wave],
    )
    assert len(machine.raiders()) == WAVES[wave]
    assert (machine.byte("ship") == 2) is (wave == 6)


def test_a_beaten_wave_counts_and_the_next_one_comes() -> None:
    machine = alone()
    machine.put_shot(126, 80)
    machine.put_bomb(200, 60)
    machine.frame(2)
    assert machine.byte("wave") == 1, "the burst is still there"
    machine.frame(10)
    assert machine.bombs() == []
    assert (machine.byte("wave"), machine.byte("waves_beaten"), machine.byte("won")) == (2, 1, 0)
    assert machine.score() == POINTS[GRUB] + 100
    assert machine.byte("banner") > 50
    machine.act("fire", 20)
    assert machine.byte("shot_y") == 0, "nobody shoots before the wave is there"


def test_score_is_decimal() -> None:
    machine = alone(LANTERN)
    for offset, value in enumerate((0x00, 0x99, 0x99, 0x80)):
        machine.write("score", value, offset)
    machine.put_shot(126, 80)
    machine.frame(1)
    assert machine.score() == 1_000_010


def test_best_score_is_kept() -> None:
    machine = calm()
    for score, best in ((0x70, 70), (0x30, 70), (0x90, 90)):
        machine.write("score", score, 3)
        machine.jump("game_over")
        machine.frame(10)
        assert machine.bcd("best") == best


def lowest(machine: NightRaidMachine, column: int) -> int:
    return max(raider.y for raider in machine.raiders() if raider.place % 7 == column)


def test_bombs_fall_from_the_lowest_raider_of_a_column() -> None:
    machine = calm(wave=3)
    raiders = {(raider.place % 7, raider.x, raider.y) for raider in machine.raiders()}
    columns = set()
    for _ in range(60):
        machine.write("bomb_clock", 1)
        machine.table("bombs", 5, 2)[:] = 0
        while not machine.bombs():
            machine.frame()
        ((x, y),) = machine.bombs()
        (column,) = {column for column, left, _ in raiders if 0 <= x - left < 16}
        columns.add(column)
        assert y == lowest(machine, column) + 12
        assert x % 8 <= 4, "four columns within a byte"
    assert columns == {0, 1, 2, 4, 5, 6}


def test_half_of_the_bombs_are_aimed_at_the_gun() -> None:
    machine = calm()
    target = machine.raiders()[1]
    machine.write("player_x", target.x + 2)
    above = 0
    for _ in range(80):
        machine.write("bomb_clock", 1)
        machine.table("bombs", 5, 2)[:] = 0
        while not machine.bombs():
            machine.frame()
        above += 0 <= machine.bombs()[0][0] - target.x < 16
    assert 30 <= above <= 62, "4 of 7 on the average; one of 7 if none were aimed"


def test_no_more_than_five_bombs_are_in_the_air() -> None:
    machine = calm()
    machine.write("player_x", 10)
    machine.write("bomb_period", 1)
    machine.write("bomb_clock", 1)
    machine.write("bomb_speed", 1)
    most = 0
    for _ in range(30):
        machine.frame()
        most = max(most, len(machine.bombs()))
    assert most == 5


CRAB_POINTS = POINTS[CRAB]


@pytest.mark.parametrize(("worth", "points"), [(2, 2 * CRAB_POINTS), (0, 0)])
def test_a_diver_counts_twice_or_not_at_all(worth: int, points: int) -> None:
    machine = calm()
    left = machine.byte("raiders_left")
    machine.put_diver(CRAB, 100, 116, worth=worth)
    machine.put_shot(106, 126)
    machine.frame()
    assert machine.score() == points
    assert (machine.byte("diver"), machine.byte("raiders_left")) == (BURST, left)
    machine.frame(9)
    assert machine.byte("diver") == 0


def test_a_diver_leaves_the_formation_and_flies_at_the_gun() -> None:
    machine = calm(wave=3)
    machine.write("player_x", 20)
    machine.write("dive_period", 50)
    machine.write("dive_clock", 1)
    before = machine.raiders()
    machine.frame(4)
    (gone,) = set(before) - set(machine.raiders())
    assert (machine.byte("diver"), machine.byte("diver_worth")) == (gone.kind, 2)
    assert (machine.byte("marching"), machine.byte("raiders_left")) == (21, 22)
    assert gone.y == max(raider.y for raider in before if raider.place % 7 == gone.place % 7)
    x, y = machine.byte("diver_x"), machine.byte("diver_y")
    machine.frame(20)
    assert machine.byte("diver_y") == y + 40
    assert machine.byte("diver_x") < x


@pytest.mark.parametrize(("beside", "dies"), [(-15, False), (-14, True), (12, True), (13, False)])
def test_a_diver_on_the_gun_costs_it(beside: int, *, dies: bool) -> None:
    machine = calm()
    machine.write("player_x", 80 - beside if beside % 2 == 0 else 81 - beside)
    machine.put_diver(BAT, machine.byte("player_x") + beside, 151)
    machine.frame()
    assert machine.mode == (DYING if dies else PLAYING)
    machine.frame(8)
    assert machine.byte("diver") == (0 if dies else BURST), "the ground ends it"
    assert machine.byte("raiders_left") == 21
    assert machine.score() == 0
