# SPDX-License-Identifier: GPL-3.0-or-later
"""Actors whose episodes a director plans: every number here is worked out by hand."""

from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from gymnasium.vector import AutoresetMode
from scripted_director import ScriptedDirector
from scripted_env import Episode, ScriptedVectorEnv, value_is_observation

from oakemu_rl.errors import UserError
from oakemu_rl.ppo import EpisodePlan, Outcome, PPOActor, RolloutBuffer, RolloutFinalizer, Route

ALL_MODES = pytest.mark.parametrize("mode", list(AutoresetMode))
POLICY, SILENT, RANDOM = EpisodePlan(label="p"), EpisodePlan(Route.SILENT, label="s"), EpisodePlan(Route.RANDOM)
GAMMA = 0.5


def replay(*actions: int, then: Route = Route.POLICY, **more: Any) -> EpisodePlan:
    return EpisodePlan(Route.REPLAY, np.array(actions, dtype=np.int64), then, **more)


def make(
    plans: list[list[EpisodePlan]],
    episodes: list[list[Episode]],
    mode: AutoresetMode = AutoresetMode.DISABLED,
    *,
    seed: int = 0,
) -> tuple[ScriptedVectorEnv, ScriptedDirector, PPOActor]:
    env = ScriptedVectorEnv(episodes, mode)
    starts = any(plan.needs_reset for plan in chain(*plans))
    director = ScriptedDirector(plans, needs_starts=starts)
    return env, director, PPOActor(env, value_is_observation(), gamma=GAMMA, seed=seed, director=director)


def buffer(rows: int, envs: int) -> RolloutBuffer:
    return RolloutBuffer(rows, envs, (1,), np.float32)


@ALL_MODES
def test_each_episode_goes_as_it_is_planned(mode: AutoresetMode) -> None:
    plans = [[POLICY], [SILENT, POLICY], [RANDOM, POLICY], [replay(2, 1, then=Route.SILENT, label="r"), POLICY]]
    env, director, actor = make(plans, [[Episode((1.0,) * 3)]] * 4, mode)
    rollout = buffer(9, 4)
    statistics = actor.collect(rollout, 0.25)

    # Three episodes of three steps; those in which, in NEXT_STEP, all environments only begin take no row.
    assert rollout.trainable[:, 0].all()
    for env_id in (1, 2, 3):  # the first and the third are not the learner's
        assert np.flatnonzero(rollout.trainable[:, env_id]).tolist() == [3, 4, 5]
    assert rollout.actions[[0, 1, 6, 7], 3].tolist() == [2, 1, 2, 1]
    assert [env.actions[0][3], env.actions[1][3]] == [2, 1]
    assert (rollout.values[:3, 1] == rollout.observations[:3, 1, 0]).all()  # silent, yet it is the model that plays
    assert not rollout.values[:3, 2].any()
    assert [(each.env_id, each.route, each.label) for each in statistics.episodes[:4]] == [
        (0, Route.POLICY, "p"),
        (1, Route.SILENT, "s"),
        (2, Route.RANDOM, ""),
        (3, Route.REPLAY, "r"),
    ]
    assert statistics.figures == {"script/planned": 4.0 * 4}
    # Of those that end in one step, all are told before the next ones are planned.
    told = [("ended", 0, "p"), ("ended", 1, "s"), ("ended", 2, ""), ("ended", 3, "r")]
    planned = [("plan", env_id, 0.25) for env_id in range(4)]
    assert director.said[:12] == planned + told + planned


def test_progress_is_that_of_the_rollout_in_which_an_episode_begins() -> None:
    _, director, actor = make([[POLICY]], [[Episode((1.0,) * 3)]], AutoresetMode.SAME_STEP)
    for progress in (0.0, 0.5):
        actor.collect(buffer(4, 1), progress)
    assert [said for said in director.said if said[0] == "plan"] == [
        ("plan", 0, 0.0),  # steps 0 to 2
        ("plan", 0, 0.0),  # from step 3 on
        ("plan", 0, 0.5),  # from step 6 on
    ]


def test_a_cut_is_a_time_limit_or_an_end_that_costs() -> None:
    limit, priced = EpisodePlan(max_steps=2), EpisodePlan(max_steps=2, timeout_reward=-5.0)
    scripts = [
        [Episode((1.0,) * 5)],
        [Episode((1.0,) * 5)],
        [Episode((1.0, 1.0))],
        [Episode((1.0, 1.0), terminated=False, truncated=True)],
        [Episode((1.0,) * 3)],
    ]
    _, director, actor = make([[limit], [priced], [priced], [priced], [EpisodePlan(max_steps=9)]], scripts)
    rollout = buffer(4, 5)
    actor.collect(rollout)
    expected = [
        # a limit bootstraps from what the cut step shows: 2, and in the second episode 102
        [1.0, 1.0 + GAMMA * 2.0, 1.0, 1.0 + GAMMA * 102.0],
        [1.0, 1.0 - 5.0, 1.0, 1.0 - 5.0],
        [1.0, 1.0, 1.0, 1.0],  # the game's own end in the step of the cut comes first
        [1.0, 1.0 - 5.0, 1.0, 1.0 - 5.0],  # the plan's cut is what the environment's limit would have been
        [1.0, 1.0, 1.0, 1.0],
    ]
    np.testing.assert_array_equal(rollout.rewards.T, expected)
    np.testing.assert_array_equal(rollout.dones.T, [[0, 1, 0, 1]] * 4 + [[0, 0, 1, 0]])
    assert rollout.observations[:, 0, 0].tolist() == [0.0, 1.0, 100.0, 101.0]
    first = {record.env_id: record for record in director.records[:5]}
    assert [(each.episode_return, each.length) for each in first.values()] == [(2.0, 2)] * 4 + [(3.0, 3)]
    assert [first[env_id].outcome for env_id in range(4)] == [
        Outcome.TRUNCATED,
        Outcome.TRUNCATED,
        Outcome.TERMINATED,
        Outcome.TRUNCATED,
    ]


def test_cuts_that_teach_nothing_ask_for_no_value() -> None:
    plans = [[EpisodePlan(Route.SILENT, max_steps=2)], [POLICY]]
    _, _, actor = make(plans, [[Episode((1.0,) * 5)]] * 2)
    rollout = buffer(4, 2)
    actor.collect(rollout)
    assert rollout.rewards[:, 0].tolist() == [1.0] * 4


def test_advantages_stop_at_cuts() -> None:
    plans = [[EpisodePlan(max_steps=2)], [EpisodePlan(max_steps=2, timeout_reward=-5.0)]]
    _, _, actor = make(plans, [[Episode((1.0,) * 5)]] * 2)
    rollout = buffer(4, 2)
    actor.collect(rollout)
    RolloutFinalizer(value_is_observation(), gamma=GAMMA, gae_lambda=1.0).finalize(rollout, actor.observations)
    # With lambda 1 the returns are discounted sums up to the cut: 1 + (1 + 2 / 2) / 2, and 1 + (1 - 5) / 2.
    np.testing.assert_allclose(rollout.returns[:2].T, [[2.0, 2.0], [-1.0, -4.0]])


def test_episodes_begin_where_their_plans_say_with_chances_of_their_own() -> None:
    begin = EpisodePlan(start=b"7,3")
    env, _, actor = make([[begin, POLICY], [POLICY]], [[Episode((1.0,) * 5)]] * 2)
    rollout = buffer(16, 2)
    actor.collect(rollout)
    # Two steps from 703 to the end of that episode, five of the environment's own next one, and so on.
    expected = [703, 704, 800, 801, 802, 803, 804, 703, 704, 800, 801, 802, 803, 804, 703, 704]
    assert rollout.observations[:, 0, 0].tolist() == expected
    assert rollout.observations[:6, 1, 0].tolist() == [1000, 1001, 1002, 1003, 1004, 1100]
    drawn = [seed for seed in env.seeds[1:] if seed is not None]
    assert [seed[1] for seed in drawn] == [None] * len(drawn)
    assert len({seed[0] for seed in drawn}) == len(drawn) == 2


def test_a_new_game_gets_chances_of_its_own() -> None:
    env, _, actor = make([[EpisodePlan(new_game=True)], [POLICY]], [[Episode((1.0,) * 5)]] * 2)
    actor.collect(buffer(11, 2))
    drawn = [seed for seed in env.seeds[1:] if seed is not None]
    assert [seed[1] for seed in drawn] == [None, None]
    assert len({seed[0] for seed in drawn}) == 2
    assert actor.observations[:, 0].tolist() == [201, 1201]  # where the environment begins


def test_figures_of_an_episode_from_a_state_count_from_there() -> None:
    env, director, actor = make([[EpisodePlan(start=b"0,3")], [POLICY]], [[Episode((1.0,) * 5)]] * 2)
    env.extra_infos = {
        "episode": {"r": np.array([250.0, 70.0]), "l": np.array([40, 30])},
        "_episode": np.array([True, True]),
    }
    actor.collect(buffer(5, 2))
    assert [(each.env_id, each.episode_return, each.length) for each in director.records] == [
        (0, 2.0, 2),
        (0, 2.0, 2),
        (1, 70.0, 30),
    ]


@pytest.mark.parametrize("mode", [AutoresetMode.SAME_STEP, AutoresetMode.NEXT_STEP])
def test_environments_that_start_by_themselves_are_refused_where_starts_are_given(mode: AutoresetMode) -> None:
    with pytest.raises(UserError, match=f"need environments in autoreset mode DISABLED, not {mode.name}"):
        make([[EpisodePlan(max_steps=2)]], [[Episode((1.0,))]], mode)
    env = ScriptedVectorEnv([[Episode((1.0,))]], mode)
    director = ScriptedDirector([[EpisodePlan(start=b"0,0")]])  # which does not say what it needs
    actor = PPOActor(env, value_is_observation(), gamma=GAMMA, seed=0, director=director)
    with pytest.raises(ValueError, match="a director of such plans says needs_starts"):
        actor.collect(buffer(1, 1))


def test_a_rollout_from_which_nothing_can_be_learnt_is_given_up() -> None:
    _, director, actor = make([[RANDOM] * 3 + [POLICY] * 9] * 2, [[Episode((1.0,) * 4)]] * 2, AutoresetMode.SAME_STEP)
    rollout = buffer(6, 2)
    statistics = actor.collect(rollout)
    assert (statistics.trainable_cells, statistics.env_steps, rollout.step) == (0, 12, 0)
    statistics = actor.collect(rollout)  # six more steps at random, in an episode each that begins with the rollout
    assert (statistics.trainable_cells, statistics.env_steps) == (0, 12)
    statistics = actor.collect(rollout)
    assert (statistics.trainable_cells, statistics.env_steps) == (12, 12)
    assert [record.route for record in director.records] == [Route.RANDOM] * 6 + [Route.POLICY] * 2


@ALL_MODES
def test_a_rollout_that_nothing_more_is_added_to_is_filled_up(mode: AutoresetMode) -> None:
    _, _, actor = make([[POLICY] + [RANDOM] * 20], [[Episode((1.0,) * 3)]], mode)
    rollout = buffer(5, 1)
    statistics = actor.collect(rollout)
    assert rollout.trainable[:, 0].tolist() == [True, True, True, False, False]
    assert statistics.trainable_cells == 3
    # Three steps that teach, five in vain, two to fill up; those in which episodes only begin are not played.
    assert statistics.env_steps == (9 if mode is AutoresetMode.NEXT_STEP else 10)
    RolloutFinalizer(value_is_observation(), gamma=GAMMA, gae_lambda=1.0).finalize(rollout, actor.observations)
    # What follows the end teaches nothing and reaches nothing.
    np.testing.assert_allclose(rollout.returns[:, 0], [1.75, 1.5, 1.0, 0.0, 0.0])


def test_long_recordings_only_keep_the_learner_waiting() -> None:
    _, _, actor = make([[replay(*[1] * 10)]], [[Episode((1.0,) * 14)]], AutoresetMode.SAME_STEP)
    rollout = buffer(4, 1)
    taught = [actor.collect(rollout).trainable_cells for _ in range(3)]
    assert taught == [0, 0, 4]
    assert rollout.observations[:, 0, 0].tolist() == [10.0, 11.0, 12.0, 13.0]


def test_routes_are_not_set_beside_a_director() -> None:
    _, _, actor = make([[POLICY]], [[Episode((1.0,))]])
    with pytest.raises(ValueError, match="a director says who plays"):
        actor.set_route(0, Route.RANDOM)


def test_a_recorded_action_that_is_never_allowed_is_refused() -> None:
    _, _, actor = make([[replay(1, 3)]], [[Episode((1.0,))]])
    with pytest.raises(ValueError, match="replay action 3 at position 1 is not allowed"):
        actor.collect(buffer(1, 1))


def _everything(actor: PPOActor, rows: int) -> list[Any]:
    rollout = buffer(rows, actor.num_envs)
    statistics = actor.collect(rollout, 0.5)
    episodes = [(each.env_id, each.episode_return, each.length, each.label) for each in statistics.episodes]
    arrays = [rollout.observations, rollout.actions, rollout.log_probs, rollout.rewards, rollout.trainable]
    return [*(array.tolist() for array in arrays), episodes, statistics.env_steps, statistics.figures]


def test_a_saved_actor_goes_on_in_the_middle_of_its_plans(tmp_path: Path) -> None:
    plans = [
        [replay(2, 1, 0, 2, start=b"4,1", max_steps=6, label="a"), SILENT],
        [EpisodePlan(max_steps=3, timeout_reward=-1.0, label="b"), RANDOM],
        [replay(1, 1, then=Route.RANDOM), POLICY, EpisodePlan(start=b"2,2", label="c")],
    ]
    scripts = [[Episode((1.0,) * 9)], [Episode((2.0,) * 5)], [Episode((3.0,) * 4)]]
    env, director, actor = make(plans, scripts)
    _everything(actor, 3)
    torch.save(actor.state_dict(), tmp_path / "actor.pt")
    straight = [_everything(actor, 6), _everything(actor, 6)]

    # The other one brings its environments, which belong to the checkpoint's other half, to the same place.
    other_env, other_director, other = make(plans, scripts, seed=77)
    _everything(other, 3)
    other_director.plan(0, 0.0)
    other.load_state_dict(torch.load(tmp_path / "actor.pt", weights_only=True))
    assert other.routes == (Route.REPLAY, Route.RANDOM, Route.REPLAY)  # each of them under way
    assert [_everything(other, 6), _everything(other, 6)] == straight
    assert other_env.actions[-12:] == env.actions[-12:]
    assert [seed for seed in other_env.seeds if isinstance(seed, list)][-3:] == [
        seed for seed in env.seeds if isinstance(seed, list)
    ][-3:]
    assert other_director.state_dict() == director.state_dict()


@pytest.mark.parametrize(("saved", "message"), [(True, "has a director"), (False, "has no director")])
def test_a_director_cannot_come_or_go(saved: bool, message: str) -> None:  # noqa: FBT001 - parametrized
    _, _, directed = make([[POLICY]], [[Episode((1.0,))]])
    plain = PPOActor(
        ScriptedVectorEnv([[Episode((1.0,))]], AutoresetMode.DISABLED), value_is_observation(), gamma=GAMMA, seed=0
    )
    for actor in (directed, plain):
        actor.collect(buffer(1, 1))
    first, second = (directed, plain) if saved else (plain, directed)
    with pytest.raises(ValueError, match=message):
        second.load_state_dict(first.state_dict())
