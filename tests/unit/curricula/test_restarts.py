# SPDX-License-Identifier: GPL-3.0-or-later
"""Episodes that begin where the agent has been."""

from collections import Counter
from typing import Any

import pytest
from pydantic import ValidationError

from oakemu_rl.curricula import CurriculumConfiguration, RestartCurriculum
from oakemu_rl.ppo.episode_plan import EpisodePlan
from oakemu_rl.ppo.episodes import EpisodeRecord, Outcome
from oakemu_rl.ppo.route import Route


def curriculum(**settings: Any) -> RestartCurriculum:
    given = {"rule": "restarts", "divide": "room", "pool_size": 2} | settings
    return RestartCurriculum(CurriculumConfiguration.model_validate(given), seed=1)


def record(episode_return: float) -> EpisodeRecord:
    return EpisodeRecord(0, episode_return, 5, Outcome.LOSS, Route.POLICY)


def begun(director: RestartCurriculum, episodes: int, returns: dict[bytes | None, float]) -> Counter[bytes | None]:
    """Where so many episodes began, that won what is said of their starts."""
    starts: Counter[bytes | None] = Counter()
    for _ in range(episodes):
        plan = director.plan(0, 0.0)
        assert plan.label == ("own" if plan.start is None else "restart")
        assert plan.new_game == (plan.start is None)
        starts[plan.start] += 1
        director.ended(0, plan, record(returns.get(plan.start, 0.0)))
    return starts


def test_episodes_begin_where_the_game_does_until_there_are_states() -> None:
    director = curriculum(own_share=0.0)
    assert begun(director, 20, {}) == {None: 20}
    director.arrived(3, b"a")
    assert begun(director, 20, {}) == {b"a": 20}


def test_a_share_begins_where_the_game_does_and_failed_buckets_come_more_often() -> None:
    director = curriculum(own_share=0.25)
    for value, state in ((1, b"won"), (2, b"failed")):
        director.arrived(value, state)
    begun(director, 400, {b"won": 1.0})
    starts = begun(director, 2000, {b"won": 1.0})
    # A quarter, and of the others one in eleven: four deviations are 78 and 48.
    assert abs(starts[None] - 500) < 78
    assert abs(starts[b"won"] - 1500 / 11) < 48
    assert director.metrics() == {
        "curriculum/pool": 2.0,
        "curriculum/bucket_1/success": 1.0,
        "curriculum/bucket_2/success": 0.0,
    }


def test_results_are_told() -> None:
    director = curriculum(own_share=0.0)
    director.arrived(4, b"a")
    told: list[tuple[int, int, bool]] = []
    director.on_result = lambda env_id, bucket, success: told.append((env_id, bucket, success))
    director.ended(2, director.plan(2, 0.0), record(1.0))
    director.ended(0, director.plan(0, 0.0), record(0.0))
    assert told == [(2, 4, True), (0, 4, False)]


def test_a_restored_curriculum_goes_on_as_it_would_have() -> None:
    director, other = curriculum(), curriculum()
    for value in range(5):
        director.arrived(value % 3, bytes([value]))
    begun(director, 20, {b"\x03": 1.0})
    director.plan(1, 0.0)  # an episode that is still running
    other.load_state_dict(director.state_dict())
    for each in (director, other):
        each.ended(1, EpisodePlan(), record(1.0))
    assert begun(other, 50, {b"\x04": 1.0}) == begun(director, 50, {b"\x04": 1.0})
    assert other.metrics() == director.metrics()


def test_restarts_need_to_know_where() -> None:
    with pytest.raises(ValidationError, match="say which as `divide`"):
        CurriculumConfiguration(rule="restarts")
