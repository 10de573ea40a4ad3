# SPDX-License-Identifier: GPL-3.0-or-later
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from counting_game import DIE, SCORE, STAY
from gymnasium.error import ClosedEnvironmentError
from gymnasium.vector import AutoresetMode

from oakemu_rl.envs import SpectrumEnv, SpectrumVectorEnv
from oakemu_rl.errors import UserError

MODES = list(AutoresetMode)


def all_of(count: int, action: int) -> np.ndarray[Any, np.dtype[np.int64]]:
    return np.full(count, action, np.int64)


def test_spaces_and_metadata(counting: Path) -> None:  # B30
    env = SpectrumVectorEnv(counting, 3, autoreset_mode=AutoresetMode.SAME_STEP)
    single = SpectrumEnv(counting)
    assert env.num_envs == 3
    assert env.single_observation_space == single.observation_space
    assert env.single_action_space == single.action_space
    assert env.observation_space.shape == (3, 2, 48, 64)
    assert env.action_space.shape == (3,)
    assert env.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP
    assert SpectrumVectorEnv(counting, 1).metadata["autoreset_mode"] is AutoresetMode.NEXT_STEP
    assert "autoreset_mode" not in SpectrumVectorEnv.metadata
    assert SpectrumEnv.metadata["render_fps"] == 50


def test_dtypes_and_shapes(counting: Path) -> None:
    env = SpectrumVectorEnv(counting, 3)
    observations, infos = env.reset(seed=1)
    assert observations in env.observation_space
    observations, rewards, terminated, truncated, infos = env.step(env.action_space.sample())
    assert observations in env.observation_space
    assert [(each.dtype, each.shape) for each in (rewards, terminated, truncated)] == [
        (np.float64, (3,)),
        (np.bool_, (3,)),
        (np.bool_, (3,)),
    ]
    assert (infos["score"].dtype, infos["score"].shape) == (np.int64, (3,))
    assert infos["_score"].tolist() == [True] * 3


@pytest.mark.parametrize("num_threads", [1, 3])
def test_environment_i_is_a_single_one_with_the_next_seed(counting: Path, num_threads: int) -> None:
    options: dict[str, Any] = {"frameskip": (1, 4), "repeat_action_probability": 0.25, "obs_type": "grayscale"}
    env = SpectrumVectorEnv(
        counting, 5, num_threads=num_threads, autoreset_mode=AutoresetMode.DISABLED, max_episode_steps=0, **options
    )
    assert env.num_threads == num_threads
    singles = [SpectrumEnv(counting, max_episode_steps=0, **options) for _ in range(5)]
    observations, _ = env.reset(seed=11)
    firsts = [single.reset(seed=11 + i)[0] for i, single in enumerate(singles)]
    assert np.array_equal(observations, np.stack(firsts))
    actions = np.random.default_rng(1).integers(0, 2, (5, 5))
    for row in actions:
        results = env.step(row)
        for i, single in enumerate(singles):
            observation, reward, terminated, truncated, info = single.step(row[i])
            assert np.array_equal(results[0][i], observation)
            assert (results[1][i], results[2][i], results[3][i]) == (reward, terminated, truncated)
            assert {key: results[4][key][i] for key in info} == info


def test_next_step_autoreset(counting: Path) -> None:
    env = SpectrumVectorEnv(counting, 2)
    env.reset(seed=1)
    env.step(np.array([SCORE, DIE]))
    *_, terminated, truncated, infos = env.step(np.array([SCORE, DIE]))
    assert terminated.tolist() == [False, True]
    assert infos["outcome"].tolist() == ["running", "loss"]
    _, rewards, terminated, truncated, infos = env.step(np.array([SCORE, SCORE]))
    assert rewards.tolist() == [2.0, 0.0]  # the second one's action was ignored
    assert not (terminated | truncated).any()
    assert infos["episode_length"].tolist() == [3, 0]
    assert infos["action_taken"].tolist() == [SCORE, -1]
    assert "final_obs" not in infos


def test_same_step_autoreset(counting: Path) -> None:
    env = SpectrumVectorEnv(counting, 2, autoreset_mode=AutoresetMode.SAME_STEP)
    env.reset(seed=1)
    _, _, _, _, infos = env.step(np.array([SCORE, DIE]))
    assert "final_obs" not in infos
    before = infos["frame_number"]
    observations, _, terminated, _, infos = env.step(np.array([SCORE, DIE]))
    assert terminated.tolist() == [False, True]
    assert infos["lives"].tolist() == [3, 3]
    assert infos["outcome"].tolist() == ["running", "running"]
    assert infos["episode_length"].tolist() == [2, 0]
    assert infos["_final_obs"].tolist() == infos["_final_info"].tolist() == [False, True]
    assert infos["final_obs"][0] is None
    assert not np.array_equal(infos["final_obs"][1], observations[1])
    final = infos["final_info"]
    assert final["outcome"].tolist() == [None, "loss"]
    assert final["episode_length"].tolist() == [0, 2]
    assert final["_lives"].tolist() == [False, True]
    assert final["frame_number"][1] == before[1] + 2


def test_disabled_autoreset(counting: Path) -> None:
    env = SpectrumVectorEnv(counting, 2, autoreset_mode="disabled")
    env.reset(seed=1)
    for _ in range(2):
        last = env.step(np.array([STAY, DIE]))
    assert last[2].tolist() == [False, True]
    with pytest.raises(RuntimeError, match="environment 1 has ended its episode"):
        env.step(all_of(2, STAY))
    observations, infos = env.reset(options={"reset_mask": np.array([False, True])})
    assert np.array_equal(observations[0], last[0][0])
    assert infos["lives"].tolist() == [0, 3]
    assert infos["_lives"].tolist() == [False, True]
    assert infos["outcome"].tolist() == [None, "running"]
    assert env.step(all_of(2, STAY))[4]["episode_length"].tolist() == [3, 1]


@pytest.mark.parametrize("mode", MODES)
def test_returns_and_lengths_of_episodes(counting: Path, mode: AutoresetMode) -> None:  # B29
    env = SpectrumVectorEnv(
        counting, 3, autoreset_mode=mode, max_episode_steps=3, frameskip=1, noop_max=0, episode_stats=True
    )
    env.reset(seed=1)
    seen = []
    for _ in range(20):
        *_, terminated, truncated, infos = env.step(all_of(3, SCORE))
        ended = terminated | truncated
        assert ("episode" in infos) == bool(ended.any())
        if ended.any():
            assert np.array_equal(infos["_episode"], ended)
            seen += list(zip(infos["episode"]["r"][ended], infos["episode"]["l"][ended], strict=True))
            assert (infos["episode"]["t"][ended] >= 0.0).all()
            if mode is AutoresetMode.DISABLED:
                env.reset(options={"reset_mask": ended})
    assert len(seen) >= 15
    # The machine starts within a frame, so an episode's first frame does not score.
    assert set(seen) == {(2.0, 3)}


def test_seeds_may_be_a_list_that_spares_some(counting: Path) -> None:
    env, other = (SpectrumVectorEnv(counting, 3) for _ in range(2))
    env.reset(seed=[5, 9, 7])
    assert env.reset(seed=[5, 9, 7])[1]["seed"].tolist() == [
        SpectrumEnv(counting).reset(seed=seed)[1]["seed"] for seed in (5, 9, 7)
    ]
    other.reset(seed=[5, 9, 7])
    going_on, partly = other.reset()[1]["seed"], env.reset(seed=[None, 1, None])[1]["seed"]
    assert partly[[0, 2]].tolist() == going_on[[0, 2]].tolist()
    assert partly[1] == SpectrumEnv(counting).reset(seed=1)[1]["seed"]


def test_unseeded_environments_differ_from_one_another(counting: Path) -> None:
    infos = SpectrumVectorEnv(counting, 8).reset()[1]
    assert len(set(infos["seeds"])) == 8


@pytest.mark.parametrize(
    ("seed", "message"),
    [
        ([1, 2], "2 seeds were given for 3 environments"),
        (-1, "a seed must be a whole number of at least 0, not -1"),
        ([1, 2, 2.5], "not 2.5"),
    ],
)
def test_seeds_that_are_none(counting: Path, seed: Any, message: str) -> None:
    with pytest.raises(UserError, match=message):
        SpectrumVectorEnv(counting, 3).reset(seed=seed)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"reset_mask": [True, False]}, "reset_mask must be a numpy array of 2 bools, not"),
        ({"reset_mask": np.array([1, 0])}, "reset_mask must be a numpy array of 2 bools, not"),
        ({"reset_mask": np.array([True])}, "reset_mask must be a numpy array of 2 bools, not"),
        ({"reset_mask": np.array([False, False])}, "reset_mask must mark at least one environment"),
        (
            {"reset_masks": None},
            r"unknown option of reset 'reset_masks' \(did you mean 'reset_mask'\?\); allowed are reset_mask, st",
        ),
        ({"states": [None]}, "states must be 2, bytes or None for each environment, not 1 of them"),
        ({"states": [None, b"nothing"]}, "saved state: too short"),
    ],
)
def test_options_of_reset_that_are_none(counting: Path, options: dict[str, Any], message: str) -> None:
    env = SpectrumVectorEnv(counting, 2)
    with pytest.raises(UserError, match=message):
        env.reset(options=options)


@pytest.mark.parametrize("actions", [[0], [0, 1, 2], [0.0, 1.0], [[0, 1]], 0, [True, False]])
def test_actions_of_the_wrong_form(counting: Path, actions: Any) -> None:
    env = SpectrumVectorEnv(counting, 2)
    env.reset(seed=1)
    with pytest.raises(UserError, match=r"actions must be 2 whole numbers, shape \(2,\), not"):
        env.step(actions)


def test_an_action_that_does_not_exist(counting: Path) -> None:
    env = SpectrumVectorEnv(counting, 2)
    env.reset(seed=1)
    with pytest.raises(ValueError, match="action 3 for environment 1: allowed are 0 to 2"):
        env.step(np.array([0, 3]))


def test_returned_arrays_are_never_changed_afterwards(counting: Path) -> None:  # B15
    env = SpectrumVectorEnv(counting, 2, autoreset_mode=AutoresetMode.SAME_STEP, max_episode_steps=2)
    env.reset(seed=1)
    results = [env.step(all_of(2, SCORE)) for _ in range(2)]
    copies = [
        (*(each.copy() for each in result[:4]), {key: np.copy(value) for key, value in result[4].items()})
        for result in results
    ]
    for _ in range(3):
        env.step(all_of(2, STAY))
    for result, copied in zip(results, copies, strict=True):
        assert all(np.array_equal(*pair) for pair in zip(result[:4], copied[:4], strict=True))
        for key in ("score", "_score", "episode_length", "frame_number", "seeds"):
            assert np.array_equal(result[4][key], copied[4][key])
    assert not np.array_equal(results[0][0], results[1][0])


def test_without_copying_the_arrays_are_the_cores_own(counting: Path) -> None:
    env = SpectrumVectorEnv(counting, 2, copy=False)
    observations, infos = env.reset(seed=1)
    same, *_, later = env.step(all_of(2, SCORE))
    assert same is observations
    assert np.shares_memory(infos["score"], later["score"])
    with pytest.raises(ValueError, match="read-only"):
        later["_score"][0] = False


def test_options_of_reset_hold_once(counting: Path) -> None:  # B28
    for mode in (AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP):
        env = SpectrumVectorEnv(counting, 2, autoreset_mode=mode, max_episode_steps=4)
        env.reset(seed=1)
        for _ in range(2):
            observations, *_ = env.step(all_of(2, SCORE))
        state = env.get_state(0)
        restored, infos = env.reset(options={"states": [None, state]})
        assert infos["score"].tolist() == [0, 4]
        assert np.array_equal(restored[1], observations[0])
        for _ in range(3):
            *_, infos = env.step(all_of(2, STAY))  # environment 1 ends and starts anew
        assert infos["score"][1] == 0


def test_rendering(counting: Path) -> None:
    env = SpectrumVectorEnv(counting, 2, render_mode="rgb_array")
    env.reset(seed=1)
    pictures = env.render()
    assert pictures is not None
    assert [picture.shape for picture in pictures] == [(240, 320, 3)] * 2


def test_a_closed_environment_says_so(counting: Path) -> None:
    env = SpectrumVectorEnv(counting, 2)
    env.close()
    env.close()
    assert env.closed
    with pytest.raises(ClosedEnvironmentError, match="is closed"):
        env.step(all_of(2, STAY))


def test_ram_observations(counting: Path) -> None:
    env = SpectrumVectorEnv(counting, 2, obs_type="ram")
    env.reset(seed=1)
    observations, *_ = env.step(np.array([SCORE, STAY]))
    assert observations[:, 0x5002].tolist() == [2, 0]
    assert np.array_equal(observations[1], env.get_ram(1))
