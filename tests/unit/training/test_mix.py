# SPDX-License-Identifier: GPL-3.0-or-later
import json
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from corridor import CorridorVectorEnv
from gymnasium.vector import AutoresetMode
from pydantic import ValidationError
from toy_run import NUM_ENVS, STEPS_PER_UPDATE, ToyRun, make_parts, new_run, pace

from oakemu_rl.curricula import BackwardCurriculum, Course, CurriculumConfiguration, Leg
from oakemu_rl.ppo import EpisodePlan, EpisodeRecord, Outcome, Route
from oakemu_rl.training.checkpoint_store import CheckpointStore, find_checkpoint
from oakemu_rl.training.episodes_configuration import EpisodesConfiguration
from oakemu_rl.training.experiment import ExperimentParts
from oakemu_rl.training.json_lines import read_json_lines
from oakemu_rl.training.mix import MixDirector, Recording
from oakemu_rl.training.run_folder import RunFolder

RIGHT = Recording(np.ones(4, dtype=np.int64))


def settings(**fields: Any) -> EpisodesConfiguration:
    return EpisodesConfiguration.model_validate(fields)


def plans(director: MixDirector, count: int, progress: float) -> list[EpisodePlan]:
    return [director.plan(0, progress) for _ in range(count)]


def test_shares_are_relative_and_follow_their_schedules() -> None:
    mix = settings(policy=[1.0, 3.0], random=[[0.0, 3.0], [1.0, 0.0]], silent=0.0, replay=1.0)
    director = MixDirector(mix, [RIGHT], seed=1)
    for progress, expected in ((0.0, (1, 0, 3, 1)), (0.5, (2, 0, 1.5, 1)), (1.0, (3, 0, 0, 1))):
        counts = Counter(plan.route for plan in plans(director, 4000, progress))
        shares = np.array([counts[route] for route in (Route.POLICY, Route.SILENT, Route.RANDOM, Route.REPLAY)]) / 4000
        np.testing.assert_allclose(shares, np.array(expected) / sum(expected), atol=0.032)  # four deviations
        assert not shares[np.array(expected) == 0].any()
    metrics = director.metrics()
    assert metrics["episodes/silent"] == 0.0
    assert sum(metrics.values()) == 12_000.0


def test_replays_end_anywhere_in_the_part_that_is_asked_for() -> None:
    first, second = Recording(np.arange(100) % 3, start=b"a"), Recording(np.arange(40) % 2, start=b"b")
    mix = settings(policy=0.0, replay=1.0, replay_part=[0.25, 0.75], after_replay="policy")
    director = MixDirector(mix, [first, second], seed=1)
    assert director.needs_starts
    lengths: dict[bytes, list[int]] = {b"a": [], b"b": []}
    for plan in plans(director, 1000, 0.0):
        assert plan.start is not None
        assert plan.actions is not None
        assert plan.after_replay is Route.POLICY
        whole = (first if plan.start == b"a" else second).actions
        np.testing.assert_array_equal(plan.actions, whole[: len(plan.actions)])
        lengths[plan.start].append(len(plan.actions))
    assert [(min(each), max(each)) for each in lengths.values()] == [(25, 75), (10, 30)]
    assert 400 < len(lengths[b"a"]) < 600


def test_starts_are_needed_for_recordings_that_have_them_alone() -> None:
    begun = Recording(np.ones(4, dtype=np.int64), start=b"a")
    assert not MixDirector(settings(replay=1.0), [RIGHT], seed=1).needs_starts
    assert not MixDirector(settings(random=1.0), [begun], seed=1).needs_starts
    assert MixDirector(settings(replay=1.0), [RIGHT, begun], seed=1).needs_starts
    with pytest.raises(ValueError, match="nothing to replay"):
        MixDirector(settings(replay=1.0), [], seed=1)


def test_a_mix_goes_on_from_its_saved_state() -> None:
    mix = settings(policy=1.0, random=1.0, replay=1.0)
    first, second = MixDirector(mix, [RIGHT], seed=1), MixDirector(mix, [RIGHT], seed=2)
    plans(first, 7, 0.0)
    plans(second, 3, 0.0)
    second.load_state_dict(first.state_dict())
    drawn = [
        [(plan.route, plan.actions is None or len(plan.actions)) for plan in plans(director, 50, 0.0)]
        for director in (first, second)
    ]
    assert drawn[0] == drawn[1]
    assert first.metrics() == second.metrics()


def _curriculum() -> BackwardCurriculum:
    course = Course([b"0", b"1", b"2", b"3"], np.ones(4), (Leg(0, 4),))
    return BackwardCurriculum([course], CurriculumConfiguration(rule="threshold", first_step=2), seed=1)


def _ended(director: MixDirector, plan: EpisodePlan, length: int, episode_return: float = 0.0) -> None:
    director.ended(0, plan, EpisodeRecord(0, episode_return, length, Outcome.LOSS, plan.route))


def test_a_curriculum_begins_the_policys_episodes_and_is_told_of_them_alone() -> None:
    curriculum, told = _curriculum(), []
    curriculum.on_result = lambda env_id, bucket, success: told.append((env_id, bucket, success))
    director = MixDirector(settings(policy=1.0, random=1.0, silent=1.0), (), seed=1, curriculum=curriculum)
    assert director.needs_starts
    labels = set()
    for _ in range(60):
        plan = director.plan(0, 0.0)
        labels.add(plan.label)
        assert plan.new_game
        if plan.route is Route.POLICY:
            assert plan.goal is not None
            _ended(director, plan, 2, 4.0)
        else:
            _ended(director, plan, 7)
    assert {"random", "silent", "frontier"} <= labels
    assert set(told) == {(0, 0, True)}
    assert director.metrics()["episodes/policy"] == len(told)
    assert "curriculum/learnt" in director.metrics()


@pytest.mark.parametrize(
    ("length", "after", "expected"), [(4, "policy", []), (5, "policy", [(0, False)]), (5, "silent", [])]
)
def test_a_replay_that_the_policy_ends_is_no_success_of_its_own(
    length: int, after: str, expected: list[tuple[int, bool]]
) -> None:
    curriculum, told = _curriculum(), []
    curriculum.on_result = lambda _, bucket, success: told.append((bucket, success))
    mix = settings(policy=1.0, replay=1e9, replay_part=[1.0, 1.0], after_replay=after)
    director = MixDirector(mix, [RIGHT], seed=1, curriculum=curriculum)
    plan = director.plan(0, 0.0)
    assert plan.route is Route.REPLAY
    _ended(director, plan, length, 99.0)
    assert told == expected


def test_a_mix_with_a_curriculum_goes_on_from_its_saved_state() -> None:
    mix = settings(policy=1.0, random=1.0)
    first, second = (MixDirector(mix, (), seed=seed, curriculum=_curriculum()) for seed in (1, 2))
    plans(first, 7, 0.0)
    second.load_state_dict(first.state_dict())
    drawn = [[(plan.label, plan.start) for plan in plans(each, 40, 0.0)] for each in (first, second)]
    assert drawn[0] == drawn[1]


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"policy": 0.0}, "all 0 after 0 of the training"),
        ({"policy": [[0.0, 1.0], [0.5, 0.0]], "random": [[0.0, 1.0], [0.7, 0.0]]}, "all 0 after 0.7 of the training"),
        ({"policy": 0.0, "random": 1.0}, "never plays an episode that it learns from"),
        ({"policy": 0.0, "replay": 1.0, "after_replay": "silent"}, "never plays an episode that it learns from"),
        ({"replay_part": [0.5, 0.4]}, "0..1, in this order, not 0.5 0.4"),
        ({"replay_part": [0.5, 1.4]}, "0..1, in this order, not 0.5 1.4"),
        ({"random": -1.0}, "at least 0"),
        ({"after_replay": "replay"}, "'policy', 'silent' or 'random'"),
    ],
)
def test_mixes_that_cannot_be_meant_are_refused(fields: dict[str, Any], message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        settings(**fields)


def test_a_mix_in_which_only_the_policy_plays_is_none() -> None:
    assert settings().is_plain
    assert settings(policy=[2.0, 1.0]).is_plain
    assert not settings(random=[[0.0, 0.0], [1.0, 0.1]]).is_plain


def _parts(seed: int = 3) -> ExperimentParts:
    """All four routes, with a recording that begins in a state of its own."""
    source = CorridorVectorEnv(1)
    source.reset(seed=5)
    recording = Recording(np.array([0, 1, 1, 1], dtype=np.int64), start=source.get_state(0))
    mix = settings(policy=[1.0, 2.0], silent=1.0, random=[2.0, 0.0], replay=1.0, replay_part=[0.0, 0.5])
    return make_parts(
        seed, env=CorridorVectorEnv(NUM_ENVS, AutoresetMode.DISABLED), director=MixDirector(mix, [recording], seed=seed)
    )


def _lines(path: Path) -> list[dict[str, Any]]:
    return [
        {key: value for key, value in line.items() if not key.startswith("time/")} for line in read_json_lines(path)
    ]


@pytest.mark.parametrize("first", [1, 4])
def test_resumed_equals_straight_with_a_mix(tmp_path: Path, first: int) -> None:
    straight = new_run(tmp_path / "straight", pace=pace(10), parts=_parts())
    straight.train()
    stopping = replace(pace(10, checkpoint_every=first * STEPS_PER_UPDATE), keep_last=99)
    halted = new_run(tmp_path / "parts", pace=stopping, parts=_parts())
    halted.train()
    earliest = CheckpointStore(halted.run.checkpoints).paths()[0]
    resumed = ToyRun(RunFolder.open(tmp_path / "parts", for_writing=True), pace=pace(10), parts=_parts(seed=99))
    assert int(earliest.name) < 10 * STEPS_PER_UPDATE / 2
    resumed.experiment.resume(find_checkpoint(earliest)[1])
    resumed.train()

    for name, tensor in straight.parts.trained.model.state_dict().items():
        assert torch.equal(tensor, resumed.parts.trained.model.state_dict()[name]), name
    assert _lines(resumed.run.metrics) == _lines(straight.run.metrics)
    episodes = _lines(straight.run.episodes)
    assert _lines(resumed.run.episodes) == episodes
    assert {line["label"] for line in episodes} == {"policy", "silent", "random", "replay"}


def test_rollouts_from_which_nothing_can_be_learnt_are_skipped(tmp_path: Path) -> None:
    mix = settings(policy=[[0.0, 0.0], [0.4, 0.0], [0.5, 1.0]], random=[[0.4, 1.0], [0.5, 0.0]])
    toy = new_run(tmp_path / "run", pace=pace(10), parts=make_parts(director=MixDirector(mix, (), seed=1)))
    outcome = toy.train()
    lines = [line for line in read_json_lines(toy.run.metrics) if line["kind"] == "metrics"]
    idle = [line for line in lines if "train/loss" not in line]
    assert [line["step"] for line in idle] == [n * STEPS_PER_UPDATE for n in range(1, len(idle) + 1)]
    assert 4 <= len(idle) < 8
    assert {line["time/iterations"] for line in idle} == {0.0}
    assert outcome.counters.updates == len(lines) - len(idle)
    assert "rollout/random/ep_rew_mean" in idle[-1]
    assert "rollout/ep_rew_mean" not in idle[-1]  # which is the policy's
    assert json.dumps(idle[-1])
