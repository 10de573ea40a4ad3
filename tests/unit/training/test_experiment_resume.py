# SPDX-License-Identifier: GPL-3.0-or-later
from pathlib import Path
from typing import Any

import pytest
import torch
from toy_run import STEPS_PER_UPDATE, ToyRun, make_parts, new_run, pace

from oakemu_rl.training.checkpoint_store import CheckpointStore
from oakemu_rl.training.json_lines import read_json_lines
from oakemu_rl.training.run_folder import RunFolder


def _without_times(path: Path) -> list[dict[str, Any]]:
    return [
        {k: v for k, v in line.items() if not k.startswith("time/") or "timesteps" in k}
        for line in read_json_lines(path)
    ]


def _resume(folder: Path, **kwargs: Any) -> ToyRun:
    toy = ToyRun(RunFolder.open(folder, for_writing=True), **kwargs)
    toy.experiment.resume(CheckpointStore(toy.run.checkpoints).load_last()[1])
    return toy


@pytest.mark.parametrize("first", [1, 4, 7])
def test_resumed_equals_straight_bit_for_bit(tmp_path: Path, first: int) -> None:
    every = 3 * STEPS_PER_UPDATE
    straight = new_run(tmp_path / "straight", pace=pace(10, eval_every=every))
    straight.train()
    new_run(tmp_path / "parts", pace=pace(first, eval_every=every)).train()
    resumed = _resume(tmp_path / "parts", pace=pace(10, eval_every=every), parts=make_parts(seed=99))
    resumed.train()

    for name, tensor in straight.parts.trained.model.state_dict().items():
        assert torch.equal(tensor, resumed.parts.trained.model.state_dict()[name]), name
    for path in ("metrics", "episodes"):
        expected = _without_times(getattr(straight.run, path))
        assert len(expected) > 10
        assert _without_times(getattr(resumed.run, path)) == expected
