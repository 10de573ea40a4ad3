# SPDX-License-Identifier: GPL-3.0-or-later
"""What a definition may ask for beyond one reward, one start and all actions: in the environments, to the figure."""

import pickle
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from counting_game import DEFINITION, DIE, SCORE, STAY, write_game
from gymnasium.spaces import Box
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from test_sync_equality import assert_same

from oakemu_rl.envs import SpectrumEnv, SpectrumVectorEnv
from oakemu_rl.errors import UserError

RULES = (
    (
        DEFINITION.replace("reward: delta(score)\n", "reward: {points: delta(score), deaths: 5 * delta(lives)}\n")
        .replace("limits: {steps: 40}", "limits: {steps: 40, stall: {value: score + lives, steps: 5}}")
        .replace("reset: {noops: [0, 3],", "reset: {noops: [0, 0],")
    )
    + """\
evaluation: {reward: delta(score) * 100}
derived: {worth: score * 10 + lives, rich: score >= 20}
allow: {score: "score != 6", die: lives > 1}
starts:
  rich: {weight: 3, after: default, start: [set: {score: 20}]}
  hidden: {weight: 0, after: default, start: [set: {lives: 1}]}
"""
)
DEFAULT: dict[str, Any] = {"options": {"start": "default"}}


@pytest.fixture(scope="module")
def rules(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_game(tmp_path_factory.mktemp("rules"), RULES)


def test_derived_variables_are_variables(rules: Path) -> None:
    env = SpectrumEnv(rules, obs_type="variables")
    assert env.observation_space["rich"] == Box(0, 1, (1,), np.int64)  # type: ignore[index]  # it is a dictionary
    observation, info = env.reset(seed=1, **DEFAULT)
    assert (info["worth"], info["rich"]) == (3, 0)
    for _ in range(3):
        observation, *_, info = env.step(SCORE)
    assert (info["worth"], observation["worth"].item()) == (info["score"] * 10 + 3,) * 2
    observation, info = env.reset(options={"start": "rich"})
    assert (info["rich"], observation["rich"].item()) == (1, 1)


def test_parts_of_the_reward(rules: Path) -> None:
    env = SpectrumEnv(rules, reward_clipping=True)
    _, info = env.reset(seed=1, **DEFAULT)
    assert (info["reward/points"], info["reward/deaths"]) == (0.0, 0.0)
    env.step(STAY)
    _, reward, *_, info = env.step(SCORE)
    assert (reward, info["reward/points"], info["reward/deaths"]) == (1.0, 2.0, 0.0)
    _, reward, *_, info = env.step(DIE)
    assert (reward, info["reward/points"], info["reward/deaths"]) == (-1.0, 0.0, -10.0)
    assert info["episode_return"] == -8.0


def test_the_reward_of_evaluations(rules: Path, counting: Path) -> None:
    env = SpectrumEnv(rules, reward="evaluation")
    _, info = env.reset(seed=1, **DEFAULT)
    assert not [key for key in info if key.startswith("reward/")]
    env.step(STAY)
    assert [env.step(action)[1] for action in (SCORE, DIE)] == [200.0, 0.0]
    same = SpectrumEnv(counting, reward="evaluation")  # a game that judges as it teaches
    same.reset(seed=1)
    same.step(STAY)
    assert same.step(SCORE)[1] == 2.0
    with pytest.raises(UserError, match=r"reward must be one of training, evaluation, not 'evalution' \(did you mean"):
        SpectrumEnv(counting, reward="evalution")  # type: ignore[arg-type]  # under test


def test_masks_follow_the_state(rules: Path) -> None:
    env = SpectrumEnv(rules)
    _, info = env.reset(seed=1, options={"start": "hidden"})
    assert info["action_mask"].tolist() == env.action_masks().tolist() == [True, True, False]
    _, info = env.reset(options={"start": "default"})
    assert info["action_mask"].tolist() == [True, True, True]
    env.step(STAY)
    for _ in range(3):
        *_, info = env.step(SCORE)
    assert info["score"] == 6
    assert info["action_mask"].tolist() == env.action_masks().tolist() == [True, False, True]
    mask = info["action_mask"]
    *_, info = env.step(SCORE)
    assert (info["score"], info["action_taken"]) == (6, STAY)
    *_, terminated, _, info = env.step(DIE)
    assert (terminated, info["lives"]) == (False, 1)
    assert info["action_mask"].tolist() == [True, False, False]
    assert mask.tolist() == [True, False, True]  # never changed afterwards


def test_nothing_is_forbidden_where_an_episode_has_ended(rules: Path) -> None:
    for mode in (AutoresetMode.NEXT_STEP, AutoresetMode.DISABLED):
        envs = SpectrumVectorEnv(rules, 2, autoreset_mode=mode)
        envs.reset(seed=1, options={"start": ["hidden", "default"]})
        for _ in range(5):
            *_, truncated, infos = envs.step(np.array([STAY, STAY]))
        assert truncated.all()
        assert infos["action_mask"].all()
        assert envs.action_masks().all()
    envs.reset(options={"start": "hidden", "reset_mask": np.array([False, True])})
    assert envs.action_masks().tolist() == [[True, True, True], [True, True, False]]


def test_combinations_of_keys_are_forbidden_with_what_they_contain(rules: Path) -> None:
    env = SpectrumEnv(rules, full_action_space=True)
    assert env.get_action_meanings() == ["stay", "score", "die", "o+p"]
    _, info = env.reset(seed=1, options={"start": "hidden"})
    assert info["action_mask"].tolist() == [True, True, False, False]


def test_games_without_masks_have_none(counting: Path) -> None:
    env = SpectrumEnv(counting)
    _, info = env.reset(seed=1)
    assert not {"action_mask", "start"} & info.keys()
    assert env.action_masks().tolist() == [True] * 3
    assert SpectrumVectorEnv(counting, 2).action_masks().tolist() == [[True] * 3] * 2


def test_bits_do_not_go_with_masks(rules: Path) -> None:
    with pytest.raises(UserError, match="action_type='multibinary': ZXSpectrum/Counting-v0 allows actions by state"):
        SpectrumEnv(rules, action_type="multibinary")


def test_starts_are_drawn_by_weight(rules: Path) -> None:
    envs = SpectrumVectorEnv(rules, 400)
    _, infos = envs.reset(seed=1)
    assert np.array_equal(infos["score"], np.where(infos["start"] == 1, 20, 0))
    counts = Counter(infos["start"].tolist())
    assert counts.keys() == {0, 1}  # the hidden one has the weight 0
    assert 260 <= counts[1] <= 340


def test_starts_by_name(rules: Path) -> None:
    env = SpectrumEnv(rules)
    assert env.get_start_names() == ["default", "rich", "hidden"]
    for number, name in enumerate(env.get_start_names()):
        assert env.reset(options={"start": name})[1]["start"] == number
    assert env.step(STAY)[4]["start"] == 2
    envs = SpectrumVectorEnv(rules, 4)
    assert envs.reset(seed=1, options={"start": "rich"})[1]["start"].tolist() == [1] * 4
    drawn = envs.reset(seed=1)[1]["start"].tolist()
    assert envs.reset(seed=1, options={"start": [None, "hidden", None, "rich"]})[1]["start"].tolist() == [
        drawn[0],
        2,
        drawn[2],
        1,
    ]
    mask = np.array([False, True, False, False])
    infos = envs.reset(options={"start": ["rich", "rich", None, None], "reset_mask": mask})[1]
    assert (infos["start"].tolist(), infos["_start"].tolist()) == ([0, 1, 0, 0], mask.tolist())


def test_a_start_by_name_holds_once(rules: Path) -> None:
    envs = SpectrumVectorEnv(rules, 30, autoreset_mode=AutoresetMode.SAME_STEP)
    envs.reset(seed=1, options={"start": "hidden"})
    for _ in range(5):  # they stall
        *_, infos = envs.step(np.full(30, STAY))
    assert infos["_final_info"].all()
    assert infos["final_info"]["start"].tolist() == [2] * 30
    assert set(infos["start"].tolist()) == {0, 1}


@pytest.mark.parametrize(
    ("start", "message"),
    [
        ("ritch", r"there is no start state 'ritch' \(did you mean 'rich'\?\); there are default, rich, hidden"),
        (["rich"], "start must be a name, or 2 names or None, not 1 of them"),
        (["rich", 3], "there is no start state 3; there are default, rich, hidden"),
        (1, "there is no start state 1; there are"),
    ],
)
def test_starts_that_are_refused(rules: Path, start: object, message: str) -> None:
    envs = SpectrumVectorEnv(rules, 2)
    with pytest.raises(UserError, match=message):
        envs.reset(seed=1, options={"start": start})


def test_a_start_and_a_state_are_two_ways_to_begin(rules: Path) -> None:
    env, envs = SpectrumEnv(rules), SpectrumVectorEnv(rules, 2)
    env.reset(seed=1)
    state = env.get_state()
    with pytest.raises(UserError, match="start='rich' and a state are two ways to say where an episode begins"):
        env.reset(options={"state": state, "start": "rich"})
    with pytest.raises(UserError, match="start='rich' and a state are two ways"):
        envs.reset(seed=1, options={"states": [None, state], "start": "rich"})
    infos = envs.reset(seed=1, options={"states": [None, state], "start": ["hidden", None]})[1]
    assert infos["start"].tolist() == [2, env.reset(options={"state": state})[1]["start"]]


def steps_until_stalled(rules: Path, **options: Any) -> int:
    env = SpectrumEnv(rules, **options)
    env.reset(seed=1, **DEFAULT)
    for step in range(1, 60):
        *_, terminated, truncated, info = env.step(SCORE if step == 2 else STAY)
        if truncated or terminated:
            assert (terminated, info["outcome"]) == (False, "truncated")
            return step
    return 0


def test_episodes_in_which_nothing_changes_are_cut_off(rules: Path, counting: Path) -> None:
    assert steps_until_stalled(rules) == 7
    assert steps_until_stalled(rules, stall_steps=10) == 12
    assert steps_until_stalled(rules, stall_steps=0) == 40
    assert steps_until_stalled(rules, max_episode_steps=0) == 7
    assert steps_until_stalled(rules, max_episode_steps=6) == 6
    with pytest.raises(UserError, match="stall_steps=5: ZXSpectrum/Counting-v0 does not say what stalls"):
        SpectrumEnv(counting, stall_steps=5)


@pytest.mark.parametrize("mode", list(AutoresetMode))
@pytest.mark.parametrize("obs_type", ["ink", ("ram", "variables")])
def test_the_same_as_gymnasiums_loop_in_every_mode(rules: Path, mode: AutoresetMode, obs_type: Any) -> None:
    options: dict[str, Any] = {"obs_type": obs_type, "frameskip": (1, 4), "repeat_action_probability": 0.25}
    ours = SpectrumVectorEnv(rules, 4, num_threads=2, autoreset_mode=mode, **options)
    theirs = SyncVectorEnv([lambda: SpectrumEnv(rules, **options)] * 4, autoreset_mode=mode)
    assert_same(ours.reset(seed=3), theirs.reset(seed=3))
    generator = np.random.default_rng(7)
    ends = 0
    for step in range(100):
        actions = generator.choice(3, 4, p=(0.4, 0.5, 0.1))
        result = ours.step(actions)
        assert_same(result, theirs.step(actions), f"step {step}")
        ended = result[2] | result[3]
        ends += ended.sum()
        if mode is AutoresetMode.DISABLED and ended.any():
            assert_same(ours.reset(options={"reset_mask": ended}), theirs.reset(options={"reset_mask": ended}))
    assert ends >= 8


def test_states_and_pickles_hold_it_all(rules: Path) -> None:
    envs = SpectrumVectorEnv(rules, 3, autoreset_mode=AutoresetMode.SAME_STEP)
    envs.reset(seed=5)
    actions = np.random.default_rng(1).choice(3, (40, 3), p=(0.6, 0.3, 0.1))
    for row in actions[:10]:
        envs.step(row)
    twin = pickle.loads(pickle.dumps(envs))  # noqa: S301 - our own bytes
    other = SpectrumVectorEnv(rules, 3, autoreset_mode=AutoresetMode.SAME_STEP)
    other.reset(seed=8)
    other.set_states(envs.get_states())
    assert np.array_equal(other.action_masks(), envs.action_masks())
    for row in actions[10:]:
        wanted = envs.step(row)
        assert_same(twin.step(row), wanted)
        assert_same(without_seeds(other.step(row)), without_seeds(wanted))


def without_seeds(result: Any) -> Any:
    """What a step came to, but for the seeds that the environments were once given."""
    if isinstance(result, tuple):
        return tuple(without_seeds(each) for each in result)
    if isinstance(result, dict):
        return {key: without_seeds(value) for key, value in result.items() if key not in ("seeds", "_seeds")}
    return result


@pytest.mark.parametrize("options", [{}, {"obs_type": ["attributes", "variables"], "reward": "evaluation"}])
def test_check_env(rules: Path, options: dict[str, Any]) -> None:
    check_env(SpectrumEnv(rules, **options), skip_render_check=True)
