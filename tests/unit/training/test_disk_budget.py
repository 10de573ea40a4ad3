# SPDX-License-Identifier: GPL-3.0-or-later
import errno
import io
import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from toy_run import STEPS_PER_UPDATE, ToyRun, make_parts, new_run, pace

from oakemu_rl.errors import UserError
from oakemu_rl.training.checkpoint import read_checkpoint
from oakemu_rl.training.checkpoint_store import CheckpointStore
from oakemu_rl.training.disk_budget import DiskBudget, bytes_in, sizes_of
from oakemu_rl.training.json_lines import JsonLinesWriter, read_json_lines
from oakemu_rl.training.records import Record
from oakemu_rl.training.run_folder import RunFolder
from oakemu_rl.training.safety import SafetySettings

UPDATES = 5
PACE = pace(UPDATES, eval_every=2 * STEPS_PER_UPDATE, checkpoint_every=STEPS_PER_UPDATE)


def _resume(folder: Path, **kwargs: Any) -> ToyRun:
    toy = ToyRun(RunFolder.open(folder, for_writing=True), pace=PACE, parts=make_parts(seed=99), **kwargs)
    if CheckpointStore(toy.run.checkpoints).paths():
        toy.experiment.resume(CheckpointStore(toy.run.checkpoints).load_last()[1])
    else:
        toy = ToyRun(toy.run, pace=PACE, **kwargs)  # nothing to go on from: it begins anew, from its own seed
    return toy


def _weights(toy: ToyRun) -> dict[str, torch.Tensor]:
    return dict(toy.parts.trained.model.state_dict())


def _steps(toy: ToyRun) -> list[tuple[str, int]]:
    return [
        (line["kind"], line["step"]) for path in (toy.run.metrics, toy.run.episodes) for line in read_json_lines(path)
    ]


@pytest.fixture(scope="module")
def straight(tmp_path_factory: pytest.TempPathFactory) -> ToyRun:
    toy = new_run(tmp_path_factory.mktemp("disk") / "straight", pace=PACE)
    toy.train()
    return toy


def _same(toy: ToyRun, straight: ToyRun) -> None:
    assert _steps(toy) == _steps(straight)
    for name, tensor in _weights(straight).items():
        assert torch.equal(tensor, _weights(toy)[name]), name


def test_sizes_are_those_of_the_files(tmp_path: Path) -> None:
    run = RunFolder.create(tmp_path / "run", "x" * 100)
    assert sizes_of(run) == {"logs": 100}
    (run.checkpoints / "1").mkdir()
    (run.checkpoints / "1" / "tensors.pt").write_bytes(bytes(5000))
    (run.videos / "best.mp4").write_bytes(bytes(300))
    assert list(sizes_of(run).items()) == [("checkpoints", 5000), ("films", 300), ("logs", 100)]
    assert bytes_in(run.path) == 5400


def test_without_a_budget_everything_is_admitted(tmp_path: Path) -> None:
    budget = DiskBudget(RunFolder.create(tmp_path / "run", ""), None)
    budget.admit(10**15)
    budget.check()


def test_within_its_budget_a_run_is_the_same_run(straight: ToyRun, tmp_path: Path) -> None:
    toy = new_run(tmp_path / "run", pace=PACE, safety=SafetySettings(disk_budget=10**8))
    toy.train()
    _same(toy, straight)
    assert len(CheckpointStore(toy.run.checkpoints).paths()) == 3


def test_older_checkpoints_go_before_the_run_ends(straight: ToyRun, tmp_path: Path) -> None:
    one = bytes_in(CheckpointStore(straight.run.checkpoints).paths()[-1])
    best = bytes_in(straight.run.best)
    limit = 2 * one + 2 * best + bytes_in(straight.run.path) - bytes_in(straight.run.checkpoints) - best + 70_000
    toy = new_run(tmp_path / "run", pace=PACE, safety=SafetySettings(disk_budget=limit))
    toy.train()
    _same(toy, straight)
    assert len(CheckpointStore(toy.run.checkpoints).paths()) < 3
    assert bytes_in(toy.run.path) <= limit


def test_where_the_budget_ends_the_run_saves_and_stops_in_one_line_and_goes_on_with_a_larger_one(
    straight: ToyRun, tmp_path: Path
) -> None:
    size = bytes_in(CheckpointStore(straight.run.checkpoints).paths()[0])
    toy = new_run(tmp_path / "run", pace=PACE, safety=SafetySettings(disk_budget=2 * size + 64 * 1024 + 3000))
    with pytest.raises(UserError, match=r"disk_budget of .* is used up.*--resume .*run and a larger") as caught:
        toy.train()
    assert "\n" not in str(caught.value)
    saved = CheckpointStore(toy.run.checkpoints).load_last()[1].info
    assert 0 < saved["updates"] < UPDATES
    assert saved["metrics_bytes"] == toy.run.metrics.stat().st_size  # nothing is lost
    again = _resume(toy.run.path, safety=SafetySettings(disk_budget=10**8))
    again.train()
    _same(again, straight)


def test_a_budget_below_one_checkpoint_is_one_line(tmp_path: Path) -> None:
    toy = new_run(tmp_path / "run", pace=PACE, safety=SafetySettings(disk_budget=1000))
    with pytest.raises(UserError, match=r"do not fit beside .* a disk_budget of 1.0 kB; there is none before it"):
        toy.train()
    assert list(toy.run.checkpoints.iterdir()) == []


class _FailingDisk:
    """Every call that writes counts; the n-th and all after it find no space."""

    def __init__(self, n: int) -> None:
        self.calls = 0
        self._n = n

    def around(self, function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **kwargs: Any) -> Any:
            writes = function is not io.open or (len(args) > 1 and "w" in str(args[1]))
            self.calls += writes
            if writes and self.calls >= self._n:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            return function(*args, **kwargs)

        return call


def _train_on(toy: ToyRun, disk: _FailingDisk) -> str:
    """What the run says in the end."""
    with pytest.MonkeyPatch.context() as patch:
        for module, name in ((os, "fsync"), (os, "mkdir"), (os, "rename"), (io, "open")):
            patch.setattr(module, name, disk.around(getattr(module, name)))
        try:
            toy.train()
        except UserError as error:
            return str(error)
    return ""


# Every write of the first save, then one here and one there.
MOMENTS = [*range(1, 8), 11, 16, 23, 31]


@pytest.mark.parametrize("n", MOMENTS)
def test_a_disk_that_is_full_from_any_write_on_keeps_the_last_whole_checkpoint(
    straight: ToyRun, tmp_path: Path, n: int
) -> None:
    toy = new_run(tmp_path / "run", pace=PACE)
    said = _train_on(toy, _FailingDisk(n))
    assert "No space left on device" in said
    assert "\n" not in said
    kept = CheckpointStore(toy.run.checkpoints).paths()
    for path in kept:
        read_checkpoint(path)
    assert (str(kept[-1]) if kept else "there is none before it") in said
    assert [path for path in toy.run.path.rglob(".*") if path.is_dir()] == []
    again = _resume(toy.run.path)
    again.train()
    _same(again, straight)


def test_the_moments_lie_within_the_run(tmp_path: Path) -> None:
    disk = _FailingDisk(10**9)
    assert _train_on(new_run(tmp_path / "run", pace=PACE), disk) == ""
    assert disk.calls > max(MOMENTS)


def test_a_line_that_only_half_fits_is_taken_back(tmp_path: Path) -> None:
    resource = pytest.importorskip("resource")
    path = tmp_path / "metrics.jsonl"
    writer = JsonLinesWriter(path, "metrics")
    writer.write(Record("metrics", 1, {"a": 1.0}))
    whole = path.read_bytes()
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (len(whole) + 10, limits[1]))
        with pytest.raises(OSError, match="too large"):
            writer.write(Record("metrics", 2, {"a": 2.0}))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        signal.signal(signal.SIGXFSZ, handler)
    assert path.read_bytes() == whole
    writer.write(Record("metrics", 3, {"a": 3.0}))
    assert [line["step"] for line in read_json_lines(path)] == [1, 3]
