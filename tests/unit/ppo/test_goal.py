# SPDX-License-Identifier: GPL-3.0-or-later
"""Episodes that are cut off once they have the return that they are out for."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from gymnasium.vector import AutoresetMode
from numpy.typing import NDArray
from scripted_env import Episode, ScriptedVectorEnv, value_is_observation

from oakemu_rl.envs import GAME_REWARD
from oakemu_rl.ppo import PPOActor, RolloutBuffer
from oakemu_rl.ppo.env_contract import ADVANCE
from oakemu_rl.ppo.episode_plan import EpisodePlan
from oakemu_rl.ppo.episodes import EpisodeRecord, Outcome

GAMMA = 0.5


class OneGoal:
    """Plans the same episode again and again."""

    needs_starts = True

    def __init__(self, plan: EpisodePlan) -> None:
        self.ends: list[EpisodeRecord] = []
        self._plan = plan

    def plan(self, env_id: int, progress: float) -> EpisodePlan:
        del env_id, progress
        return self._plan

    def ended(self, env_id: int, plan: EpisodePlan, record: EpisodeRecord) -> None:
        del env_id, plan
        self.ends.append(record)

    def metrics(self) -> Mapping[str, float]:
        return {}

    def state_dict(self) -> dict[str, Any]:
        return {}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        del state


def actor_of(plan: EpisodePlan, *episodes: Episode) -> tuple[PPOActor, OneGoal]:
    director = OneGoal(plan)
    env = ScriptedVectorEnv([list(episodes)], AutoresetMode.DISABLED)
    return PPOActor(env, value_is_observation(), gamma=GAMMA, seed=0, director=director), director


def collected(actor: PPOActor, rows: int) -> RolloutBuffer:
    rollout = RolloutBuffer(rows, 1, (1,), np.float32)
    actor.collect(rollout)
    return rollout


def test_the_goal_cuts_an_episode_off_as_a_time_limit_does() -> None:
    actor, director = actor_of(EpisodePlan(goal=3.0), Episode((1.0, 2.0, 9.0)))
    rollout = collected(actor, 3)
    # After two steps the return is 3: the observation was 2, so the value of the rest is 2.
    assert rollout.observations[:, 0, 0].tolist() == [0.0, 1.0, 100.0]
    assert rollout.rewards[:, 0].tolist() == [1.0, 2.0 + GAMMA * 2, 1.0]
    assert rollout.dones[:, 0].tolist() == [0.0, 1.0, 0.0]
    assert [(end.episode_return, end.length, end.outcome) for end in director.ends] == [(3.0, 2, Outcome.TRUNCATED)]


def test_returns_count_from_the_start_of_each_episode() -> None:
    actor, director = actor_of(EpisodePlan(goal=2.0), Episode((1.0, 1.0, 1.0)))
    collected(actor, 6)
    assert [end.length for end in director.ends] == [2, 2, 2]


def test_the_games_own_end_comes_first() -> None:
    actor, _ = actor_of(EpisodePlan(goal=3.0), Episode((1.0, 2.0)))
    assert collected(actor, 2).rewards[:, 0].tolist() == [1.0, 2.0]


@pytest.mark.parametrize(("goal", "last"), [(2.0, 1.0 + GAMMA * 2), (5.0, 1.0 - 4.0)])
def test_who_arrives_in_the_last_moment_pays_no_price(goal: float, last: float) -> None:
    plan = EpisodePlan(goal=goal, max_steps=2, timeout_reward=-4.0)
    actor, _ = actor_of(plan, Episode((1.0, 1.0, 1.0)))
    assert collected(actor, 2).rewards[:, 0].tolist() == [1.0, last]


class ClippedAndShaped(ScriptedVectorEnv):
    """Shows the sign of each reward and 0.25 for the state to come, and says what the game gives."""

    def step(self, actions: NDArray[np.int64]) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        observations, rewards, terminated, truncated, infos = super().step(actions)
        infos |= {GAME_REWARD: rewards, ADVANCE: np.full(1, 0.25)}
        return observations, np.sign(rewards) + 0.25, terminated, truncated, infos


def clipped_and_shaped(plan: EpisodePlan) -> tuple[PPOActor, OneGoal]:
    director = OneGoal(plan)
    env = ClippedAndShaped([[Episode((3.0, 4.0, 9.0))]], AutoresetMode.DISABLED)
    return PPOActor(env, value_is_observation(), gamma=GAMMA, seed=0, director=director), director


def test_goals_are_of_the_games_own_rewards() -> None:
    actor, director = clipped_and_shaped(EpisodePlan(goal=7.0))
    assert collected(actor, 2).rewards[:, 0].tolist() == [1.25, 1.25 + GAMMA * 2]
    assert [(end.episode_return, end.length) for end in director.ends] == [(7.0, 2)]


@pytest.mark.parametrize(("price", "last"), [(-4.0, 1.0 - 4.0), (None, 1.25 + GAMMA * 2)])
def test_a_time_out_that_is_an_end_takes_back_what_shaping_gave_for_the_state_after_it(
    price: float | None, last: float
) -> None:
    actor, director = clipped_and_shaped(EpisodePlan(max_steps=2, timeout_reward=price))
    assert collected(actor, 2).rewards[:, 0].tolist() == [1.25, last]
    assert [end.episode_return for end in director.ends] == [7.0]


def test_a_goal_survives_being_saved() -> None:
    assert EpisodePlan.of_plain(EpisodePlan(goal=2.5).as_plain()).goal == 2.5


def test_a_goal_is_a_finite_return() -> None:
    with pytest.raises(ValueError, match="finite return"):
        EpisodePlan(goal=float("nan"))
