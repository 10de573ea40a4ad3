# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs that are killed, by SIGKILL and at every step of a checkpoint's saving, go on as if they had not been."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch

from oakemu_rl.cli.main import main
from oakemu_rl.training import CheckpointStore
from oakemu_rl.training.json_lines import read_json_lines

_DRIVER = Path(__file__).parent / "kill_driver.py"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the killed run is a fork")
def test_killed_at_any_moment_of_a_save_a_run_resumes_to_what_it_would_have_been(tmp_path: Path) -> None:
    # The fourth save is the first that removes an old checkpoint; 99 kills after the save's end.
    saving = [f"4:{event}" for event in (1, 3, 5, 8, 11, 14, 17, 99)] + ["2:99"]
    anywhere = [f"0:{event}" for event in np.random.default_rng(11).choice(300, 5, replace=False)]
    # Other moments each time: none may matter.
    by_the_clock = [f"{delay:.2f}ms" for delay in np.random.default_rng().uniform(1, 400, 4)]
    moments = saving + anywhere + by_the_clock
    finished = subprocess.run(
        [sys.executable, str(_DRIVER), str(tmp_path), *moments],
        check=True,
        capture_output=True,
        text=True,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )
    report = json.loads(finished.stdout)
    straight = report["straight"]
    assert len(straight["lines"]) > 20
    for moment, resumed in report["moments"].items():
        killed, whole = resumed.pop("killed"), resumed.pop("whole")
        assert killed or moment in by_the_clock, moment
        assert whole or moment not in saving, moment
        assert all(whole), moment
        assert resumed == straight, moment


_TINY = """
    train --num-envs 4 --num-threads 1 --torch-threads 1 --ppo.rollout-length 32 --ppo.ppo-epochs 1 --seed 5
    --model.conv-filters 4 8 8 --model.fcnet-hiddens 8 --env.max-episode-steps 60 --no-film --no-tensorboard
    --checkpoint-every 128 --eval-every 512 --eval-episodes 1
""".split()  # noqa: SIM905  # a command line reads better in one piece


def _start(*args: str) -> "subprocess.Popen[str]":
    command = [sys.executable, "-m", "oakemu_rl", *_TINY, *args]
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    return subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True, env=environment
    )


def _wait_for_a_checkpoint(run: Path, process: "subprocess.Popen[str]") -> None:
    while not CheckpointStore(run / "checkpoints").paths():
        assert process.poll() is None, process.communicate()
        os.sched_yield()


def _lines(run: Path) -> list[dict[str, object]]:
    files = [run / "metrics.jsonl", run / "episodes.jsonl"]
    lines = [line for file in files for line in read_json_lines(file)]
    return [{key: value for key, value in line.items() if not key.startswith("time/")} for line in lines]


@pytest.mark.parametrize("more", [[], ["--overlap", "--checkpoint-every", "512"]])
def test_the_command_killed_in_the_middle_goes_on_to_the_same_weights_and_numbers(
    tmp_path: Path, more: list[str]
) -> None:
    straight, killed = tmp_path / "straight", tmp_path / "killed"
    assert main([*_TINY, *more, "--steps", "2048", "--run-folder", str(straight), "--quiet"]) == 0
    process = _start(*more, "--steps", "2048", "--run-folder", str(killed))
    _wait_for_a_checkpoint(killed, process)
    process.kill()
    process.communicate()
    assert process.returncode == -signal.SIGKILL
    assert main(["train", "--resume", str(killed), "--quiet"]) == 0
    expected, found = (CheckpointStore(run / "checkpoints").load_last()[1] for run in (straight, killed))
    assert found.info["step"] == expected.info["step"] == 2048
    for name, tensor in expected.tensors["model"].items():
        assert torch.equal(tensor, found.tensors["model"][name]), name
    for one, other in zip(expected.tensors["env"], found.tensors["env"], strict=True):
        assert torch.equal(one, other)
    assert _lines(killed) == _lines(straight)


def test_the_command_stopped_by_ctrl_c_saves_and_exits_with_130(tmp_path: Path) -> None:
    run = tmp_path / "run"
    process = _start("--steps", "100M", "--run-folder", str(run))
    _wait_for_a_checkpoint(run, process)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate()
    assert process.returncode == 130, err
    assert err == ""
    assert f"go on with:  oakemu-rl train --resume {run}" in out
    last = CheckpointStore(run / "checkpoints").load_last()[1]
    steps = [line["step"] for line in read_json_lines(run / "metrics.jsonl") if line["kind"] == "metrics"]
    assert last.info["step"] == steps[-1]
