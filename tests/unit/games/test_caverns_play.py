# SPDX-License-Identifier: GPL-3.0-or-later
"""Whole games of Caverns: the recorded one wins, chance does not, and all is repeatable and drawn well."""

from itertools import cycle

import numpy as np
import pytest
from caverns_machine import (
    BUFFER,
    FIRST_LINE,
    LEAVING,
    PLAYING,
    ROOM_KEYS,
    WON,
    CavernsMachine,
    built,
    recorded_actions,
)
from numpy.typing import NDArray

from oakemu_rl.envs import SpectrumEnv, SpectrumVectorEnv
from oakemu_rl.games import load_game

FRAMESKIP = 4
FIRST_CAVE_T = 14335 + 24 * 224  # the beam enters the first line of the cave
PROGRESS = sum(ROOM_KEYS) + len(ROOM_KEYS)
ACTIONS = list(load_game("caverns").definition.actions)


def play(machine: CavernsMachine, actions: list[str]) -> None:
    for action in actions:
        machine.act(action, FRAMESKIP)


def start() -> CavernsMachine:
    """The state in which episodes begin, to the T-state, as the environments have it."""
    machine = CavernsMachine()
    machine.spectrum.load_state(load_game("caverns").start_state())
    return machine


def test_the_recording_wins_in_the_environment() -> None:
    env = SpectrumEnv("caverns", noop_max=0)
    env.reset(seed=1)
    actions = recorded_actions()
    rewards, ended, info = 0.0, False, {}
    for number, action in enumerate(actions, 1):
        _, reward, ended, cut, info = env.step(ACTIONS.index(action))
        rewards += float(reward)
        assert not cut
        assert ended == (number == len(actions))
    assert info["won"] == 1
    assert info["rooms_done"] == 6
    assert info["lives"] == 3
    assert info["progress"] == PROGRESS == 26
    assert rewards == PROGRESS + 4 * 6
    assert 700 <= len(actions) <= 1400
    env.close()


def figures(machine: CavernsMachine) -> NDArray[np.bool_]:
    """Cells that a figure, a key, the door or the air bar may differ in from the empty cave, shape (24, 32)."""
    cells = np.zeros((26, 36), dtype=bool)
    cells[:FIRST_LINE] = True
    places = [machine.place, (machine.byte("exit_x"), machine.byte("exit_y"))]
    places += [(guardian.x, guardian.y) for guardian in machine.guardians()]
    for x, y in places:
        cells[y // 8 : (y + 15) // 8 + 1, x // 8 : x // 8 + 3] = True
    cells = cells[:24, :32]
    keys = (machine.cells() & 0x30) == 0x10
    return cells | keys


def as_cells(memory: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """A display file as cells, shape (24, 32, 8 rows)."""
    return memory[:6144].reshape(3, 8, 8, 32).transpose(0, 2, 3, 1).reshape(24, 32, 8)


def test_the_recording_is_drawn_cleanly_and_in_time() -> None:
    machine = start()
    code = bytes(built().code)
    fixed = slice(built().labels["program_end"] - 0x8000 - 5000, built().labels["program_end"] - 0x8000)
    player_done, rooms, frames = 0, set(), None
    for number, action in enumerate(recorded_actions()):
        machine.hold(action)
        for _ in range(FRAMESKIP - 1):
            machine.frame()
        if machine.mode == PLAYING and number % 3 == 0:
            assert machine.spectrum.run_until(machine.labels["draw_guardians"], 1) is not None
            player_done = max(player_done, machine.spectrum.t)
        machine.frame()
        if machine.mode == PLAYING:
            if frames is not None:
                assert machine.word("frames") - frames == FRAMESKIP, "the main loop took more than a frame"
            frames = machine.word("frames")
        else:
            frames = None
        if machine.mode == PLAYING and number % 5 == 0:
            rooms.add(machine.byte("room"))
            memory = machine.spectrum.memory
            clean = ~figures(machine)
            buffer = memory[BUFFER - 0x4000 :]
            assert np.array_equal(as_cells(memory)[clean], as_cells(buffer)[clean])
            assert np.array_equal(memory[6144:6912].reshape(24, 32)[clean], buffer[6144:6912].reshape(24, 32)[clean])
    assert rooms == set(range(1, 7))
    assert 3000 < player_done < FIRST_CAVE_T
    now = bytes(machine.spectrum.memory[0x4000 : 0x4000 + len(code)])
    assert now[:0x400] == code[:0x400], "the program has written over itself"
    assert now[fixed] == code[fixed]


def test_the_screen_at_the_end_of_a_frame_shows_the_variables() -> None:
    machine = CavernsMachine(guardians=False)
    machine.cells()[4:23, 1:31] = 0
    machine.spectrum.memory[BUFFER - 0x4000 : BUFFER - 0x4000 + 6144] = 0
    machine.spectrum.memory[:6144] = 0
    machine.spectrum.memory[6144:6912] = 7
    machine.put(60, 168)
    for action in ["right_jump"] * 8 + ["left"] * 4 + ["left_jump"] * 8:
        machine.act(action, 3)
        lit = np.argwhere(machine.spectrum.screen_grey(0, 24, 256, 168) > 0)
        x, y = machine.place
        assert lit[:, 0].min() + 24 == y
        assert x <= lit[:, 1].min() <= x + 4
        assert x + 10 <= lit[:, 1].max() <= x + 15


def image(machine: CavernsMachine, kind: int, x: int, *, left: bool) -> NDArray[np.bool_]:
    """What a figure that goes across looks like at a column, shape (16, 24)."""
    start = 0xDE00 - 0x4000 + 768 * kind + 384 * left + 48 * (x % 8)
    return np.unpackbits(machine.spectrum.memory[start : start + 48].reshape(16, 3), axis=1).astype(bool)


@pytest.mark.parametrize("beside", [-20, -15, -11, 11, 15, 20])
def test_a_guardian_close_by_cuts_nothing_off(beside: int) -> None:
    machine = CavernsMachine()
    machine.cells()[FIRST_LINE:] &= 0xC0  # the spikes are for the eye only
    for _ in range(12):
        beetle = machine.guardians()[1]
        machine.put(beetle.x + beside, beetle.y)
        machine.frame()
        x, y = machine.place
        beetle = machine.guardians()[1]
        lit = machine.spectrum.screen_indexed() & 7 > 0
        for kind, column, left in ((0, x, False), (beetle.kind, beetle.x, beetle.step == 255)):
            first = column // 8 * 8
            picture = image(machine, kind, column, left=left)
            assert lit[y : y + 16, first : first + 24][picture].all()


def test_the_same_keys_give_the_same_game_also_from_a_saved_state() -> None:
    actions = recorded_actions()
    half = len(actions) // 2
    straight, saved = start(), start()
    play(straight, actions)
    play(saved, actions[:half])
    state = saved.spectrum.save_state()
    play(saved, ["left_jump"] * 100)
    saved.spectrum.load_state(state)
    play(saved, actions[half:])
    assert straight.byte("won") == 1
    assert straight.mode in {LEAVING, WON}
    assert np.array_equal(straight.spectrum.memory, saved.spectrum.memory)


def test_the_recording_is_exact() -> None:
    """A step too many, almost anywhere, and the game is lost on the way: what makes it hard."""
    actions = recorded_actions()
    won = 0
    for at in range(20, len(actions) - 100, len(actions) // 5):
        machine = start()
        play(machine, [*actions[:at], "stay", *actions[at:]])
        won += machine.byte("won")
    assert won <= 2


def test_random_players_get_hardly_anywhere() -> None:
    env = SpectrumVectorEnv("caverns", num_envs=8, num_threads=1)
    stream = np.random.default_rng(11)
    env.reset(seed=7)
    progress, rooms, ended = np.zeros(8, dtype=np.int64), 0, 0
    for _ in range(1200):
        _, _, terminated, _, infos = env.step(stream.integers(len(ACTIONS), size=8))
        progress = np.maximum(progress, infos["progress"])
        rooms = max(rooms, int(infos["rooms_done"].max()))
        ended += int(terminated.sum())
        assert not infos["won"].any()
    assert ended >= 8
    assert rooms == 0
    assert progress.mean() < 2
    env.close()


@pytest.mark.parametrize(
    "habit",
    [
        ["right"],
        ["right_jump"],
        ["right"] * 20 + ["right_jump"] * 10,
        ["right_jump"] * 40 + ["left_jump"] * 40,
        ["left_jump"] * 9 + ["right_jump"] * 30,
    ],
    ids=["runs", "hops", "runs and hops", "to and fro", "back and forth"],
)
def test_simple_habits_do_not_leave_the_first_room(habit: list[str]) -> None:
    machine = start()
    for action, _ in zip(cycle(habit), range(1000), strict=False):
        machine.act(action, FRAMESKIP)
        assert machine.byte("rooms_done") == 0
        if machine.byte("lives") == 0:
            return


def test_standing_still_is_safe_until_the_air_ends() -> None:
    for room in range(1, 7):
        machine = CavernsMachine(room)
        machine.act("stay", 1000)
        assert machine.byte("lives") == 3
        machine.frame(224 * machine.byte("air_period") - 1000 + 5)
        assert (machine.byte("lives"), machine.byte("cause")) == (2, 4)
