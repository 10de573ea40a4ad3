# SPDX-License-Identifier: GPL-3.0-or-later
"""Episodes that begin in a machine, and banks of states. Right values: the game's own figures, and the bytes given."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from counting_game import DEFINITION, DIE, SCORE, STAY, write_game
from gymnasium.vector import AutoresetMode

from oakemu_rl.emulator import Spectrum
from oakemu_rl.envs import SpectrumEnv, SpectrumVectorEnv, StateBank
from oakemu_rl.errors import UserError

OPTIONS: dict[str, Any] = {"img_width": 32, "img_height": 24, "stack_num": 3, "obs_type": "grayscale"}


@pytest.fixture
def machine(counting: Path) -> bytes:
    """The game when it has scored 4 and lost a life."""
    env = SpectrumEnv(counting, frameskip=1)
    env.reset(seed=11)
    for action in (SCORE, SCORE, SCORE, SCORE, DIE):
        env.step(action)
    return env.machine_state()


def test_an_episode_begins_in_a_machine(counting: Path, machine: bytes) -> None:
    env = SpectrumEnv(counting, **OPTIONS)
    env.reset(seed=1)
    env.step(SCORE)
    observation, info = env.reset(options={"machine": machine})
    assert (info["score"], info["lives"], info["episode_length"], info["episode_return"]) == (4, 2, 0, 0.0)
    assert info["outcome"] == "running"
    assert (observation == observation[0]).all()
    held = Spectrum()
    held.load_state(machine)
    held.release_all()
    assert env.machine_state() == held.save_state()  # no frame has passed, and no byte was changed
    *_, info = env.step(SCORE)
    assert (info["score"], info["episode_length"], info["episode_return"]) == (6, 1, 2.0)


def test_vector_environments_begin_in_machines_of_their_own(counting: Path, machine: bytes) -> None:
    envs = SpectrumVectorEnv(counting, 3, num_threads=2, autoreset_mode=AutoresetMode.DISABLED, **OPTIONS)
    envs.reset(seed=1)
    envs.step(np.full(3, SCORE))
    before = envs.get_state(0)
    mask = np.array([False, True, True])
    # What is not reset needs no machine, and is not looked at.
    options = {"reset_mask": mask, "machines": [b"", bytearray(machine), None]}
    observations, infos = envs.reset(options=options)
    assert infos["score"][mask].tolist() == [4, 0]
    assert infos["lives"][mask].tolist() == [2, 3]
    assert envs.get_state(0) == before
    single = SpectrumEnv(counting, **OPTIONS)
    assert (single.reset(options={"machine": machine})[0] == observations[1]).all()
    envs.reset(options={"machines": [machine] * 3})
    assert envs.step(np.array([STAY, SCORE, DIE]))[4]["score"].tolist() == [4, 6, 4]


def test_the_random_stream_does_not_notice(counting: Path, machine: bytes) -> None:
    env, twin = SpectrumEnv(counting, **OPTIONS), SpectrumEnv(counting, **OPTIONS)
    for each in (env, twin):
        each.reset(seed=5)
    env.reset(options={"machine": machine})
    for key in ("seed", "frames"):
        assert env.reset()[1][key] == twin.reset()[1][key]


def test_a_machine_is_no_start_state(tmp_path: Path, machine: bytes) -> None:
    text = DEFINITION + "starts:\n  later: {start: [{until: {routine: main_loop, at_most_frames: 50}}]}\n"
    env = SpectrumEnv(write_game(tmp_path, text))
    assert env.reset(seed=1)[1]["start"] >= 0
    assert env.reset(options={"machine": machine})[1]["start"] == -1
    assert env.step(STAY)[4]["start"] == -1
    with pytest.raises(UserError, match="start='later' and a machine are two ways"):
        env.reset(options={"machine": machine, "start": "later"})


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        (b"x", r"^machines: item 0: saved state: too short"),
        (b"", r"^machines: item 0: saved state: too short"),
        ("text", r"^a saved state is bytes, not str"),
        (Spectrum("128k").save_state(), r"it is of a 128k machine, this one is a 48k"),
    ],
)
def test_wrong_machines_change_nothing(counting: Path, wrong: Any, told: str) -> None:
    env = SpectrumEnv(counting)
    env.reset(seed=1)
    before = env.get_state()
    with pytest.raises(UserError, match=told):
        env.reset(seed=9, options={"machine": wrong})
    assert env.get_state() == before


def test_wrong_numbers_of_machines_change_nothing(counting: Path, machine: bytes) -> None:
    envs = SpectrumVectorEnv(counting, 2)
    envs.reset(seed=1)
    before = envs.get_states()
    for options, told in (
        ({"machines": [machine]}, "machines must be 2, bytes or None for each environment, not 1 of them"),
        ({"machines": 5}, "machines must be 2, bytes or None for each environment, not 5"),
        ({"machines": [None, machine], "states": [None, before[1]]}, "environment 1 is given a state and a machine"),
        (
            {"machines": [None, machine], "states": [before[0], None], "start": ["main", None]},
            "there is no start state",
        ),
        ({"states": [before[1], None], "machines": [None, b"x"]}, "machines: item 1: "),
    ):
        with pytest.raises(UserError, match=told):
            envs.reset(seed=3, options=options)
        assert envs.get_states() == before


def test_a_bank_gives_back_what_it_was_given(counting: Path) -> None:
    envs = SpectrumVectorEnv(counting, 3, autoreset_mode=AutoresetMode.DISABLED, **OPTIONS)
    envs.reset(seed=4)
    bank, states = StateBank(envs), []
    generator = np.random.default_rng(2)
    for number in range(20):
        envs.step(generator.integers(0, 2, 3))
        states.append(envs.get_state(number % 3))
        assert bank.add(envs, number % 3) == number
    assert bank.add_state(states[5]) == 20
    assert (len(bank), list(bank), 20 in bank, 21 in bank) == (21, list(range(21)), True, False)
    assert [bank.get(number) for number in range(20)] == states
    bank.put(envs, 1, 7)
    assert envs.get_state(1) == states[7]
    single = SpectrumEnv(counting, **OPTIONS)
    bank.put(single, 0, 19)
    assert single.get_state() == states[19]
    assert bank.add(single) == 21
    bank.discard(3)
    with pytest.raises(UserError, match="there is no state 3 in the store, it was discarded"):
        bank.get(3)
    assert bank.nbytes < 22 * len(states[0]) / 4
    assert "StateBank(21 states, " in repr(bank)
    bank.clear()
    assert bank.nbytes < 2000


def test_a_bank_refuses_what_is_of_others(counting: Path) -> None:
    env, other = SpectrumEnv(counting, **OPTIONS), SpectrumEnv(counting, frameskip=3)
    for each in (env, other):
        each.reset(seed=1)
    bank = StateBank(env)
    with pytest.raises(UserError, match="of another configuration"):
        bank.add(other)
    with pytest.raises(UserError, match="of another configuration"):
        bank.add_state(other.get_state())
    with pytest.raises(UserError, match="checksum"):
        bank.add_state(env.get_state()[:-1] + b"?")
    moment = bank.add(env)
    with pytest.raises(UserError, match="of another configuration"):
        bank.put(other, 0, moment)
    with pytest.raises(IndexError):
        bank.put(env, 1, moment)
    with pytest.raises(IndexError):
        bank.add(env, 1)
    for wrong, told in ((-1, "there is no state -1"), ("a", "the id of a state is a number, not str")):
        with pytest.raises(UserError, match=told):
            bank.get(wrong)  # type: ignore[arg-type]  # under test
    assert len(bank) == 1
