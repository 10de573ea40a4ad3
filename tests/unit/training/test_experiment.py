# SPDX-License-Identifier: GPL-3.0-or-later
import errno
import os
import signal
import threading
from pathlib import Path

import pytest
from corridor import CorridorVectorEnv
from toy_run import STEPS_PER_UPDATE, make_parts, new_run, pace

from oakemu_rl._stop_signals import StopSignals
from oakemu_rl.errors import UserError
from oakemu_rl.training.budget import Budget
from oakemu_rl.training.checkpoint_store import CheckpointStore
from oakemu_rl.training.experiment import Pace
from oakemu_rl.training.json_lines import read_json_lines
from oakemu_rl.training.records import Record
from oakemu_rl.training.run_state import load_weights


class _At:
    """Does something when a number of updates are logged."""

    def __init__(self, updates: int, action: object) -> None:
        self._updates = updates
        self._action = action

    def write(self, record: Record) -> None:
        if record.kind == "metrics" and record.values["time/iterations"] == self._updates:
            assert callable(self._action)
            self._action()


def _lines(path: Path, kind: str) -> list[int]:
    return [line["step"] for line in read_json_lines(path) if line["kind"] == kind]


def test_it_learns_the_corridor(tmp_path: Path) -> None:
    outcome = new_run(tmp_path / "run", pace=pace(40, eval_every=10 * STEPS_PER_UPDATE)).train()
    assert outcome.evaluation is not None
    assert outcome.evaluation.returns.mean == 1.0
    assert outcome.signal is None


def test_evaluations_and_checkpoints_keep_their_beat(tmp_path: Path) -> None:
    toy = new_run(tmp_path / "run", pace=pace(6, eval_every=2 * STEPS_PER_UPDATE, checkpoint_every=100))
    toy.train()
    steps = [n * STEPS_PER_UPDATE for n in range(1, 7)]
    assert _lines(toy.run.metrics, "metrics") == steps
    assert _lines(toy.run.metrics, "evaluation") == [128, 256, 384]
    # 64, 128, ... 384 cross 100, 200 and 300 at 128, 256 and 320; the last is the end.
    assert [int(path.name) for path in CheckpointStore(toy.run.checkpoints).paths()] == [256, 320, 384]


def test_the_time_budget_ends_a_run(tmp_path: Path) -> None:
    toy = new_run(tmp_path / "run", pace=Pace(Budget(10**9, 1e-6)))
    assert toy.train().counters.updates == 0
    assert CheckpointStore(toy.run.checkpoints).load_last()[1].info["step"] == 0


def test_the_best_model_is_the_one_that_was_judged_best(tmp_path: Path) -> None:
    toy = new_run(tmp_path / "run", pace=pace(20, eval_every=STEPS_PER_UPDATE))
    outcome = toy.train()
    judged = [line for line in read_json_lines(toy.run.metrics) if line["kind"] == "evaluation"]
    top = max(line["eval/mean_reward"] for line in judged)
    first_top = next(line["step"] for line in judged if line["eval/mean_reward"] == top)
    best = outcome.counters.best
    assert best is not None
    assert (best.step, best.mean_return) == (first_top, top)
    path, checkpoint, _ = CheckpointStore(toy.run.best).load_last()
    assert int(path.name) == first_top
    fresh = make_parts(seed=77)
    load_weights(fresh.trained.model, checkpoint.tensors)
    assert fresh.evaluate is not None
    assert fresh.evaluate(fresh.trained.model).returns.mean == top


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_the_run_after_its_update_and_saves(tmp_path: Path, number: signal.Signals) -> None:
    stop = _At(3, lambda: os.kill(os.getpid(), number))
    toy = new_run(tmp_path / "run", pace=pace(50), writers=[stop])
    outcome = toy.train()
    assert outcome.signal == number
    assert outcome.counters.updates == 3
    assert CheckpointStore(toy.run.checkpoints).load_last()[1].info["updates"] == 3


def test_the_second_signal_does_not_wait() -> None:
    before = signal.getsignal(signal.SIGINT)
    with StopSignals() as stop:
        os.kill(os.getpid(), signal.SIGINT)
        assert stop.received is signal.SIGINT
        with pytest.raises(KeyboardInterrupt):
            os.kill(os.getpid(), signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is before


def test_outside_the_main_thread_signals_are_left_alone() -> None:
    before = signal.getsignal(signal.SIGINT)

    def enter() -> None:
        with StopSignals():
            assert signal.getsignal(signal.SIGINT) is before

    thread = threading.Thread(target=enter)
    thread.start()
    thread.join()


def test_a_full_disk_ends_the_run_in_one_line_with_the_last_checkpoint_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    fill = _At(3, lambda: monkeypatch.setattr(os, "fsync", full))
    toy = new_run(tmp_path / "run", pace=pace(50, checkpoint_every=2 * STEPS_PER_UPDATE), writers=[fill])
    with pytest.raises(UserError, match=r"No space left on device; the last good one is"):
        toy.train()
    monkeypatch.undo()
    assert CheckpointStore(toy.run.checkpoints).load_last()[1].info["updates"] == 2
    assert not [path for path in toy.run.checkpoints.iterdir() if path.name.startswith(".")]


def test_numbers_that_blow_up_end_the_run_and_the_last_checkpoint_is_sound(tmp_path: Path) -> None:
    toy = new_run(tmp_path / "run", pace=pace(50, checkpoint_every=STEPS_PER_UPDATE))
    env = toy.parts.trained.env
    assert isinstance(env, CorridorVectorEnv)
    env.poisoned_step = 40
    with pytest.raises(UserError) as caught:
        toy.train()
    path, checkpoint, _ = CheckpointStore(toy.run.checkpoints).load_last()
    assert str(caught.value) == (
        "non-finite reward, environment 0, step 40: training stops before it can spread; "
        f"the last good checkpoint is {path}"
    )
    assert checkpoint.info["updates"] == 2
    assert all(tensor.isfinite().all() for tensor in checkpoint.tensors["model"].values())


def test_leftovers_of_a_kill_are_cleaned_at_the_start(tmp_path: Path) -> None:
    toy = new_run(tmp_path / "run", pace=pace(1))
    (toy.run.checkpoints / ".000000000064.tmp-1").mkdir()
    (toy.run.best / ".000000000064.tmp-1").mkdir()
    toy.train()
    assert not list(toy.run.path.rglob(".*"))


def test_a_writer_that_fails_does_not_end_the_run(tmp_path: Path) -> None:
    def fail() -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    toy = new_run(tmp_path / "run", pace=pace(3), writers=[_At(1, fail)])
    assert toy.train().counters.updates == 3
    assert len(toy.complaints) == 1
