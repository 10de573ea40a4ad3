# SPDX-License-Identifier: GPL-3.0-or-later
import json

from oakemu_rl.ppo import EpisodeRecord, Outcome, Route
from oakemu_rl.training.episode_statistics import EpisodeStatistics


def record(total: float, **parts: float) -> EpisodeRecord:
    return EpisodeRecord(0, total, 7, Outcome.WIN, Route.POLICY, parts)


def test_means_of_the_parts_of_rewards() -> None:
    statistics = EpisodeStatistics()
    statistics.add(record(3.0, score=4.0, deaths=-1.0))
    statistics.add(record(6.0, score=6.0, deaths=0.0))
    metrics = statistics.metrics()
    assert metrics["rollout/ep_rew_mean"] == 4.5
    assert (metrics["rollout/reward/score"], metrics["rollout/reward/deaths"]) == (5.0, -0.5)


def test_what_is_saved_is_plain_and_comes_back() -> None:
    statistics = EpisodeStatistics()
    statistics.add(record(3.0, score=4.0, deaths=-1.0))
    saved = json.loads(json.dumps(statistics.state_dict()))
    other = EpisodeStatistics()
    other.load_state_dict(saved)
    assert other.metrics() == statistics.metrics()


def test_shares_of_outcomes() -> None:
    statistics = EpisodeStatistics()
    outcomes = [Outcome.WIN, Outcome.LOSS, Outcome.LOSS, Outcome.LIFE_LOST]
    for outcome in outcomes:
        statistics.add(EpisodeRecord(0, 1.0, 7, outcome, Route.POLICY))
    metrics = statistics.metrics()
    shares = {tag: value for tag, value in metrics.items() if tag.startswith("rollout/outcome/")}
    assert shares == {
        "rollout/outcome/win": 0.25,
        "rollout/outcome/loss": 0.5,
        "rollout/outcome/truncated": 0.0,
        "rollout/outcome/life_lost": 0.25,
    }


def test_environments_that_do_not_say_how_episodes_end_have_no_shares() -> None:
    statistics = EpisodeStatistics()
    statistics.add(EpisodeRecord(0, 1.0, 7, Outcome.TERMINATED, Route.POLICY))
    assert not [tag for tag in statistics.metrics() if "outcome" in tag or "success" in tag]


def test_figures_are_of_the_policy_and_by_label() -> None:
    statistics = EpisodeStatistics()
    statistics.add(EpisodeRecord(0, 9.0, 7, Outcome.LOSS, Route.RANDOM, label="random"))
    assert statistics.metrics() == {
        "rollout/random/ep_rew_mean": 9.0,
        "rollout/random/ep_len_mean": 7.0,
        "rollout/random/success_rate": 0.0,
    }
    for total, route, label in ((1.0, Route.POLICY, ""), (3.0, Route.SILENT, "a"), (5.0, Route.REPLAY, "a")):
        statistics.add(EpisodeRecord(0, total, 7, Outcome.WIN, route, label=label))
    metrics = statistics.metrics()
    assert (metrics["rollout/ep_rew_mean"], metrics["rollout/episodes"], metrics["rollout/success_rate"]) == (2, 2, 1)
    assert (metrics["rollout/a/ep_rew_mean"], metrics["rollout/random/ep_rew_mean"]) == (4, 9)
    other = EpisodeStatistics()
    other.load_state_dict(json.loads(json.dumps(statistics.state_dict())))
    assert other.metrics() == metrics
    for _ in range(100):
        statistics.add(EpisodeRecord(0, 0.0, 7, Outcome.WIN, Route.REPLAY, label="a"))
    assert statistics.metrics()["rollout/a/ep_rew_mean"] == 0
