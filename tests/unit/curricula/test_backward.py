# SPDX-License-Identifier: GPL-3.0-or-later
"""The backward curriculum: where episodes begin, when starts move, and that a resumed one goes on as it would have."""

from collections import Counter
from typing import Any

import numpy as np
import pytest

from oakemu_rl.curricula import BackwardCurriculum, Course, CurriculumConfiguration
from oakemu_rl.ppo.episode_plan import EpisodePlan
from oakemu_rl.ppo.episodes import EpisodeRecord, Outcome
from oakemu_rl.ppo.route import Route

STEPS, CUT = 20, 12
REWARDS = np.zeros(STEPS)
REWARDS[[5, 11, 19]] = (1.0, 5.0, 7.0)
ROOMS = np.array([0] * CUT + [1] * (STEPS - CUT) + [2])
COURSE = Course.divided([bytes([step]) for step in range(STEPS)], REWARDS, {"room": ROOMS}, "room")


def curriculum(**settings: Any) -> BackwardCurriculum:
    given: dict[str, Any] = {"rule": "threshold", "success": 0.5, "window": 4, "at_least": 2}
    given |= {"first_step": 2, "step_back": 4, "arrival_share": 0.0, **settings}
    return BackwardCurriculum([COURSE], CurriculumConfiguration.model_validate(given), seed=3)


def record(episode_return: float) -> EpisodeRecord:
    return EpisodeRecord(0, episode_return, 5, Outcome.TRUNCATED, Route.POLICY)


def step_of(plan: EpisodePlan) -> int:
    """Where an episode begins; the environment's own start is step 0, whatever lives were left in the last episode."""
    assert plan.new_game
    return 0 if plan.start is None else plan.start[0]


def play(director: BackwardCurriculum, episodes: int, *, succeed: bool) -> list[int]:
    """Plays episodes that win all that there is, or nothing; returns where they began."""
    starts = []
    for _ in range(episodes):
        plan = director.plan(0, 0.0)
        starts.append(step_of(plan))
        assert plan.goal is not None
        director.ended(0, plan, record(plan.goal if succeed else plan.goal - 1.0))
    return starts


def test_the_first_episodes_begin_near_the_ends_of_the_legs() -> None:
    assert set(play(curriculum(), 60, succeed=False)) == {10, 11, 18, 19}


def test_starts_move_back_with_successes_until_the_beginning() -> None:
    director = curriculum()
    assert director.metrics()["curriculum/learnt"] == (2 + 2) / STEPS
    starts = play(director, 200, succeed=True)
    assert director.metrics()["curriculum/learnt"] == 1.0
    assert director.metrics()["curriculum/leg_1/learnt"] == 1.0
    assert {0, CUT} <= set(starts)
    assert min(starts[:4]) >= 6  # no start can have moved more than once yet


def test_a_start_moves_back_by_as_many_steps_as_it_was_told() -> None:
    director = curriculum(frontier_share=1.0)
    play(director, 1, succeed=True)
    assert director.metrics()["curriculum/learnt"] == (2 + 4 + 2) / STEPS


def test_failures_move_nothing() -> None:
    director = curriculum()
    play(director, 100, succeed=False)
    assert director.metrics()["curriculum/learnt"] == 4 / STEPS
    assert director.metrics()["curriculum/success"] == 0.0


def test_episodes_behind_the_frontier_move_nothing() -> None:
    director = curriculum(frontier_share=1e-9)
    starts = play(director, 100, succeed=True)
    assert director.metrics()["curriculum/learnt"] == 4 / STEPS
    assert set(starts) == {10, 11, 18, 19}


def test_what_is_to_be_won_and_the_time_for_it_follow_the_recording() -> None:
    director = curriculum(slack=2.0, slack_steps=3, timeout_reward=-1.0)
    plans = {step_of(plan): plan for plan in (director.plan(0, 0.0) for _ in range(60))}
    assert {step: plan.goal for step, plan in plans.items()} == {10: 5.0, 11: 5.0, 18: 7.0, 19: 7.0}
    assert {step: plan.max_steps for step, plan in plans.items()} == {10: 7, 11: 5, 18: 7, 19: 5}
    assert {plan.timeout_reward for plan in plans.values()} == {-1.0}
    assert director.needs_starts


def test_a_leg_that_is_learnt_begins_as_the_agent_arrived_there() -> None:
    director = curriculum(frontier_share=1.0)
    play(director, 200, succeed=True)
    director.arrived(1, bytes([200]))
    director.arrived(0, bytes([201]))  # the first leg begins as the environment does
    director.arrived(7, bytes([202]))  # no leg
    assert set(play(director, 100, succeed=True)) == {0, 200}
    assert director.metrics()["curriculum/pool"] == 1.0


def test_some_episodes_begin_where_the_agent_arrived_before_the_leg_is_learnt_back() -> None:
    director = curriculum(arrival_share=0.3)
    first = Counter(play(director, 600, succeed=False))
    # A leg without arrivals waits for one; the first begins as the environment does. Four deviations of 300 are 32.
    assert set(first) == {0, 10, 11, 18, 19}
    assert abs(first[0] - 0.3 * (first[0] + first[10] + first[11])) < 32
    director.arrived(1, bytes([200]))
    plans = [director.plan(0, 0.0) for _ in range(600)]
    arrivals = [plan for plan in plans if plan.label == "arrival" and plan.start is not None]
    assert {plan.start for plan in arrivals} == {bytes([200])}
    assert {(plan.goal, plan.max_steps) for plan in arrivals} == {(7.0, int((STEPS - CUT) * 1.5) + 30)}
    # Their successes say nothing about the frontier.
    director = curriculum(arrival_share=1.0 - 1e-9)
    director.arrived(1, bytes([200]))
    play(director, 100, succeed=True)
    assert director.metrics()["curriculum/learnt"] == 4 / STEPS


def test_the_newest_arrivals_are_kept() -> None:
    director = curriculum(frontier_share=1.0, pool_size=2)
    play(director, 200, succeed=True)
    for state in (200, 201, 202):
        director.arrived(1, bytes([state]))
    assert set(play(director, 100, succeed=True)) == {0, 201, 202}


def test_a_value_that_comes_back_says_nothing_about_the_leg() -> None:
    rooms = np.array([0] * 5 + [1] * 5 + [0] * 5 + [1] * 6)
    course = Course.divided(COURSE.states, REWARDS, {"room": rooms}, "room")
    director = BackwardCurriculum([course], CurriculumConfiguration(rule="plateau"), seed=1)
    director.arrived(0, b"?")
    director.arrived(1, b"?")
    assert director.metrics()["curriculum/pool"] == 0.0


def test_the_leg_that_fails_is_played_more() -> None:
    director = curriculum(frontier_share=1.0)
    for _ in range(100):
        plan = director.plan(0, 0.0)
        director.ended(0, plan, record(100.0 if step_of(plan) < CUT else 0.0))
    starts = [step_of(director.plan(0, 0.0)) for _ in range(400)]
    second = sum(start >= CUT for start in starts)
    assert abs(second - 400 / 1.1) < 4 * np.sqrt(400 * 0.1 / 1.1**2)


def test_a_restored_curriculum_goes_on_as_it_would_have() -> None:
    director, other = curriculum(), curriculum()
    play(director, 30, succeed=True)
    director.arrived(1, bytes([200]))
    director.plan(1, 0.0)  # an episode that is still running
    other.load_state_dict(director.state_dict())
    for each in (director, other):
        each.ended(1, EpisodePlan(), record(100.0))
    assert play(other, 60, succeed=True) == play(director, 60, succeed=True)
    assert other.metrics() == director.metrics()


def test_a_curriculum_of_other_legs_is_refused() -> None:
    whole = BackwardCurriculum(
        [Course.divided(COURSE.states, REWARDS, {}, None)], CurriculumConfiguration(rule="plateau"), seed=1
    )
    with pytest.raises(ValueError, match="has 1 legs, this one 2"):
        curriculum().load_state_dict(whole.state_dict())


def test_several_recordings_are_learnt_at_once_and_share_arrivals() -> None:
    # The second is a shorter way through the same rooms; its states are numbered from 100 on.
    rewards, rooms = np.zeros(10), np.array([0] * 4 + [1] * 6 + [2])
    rewards[[3, 9]] = (6.0, 7.0)
    shorter = Course.divided([bytes([100 + step]) for step in range(10)], rewards, {"room": rooms}, "room")
    settings = CurriculumConfiguration(
        rule="threshold", success=0.5, window=4, at_least=2, first_step=2, step_back=4, frontier_share=1.0
    )
    director = BackwardCurriculum([COURSE, shorter], settings, seed=3)
    assert set(play(director, 200, succeed=False)) == {0, 10, 11, 18, 19, 102, 103, 108, 109}
    figures = director.metrics()
    assert figures["curriculum/learnt"] == 4 * 2 / (STEPS + 10)
    starts = [figures[f"curriculum/leg_{number}/start"] for number in range(1, 5)]
    assert starts == [10, 18, STEPS + 2, STEPS + 8]
    play(director, 400, succeed=True)
    assert director.metrics()["curriculum/learnt"] == 1.0
    director.arrived(1, bytes([200]))
    plans = [director.plan(0, 0.0) for _ in range(200)]
    assert {step_of(plan) for plan in plans} == {0, 200}
    # Whoever begins there has the time, and owes the reward, of the leg for which it begins.
    assert {(plan.goal, plan.max_steps) for plan in plans if plan.start} == {
        (7.0, 8 * 3 // 2 + 30),
        (7.0, 6 * 3 // 2 + 30),
    }


def test_a_recording_that_begins_in_the_middle_of_a_game_begins_in_its_own_state() -> None:
    course = Course.divided(
        [bytes([10 + step]) for step in range(STEPS)], REWARDS, {"room": ROOMS}, "room", opens=False
    )
    settings = CurriculumConfiguration(
        rule="threshold", success=0.5, window=4, at_least=2, first_step=2, step_back=4, frontier_share=1.0
    )
    director = BackwardCurriculum([course], settings, seed=3)
    play(director, 200, succeed=True)
    assert set(play(director, 100, succeed=True)) == {10, 10 + CUT}
    director.arrived(0, bytes([200]))  # the agent has come there from the true beginning, say along another recording
    assert set(play(director, 100, succeed=True)) == {200, 10 + CUT}
