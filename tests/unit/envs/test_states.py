# SPDX-License-Identifier: GPL-3.0-or-later
"""Saved states, pickles and copies: what comes next is what would have come."""

import copy
import hashlib
import pickle
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from counting_game import SCORE, STAY
from gymnasium.vector import AutoresetMode

from oakemu_rl.envs import SpectrumEnv, SpectrumVectorEnv
from oakemu_rl.errors import UserError

OPTIONS: dict[str, Any] = {
    "frameskip": (1, 4),
    "repeat_action_probability": 0.25,
    "full_action_space": True,
    "obs_type": "grayscale",
    "img_width": 32,
    "img_height": 24,
    "stack_num": 3,
    "max_episode_steps": 30,
}


def future(env: SpectrumEnv, steps: int) -> str:
    """A hash of all that an environment tells in its next steps."""
    actions = np.random.default_rng(0).choice(2, steps)
    told = hashlib.sha256()
    for action in actions:
        observation, *rest, info = env.step(int(action))
        told.update(observation.tobytes() + repr((rest, info)).encode())
        if rest[1] or rest[2]:
            observation, info = env.reset()
            told.update(observation.tobytes() + repr(info).encode())
    told.update(env.get_ram().tobytes())
    return told.hexdigest()


def vector_future(env: SpectrumVectorEnv, steps: int) -> str:
    actions = np.random.default_rng(0).choice(2, (steps, env.num_envs))
    told = hashlib.sha256()
    for row in actions:
        result = env.step(row)
        told.update(b"".join(each.tobytes() for each in result[:4]) + repr(result[4]).encode())
    return told.hexdigest()


def played(counting: Path, steps: int = 37) -> SpectrumEnv:
    env = SpectrumEnv(counting, **OPTIONS)
    env.reset(seed=9)
    future(env, steps)
    return env


def test_a_restored_state_has_the_same_future(counting: Path) -> None:  # B20
    env, other = played(counting), played(counting, 5)
    state = env.clone_state()
    wanted = future(env, 60)
    env.restore_state(state)
    assert env.get_state() == state
    assert future(env, 60) == wanted
    other.reset(options={"state": state})
    assert future(other, 60) == wanted


def test_acorns_restored_at_many_points() -> None:  # B20
    env = SpectrumEnv("acorns", obs_type="ink", img_width=16, img_height=11, stack_num=1)
    env.reset(seed=3)
    generator = np.random.default_rng(5)
    for _ in range(10):
        for action in generator.integers(0, 3, int(generator.integers(1, 40))):
            if any(env.step(int(action))[2:4]):
                env.reset()
        state = env.get_state()
        wanted = future(env, 50)
        for _ in range(100):
            env.set_state(state)
            assert env.get_state() == state
        assert future(env, 50) == wanted


def test_a_state_travels_to_another_process(counting: Path, tmp_path: Path) -> None:  # B20
    env = SpectrumEnv(counting, max_episode_steps=0)
    env.reset(seed=9)
    env.step(SCORE)
    (tmp_path / "state").write_bytes(env.get_state())
    script = (
        "import sys; from pathlib import Path; from oakemu_rl.envs import SpectrumEnv\n"
        "env = SpectrumEnv(sys.argv[1], max_episode_steps=0)\n"
        "env.reset(options={'state': Path(sys.argv[2]).read_bytes()})\n"
        "for _ in range(5): info = env.step(1)[4]\n"
        "print(info['score'], info['seed'], hash(env.get_ram().tobytes()) and sum(env.get_ram().tolist()))\n"
    )
    command = [sys.executable, "-c", script, str(counting), str(tmp_path / "state")]
    told = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    for _ in range(5):
        info = env.step(SCORE)[4]
    assert told == [str(info["score"]), str(info["seed"]), str(sum(env.get_ram().tolist()))]


@pytest.mark.parametrize("spoil", [lambda state: state[:-1], lambda state: bytes(len(state)), lambda _: b""])
def test_a_damaged_state_changes_nothing(counting: Path, spoil: Callable[[bytes], bytes]) -> None:
    env = played(counting)
    state = env.get_state()
    with pytest.raises(UserError):
        env.set_state(spoil(state))
    assert env.get_state() == state


def test_a_state_of_other_options_is_refused(counting: Path) -> None:
    env = SpectrumEnv(counting, frameskip=3)
    with pytest.raises(UserError, match="of another configuration"):
        env.set_state(played(counting).get_state())


@pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])  # noqa: S301
def test_copies_keep_state_and_arguments(
    counting: Path, duplicate: Callable[[SpectrumEnv], SpectrumEnv]
) -> None:  # B21
    env = played(counting)
    twin = duplicate(env)
    assert (twin.options, twin.game, twin.spec) == (env.options, env.game, env.spec)
    assert (twin.action_space, twin.observation_space) == (env.action_space, env.observation_space)
    assert twin.metadata == env.metadata
    assert twin.np_random.integers(1 << 40) == env.np_random.integers(1 << 40)
    assert future(twin, 100) == future(env, 100)


def test_a_closed_environment_can_be_copied(counting: Path) -> None:
    env = SpectrumEnv(counting)
    env.close()
    copy.deepcopy(env).close()


@pytest.mark.parametrize("mode", [AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP])
@pytest.mark.parametrize("copied", [True, False])
def test_copies_of_the_vector_environment(counting: Path, mode: AutoresetMode, copied: bool) -> None:  # noqa: FBT001
    env = SpectrumVectorEnv(counting, 3, num_threads=2, autoreset_mode=mode, copy=copied, **OPTIONS)
    env.reset(seed=4)
    vector_future(env, 29)  # the limit of 30 steps is near
    twin = pickle.loads(pickle.dumps(env))  # noqa: S301 - our own bytes
    assert twin.metadata == env.metadata
    assert twin.num_threads == env.num_threads
    assert vector_future(twin, 60) == vector_future(env, 60)


@pytest.mark.parametrize("mode", [AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP])
def test_states_of_the_vector_environment(counting: Path, mode: AutoresetMode) -> None:
    env = SpectrumVectorEnv(counting, 3, autoreset_mode=mode, **OPTIONS)
    env.reset(seed=4)
    vector_future(env, 17)
    states = env.get_states()
    wanted = vector_future(env, 60)
    env.set_states(states)
    assert vector_future(env, 60) == wanted
    with pytest.raises(UserError, match="2 states were given for 3 environments"):
        env.set_states(states[:2])


def test_states_are_the_same_in_both_environments(counting: Path) -> None:
    vector, single = SpectrumVectorEnv(counting, 2), SpectrumEnv(counting)
    vector.reset(seed=4)
    vector.step(np.array([STAY, SCORE]))
    single.reset(options={"state": vector.get_state(1)})
    assert single.step(SCORE)[4]["score"] == vector.step(np.array([STAY, SCORE]))[4]["score"][1] == 4


def test_a_seed_comes_before_the_stream_of_a_state(counting: Path) -> None:
    env = played(counting, 5)
    state = env.get_state()
    vector = SpectrumVectorEnv(counting, 1, **OPTIONS)

    def frames(seed: int | None) -> list[int]:  # the steps' lengths are drawn
        env.reset(seed=seed, options={"state": state})
        return [env.step(STAY)[4]["episode_frame_number"] for _ in range(12)]

    def vector_frames(seed: int | None) -> list[int]:
        vector.reset(seed=seed, options={"states": [state]})
        return [int(vector.step(np.array([STAY]))[4]["episode_frame_number"][0]) for _ in range(12)]

    drawn = [frames(seed) for seed in (None, 1, 2)]
    assert len({tuple(each) for each in drawn}) == 3
    assert [frames(seed) for seed in (None, 1, 2)] == drawn
    assert [vector_frames(seed) for seed in (None, 1, 2)] == drawn


@pytest.mark.parametrize("kind", [bytearray, memoryview, lambda state: np.frombuffer(state, np.uint8)])
def test_anything_that_holds_bytes_is_a_state(counting: Path, kind: Callable[[bytes], Any]) -> None:
    env = SpectrumEnv(counting)
    env.reset(seed=1)
    state = env.get_state()
    env.step(STAY)
    env.set_state(kind(state))
    assert env.get_state() == state


@pytest.mark.parametrize("wrong", [None, "text", 5, [1]])
def test_what_holds_no_bytes_is_no_state(counting: Path, wrong: Any) -> None:
    env = SpectrumEnv(counting)
    with pytest.raises(UserError, match=r"^a saved state is bytes, not "):
        env.set_state(wrong)


@pytest.mark.parametrize("wrong", [b"x", "text"])
def test_a_reset_to_a_wrong_state_changes_nothing(counting: Path, wrong: Any) -> None:
    env = SpectrumEnv(counting)
    env.reset(seed=1)
    before = env.get_state()
    with pytest.raises(UserError):
        env.reset(seed=9, options={"state": wrong})
    assert env.get_state() == before


@pytest.mark.parametrize("wrong", [b"x", "text"])
def test_a_wrong_state_among_right_ones_changes_nothing(counting: Path, wrong: Any) -> None:
    envs = SpectrumVectorEnv(counting, 3)
    envs.reset(seed=1)
    other = envs.get_state(0)
    envs.step(np.full(3, STAY))
    before = envs.get_states()
    with pytest.raises(UserError):
        envs.set_states([other, other, wrong])
    assert envs.get_states() == before
    with pytest.raises(UserError):
        envs.set_states([other, other, None])  # type: ignore[list-item]  # under test
    assert envs.get_states() == before
    with pytest.raises(UserError):
        envs.reset(seed=9, options={"states": [other, None, wrong]})
    assert envs.get_states() == before
