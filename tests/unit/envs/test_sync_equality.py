# SPDX-License-Identifier: GPL-3.0-or-later
"""The native vector environment against Gymnasium's own loop over single ones: the same in every figure and format."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from gymnasium.wrappers.vector import RecordEpisodeStatistics

from oakemu_rl.envs import SpectrumEnv, SpectrumVectorEnv

N = 4
OPTIONS: dict[str, Any] = {"frameskip": (1, 4), "repeat_action_probability": 0.25, "obs_type": "grayscale"}


def assert_same(ours: Any, theirs: Any, where: str = "") -> None:
    assert type(ours) is type(theirs), where
    if isinstance(ours, dict):
        assert ours.keys() == theirs.keys(), where
        for key in ours:
            assert_same(ours[key], theirs[key], f"{where}[{key!r}]")
    elif isinstance(ours, tuple):
        assert len(ours) == len(theirs), where
        for i, pair in enumerate(zip(ours, theirs, strict=True)):
            assert_same(*pair, f"{where}[{i}]")
    elif isinstance(ours, np.ndarray):
        assert (ours.dtype, ours.shape) == (theirs.dtype, theirs.shape), where
        if ours.dtype == object:
            for i, pair in enumerate(zip(ours, theirs, strict=True)):
                assert_same(*pair, f"{where}[{i}]")
        else:
            assert np.array_equal(ours, theirs), where
    else:
        assert ours == theirs, where


def pair(counting: Path, mode: AutoresetMode, **more: Any) -> tuple[SpectrumVectorEnv, SyncVectorEnv]:
    options = OPTIONS | more
    ours = SpectrumVectorEnv(counting, N, num_threads=2, autoreset_mode=mode, **options)
    theirs = SyncVectorEnv([lambda: SpectrumEnv(counting, **options)] * N, autoreset_mode=mode)
    assert ours.observation_space == theirs.observation_space
    assert ours.action_space == theirs.action_space
    assert ours.metadata == theirs.metadata
    return ours, theirs


@pytest.mark.parametrize("mode", list(AutoresetMode))
@pytest.mark.parametrize(
    "more",
    [
        {},
        {"episodic_life": True},
        {"max_num_frames_per_episode": 25, "obs_type": "ink"},
        {"obs_type": "ram"},
        {"obs_type": ("attributes", "variables")},
    ],
)
def test_same_in_every_mode(counting: Path, mode: AutoresetMode, more: dict[str, Any]) -> None:
    ours, theirs = pair(counting, mode, **more)
    assert_same(ours.reset(seed=3), theirs.reset(seed=3))
    generator = np.random.default_rng(7)
    ends = 0
    for step in range(120):
        actions = generator.choice(3, N, p=(0.3, 0.6, 0.1))
        result = ours.step(actions)
        assert_same(result, theirs.step(actions), f"step {step}")
        ended = result[2] | result[3]
        ends += ended.sum()
        if mode is AutoresetMode.DISABLED and ended.any():
            assert_same(
                ours.reset(options={"reset_mask": ended}), theirs.reset(options={"reset_mask": ended}), f"reset {step}"
            )
        if step == 60:
            assert_same(ours.reset(seed=[4, None, 8, None]), theirs.reset(seed=[4, None, 8, None]))
    assert ends >= 8


@pytest.mark.parametrize("mode", list(AutoresetMode))
def test_same_statistics_by_gymnasiums_wrapper(counting: Path, mode: AutoresetMode) -> None:  # B29
    ours, theirs = (RecordEpisodeStatistics(env) for env in pair(counting, mode))
    own = SpectrumVectorEnv(counting, N, autoreset_mode=mode, episode_stats=True, **OPTIONS)
    # SyncVectorEnv takes the mask out of the options, so that its wrapper forgets about all episodes at a masked reset.
    envs = (own, ours) if mode is AutoresetMode.DISABLED else (own, ours, theirs)
    for env in envs:
        env.reset(seed=3)
    generator = np.random.default_rng(7)
    for _ in range(60):
        actions = generator.choice(3, N, p=(0.3, 0.6, 0.1))
        results = [env.step(actions) for env in envs]
        statistics = [result[4].get("episode") for result in results]
        for other in statistics[1:]:
            assert (statistics[0] is None) == (other is None)
            for key in ("r", "l") if other is not None else ():
                assert np.array_equal(statistics[0][key], other[key])
        ended = results[0][2] | results[0][3]
        if mode is AutoresetMode.DISABLED and ended.any():
            for env in envs:
                env.reset(options={"reset_mask": ended.copy()})
    assert len(ours.return_queue) >= 5
