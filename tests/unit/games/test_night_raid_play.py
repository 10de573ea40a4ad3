# SPDX-License-Identifier: GPL-3.0-or-later
"""Night Raid as a whole: it can be won but not by chance, it repeats itself, and it is drawn in time and cleanly."""

from itertools import cycle

import numpy as np
import pytest
from night_raid_machine import (
    BANNER_FRAMES,
    DYING,
    PLAYING,
    NightRaidMachine,
    built,
    calm,
    fight,
    load_player,
    recorded_actions,
)
from numpy.typing import NDArray

from oakemu_rl.envs import SpectrumVectorEnv
from oakemu_rl.games import load_game

FRAMESKIP = 4
ACTIONS = list(load_game("nightraid").definition.actions)
FIRST_RAIDERS_T = 14335 + 224 * 32


def play(machine: NightRaidMachine, actions: list[str]) -> None:
    for action in actions:
        machine.act(action, FRAMESKIP)


def start() -> NightRaidMachine:
    """The start state itself, with the seed that it has."""
    machine = NightRaidMachine()
    machine.spectrum.load_state(load_game("nightraid").start_state())
    return machine


def test_the_recording_wins() -> None:
    machine, waves = start(), []
    for action in recorded_actions():
        machine.act(action, FRAMESKIP)
        if machine.byte("wave") not in waves:
            waves.append(machine.byte("wave"))
    assert waves == [1, 2, 3, 4, 5, 6]
    assert (machine.byte("won"), machine.byte("waves_beaten"), machine.byte("ship_hits")) == (1, 6, 0)
    assert machine.score() > 3000
    assert machine.byte("lives") >= 1


def test_the_player_wins_whatever_the_seed() -> None:
    won = []
    for seed in (11, 2222, 33333):
        machine = NightRaidMachine(seed)
        load_player().play(machine.spectrum)
        won.append((machine.byte("won"), machine.score() > 3000))
    assert won == [(1, True)] * 3


@pytest.mark.parametrize(
    ("beside", "row", "above"), [(5, 114, 1), (13, 114, 1), (15, 114, 0), (-5, 114, 0), (5, 110, 0)]
)
def test_the_definition_tells_what_falls_on_the_gun(beside: int, row: int, above: int) -> None:
    machine = calm()
    machine.put_bomb(machine.byte("player_x") + beside, row, slot=4)
    assert load_game("nightraid").read(machine.spectrum.visible_ram())["bombs_above"] == above


def test_random_players_never_win_and_score_far_less() -> None:
    env = SpectrumVectorEnv("nightraid", num_envs=8, num_threads=1)
    stream = np.random.default_rng(3)
    env.reset(seed=5)
    scores: list[int] = []
    for _ in range(1500):
        _, _, terminated, _, infos = env.step(stream.integers(len(ACTIONS), size=8))
        assert not infos["won"].any()
        scores += infos["score"][terminated].tolist()
    env.close()
    assert len(scores) >= 12
    assert np.mean(scores) < 700
    assert max(scores) < 2500


@pytest.mark.parametrize(
    "habit",
    [["stay"], ["fire"], ["left_fire"] * 27 + ["right_fire"] * 27, ["left_fire"] * 3 + ["right_fire"] * 3],
    ids=["sleeps", "stands and fires", "sweeps", "dances"],
)
def test_simple_habits_do_not_get_far(habit: list[str]) -> None:
    machine = NightRaidMachine(7)
    for action, _ in zip(cycle(habit), range(3000), strict=False):
        machine.act(action, FRAMESKIP)
        if machine.mode not in {PLAYING, DYING}:
            break
    assert machine.mode not in {PLAYING, DYING}, "it ends"
    assert machine.byte("waves_beaten") <= 2
    assert machine.score() < 1500


def test_same_seed_and_keys_give_the_same_game_and_seeds_differ() -> None:
    def game(seed: int) -> bytes:
        machine, stream = NightRaidMachine(seed), np.random.default_rng(9)
        for _ in range(150):
            machine.act(ACTIONS[stream.integers(len(ACTIONS))], FRAMESKIP)
        return machine.spectrum.memory.tobytes()

    games = [game(seed) for seed in (1234, 1234, 1235, 0)]
    assert games[0] == games[1]
    assert len(set(games)) == 3


def test_nothing_random_happens_before_the_banner_goes() -> None:
    machine = NightRaidMachine(999)
    machine.frame(BANNER_FRAMES - 2)
    assert machine.word("seed") == 999
    machine.frame(2)
    assert machine.word("seed") != 999


def test_a_saved_game_goes_on_as_it_would_have() -> None:
    actions = recorded_actions()[:600]
    straight, saved = start(), start()
    play(straight, actions)
    play(saved, actions[:300])
    state = saved.spectrum.save_state()
    play(saved, ["left_fire"] * 50)
    saved.spectrum.load_state(state)
    play(saved, actions[300:])
    assert np.array_equal(straight.spectrum.memory, saved.spectrum.memory)


def test_every_frame_is_done_in_its_time() -> None:
    """One turn of the loop a frame; nearly always all is drawn before the beam comes to the raiders' first places."""
    labels = built().labels
    code = built().code
    machine, drawn = start(), []
    for action in recorded_actions():
        machine.hold(action)
        for _ in range(FRAMESKIP):
            before = machine.word("frames")
            if machine.spectrum.run_until(labels["draw_star"], 1) is None:
                continue  # a whole frame: the gun burns, or a wave is put up
            drawn.append(machine.spectrum.t)
            machine.frame()
            assert machine.word("frames") == before + 1
    assert machine.byte("won") == 1
    assert len(drawn) > 0.97 * FRAMESKIP * len(recorded_actions())
    times = np.array(drawn)
    assert np.mean(times < FIRST_RAIDERS_T) > 0.9
    assert times.max() < 69888 - 11000, "a note of sound has still room"
    now = bytes(machine.spectrum.memory[0x4000 : 0x4000 + len(code)])
    assert now[:0x400] == code[:0x400], "the program has written over itself"
    assert now[0x600:] == code[0x600:]


def overlay(machine: NightRaidMachine) -> NDArray[np.bool_]:
    """Which pixels shot, bombs and diver turn over, shape (192, 256)."""
    turned = np.zeros((192, 256), dtype=bool)
    if machine.byte("shot_y"):
        x, y = machine.byte("shot_x"), machine.byte("shot_y")
        turned[y : y + 8, x : x + 2] ^= True
    for x, y in machine.bombs():
        for row in range(8):
            thin = row not in range(2, 6)
            turned[y + row, x + thin : x + 4 - thin] ^= True
    if machine.byte("diver"):
        x, y, kind = machine.byte("diver_x"), machine.byte("diver_y"), machine.byte("diver")
        first = 0xC000 - 0x4000 + (4 * (kind - 1) + x // 2 % 4) * 36
        image = np.unpackbits(machine.spectrum.memory[first : first + 36].reshape(12, 3), axis=1).astype(bool)
        width = min(24, 256 - x // 8 * 8)
        turned[y : y + 12, x // 8 * 8 : x // 8 * 8 + width] ^= image[:, :width]
    return turned


def pixels(machine: NightRaidMachine) -> NDArray[np.bool_]:
    """The bits of the display file, shape (192, 256)."""
    rows = machine.spectrum.memory[:6144].reshape(3, 8, 8, 32).transpose(0, 2, 1, 3).reshape(192, 32)
    return np.unpackbits(rows, axis=1).astype(bool)


def test_the_screen_at_the_end_of_a_frame_shows_the_variables() -> None:
    """Shot, bombs and diver are where the variables say, and what is below them is raiders, stars or nothing."""
    machine = start()
    seen = set()
    for number, action in enumerate(recorded_actions()):
        machine.act(action, FRAMESKIP)
        if number % 7 or machine.mode != PLAYING or machine.byte("banner"):
            continue
        sky = (pixels(machine) ^ overlay(machine))[32:136]
        for raider in machine.raiders():
            first = 0xC000 - 0x4000 + (4 * (raider.kind - 1) + raider.x // 2 % 4) * 36
            image = np.unpackbits(machine.spectrum.memory[first : first + 36].reshape(12, 3), axis=1).astype(bool)
            top, left = raider.y - 32, raider.x // 8 * 8
            width = 16 if raider.x % 8 == 0 else 24
            place = sky[top : top + 12, left : left + width]
            image = image[: len(place), :width]
            assert place[image].all(), (number, raider)
            place[image] = False
            seen.add(raider.kind)
        if machine.byte("burst"):
            x, y = machine.byte("burst_x") // 8 * 8, machine.byte("burst_y") - 32
            sky[y : y + 12, x : x + 24] = False
        assert sky.sum() <= 32, "nothing is left but stars"
    assert seen == {1, 2, 3, 4}


def test_gun_and_ground_are_clean() -> None:
    machine = fight()
    stream = np.random.default_rng(4)
    town = pixels(machine)[176:].copy()
    for _ in range(300):
        machine.act(ACTIONS[stream.integers(len(ACTIONS))], FRAMESKIP)
        if machine.mode != PLAYING or machine.byte("landed"):
            continue
        shown = pixels(machine) ^ overlay(machine)
        assert np.array_equal(shown[176:], town)
        columns = np.flatnonzero(shown[164:176].any(axis=0))
        assert (columns[0], columns[-1]) == (machine.byte("player_x"), machine.byte("player_x") + 13)


def test_a_poked_sky_leaves_nothing_behind() -> None:
    # Whoever changes variables between two frames, a test or an agent's start, must not spoil the picture.
    machine = calm()
    machine.put_shot(100, 120)
    machine.put_bomb(40, 60)
    machine.put_diver(4, 180, 70)
    machine.frame()
    machine.put_shot(220, 90)
    machine.put_bomb(200, 50)
    machine.frame()
    machine.put_shot(0, 0)
    machine.put_bomb(0, 0)
    machine.write("diver", 0)
    machine.frame(2)
    shown = pixels(machine)[32:136]
    for raider in machine.raiders():
        shown[raider.y - 32 : raider.y - 20, raider.x : raider.x + 16] = False
    assert shown.sum() <= 32
