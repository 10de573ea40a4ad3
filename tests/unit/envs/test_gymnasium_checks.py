# SPDX-License-Identifier: GPL-3.0-or-later
"""Gymnasium's own checks and wrappers."""

import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from counting_game import SCORE, STAY
from gymnasium.utils.env_checker import check_env
from gymnasium.wrappers import FrameStackObservation, RecordEpisodeStatistics, RecordVideo

from oakemu_rl.envs import SpectrumEnv

GAME = "ZXSpectrum/Acorns-v0"


@pytest.fixture(autouse=True)
def _warnings_are_errors(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")  # a window without a screen
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"frameskip": (2, 5), "repeat_action_probability": 0.25, "noop_max": 30},
        {"obs_type": "rgb", "img_width": 84, "img_height": 84, "stack_num": 1},
        {"obs_type": "ink", "stack_num": 4, "maxpool": True, "reward_clipping": True, "episodic_life": True},
        {"obs_type": "ram", "full_action_space": True, "max_num_frames_per_episode": 500},
        {"render_mode": "rgb_array", "contention": False},
        {"obs_type": "attributes", "stack_num": 3},
        {"obs_type": "variables", "action_type": "multibinary"},
        {"obs_type": ["ink", "ram", "variables"], "reward": "evaluation"},
    ],
)
def test_check_env(options: dict[str, Any]) -> None:
    check_env(gymnasium.make(GAME, **options).unwrapped)


def test_passive_checker(counting: Path) -> None:
    env = gymnasium.wrappers.PassiveEnvChecker(SpectrumEnv(counting, render_mode="rgb_array"))
    for _ in range(2):
        env.reset(seed=1)
        for _ in range(5):
            env.step(STAY)
            env.render()
    env.close()


def test_time_limit_by_make() -> None:
    env = gymnasium.make(GAME, max_episode_steps=5)
    env.reset(seed=1)
    assert [env.step(0)[3] for _ in range(5)] == [False] * 4 + [True]
    assert env.spec is not None
    assert env.spec.max_episode_steps == 5


def test_time_limit_by_make_vec() -> None:
    envs = gymnasium.make_vec(GAME, num_envs=2, max_episode_steps=5)
    envs.reset(seed=1)
    assert [envs.step(np.zeros(2, np.int64))[3].all() for _ in range(5)] == [False] * 4 + [True]


def test_statistics(counting: Path) -> None:  # B29
    env = RecordEpisodeStatistics(SpectrumEnv(counting, max_episode_steps=3))
    for _ in range(3):
        env.reset(seed=1)
        for _ in range(3):
            *_, info = env.step(SCORE)
        assert (info["episode"]["r"], info["episode"]["l"]) == (6.0, 3)


def test_gymnasiums_stack_of_single_frames_is_ours(counting: Path) -> None:
    stacked = FrameStackObservation(SpectrumEnv(counting, stack_num=1), 4)
    own = SpectrumEnv(counting, stack_num=4)
    assert np.array_equal(stacked.reset(seed=1)[0][:, 0], own.reset(seed=1)[0])
    for _ in range(6):
        assert np.array_equal(stacked.step(STAY)[0][:, 0], own.step(STAY)[0])


def test_videos(counting: Path, tmp_path: Path) -> None:
    pytest.importorskip("moviepy")
    env = RecordVideo(SpectrumEnv(counting, render_mode="rgb_array"), str(tmp_path / "videos"))
    env.reset(seed=1)
    for _ in range(5):
        env.step(STAY)
    env.close()
    assert list((tmp_path / "videos").glob("*.mp4"))


def test_pictures(counting: Path) -> None:
    env = SpectrumEnv(counting, render_mode="rgb_array")
    env.reset(seed=1)
    picture = env.render()
    assert picture is not None
    assert (picture.shape, picture.dtype) == ((240, 320, 3), np.uint8)
    kept = picture.copy()
    env.step(STAY)
    assert np.array_equal(picture, kept)
    assert not np.array_equal(env.render(), kept)


def test_render_without_a_mode_says_so(counting: Path) -> None:
    env = SpectrumEnv(counting)
    env.reset(seed=1)
    with pytest.warns(UserWarning, match="make the environment with render_mode='rgb_array' or 'human'"):
        assert env.render() is None
