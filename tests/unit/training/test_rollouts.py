# SPDX-License-Identifier: GPL-3.0-or-later
"""Rollouts that are played while the loop learns: one update behind, whatever the time it takes."""

import os
import signal
import threading
from collections.abc import Callable, Mapping
from copy import deepcopy
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from corridor import CorridorVectorEnv
from numpy.typing import NDArray
from toy_run import NUM_ENVS, PPO, STEPS_PER_UPDATE, ToyRun, make_buffer, make_parts, new_run, pace

from oakemu_rl.errors import UserError
from oakemu_rl.ppo import PPOActor, PPOLearner, RolloutBuffer, RolloutFinalizer
from oakemu_rl.training.checkpoint_store import CheckpointStore
from oakemu_rl.training.disk_budget import bytes_in
from oakemu_rl.training.json_lines import read_json_lines
from oakemu_rl.training.records import Record
from oakemu_rl.training.run_folder import RunFolder
from oakemu_rl.training.safety import SafetySettings


def _overlapped(folder: Path, seed: int = 3, **kwargs: Any) -> ToyRun:
    return new_run(folder, parts=make_parts(seed, overlap=True), **kwargs)


def _resume(folder: Path, **kwargs: Any) -> ToyRun:
    toy = ToyRun(RunFolder.open(folder, for_writing=True), parts=make_parts(99, overlap=True), **kwargs)
    toy.experiment.resume(CheckpointStore(toy.run.checkpoints).load_last()[1])
    return toy


def _lines(toy: ToyRun) -> list[dict[str, Any]]:
    return [
        {key: value for key, value in line.items() if not key.startswith("time/") or "timesteps" in key}
        for path in (toy.run.metrics, toy.run.episodes)
        for line in read_json_lines(path)
    ]


def _assert_same(one: ToyRun, other: ToyRun) -> None:
    weights = other.parts.trained.model.state_dict()
    for name, tensor in one.parts.trained.model.state_dict().items():
        assert torch.equal(tensor, weights[name]), name
    lines = _lines(one)
    assert len(lines) > 10
    assert _lines(other) == lines


def _player_threads() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name.startswith("rollouts")]


class _When:
    """Does something when so many updates are logged."""

    def __init__(self, updates: int, action: Callable[[], None]) -> None:
        self._updates = updates
        self._action = action

    def write(self, record: Record) -> None:
        if record.kind == "metrics" and record.values["time/iterations"] == self._updates:
            self._action()


def test_every_rollout_is_played_one_update_behind(tmp_path: Path) -> None:
    """A second implementation, in one thread: the weights before an update play what is learnt after it."""
    toy = _overlapped(tmp_path / "run", pace=pace(6))
    toy.train()

    parts = make_parts(overlap=True)
    env, model = parts.trained.env, parts.trained.model
    assert isinstance(env, CorridorVectorEnv)
    acting = deepcopy(model)
    actor = PPOActor(env, acting, gamma=PPO.gamma, seed=3)
    finalizer = RolloutFinalizer(acting, gamma=PPO.gamma, gae_lambda=PPO.gae_lambda)
    learner = PPOLearner(model, PPO, seed=3)
    history = [deepcopy(model.state_dict())]
    for update in range(6):
        acting.load_state_dict(history[max(0, update - 1)])
        buffer = make_buffer(lagging=True)
        actor.collect(buffer)
        finalizer.finalize(buffer, actor.observations)
        learner.update(buffer, update / 6)
        history.append(deepcopy(model.state_dict()))

    for name, tensor in model.state_dict().items():
        assert torch.equal(tensor, toy.parts.trained.model.state_dict()[name]), name


def test_it_learns_the_corridor(tmp_path: Path) -> None:
    outcome = _overlapped(tmp_path / "run", pace=pace(40, eval_every=10 * STEPS_PER_UPDATE)).train()
    assert outcome.evaluation is not None
    assert outcome.evaluation.returns.mean == 1.0


def test_whether_both_go_on_at_once_shows_in_no_number(tmp_path: Path) -> None:
    at_once, in_turn = (
        _overlapped(tmp_path / str(every), pace=pace(10, eval_every=3 * STEPS_PER_UPDATE, checkpoint_every=every))
        for every in (0, STEPS_PER_UPDATE)  # where the run is saved, nothing is played ahead
    )
    waits = []
    for toy in (at_once, in_turn):
        toy.train()
        lines = [line for line in read_json_lines(toy.run.metrics) if line["kind"] == "metrics"]
        waits.append(sum("time/learner_waited" in line for line in lines))
        for line in lines:
            figures = [line[tag] for tag in ("time/learner_waited", "time/player_waited") if tag in line]
            assert all(0.0 <= figure <= 1.0 for figure in figures)
            assert not figures or min(figures) == 0.0
    assert waits == [9, 0]
    _assert_same(at_once, in_turn)


class _MeetingEnv(CorridorVectorEnv):
    """In its second rollout, waits until the learner has come to its first update, and no longer for more than 30 s."""

    def __init__(self) -> None:
        super().__init__(NUM_ENVS)
        self.meeting = threading.Barrier(2, timeout=30.0)
        self._steps_taken = 0

    def step(self, actions: NDArray[np.int64]) -> Any:
        self._steps_taken += 1
        if self._steps_taken == PPO.rollout_length + 1:
            self.meeting.wait()
        return super().step(actions)


def test_the_next_rollout_is_played_while_the_last_is_learnt(tmp_path: Path) -> None:
    env = _MeetingEnv()
    parts = make_parts(overlap=True, env=env)
    learner = parts.trained.learner
    met: list[int] = []

    def meet(_: torch.Tensor) -> None:
        if not met:
            met.append(env.meeting.wait())

    learner.on_log_ratio = meet
    assert new_run(tmp_path / "run", parts=parts, pace=pace(3)).train().counters.updates == 3
    assert len(met) == 1


class _SlowEnv(CorridorVectorEnv):
    """Takes its time over the last step of its second rollout, unless a companion learns meanwhile."""

    def __init__(self) -> None:
        super().__init__(NUM_ENVS)
        self.companion_learns = threading.Event()
        self.steps_taken = 0

    def step(self, actions: NDArray[np.int64]) -> Any:
        if self.steps_taken == 2 * PPO.rollout_length - 1:
            self.companion_learns.wait(0.2)
        self.steps_taken += 1
        return super().step(actions)


class _Onlooker:
    """A companion that learns nothing but how far the environments are."""

    def __init__(self, env: _SlowEnv) -> None:
        self._env = env
        self.seen: list[int] = []

    def ppo_weight(self, progress: float) -> float:  # noqa: ARG002  # the protocol's signature
        return 1.0

    def learn(self, rollout_buffer: RolloutBuffer | None, progress: float) -> dict[str, float]:  # noqa: ARG002  # as above
        self._env.companion_learns.set()
        self.seen.append(self._env.steps_taken)
        return {}

    def state_dict(self) -> dict[str, Any]:
        return {}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        pass


def test_beside_companions_nothing_is_played(tmp_path: Path) -> None:
    env = _SlowEnv()
    onlooker = _Onlooker(env)
    parts = replace(make_parts(overlap=True, env=env), companions=(onlooker,))
    new_run(tmp_path / "run", parts=parts, pace=pace(3)).train()
    assert onlooker.seen == [rollouts * PPO.rollout_length for rollouts in (2, 3, 3)]


@pytest.mark.parametrize("first", [1, 4, 7])
def test_a_run_that_was_saved_goes_on_as_if_it_had_not_been(tmp_path: Path, first: int) -> None:
    every = 3 * STEPS_PER_UPDATE
    straight = _overlapped(tmp_path / "straight", pace=pace(10, eval_every=every))
    straight.train()
    _overlapped(tmp_path / "parts", pace=pace(first, eval_every=every)).train()
    resumed = _resume(tmp_path / "parts", pace=pace(10, eval_every=every))
    resumed.train()
    _assert_same(straight, resumed)


def test_a_signal_lets_what_was_played_ahead_be_learnt_and_saves(tmp_path: Path) -> None:
    straight = _overlapped(tmp_path / "straight", pace=pace(10))
    straight.train()
    stop = _When(3, lambda: os.kill(os.getpid(), signal.SIGINT))
    outcome = _overlapped(tmp_path / "stopped", pace=pace(10), writers=[stop]).train()
    assert (outcome.signal, outcome.counters.updates) == (signal.SIGINT, 4)
    resumed = _resume(tmp_path / "stopped", pace=pace(10))
    resumed.train()
    _assert_same(straight, resumed)


def test_where_the_disk_budget_ends_everything_played_is_learnt_and_saved(tmp_path: Path) -> None:
    def fill() -> None:  # up to where there is room for a checkpoint, but not for one more update
        (toy.run.path / "other").write_bytes(bytes(200_000 - bytes_in(toy.run.path) - 60_000))

    settings = SafetySettings(disk_budget=200_000)
    toy = _overlapped(tmp_path / "run", pace=pace(20), writers=[_When(3, fill)], safety=settings)
    with pytest.raises(UserError, match="disk_budget"):
        toy.train()
    assert CheckpointStore(toy.run.checkpoints).load_last()[1].info["updates"] == 4
    assert _player_threads() == []


def test_what_goes_wrong_while_playing_ends_the_run_where_it_would_have_in_turn(tmp_path: Path) -> None:
    toy = _overlapped(tmp_path / "run", pace=pace(50, checkpoint_every=2 * STEPS_PER_UPDATE))
    env = toy.parts.trained.env
    assert isinstance(env, CorridorVectorEnv)
    env.poisoned_step = 3 * PPO.rollout_length + 8  # in the fourth rollout
    with pytest.raises(UserError, match=r"non-finite reward, environment 0, step 56: .* the last good checkpoint is"):
        toy.train()
    updates = [line["time/iterations"] for line in read_json_lines(toy.run.metrics) if line["kind"] == "metrics"]
    assert updates == [1, 2, 3]
    assert _player_threads() == []


def test_what_goes_wrong_while_learning_waits_for_the_player(tmp_path: Path) -> None:
    toy = _overlapped(tmp_path / "run", pace=pace(50))

    def fail(_: torch.Tensor) -> None:
        raise ZeroDivisionError

    toy.parts.trained.learner.on_log_ratio = fail
    with pytest.raises(ZeroDivisionError):
        toy.train()
    assert _player_threads() == []
