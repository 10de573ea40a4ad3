# SPDX-License-Identifier: GPL-3.0-or-later
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from counting_game import DEFINITION, write_game

from oakemu_rl import _core
from oakemu_rl.envs import EnvOptions, SpectrumEnv, SpectrumVectorEnv
from oakemu_rl.errors import UserError
from oakemu_rl.games import load_game


def resolve(path: Path, **given: Any) -> EnvOptions:
    return EnvOptions.resolve(load_game(path), given)  # type: ignore[arg-type]  # wrong values are under test


def test_presets_fill_what_is_left_out(counting: Path) -> None:
    assert resolve(counting) == EnvOptions(
        obs_type="ink",
        frameskip=(2, 2),
        repeat_action_probability=0.0,
        full_action_space=False,
        action_type="discrete",
        reward="training",
        max_frames=0,
        max_steps=40,
        stall_steps=0,
        noops=(0, 3),
        size=(64, 48),
        stack=2,
        maxpool=False,
        episodic_life=False,
        reward_clipping=False,
        contention=True,
        episode_stats=False,
    )


def test_none_means_left_out(counting: Path) -> None:
    names = ("obs_type", "frameskip", "noop_max", "img_width", "max_episode_steps", "maxpool", "contention")
    assert resolve(counting, **dict.fromkeys(names)) == resolve(counting)


def test_given_limits_replace_all_of_the_games(counting: Path) -> None:
    options = resolve(counting, max_num_frames_per_episode=1000)
    assert (options.max_frames, options.max_steps) == (1000, 0)
    options = resolve(counting, max_episode_steps=7)
    assert (options.max_frames, options.max_steps) == (0, 7)
    options = resolve(counting, max_episode_steps=0)
    assert (options.max_frames, options.max_steps) == (0, 0)


def test_noop_max_gives_a_range_from_nothing(counting: Path) -> None:
    assert resolve(counting, noop_max=30).noops == (0, 30)
    assert resolve(counting, noop_max=0).noops == (0, 0)


def test_numbers_of_numpy_are_as_good(counting: Path) -> None:
    given = {
        "frameskip": (np.int64(2), np.int32(5)),
        "repeat_action_probability": np.float32(0.25),
        "img_width": np.int32(40),
        "maxpool": np.bool_(True),
    }
    options = resolve(counting, **given)
    assert (options.frameskip, options.size[0], options.maxpool) == ((2, 5), 40, True)
    assert options.repeat_action_probability == 0.25
    assert resolve(counting, frameskip=np.int64(3)).frameskip == (3, 3)
    assert {type(each) for each in (*options.frameskip, options.size[0])} == {int}
    envs = SpectrumVectorEnv(counting, np.int64(2), num_threads=np.int64(1))  # type: ignore[arg-type]  # under test
    assert type(envs.num_envs) is int
    assert envs.reset(seed=1)[0].shape == (2, 2, 48, 64)


@pytest.mark.parametrize(("given", "resolved"), [(1, (1, 1)), (7, (7, 7)), ((2, 5), (2, 5)), ([2, 5], (2, 5))])
def test_frameskips(counting: Path, given: object, resolved: tuple[int, int]) -> None:
    assert resolve(counting, frameskip=given).frameskip == resolved


@pytest.mark.parametrize(
    "frameskip", [0, -1, 1001, (4, 4), (5, 2), (0, 3), (-2, 3), 2.5, (1.5, 3), True, (True, 3), "4", (1, 2, 3), ()]
)
def test_frameskips_that_are_none(counting: Path, frameskip: object) -> None:
    with pytest.raises(UserError, match=r"frameskip must be a whole number from 1 to 1000, or two of them"):
        SpectrumEnv(counting, frameskip=frameskip)  # type: ignore[arg-type]  # wrong values are under test


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"frame_skip": 4}, r"unknown option 'frame_skip' \(did you mean 'frameskip'\?\); allowed are obs_type, "),
        ({"sound_obs": True}, "'sound_obs': observations of sound are not supported"),
        ({"obs_type": "greyscale"}, r"obs_type must be one of grayscale, .*, not 'greyscale' \(did you"),
        ({"repeat_action_probability": 1.0}, "repeat_action_probability must be at least 0 and below 1, not 1.0"),
        ({"repeat_action_probability": -0.1}, "not -0.1"),
        ({"repeat_action_probability": float("nan")}, "not nan"),
        ({"noop_max": -1}, "noop_max must be a whole number from 0 to 100000, not -1"),
        ({"img_width": 0}, "img_width must be a whole number from 1 to 256, not 0"),
        ({"img_height": 84.0}, "img_height must be a whole number from 1 to 256, not 84.0"),
        ({"stack_num": True}, "stack_num must be a whole number from 1 to 64, not True"),
        ({"maxpool": 1}, "maxpool must be True or False, not 1"),
        ({"max_episode_steps": -5}, "max_episode_steps must be a whole number from 0 to"),
        ({"obs_type": "ram", "img_width": 84}, "img_width=84 is about a picture, and obs_type='ram' shows none"),
    ],
)
@pytest.mark.parametrize("env_class", [SpectrumEnv, SpectrumVectorEnv])
def test_wrong_options(counting: Path, env_class: type, given: dict[str, Any], message: str) -> None:
    with pytest.raises(UserError, match=message):
        env_class(counting, **given)


def test_episodic_life_needs_lives(tmp_path: Path) -> None:

    path = write_game(tmp_path, DEFINITION.replace("lives", "hearts"))
    with pytest.raises(UserError, match="episodic_life: ZXSpectrum/Counting-v0 has no variable that counts lives"):
        SpectrumEnv(path, episodic_life=True)


def test_a_variable_may_not_take_a_key_of_info(tmp_path: Path) -> None:

    path = write_game(tmp_path, DEFINITION.replace("seed", "outcome"))
    with pytest.raises(UserError, match="the variable 'outcome' needs another name"):
        SpectrumEnv(path)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"num_envs": 0}, "num_envs must be a whole number from 1"),
        ({"num_threads": 0}, "num_threads must be a whole number from 1"),
        ({"autoreset_mode": "never"}, "autoreset_mode must be one of NEXT_STEP, SAME_STEP, DISABLED, not 'never'"),
        ({"render_mode": "ansi"}, "render_mode must be None or one of human, rgb_array, not 'ansi'"),
    ],
)
def test_wrong_arguments_of_the_vector_environment(counting: Path, given: dict[str, Any], message: str) -> None:
    with pytest.raises(UserError, match=message):
        SpectrumVectorEnv(counting, **given)


def test_full_action_space_keeps_the_games_own_actions_first(counting: Path) -> None:
    env = SpectrumEnv(counting, full_action_space=True)
    assert env.get_action_meanings() == ["stay", "score", "die", "o+p"]
    assert env.action_space.n == 4
    env.reset(seed=1)
    *_, info = env.step(3)
    assert (info["score"], info["lives"]) == (2, 1)  # both keys, for two frames


def test_full_action_space_of_too_many_keys(tmp_path: Path) -> None:

    more = ", ".join(f"key_{key}: [{key}]" for key in "qwertyui")
    path = write_game(tmp_path, DEFINITION.replace("stay: [],", f"stay: [], {more},"))
    with pytest.raises(UserError, match=r"hold 10 different keys, that is 1024 combinations; at most 8"):
        SpectrumEnv(path, full_action_space=True)


@pytest.mark.parametrize("wrong", [None, "no", 1])
def test_copy_is_true_or_false(counting: Path, wrong: Any) -> None:
    with pytest.raises(UserError, match=r"^copy must be True or False, not "):
        SpectrumVectorEnv(counting, 1, copy=wrong)


def test_more_environments_than_the_memory_holds(counting: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(**_: object) -> None:
        raise MemoryError("std::bad_alloc")

    monkeypatch.setattr(_core, "Batch", fail)
    with pytest.raises(UserError, match=r"^num_envs=500000 is more than the memory holds"):
        SpectrumVectorEnv(counting, 500_000)
