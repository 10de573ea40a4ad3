# SPDX-License-Identifier: GPL-3.0-or-later
"""`oakemu-rl train` where numbers stop being finite: one line, exit code 2, and a run that goes on from before."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from oakemu_rl.cli.main import main
from oakemu_rl.envs import SpectrumVectorEnv
from oakemu_rl.training import CheckpointStore, RunFolder, assembly

RUN = """
    --num-envs 2 --num-threads 1 --torch-threads 1 --ppo.rollout-length 32 --ppo.ppo-epochs 1 --ppo.num-minibatches 1
    --model.conv-filters 4 8 8 --model.fcnet-hiddens 8 --eval-every 0 --steps 256 --checkpoint-every 64 --no-film
    --no-tensorboard --quiet
""".split()  # noqa: SIM905  # a command line reads better in one piece


class PoisonedEnv(SpectrumVectorEnv):
    """Pays what is no number in the 40th step, which lies in the second update's rollout."""

    steps = 0

    def step(self, actions: NDArray[np.int64]) -> Any:
        observations, rewards, *rest = super().step(actions)
        self.steps += 1
        if self.steps == 40:
            rewards = np.array([rewards[0], np.nan])
        return observations, rewards, *rest


@pytest.fixture(autouse=True)
def _one_thread() -> None:
    torch.set_num_threads(1)


def test_training_stops_in_one_line_and_goes_on_from_the_last_good_checkpoint(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with monkeypatch.context() as poisoned:
        poisoned.setattr(assembly, "SpectrumVectorEnv", PoisonedEnv)
        assert main(["train", *RUN, "--run-folder", str(tmp_path / "run")]) == 2
    store = CheckpointStore(RunFolder.open(tmp_path / "run").checkpoints)
    path, checkpoint, _ = store.load_last()
    assert store.paths() == [path]
    assert checkpoint.info["step"] == 64
    assert capsys.readouterr().err == (
        "oakemu-rl: error: non-finite reward, environment 1, step 40: training stops before it can spread; "
        f"the last good checkpoint is {path}\n"
    )
    assert main(["train", "--resume", str(tmp_path / "run"), "--quiet"]) == 0
    assert store.load_last()[1].info["step"] == 256


def test_before_the_first_checkpoint_it_says_that_there_is_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(assembly, "SpectrumVectorEnv", PoisonedEnv)
    flags = [*RUN, "--ppo.rollout-length", "64", "--run-folder", str(tmp_path / "run")]
    assert main(["train", *flags]) == 2
    assert capsys.readouterr().err.endswith("; there is no checkpoint yet\n")
