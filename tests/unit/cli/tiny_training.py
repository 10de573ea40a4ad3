# SPDX-License-Identifier: GPL-3.0-or-later
"""Trainings with a network of almost nothing, and what they leave behind."""

from pathlib import Path
from typing import Any

from oakemu_rl.cli.main import main
from oakemu_rl.training.json_lines import read_json_lines

__all__ = ["forget_all_but_the_first_checkpoint", "timeless", "train"]

_TINY = """
    --num-envs 4 --num-threads 1 --torch-threads 1 --ppo.rollout-length 64 --ppo.ppo-epochs 1 --ppo.num-minibatches 1
    --model.conv-filters 4 8 8 --model.fcnet-hiddens 8 --eval-every 0 --seed 5 --no-film --no-tensorboard
    --diagnostics-every 0
""".split()  # noqa: SIM905  # a command line reads better in one piece


def train(folder: Path, *arguments: str) -> int:
    """The exit code of a training into a folder."""
    return main(["train", *_TINY, "--run-folder", str(folder), "--quiet", *arguments])


def timeless(path: Path) -> list[dict[str, Any]]:
    """The lines of a run's file, without what the clock says."""
    return [
        {key: value for key, value in line.items() if not key.startswith("time/")} for line in read_json_lines(path)
    ]


def forget_all_but_the_first_checkpoint(run: Path) -> int:
    """Leaves a run as if it had been killed; returns the step from which it goes on.

    Progress is a part of the whole budget, so that a run with fewer steps would not be the same.
    """
    first, *later = sorted((run / "checkpoints").iterdir())
    for checkpoint in later:
        for file in checkpoint.iterdir():
            file.unlink()
        checkpoint.rmdir()
    return int(first.name)
