# SPDX-License-Identifier: GPL-3.0-or-later
"""Forest Ride by its rules: steering, trees, riders, bolts, sectors, lives."""

from itertools import pairwise

import pytest
from forest_ride_machine import (
    CRASHED,
    FINISHED,
    HORIZON,
    NO_RIDER,
    OVER,
    QUOTAS,
    RELOAD,
    RIDES,
    RIDES_OFF,
    RIDING,
    SHOT,
    TITLE,
    ForestRideMachine,
)

SECTORS = range(1, 9)


def riders(machine: ForestRideMachine) -> list[int]:
    """The states of both."""
    return [machine.rider(slot) for slot in range(2)]


def end_sector(machine: ForestRideMachine) -> None:
    """All of the way is done, and no rider is left."""
    machine.write("sector_marks", 16)
    machine.write("riders_left", 0)
    while machine.mode == RIDING:
        machine.turn()


def test_a_held_key_leans_further_up_to_a_limit_and_the_bike_rights_itself() -> None:
    machine = ForestRideMachine(empty=True)
    place, leans = machine.word("player_x"), []
    for action in ["right"] * 7 + ["stay"] * 6 + ["left"] * 6 + ["stay"] * 3:
        machine.turn(action)
        leans.append(machine.signed("steer"))
        place = (place + 16 * leans[-1]) % 65536
        assert machine.word("player_x") == place
    assert leans[:7] == [5, 10, 15, 20, 25, 25, 25]
    assert leans[7:13] == [20, 15, 10, 5, 0, 0]
    assert leans[13:19] == [-5, -10, -15, -20, -25, -25]
    assert leans[19:] == [-20, -15, -10]


def test_both_keys_together_are_none() -> None:
    machine = ForestRideMachine(empty=True)
    machine.turn("right", 4)
    machine.spectrum.release_all()
    machine.spectrum.press("o", "p")
    machine.frame(8)
    assert machine.signed("steer") == 0


def test_the_bike_gains_speed_and_rides_it() -> None:
    machine = ForestRideMachine(empty=True)
    machine.write("speed", 40)
    before = machine.word("distance") * 256 + machine.byte("ride")
    machine.turn(count=10)
    assert machine.byte("speed") == 50
    ridden = machine.word("distance") * 256 + machine.byte("ride") - before
    assert ridden == sum(4 * speed for speed in range(41, 51))
    machine.turn(count=60)
    assert machine.byte("speed") == machine.byte("cruise") == 88


@pytest.mark.parametrize(("aside", "hits"), [(-5, 0), (-4, 1), (-1, 1), (0, 1), (3, 1), (4, 0)])
def test_a_tree_within_four_units_ends_the_ride(aside: int, hits: int) -> None:
    machine = ForestRideMachine(empty=True)
    machine.plant(aside, 20)
    machine.turn(count=12)
    assert machine.mode == RIDING, "it is still ahead"
    machine.turn(count=5)
    assert machine.mode == (CRASHED if hits else RIDING)
    assert machine.byte("lives") == 3 - hits


def test_after_a_crash_the_ride_goes_on_from_the_same_place() -> None:
    machine = ForestRideMachine(empty=True)
    machine.turn(count=100)
    machine.write("riders_left", 1)
    kept = [machine.byte(name) for name in ("sector", "marks", "sector_marks", "riders_left")]
    machine.plant(0, 2)
    machine.until(CRASHED)
    distance = machine.word("distance")
    machine.until(RIDING)
    assert [machine.byte(name) for name in ("sector", "marks", "sector_marks", "riders_left")] == kept
    assert machine.word("distance") == distance
    assert (machine.byte("lives"), machine.byte("steer"), machine.byte("bolt_z")) == (2, 0, 0)
    machine.turn(count=25)
    assert (machine.mode, machine.byte("lives")) == (RIDING, 2), "the way is clear at first"


def test_the_last_life_lost_ends_the_game_and_space_leads_back() -> None:
    machine = ForestRideMachine(empty=True)
    machine.write("lives", 1)
    machine.write_word("score", 0x3412)
    machine.plant(0, 2)
    machine.until(OVER)
    assert (machine.byte("lives"), machine.byte("won")) == (0, 0)
    machine.frame(60)
    assert machine.spectrum.memory[machine.labels["best"] - 0x4000] == 0x12, "the best score is kept"
    machine.turn("fire", 5)
    machine.turn(count=5)
    assert machine.mode == TITLE
    machine.frame(60)
    machine.turn("fire", 5)
    machine.until(RIDING)
    assert (machine.byte("lives"), machine.byte("sector"), machine.score()) == (3, 1, 0)


@pytest.mark.parametrize(("aside", "hits"), [(-7, 0), (-6, 1), (0, 1), (6, 1), (7, 0)])
def test_a_bolt_hits_a_rider_within_six_units(aside: int, hits: int) -> None:
    machine = ForestRideMachine(empty=True)
    machine.put_rider(aside, 36)
    machine.turn("fire")
    assert machine.byte("bolt_z") == 2
    machine.turn(count=12)
    assert machine.rider() == (SHOT if hits else RIDES)
    assert (machine.byte("kills"), machine.byte("riders_left")) == (hits, 2 - hits)
    assert machine.score() == 100 * hits + 10 * machine.byte("marks")


def test_a_rider_that_is_hit_bursts_and_is_gone() -> None:
    machine = ForestRideMachine(empty=True)
    machine.put_rider(0, 30)
    machine.turn("fire")
    machine.turn(count=6)
    assert machine.rider() == SHOT
    machine.turn("fire", 20)
    assert machine.rider() == NO_RIDER
    assert machine.byte("kills") == 1, "it cannot be hit twice"


@pytest.mark.parametrize(("aside", "stops"), [(-4, 0), (-3, 1), (3, 1), (4, 0)])
def test_a_tree_stops_a_bolt(aside: int, stops: int) -> None:
    machine = ForestRideMachine(empty=True)
    machine.plant(aside, 40)
    machine.turn("fire")
    machine.turn(count=11)
    assert (machine.byte("bolt_z") == 0) == stops
    machine.turn(count=6)
    assert machine.byte("bolt_z") == 0, "it fades far off"


def test_a_tree_covers_the_rider_behind_it() -> None:
    machine = ForestRideMachine(empty=True)
    machine.plant(0, 30)
    machine.put_rider(0, 60)
    machine.turn("fire", 12)
    assert machine.byte("kills") == 0


@pytest.mark.parametrize("tree", [False, True], ids=["far", "stopped at once"])
def test_one_bolt_at_a_time_and_a_while_between_two(tree: bool) -> None:  # noqa: FBT001 - a case, not a flag
    machine = ForestRideMachine(empty=True)
    shots, before = [], 0
    for turn in range(60):
        if tree and turn % 5 == 0:
            machine.plant(0, 20)
        machine.turn("fire")
        now = machine.byte("bolt_z")
        if now and not before:
            shots.append(turn)
        before = now
    gaps = {later - sooner for sooner, later in pairwise(shots)}
    assert len(shots) >= 3
    assert min(gaps) == (RELOAD if tree else 17)


def test_a_rider_comes_keeps_its_distance_and_rides_off() -> None:
    machine = ForestRideMachine(empty=True)
    machine.write("rider_wait", 0)
    machine.turn()
    assert sorted(riders(machine)) == [NO_RIDER, RIDES]
    assert machine.byte("aim_z") == 112
    for _ in range(100):
        machine.turn()
        machine.clear()
    assert 20 <= machine.byte("aim_z") <= 35
    assert abs(machine.signed("aim_x")) <= 60
    for _ in range(200):
        machine.turn()
        machine.clear()
        machine.write("rider_wait", 255)
        if RIDES_OFF in riders(machine):
            break
    assert sorted(riders(machine)) == [NO_RIDER, RIDES_OFF]
    for _ in range(100):
        machine.turn()
        machine.clear()
        machine.write("rider_wait", 255)
    assert riders(machine) == [NO_RIDER, NO_RIDER]
    assert machine.byte("riders_left") == 2, "it is still to be shot"


@pytest.mark.parametrize(("quota", "company", "wanted"), [(1, 2, 1), (2, 1, 1), (2, 2, 2), (0, 2, 0)])
def test_no_more_riders_come_than_are_wanted(quota: int, company: int, wanted: int) -> None:
    machine = ForestRideMachine(empty=True)
    machine.write("riders_left", quota)
    machine.write("company", company)
    machine.write("rider_wait", 0)
    for _ in range(60):
        machine.turn()
        machine.clear()
    assert riders(machine).count(RIDES) == wanted


def test_sixteenths_of_the_way_count_and_no_more_than_sixteen() -> None:
    machine = ForestRideMachine(empty=True)
    for _ in range(800):
        machine.turn()
        machine.clear()
        machine.write("rider_wait", 255)
        assert machine.byte("marks") == min(16, machine.word("distance") // 48)
    assert machine.score() == 160
    assert (machine.mode, machine.byte("sector")) == (RIDING, 1), "riders are left"
    machine.write("riders_left", 0)
    machine.turn()
    assert machine.byte("sectors_done") == 1
    assert machine.score() == 660


def test_a_sector_is_not_done_before_its_end() -> None:
    machine = ForestRideMachine(empty=True)
    machine.write("riders_left", 0)
    machine.turn(count=20)
    assert (machine.mode, machine.byte("sectors_done")) == (RIDING, 0)


def test_eight_sectors_by_day_and_by_night() -> None:
    machine = ForestRideMachine(empty=True)
    skies, speeds = [], []
    for sector in SECTORS:
        assert machine.byte("sector") == sector
        assert machine.byte("night") == 1 - sector % 2
        assert machine.byte("riders_left") == QUOTAS[sector - 1]
        assert machine.word("distance") <= 1
        assert machine.byte("lives") == 3
        skies.append(machine.colours()[0, 0] & 0x78)
        speeds.append(machine.byte("cruise"))
        end_sector(machine)
        assert machine.byte("sectors_done") == sector
        assert machine.byte("won") == (sector == 8)
        if sector < 8:
            machine.until(RIDING)
            machine.turn()
    dark = [sky in {0x00, 0x08} for sky in skies]  # black or blue
    assert dark == [sector % 2 == 0 for sector in SECTORS]
    assert speeds == sorted(set(speeds))
    machine.until(FINISHED)
    assert (machine.byte("won"), machine.byte("sectors_done")) == (1, 8)


@pytest.mark.parametrize(("lives", "won"), [(3, 1), (2, 0), (1, 0)])
def test_only_a_ride_without_a_lost_life_is_won(lives: int, won: int) -> None:
    machine = ForestRideMachine(empty=True)
    machine.write("sector", 8)
    machine.write("sectors_done", 7)
    machine.write("lives", lives)
    end_sector(machine)
    machine.until(FINISHED)
    assert machine.byte("won") == won


def test_the_nearest_tree_within_reach_is_told() -> None:
    machine = ForestRideMachine(empty=True)
    machine.plant(9, 60)
    machine.turn()
    assert machine.signed("next_x") == 9
    assert machine.byte("next_z") == machine.trees()[0].z
    machine.plant(30, 60)
    machine.turn()
    assert machine.byte("next_z") == 255


def test_riders_dodge_trees() -> None:
    machine = ForestRideMachine(empty=True)
    machine.put_rider(0, 36)
    place = machine.spectrum.peek(machine.labels["riders"] + 2)
    machine.plant(1, 58)
    machine.turn(count=16)
    moved = (place - machine.spectrum.peek(machine.labels["riders"] + 2) + 128) % 256 - 128
    assert moved >= 4, "to the left, since the tree is to the right"


def test_the_horizon_lies_where_the_colours_change() -> None:
    machine = ForestRideMachine(empty=True)
    machine.turn()
    papers = machine.colours()[:, 0] & 0x38
    ground = papers[HORIZON // 8]
    assert (papers[HORIZON // 8 :] == ground).all()
    assert (papers[: HORIZON // 8] != ground).all()
