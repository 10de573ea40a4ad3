# SPDX-License-Identifier: GPL-3.0-or-later
import errno
import io
import json
import math
from pathlib import Path

import pytest
from rich.console import Console

from oakemu_rl.training.budget import Budget
from oakemu_rl.training.console import PlainProgress, SilentProgress
from oakemu_rl.training.json_lines import JsonLinesWriter, cut_back, read_json_lines, size_of
from oakemu_rl.training.records import Record, WriterGroup

METRICS = Record("metrics", 500, {"time/fps": 250.0, "time/time_elapsed": 2.0, "rollout/ep_rew_mean": 1.5})


class _Collecting:
    def __init__(self) -> None:
        self.steps: list[int] = []

    def write(self, record: Record) -> None:
        self.steps.append(record.step)


class _Failing:
    def write(self, record: Record) -> None:
        raise RuntimeError(f"out of ink at {record.step}\nand more")


def test_a_failing_writer_is_told_once_and_dropped_and_the_others_go_on() -> None:
    complaints: list[str] = []
    before, after = _Collecting(), _Collecting()
    group = WriterGroup([before, _Failing(), after], complaints.append)
    for step in (1, 2, 3):
        group.write(Record("metrics", step, {}))
    assert before.steps == after.steps == [1, 2, 3]
    assert complaints == ["_Failing failed at step 1 and is left out: RuntimeError: out of ink at 1"]


@pytest.mark.parametrize("number", [errno.EPIPE, errno.ENOSPC])
def test_a_run_goes_on_when_its_output_has_nowhere_to_go(number: int) -> None:
    class Gone(io.StringIO):
        def flush(self) -> None:
            raise OSError(number, "gone")

    progress = PlainProgress(Budget(1000, 60.0), Console(file=Gone()))
    progress.message("one")
    progress.write(METRICS)
    progress.close()


def test_json_lines_hold_their_kinds_and_no_nan(tmp_path: Path) -> None:
    path = tmp_path / "m.jsonl"
    writer = JsonLinesWriter(path, "metrics", "evaluation")
    writer.write(Record("metrics", 1, {"a": 0.5, "b": math.nan, "c": math.inf}))
    writer.write(Record("episode", 1, {"return": 1.0}))
    writer.write(Record("evaluation", 2, {"a": 1.0}))
    assert [json.loads(line) for line in path.read_text().splitlines()] == [
        {"step": 1, "kind": "metrics", "a": 0.5, "b": None, "c": None},
        {"step": 2, "kind": "evaluation", "a": 1.0},
    ]


def test_a_line_cut_by_a_kill_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "m.jsonl"
    path.write_text('{"step": 1}\n{"step": 2}\n{"step": 3')
    assert [line["step"] for line in read_json_lines(path)] == [1, 2]
    path.write_text('{"step": 1}\n{"step": 2}')
    assert [line["step"] for line in read_json_lines(path)] == [1]
    assert list(read_json_lines(tmp_path / "none")) == []


def test_cut_back_leaves_what_the_checkpoint_knew(tmp_path: Path) -> None:
    path = tmp_path / "m.jsonl"
    writer = JsonLinesWriter(path, "metrics")
    writer.write(Record("metrics", 1, {}))
    size = size_of(path)
    writer.write(Record("metrics", 2, {}))
    cut_back(path, size)
    assert [line["step"] for line in read_json_lines(path)] == [1]
    cut_back(path, size + 100)
    assert size_of(path) == size
    cut_back(tmp_path / "none", 0)
    assert not (tmp_path / "none").exists()


def _plain() -> tuple[PlainProgress, io.StringIO, list[float]]:
    out, now = io.StringIO(), [0.0]
    console = Console(file=out, width=40)
    return PlainProgress(Budget(1000, 60.0), console, clock=lambda: now[0]), out, now


def test_in_a_pipe_a_whole_line_every_few_seconds_and_no_control_codes() -> None:
    progress, out, now = _plain()
    for now[0] in (0.0, 1.0, 4.9, 5.0, 6.0):
        progress.write(METRICS)
    lines = out.getvalue().splitlines()
    assert len(lines) == 2
    assert lines[0] == "500/1000 steps  250/s  return 1.50  left 0:02  env 0% infer 0% learn 0%"
    assert "\x1b" not in out.getvalue()
    assert "\r" not in out.getvalue()


def test_evaluations_are_shown_at_once_and_the_best_marked() -> None:
    progress, out, _ = _plain()
    progress.write(Record("evaluation", 100, {"eval/mean_reward": 3.0, "eval/best_timesteps": 100.0}))
    progress.write(Record("evaluation", 200, {"eval/mean_reward": 3.0, "eval/best_timesteps": 100.0}))
    assert out.getvalue().splitlines() == [
        "100 steps: evaluation return 3.00  (the best so far)",
        "200 steps: evaluation return 3.00",
    ]


def test_before_the_first_episode_there_is_no_return() -> None:
    progress, out, _ = _plain()
    progress.write(Record("metrics", 0, {"time/fps": 0.0, "time/time_elapsed": 0.0}))
    assert "return -" in out.getvalue()
    assert "left 1:00" in out.getvalue()


def test_a_budget_is_over_by_whichever_limit_comes_first() -> None:
    budget = Budget(1000, 60.0)
    assert budget.done(500, 15.0) == 0.5
    assert budget.done(100, 60.0) == 1.0
    assert budget.left(500, 50.0, 10.0) == 10.0
    assert budget.left(500, 10.0, 100.0) == 5.0
    assert Budget(1000, None).left(0, 5.0, 0.0) == math.inf


def test_silence(capsys: pytest.CaptureFixture[str]) -> None:
    progress = SilentProgress()
    progress.write(METRICS)
    progress.message("hello")
    progress.close()
    assert capsys.readouterr() == ("", "")
