# SPDX-License-Identifier: GPL-3.0-or-later
"""Acorns by its rules: what counts, what ends it, and that it is fair, repeatable and drawn in time."""

from itertools import pairwise

import numpy as np
import pytest
from acorns_machine import (
    GOOD,
    LEFT,
    RIGHT,
    ROTTEN,
    STAY,
    Acorn,
    AcornsMachine,
    perfect_player,
    random_player,
)

FRAMESKIP = 4
REACH = (6, 6, 6, 5, 5, 4, 4, 3)  # places between good acorns, by level: the table in docs/games/acorns.md
FIRST_PICTURE_T = 14335


def quiet(seed: int = 1) -> AcornsMachine:
    """A game in which the banner is gone and no acorn will come by itself."""
    machine = AcornsMachine(seed)
    machine.write("spawn_timer", 255)  # it stands still while the banner is there
    machine.frame(60)
    return machine


def play_perfectly(seed: int) -> tuple[AcornsMachine, list[tuple[int, Acorn]]]:
    """Play a whole game, deciding every fourth frame. Returns the machine and (level, acorn) as they appeared."""
    machine = AcornsMachine(seed)
    appeared: list[tuple[int, Acorn]] = []
    before: set[tuple[int, int]] = set()
    frames = 0
    while machine.playing:
        assert machine.word("frames") == frames, "the main loop took more than a frame"
        if frames % FRAMESKIP == 0:
            machine.hold_keys(*perfect_player(machine))
        machine.frame()
        frames += 1
        now = {(acorn.kind, acorn.x): acorn for acorn in machine.acorns()}
        appeared += [(machine.byte("level"), acorn) for key, acorn in now.items() if key not in before]
        before = set(now)
    return machine, appeared


@pytest.mark.parametrize("seed", [0, 1, 2, 77, 4242, 30000, 54321, 65535])
def test_every_good_acorn_can_be_caught(seed: int) -> None:
    machine, appeared = play_perfectly(seed)
    assert machine.byte("won") == 1
    assert machine.byte("mode") == 3
    assert machine.bcd("score") == machine.word("caught_count") == 96
    assert machine.byte("lives") == 5
    assert machine.word("missed_count") == machine.word("rotten_count") == 0
    assert machine.word("caught_1_3") == 36
    assert machine.word("frames") < 3500 * FRAMESKIP
    machine.frame(10)
    assert machine.bcd("best") == 96

    assert [sum(level == k and acorn.kind == GOOD for level, acorn in appeared) for k in range(1, 9)] == [12] * 8
    rotten = sum(acorn.kind == ROTTEN for _, acorn in appeared)
    assert 8 <= rotten <= 48
    assert all((one[1].kind, other[1].kind) != (ROTTEN, ROTTEN) for one, other in pairwise(appeared))
    place = (128 + 8 - 32) // 16
    for level, acorn in appeared:
        assert acorn.x % 16 == 0
        distance = abs((acorn.x - 32) // 16 - place)
        if acorn.kind == GOOD:
            assert distance <= REACH[level - 1]
            place = (acorn.x - 32) // 16
        else:
            assert distance >= 3


def test_random_play_catches_few_and_ends_soon() -> None:
    stream = np.random.default_rng(5)
    caught, missed, steps = 0, 0, []
    for _ in range(60):
        machine = AcornsMachine(int(stream.integers(65536)))
        count = 0
        while machine.playing:
            machine.hold_keys(*random_player(stream))
            machine.frame(FRAMESKIP)
            count += 1
        assert machine.byte("lives") == 0
        steps.append(count)
        caught += machine.word("caught_count")
        missed += machine.word("missed_count")
    assert 0.08 <= caught / (caught + missed) <= 0.30
    assert 80 <= np.mean(steps) <= 400


def test_same_seed_and_keys_give_the_same_game() -> None:
    def play(seed: int) -> bytes:
        machine, stream = AcornsMachine(seed), np.random.default_rng(9)
        for _ in range(150):
            machine.hold_keys(*random_player(stream))
            machine.frame(FRAMESKIP)
        return machine.spectrum.memory.tobytes()

    assert play(1234) == play(1234)
    assert play(1234) != play(1235)


def test_nothing_random_happens_in_the_first_50_frames() -> None:
    machine = AcornsMachine(999)
    machine.frame(50)
    assert machine.word("seed") == 999
    assert machine.acorns() == []


@pytest.mark.parametrize(
    ("basket", "offset", "inside"),
    [(128, -9, False), (128, -8, True), (128, 24, True), (128, 25, False), (32, 208, False), (223, -191, False)],
)
def test_an_acorn_is_caught_if_half_of_it_is_over_the_basket(basket: int, offset: int, *, inside: bool) -> None:
    machine = quiet()
    machine.write("basket_x", basket)
    machine.put_acorn(GOOD, basket + offset, 140)
    machine.frame()
    assert machine.word("caught_count") == 0, "one row too high"
    machine.frame()
    assert machine.word("caught_count") == inside
    assert machine.word("missed_count") == (not inside)
    assert machine.bcd("score") == inside
    assert machine.byte("lives") == 5 - (not inside)


def test_a_rotten_acorn_costs_a_life_only_in_the_basket() -> None:
    for x, lost in ((136, 1), (32, 0)):
        machine = quiet()
        machine.put_acorn(ROTTEN, x, 141)
        machine.frame(2)
        assert machine.byte("lives") == 5 - lost
        assert machine.word("rotten_count") == lost
        assert machine.bcd("score") == 0
        assert machine.word("missed_count") == 0


@pytest.mark.parametrize(("level", "counted"), [(1, 1), (3, 1), (4, 0), (8, 0)])
def test_early_levels_are_counted_apart(level: int, counted: int) -> None:
    machine = quiet()
    machine.write("level", level)
    for x in (136, 32):
        machine.put_acorn(GOOD, x, 141)
        machine.frame(2)
    assert (machine.word("caught_count"), machine.word("caught_1_3")) == (1, counted)
    assert (machine.word("missed_count"), machine.word("missed_1_3")) == (1, counted)


def test_score_is_decimal() -> None:
    machine = quiet()
    for offset, value in enumerate((0x00, 0x99, 0x99, 0x99)):
        machine.write("score", value, offset)
    machine.put_acorn(GOOD, 136, 141)
    machine.frame(2)
    assert machine.bcd("score") == 1_000_000


def test_basket_moves_3_pixels_a_frame_between_trunk_and_edge() -> None:
    machine = quiet()
    for keys, step in ((STAY, 0), (RIGHT, 3), (LEFT, -3), (LEFT + RIGHT, 0)):
        before = machine.byte("basket_x")
        machine.hold_keys(*keys)
        machine.frame(2)
        assert machine.byte("basket_x") == before + 2 * step
    machine.hold_keys(*RIGHT)
    machine.frame(80)
    assert machine.byte("basket_x") == 223
    machine.hold_keys(*LEFT)
    machine.frame(80)
    assert machine.byte("basket_x") == 32


def test_next_acorn_is_the_lowest_that_still_falls() -> None:
    machine = quiet()
    assert machine.byte("lowest_kind") == 0
    machine.put_acorn(ROTTEN, 64, 100)
    machine.frame()
    assert [machine.byte(f"lowest_{name}") for name in ("kind", "x", "y")] == [ROTTEN, 64, 101]
    machine.put_acorn(ROTTEN, 64, 145)
    machine.frame(2)
    assert machine.byte("lowest_kind") == 0, "it has passed the basket"


def test_game_over_goes_back_to_the_title() -> None:
    machine = quiet()
    machine.write("lives", 1)
    machine.put_acorn(GOOD, 32, 141)
    machine.frame(2)
    assert machine.byte("lives") == 0
    machine.frame(2)
    assert machine.byte("mode") == 2
    machine.hold_keys("space")
    machine.frame(80)
    assert machine.byte("mode") == 2, "a key held since the game does not skip the message"
    machine.hold_keys()
    machine.frame(3)
    machine.hold_keys("space")
    machine.frame(20)
    assert machine.byte("mode") == 0
    machine.frame(40)
    assert machine.byte("mode") == 0, "nor does it start the next game"
    machine.hold_keys()
    machine.frame(3)
    machine.hold_keys("space")
    machine.frame(10)
    assert machine.byte("mode") == 1
    assert (machine.byte("lives"), machine.bcd("score"), machine.byte("level")) == (5, 0, 1)


def test_best_score_is_kept() -> None:
    machine = quiet()
    for score, best in ((7, 7), (3, 7), (12, 12)):
        machine.write("score", int(str(score), 16), 3)
        machine.call("keep_best")
        assert machine.bcd("best") == best


def test_all_is_drawn_before_the_beam_enters_the_picture() -> None:
    machine, stream = AcornsMachine(3), np.random.default_rng(3)
    latest, most = 0, 0
    while machine.playing and machine.byte("lives"):
        machine.hold_keys(*random_player(stream))
        assert machine.spectrum.run_until(machine.labels["draw_hud"], 2) is not None
        latest = max(latest, machine.spectrum.t)
        most = max(most, len(machine.acorns()))
        machine.frame()
    assert most >= 2
    assert 5000 < latest < FIRST_PICTURE_T


def test_sky_is_clean_when_the_air_is_empty() -> None:
    machine = AcornsMachine(11)
    levels = set()
    while machine.playing:
        machine.hold_keys(*perfect_player(machine))
        machine.frame()
        if machine.byte("banner") == 20:
            levels.add(machine.byte("level"))
            sky = machine.spectrum.screen_grey(32, 48, 224, 104)
            sky[88 - 48 : 96 - 48] = 0  # the level's name
            assert not sky.any()
            below = machine.spectrum.screen_grey(32, 152, 224, 16)
            basket = machine.byte("basket_x") - 32
            below[:, max(basket, 0) : basket + 32] = 0
            assert not below.any()
    assert levels == set(range(1, 9))


def test_screen_at_the_end_of_a_frame_shows_the_variables() -> None:
    machine = quiet()
    machine.put_acorn(GOOD, 64, 100)
    machine.hold_keys(*RIGHT)
    for _ in range(5):
        machine.frame()
        lit = machine.spectrum.screen_grey(64, 48, 16, 100).any(axis=1)
        assert machine.acorns()[0].y == 48 + int(lit.argmax())
        basket = machine.spectrum.screen_grey(32, 153, 224, 1)[0] > 0
        assert machine.byte("basket_x") == 32 + int(basket.argmax())


def test_good_and_rotten_differ_in_grey() -> None:
    def brightness(kind: int) -> float:
        machine = quiet()
        machine.put_acorn(kind, 64, 100)
        machine.frame()
        return float(machine.spectrum.screen_grey(64, machine.acorns()[0].y, 16, 16).mean())

    assert brightness(GOOD) > 3 * brightness(ROTTEN) > 30
