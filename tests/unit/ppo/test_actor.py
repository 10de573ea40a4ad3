# SPDX-License-Identifier: GPL-3.0-or-later
from itertools import chain
from typing import Any

import numpy as np
import pytest
import torch
from gymnasium.spaces import Box, Discrete, MultiBinary, MultiDiscrete
from gymnasium.vector import AutoresetMode
from numpy.typing import NDArray
from scripted_env import Episode, ScriptedVectorEnv, value_is_observation

from oakemu_rl.ppo import (
    Outcome,
    PPOActor,
    PPOModel,
    PPOModelConfiguration,
    RolloutBuffer,
    Route,
)

ALL_MODES = pytest.mark.parametrize("mode", list(AutoresetMode))


def make(
    scripts: list[list[Episode]], mode: AutoresetMode = AutoresetMode.SAME_STEP, *, stacked: bool = False, seed: int = 0
) -> tuple[ScriptedVectorEnv, PPOActor]:
    env = ScriptedVectorEnv(scripts, mode, stacked=stacked)
    return env, PPOActor(env, value_is_observation(), gamma=0.5, seed=seed)


def buffer(rows: int, envs: int) -> RolloutBuffer:
    return RolloutBuffer(rows, envs, (1,), np.float32)


@ALL_MODES
def test_episodes_of_three_steps_have_length_and_return_three(mode: AutoresetMode) -> None:
    _, actor = make([[Episode((1.0, 1.0, 1.0))], [Episode((1.0, 1.0, 1.0), terminated=False, truncated=True)]], mode)
    episodes = [*actor.collect(buffer(7, 2)).episodes, *actor.collect(buffer(7, 2)).episodes]
    assert {(each.length, each.episode_return) for each in episodes} == {(3, 3.0)}
    assert {each.outcome for each in episodes if each.env_id == 0} == {Outcome.TERMINATED}
    assert {each.outcome for each in episodes if each.env_id == 1} == {Outcome.TRUNCATED}
    assert len(episodes) >= 6


@pytest.mark.parametrize(
    ("code", "outcome"),
    [(1, Outcome.WIN), (2, Outcome.LOSS), (3, Outcome.TRUNCATED), (4, Outcome.LIFE_LOST), (0, Outcome.TERMINATED)],
)
def test_outcomes_are_read_from_the_environment(code: int, outcome: Outcome) -> None:
    env, actor = make([[Episode((1.0,))]])
    env.extra_infos = {"outcome": np.array([code], dtype=np.uint8)}
    assert actor.collect(buffer(1, 1)).episodes[0].outcome is outcome


def test_the_environments_own_statistics_are_preferred() -> None:
    env, actor = make([[Episode((1.0,))], [Episode((1.0,))]])
    env.extra_infos = {
        "episode": {"r": np.array([250.0, 0.0]), "l": np.array([40, 0])},
        "_episode": np.array([True, False]),
    }
    first, second = actor.collect(buffer(1, 2)).episodes
    assert (first.episode_return, first.length) == (250.0, 40)
    assert (second.episode_return, second.length) == (1.0, 1)


def test_only_the_policys_rows_are_trainable() -> None:
    env, actor = make([[Episode((1.0,) * 50)]] * 3)
    actor.set_route(0, Route.RANDOM)
    actor.set_route(2, "replay", [2, 1, 2])
    rollout = buffer(200, 3)
    actor.collect(rollout)
    assert actor.routes == (Route.RANDOM, Route.POLICY, Route.REPLAY)
    assert not rollout.trainable[:, 0].any()
    assert rollout.trainable[:, 1].all()
    # Each episode of 50 steps begins with the three recorded actions; then the policy takes over.
    replayed = [t for t in range(200) if t % 50 < 3]
    assert np.flatnonzero(~rollout.trainable[:, 2]).tolist() == replayed
    assert [env.actions[t][2] for t in replayed] == [2, 1, 2] * 4
    assert set(np.array(env.actions)[:, 0].tolist()) == {0, 1, 2}
    assert not rollout.values[:, 0].any()
    np.testing.assert_array_equal(rollout.actions, np.array(env.actions))


def test_a_replay_that_is_over_may_be_left_again() -> None:
    env, actor = make([[Episode((1.0,) * 50)], [Episode((1.0,) * 50)]])
    actor.set_route(0, Route.REPLAY, [2, 2])
    actor.collect(buffer(1, 2))
    actor.set_route(0, Route.POLICY)
    rollout = buffer(3, 2)
    actor.collect(rollout)
    assert rollout.trainable.all()
    assert env.actions[0][0] == 2


def test_random_actions_respect_the_mask() -> None:
    env = ScriptedVectorEnv([[Episode((1.0,) * 50)]] * 2, AutoresetMode.SAME_STEP)
    actor = PPOActor(env, value_is_observation(), gamma=0.5, seed=0, action_mask=torch.tensor([True, False, True]))
    actor.set_route(0, Route.RANDOM)
    actor.collect(buffer(100, 2))
    assert set(np.array(env.actions)[:, 0].tolist()) == {0, 2}
    assert set(np.array(env.actions)[:, 1].tolist()) == {0, 2}
    with pytest.raises(ValueError, match="replay action 1 at position 1 is not allowed"):
        actor.set_route(0, Route.REPLAY, [0, 1])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((2, Route.RANDOM), r"0\.\.1, got 2"),
        ((-1, Route.RANDOM), r"0\.\.1, got -1"),
        ((0, Route.RANDOM, [1]), "replay actions"),
        ((0, Route.REPLAY), "replay actions"),
        ((0, Route.REPLAY, [0, 3]), "replay action 3 at position 1"),
        ((0, Route.REPLAY, [-1]), "replay action -1 at position 0"),
        ((0, "human"), "human"),
    ],
)
def test_routes_that_cannot_be_meant_are_refused(arguments: tuple[Any, ...], message: str) -> None:
    _, actor = make([[Episode((1.0,))]] * 2)
    with pytest.raises(ValueError, match=message):
        actor.set_route(*arguments)


def test_a_rollout_without_the_policy_is_refused_rather_than_endless() -> None:
    _, actor = make([[Episode((1.0,))]])
    actor.set_route(0, Route.RANDOM)
    with pytest.raises(ValueError, match="no environment follows the policy"):
        actor.collect(buffer(1, 1))


def test_the_environments_are_reset_once_from_the_seed() -> None:
    seeds = []
    for seed in (3, 3, 4):
        env, actor = make([[Episode((1.0,))]], seed=seed)
        actor.collect(buffer(5, 1))
        actor.collect(buffer(5, 1))
        assert len(env.seeds) == 1
        seeds += env.seeds
    assert seeds[0] == seeds[1] != seeds[2]


def collected(actor: PPOActor, rows: int) -> list[NDArray[Any]]:
    rollout = buffer(rows, actor.num_envs)
    statistics = actor.collect(rollout)
    episodes = np.array([(each.env_id, each.episode_return, each.length) for each in statistics.episodes])
    return [rollout.observations, rollout.actions, rollout.log_probs, rollout.rewards, rollout.trainable, episodes]


def test_the_seed_decides_the_actions_whatever_happens_to_the_global_generator() -> None:
    def actions(seed: int, global_seed: int) -> list[int]:
        torch.manual_seed(global_seed)
        _, actor = make([[Episode((1.0,) * 7)]] * 2, seed=seed)
        actor.set_route(0, Route.RANDOM)
        result: list[int] = collected(actor, 40)[1].flatten().tolist()
        return result

    assert actions(1, 0) == actions(1, 99)
    assert actions(1, 0) != actions(2, 0)


@ALL_MODES
def test_a_saved_actor_goes_on_as_if_nothing_had_happened(mode: AutoresetMode, tmp_path: Any) -> None:
    scripts = [[Episode((1.0,) * 5)], [Episode((2.0,) * 3, terminated=False, truncated=True)], [Episode((3.0,) * 4)]]
    routes: list[tuple[Any, ...]] = [(1, Route.RANDOM), (2, Route.REPLAY, [2, 1])]
    env, actor = make(scripts, mode)
    for route in routes:
        actor.set_route(*route)
    collected(actor, 8)
    torch.save(actor.state_dict(), tmp_path / "actor.pt")
    straight = [collected(actor, 6), collected(actor, 6)]

    other_env, other = make(scripts, mode, seed=77)
    for route in routes:
        other.set_route(*route)
    collected(other, 8)  # brings the environment, whose state belongs to the checkpoint's other half, to the same place
    other.load_state_dict(torch.load(tmp_path / "actor.pt", weights_only=True))
    resumed = [collected(other, 6), collected(other, 6)]
    for ours, theirs in zip(chain(*straight), chain(*resumed), strict=True):
        np.testing.assert_array_equal(ours, theirs)
    assert env.actions[-12:] == other_env.actions[-12:]


def test_a_state_of_other_size_is_refused() -> None:
    _, small = make([[Episode((1.0,))]])
    _, large = make([[Episode((1.0,))]] * 2)
    with pytest.raises(ValueError, match="1 environments, this one 2"):
        large.load_state_dict(small.state_dict())


@pytest.mark.parametrize(("mode", "message"), [(None, "got None"), ("sometimes", "'sometimes'")])
def test_environments_that_do_not_say_how_they_restart_are_refused(mode: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make([[Episode((1.0,))]], mode)


@pytest.mark.parametrize(("shape", "actions", "message"), [((2,), 3, r"shape \(2,\)"), ((1,), 4, "4 actions")])
def test_a_model_for_another_environment_is_refused(shape: tuple[int, ...], actions: int, message: str) -> None:
    env = ScriptedVectorEnv([[Episode((1.0,))]], AutoresetMode.SAME_STEP)
    model = PPOModel(shape, actions, PPOModelConfiguration(conv_filters=[], fcnet_hiddens=[]))
    with pytest.raises(ValueError, match=message):
        PPOActor(env, model, gamma=0.5, seed=0)


def test_observations_before_the_first_reset_are_refused() -> None:
    _, actor = make([[Episode((1.0,))]])
    with pytest.raises(RuntimeError, match="reset or collect"):
        _ = actor.observations


def test_collect_starts_the_buffer_anew() -> None:
    _, actor = make([[Episode((1.0,) * 50)]])
    rollout = buffer(4, 1)
    actor.collect(rollout)
    actor.collect(rollout)
    assert rollout.observations[:, 0, 0].tolist() == [4.0, 5.0, 6.0, 7.0]
    assert (rollout.values == rollout.observations[:, :, 0]).all()


@pytest.mark.parametrize("space", [Box(-1, 1, (2,)), MultiDiscrete([3, 2]), MultiBinary(3), Discrete(3, start=1)])
def test_actions_other_than_one_of_several_are_refused(space: Any) -> None:
    env = ScriptedVectorEnv([[Episode((1.0,))]], AutoresetMode.SAME_STEP)
    env.single_action_space = space
    with pytest.raises(ValueError, match=r"the model has 3 actions from 0, the environment takes "):
        PPOActor(env, value_is_observation(), gamma=0.5, seed=0)
