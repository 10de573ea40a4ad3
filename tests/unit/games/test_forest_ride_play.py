# SPDX-License-Identifier: GPL-3.0-or-later
"""Whole games of Forest Ride: the recorded one wins, chance does not, all is repeatable, drawn well and in time."""

from collections.abc import Iterator
from itertools import cycle
from pathlib import Path

import numpy as np
import pytest
from forest_ride_machine import (
    HORIZON,
    RIDING,
    VIEW_ROWS,
    ForestRideMachine,
    built,
    player_script,
    recorded_game,
)
from numpy.typing import NDArray

from oakemu_rl.envs import SpectrumEnv, SpectrumVectorEnv
from oakemu_rl.games import load_game

FRAMESKIP = 4
DEFINITION = load_game("forestride").definition
ACTIONS = list(DEFINITION.actions)
WHOLE_GAME = 0.1 * 128 + 28 + 2 * 8


def start(seed: int) -> ForestRideMachine:
    """The state in which episodes begin, to the T-state, as the environments have it."""
    machine = ForestRideMachine()
    machine.spectrum.load_state(load_game("forestride").start_state())
    machine.write_word("seed", seed)
    return machine


def play(machine: ForestRideMachine, actions: list[str]) -> None:
    for action in actions:
        machine.hold(action)
        machine.frame(FRAMESKIP)


def test_the_recording_wins_in_the_environment(tmp_path: Path) -> None:
    seed, actions = recorded_game()
    variant = tmp_path / "seeded.yaml"
    variant.write_text(
        "extends: ZXSpectrum/ForestRide-v0\nid: ZXSpectrum/ForestRideSeeded-v0\nreset: null\n"
        "start:\n  - wait: {frames: 150}\n  - press: {keys: [space], frames: 2}\n"
        f"  - until: {{routine: main_loop, at_most_frames: 200}}\n  - set: {{seed: {seed}}}\n",
        encoding="utf-8",
    )
    env = SpectrumEnv(str(variant))
    env.reset(seed=1)
    rewards, ended, info = 0.0, False, {}
    for number, action in enumerate(actions, 1):
        _, reward, ended, cut, info = env.step(ACTIONS.index(action))
        rewards += float(reward)
        assert not cut
        assert ended == (number == len(actions))
    assert (info["won"], info["sectors_done"], info["kills"], info["lives"]) == (1, 8, 28, 3)
    assert info["outcome"] == "win"
    assert rewards == pytest.approx(WHOLE_GAME)
    env.close()


def test_the_same_keys_give_the_same_game_also_from_a_saved_state() -> None:
    seed, actions = recorded_game()
    straight, saved = start(seed), start(seed)
    play(straight, actions)
    play(saved, actions[:900])
    state = saved.spectrum.save_state()
    play(saved, ["left"] * 60)
    saved.spectrum.load_state(state)
    play(saved, actions[900:])
    assert straight.byte("won") == 1
    assert np.array_equal(straight.spectrum.memory, saved.spectrum.memory)


def test_the_recording_wins_with_its_own_seed_only() -> None:
    seed, actions = recorded_game()
    for other in (seed + 1, seed + 2, 0xBEEF):
        machine = start(other)
        for action in actions:
            play(machine, [action])
            if machine.byte("lives") < 3:
                break
        assert machine.byte("lives") < 3
        assert machine.byte("sectors_done") == 0


@pytest.mark.parametrize("seed", [11, 0xC0DE])
def test_a_player_who_knows_the_trees_gets_far_with_any_seed(seed: int) -> None:
    machine = start(seed)
    player_script().play(machine.spectrum, limit=700)
    assert machine.byte("lives") == 3
    assert machine.byte("sectors_done") >= 2
    assert machine.byte("kills") >= 4


def test_random_players_never_win_and_do_not_get_far() -> None:
    env = SpectrumVectorEnv("forestride", num_envs=16, num_threads=1)
    stream = np.random.default_rng(11)
    env.reset(seed=7)
    returns: list[float] = []
    for _ in range(700):
        _, _, terminated, _, infos = env.step(stream.integers(len(ACTIONS), size=16))
        returns += infos["episode_return"][terminated].tolist()
        assert not infos["won"].any()
    assert len(returns) >= 60
    assert np.mean(returns) < 1.5
    assert max(returns) < WHOLE_GAME / 4
    env.close()


@pytest.mark.parametrize(
    "habit",
    [
        ["stay"],
        ["fire"],
        ["left"],
        ["right_fire"],
        ["left"] * 4 + ["right"] * 4,
        ["left_fire"] * 12 + ["right_fire"] * 12,
    ],
    ids=["nothing", "fire", "left", "right and fire", "weaving", "sweeping"],
)
def test_simple_habits_end_at_a_tree(habit: list[str]) -> None:
    for seed in range(1, 7):
        machine = start(seed)
        for action, _ in zip(cycle(habit), range(1200), strict=False):
            play(machine, [action])
            if machine.byte("lives") < 3:
                break
        assert machine.byte("lives") < 3
        assert machine.byte("sectors_done") <= 2


def test_the_seed_decides_the_forest() -> None:
    forests = []
    for seed in (1, 2, 1):
        machine = start(seed)
        play(machine, ["stay"] * 5)
        forests.append(machine.trees())
    assert forests[0] == forests[2] != forests[1]


def test_resets_draw_other_seeds() -> None:
    env = SpectrumVectorEnv("forestride", num_envs=8, num_threads=1)
    _, infos = env.reset(seed=3)
    seeds = infos["seed"].tolist()
    assert len(set(seeds)) == 8
    assert env.reset(seed=3)[1]["seed"].tolist() == seeds
    assert env.reset()[1]["seed"].tolist() != seeds
    env.close()


def expected_trunks(machine: ForestRideMachine) -> NDArray[np.bool_]:
    """The trunks of the view by the laws of perspective, shape (VIEW_ROWS, 256)."""
    picture = np.zeros((VIEW_ROWS, 256), dtype=bool)
    for x, z in machine.trees():
        if abs(x) // 256 - (abs(x) % 256 == 0 and x < 0) > z + 20:
            continue
        wide = int(648 / (z + 16) + 0.5)
        if z < 32:
            aside = (abs(x) >> 4) * int(2304 / (z + 16) + 0.5) >> 8
        else:
            aside = (abs(x) >> 6) * int(9216 / (z + 16) + 0.5) >> 8
        left = 128 + (aside if x >= 0 else -aside) - wide // 2
        picture[: min(VIEW_ROWS, HORIZON + int(1296 / (z + 16) + 0.5)), max(left, 0) : max(left + wide, 0)] = True
    return picture


def pictures(machine: ForestRideMachine, turns: int) -> Iterator[tuple[NDArray[np.bool_], int, int]]:
    """Turns of the player who knows the trees: what differs from the trunks that should be seen, tufts and figures.

    A turn is painted in its second frame; a forest that takes longer is whole before the next one ends.
    """
    player = player_script().Player(machine.spectrum)
    machine.frame()
    for turn in range(turns):
        if turn % 2 == 0:
            machine.hold(player.action())
        expected, tufts, figures = expected_trunks(machine), machine.byte("tufts_ready"), machine.byte("shapes")
        machine.frame(2)
        yield machine.view() != expected, tufts, figures
        assert machine.mode == RIDING


def test_trunks_stand_where_the_trees_are() -> None:
    machine = ForestRideMachine(seed=5)
    machine.write("cruise", 120)
    for wrong, tufts, _ in pictures(machine, 400):
        machine.write("rider_wait", 255)
        assert not wrong[:HORIZON].any()
        # beside the trunks there is grass; trunks that stand almost in the same row share it
        assert wrong[HORIZON:].sum() <= 8 * tufts + 3 * 32
    assert machine.byte("lives") == 3


def test_figures_leave_nothing_behind() -> None:
    machine = ForestRideMachine(seed=5)
    shown = 0
    for wrong, tufts, figures in pictures(machine, 500):
        shown += figures > 0
        if figures == 0:
            assert not wrong[:HORIZON].any()
            assert wrong[HORIZON:].sum() <= 8 * tufts + 3 * 32
    assert 100 < shown < 400
    assert machine.byte("kills") >= 1


def test_a_trunk_stands_in_its_row() -> None:
    machine = ForestRideMachine(empty=True)
    for aside, ahead in ((0, 90), (-12, 60), (9, 30), (7, 12), (5, 4)):
        machine.plant(aside, ahead)
        machine.frame()
        expected, tufts = expected_trunks(machine), machine.byte("tufts_ready")
        machine.frame()
        assert expected.any()
        assert (machine.view() != expected).sum() <= 8 * tufts


def test_the_pace_is_steady() -> None:
    """A turn every other frame; a late one is made up for, and no step of four frames ends while one is painted."""
    seed, actions = recorded_game()
    machine = start(seed)
    late, late_steps, riding_before, turns = 0, 0, False, 0
    for action in actions:
        play(machine, [action])
        riding = machine.mode == RIDING
        if riding and riding_before:
            late += FRAMESKIP // 2 - (machine.word("turns") - turns)
            assert late in {0, 1}
            late_steps += late
            waits_for = machine.byte("turn_tick") - machine.byte("ticks")
            assert waits_for % 256 in {0, 1}, "it thinks, or waits for the second frame"
        else:
            late = 0
        riding_before, turns = riding, machine.word("turns")
    assert machine.byte("won") == 1
    assert late_steps < len(actions) // 100


def test_the_program_does_not_write_over_itself() -> None:
    seed, actions = recorded_game()
    machine = start(seed)
    play(machine, actions)
    code = bytes(built().code)
    now = bytes(machine.spectrum.memory[0x4000 : 0x4000 + len(code)])
    assert now[:0x400] == code[:0x400]
    pictures = built().labels["make_tables"] - 0x8000
    assert now[pictures:] == code[pictures:]


def test_day_and_night_look_different_to_an_agent() -> None:
    seed, actions = recorded_game()
    machine = start(seed)
    means: dict[int, list[float]] = {0: [], 1: []}
    for number, action in enumerate(actions[:900]):
        play(machine, [action])
        if number % 25 == 0 and machine.mode == RIDING:
            view = machine.spectrum.screen_grey(*DEFINITION.area)
            means[machine.byte("night")].append(float(view.mean()))
    assert min(means[0]) > 1.5 * max(means[1])
