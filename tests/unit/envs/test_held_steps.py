# SPDX-License-Identifier: GPL-3.0-or-later
"""Steps whose frames hold keys of their own."""

import numpy as np
import pytest

from oakemu_rl.emulator import Spectrum
from oakemu_rl.envs import SpectrumEnv
from oakemu_rl.errors import UserError

STAY, LEFT, RIGHT, JUMP = range(4)


@pytest.fixture
def env():
    env = SpectrumEnv("caverns", noop_max=0)
    env.reset(seed=3)
    yield env
    env.close()


def rows(env, *actions):
    return env.game.action_table[list(actions)]


@pytest.mark.parametrize("options", [{}, {"maxpool": True}, {"obs_type": "rgb", "stack_num": 3}])
def test_frames_that_all_hold_the_actions_keys_are_a_step(options):
    env = SpectrumEnv("caverns", noop_max=0, **options)
    env.reset(seed=3)
    start = env.get_state()
    stepped = [env.step(action) for action in (RIGHT, JUMP, STAY)]
    after = env.get_state()
    env.set_state(start)
    held = [env.step_held(action, rows(env, *[action] * 4)) for action in (RIGHT, JUMP, STAY)]
    assert env.get_state() == after
    for (picture, *figures, info), (other, *others, other_info) in zip(stepped, held, strict=True):
        assert np.array_equal(picture, other)
        assert figures == others
        assert info == other_info


@pytest.mark.parametrize("maxpool", [False, True])
def test_each_frame_holds_its_own_keys(maxpool):
    env = SpectrumEnv("caverns", noop_max=0, maxpool=maxpool)
    env.reset(seed=3)
    machine = Spectrum()
    machine.load_state(env.machine_state())
    for actions in ((STAY, RIGHT, RIGHT, STAY), (JUMP, STAY, STAY, STAY), (LEFT,), (RIGHT, LEFT, RIGHT, LEFT, RIGHT)):
        held = rows(env, *actions)
        _, _, _, _, info = env.step_held(STAY, held)
        for row in held:
            machine.hold_row(row)
            machine.run_frames(1)
        assert env.machine_state() == machine.save_state()
    assert info["episode_frame_number"] == 4 + 4 + 1 + 5
    assert info["episode_length"] == 4
    assert info["player_x"] == env.game.read(machine.visible_ram())["player_x"]


def test_the_step_is_taken_for_the_action(env):
    assert env.step_held(JUMP, rows(env, RIGHT, RIGHT))[4]["action_taken"] == JUMP


def test_nothing_is_left_to_chance_and_nothing_is_drawn():
    def frames_of_steps(env):
        counts = [env.step(STAY)[4]["episode_frame_number"] for _ in range(20)]
        return np.diff(counts).tolist()

    env = SpectrumEnv("caverns", noop_max=0, repeat_action_probability=0.9, frameskip=(1, 8))
    env.reset(seed=3)
    drawn = frames_of_steps(env)
    env.reset(seed=3)
    for _ in range(30):
        info = env.step_held(RIGHT, rows(env, STAY, STAY, STAY))[4]
        assert info["action_taken"] == RIGHT
    assert info["episode_frame_number"] == 90
    assert frames_of_steps(env) == drawn


def test_an_episode_ends_in_it(env):
    for _ in range(3000):
        _, _, terminated, _, info = env.step_held(RIGHT, rows(env, RIGHT, RIGHT, JUMP, RIGHT))
        if terminated:
            break
    assert info["outcome"] == "loss"
    with pytest.raises(RuntimeError, match="environment 0 has ended its episode; reset it before stepping"):
        env.step_held(STAY, rows(env, STAY))


def test_what_cannot_be_held_is_refused(env):
    before = env.get_state()
    with pytest.raises(ValueError, match="held: a step has at least one frame"):
        env.step_held(STAY, np.zeros((0, 9), np.uint8))
    with pytest.raises(ValueError, match="held: frame 1 has a mask above 31"):
        env.step_held(STAY, np.array([[0] * 9, [0] * 8 + [32]], np.uint8))
    with pytest.raises(ValueError, match="held"):
        env.step_held(STAY, np.zeros((2, 8), np.uint8))
    with pytest.raises(ValueError, match="action 6 for environment 0: allowed are 0 to 5"):
        env.step_held(6, rows(env, STAY))
    with pytest.raises(TypeError, match="one whole number"):
        env.step_held(0.5, rows(env, STAY))
    assert env.get_state() == before


def test_an_environment_has_to_be_reset_first():
    env = SpectrumEnv("caverns")
    with pytest.raises(RuntimeError, match="has never been reset"):
        env.step_held(STAY, rows(env, STAY))


def test_users_mistakes_are_theirs(env):
    with pytest.raises(UserError):
        env.step_held(2**70, rows(env, STAY))
