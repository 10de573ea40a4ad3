# SPDX-License-Identifier: GPL-3.0-or-later
"""`oakemu-rl train` with recordings beside PPO, on the recording of Caverns that ships."""

import shutil
from pathlib import Path

import pytest
import torch

from oakemu_rl.cli.main import main
from oakemu_rl.training import CheckpointStore
from oakemu_rl.training.json_lines import read_json_lines

# Six updates: the first two are of cloning and calibration alone, the last two of PPO alone.
LINE = """
    train caverns --demos caverns --num-envs 2 --num-threads 1 --torch-threads 1 --seed 5 --steps 96
    --ppo.rollout-length 8 --ppo.ppo-epochs 1 --ppo.num-minibatches 1 --model.conv-filters 4 8 8
    --model.fcnet-hiddens 8 --imitation.steps 2 --imitation.batch-size 32 --imitation.class-weights 0.5
    --imitation.bc-weight 0:1 0.3:1 0.6:0 --imitation.ppo-weight 0:0 0.3:0 0.35:1
    --eval-every 0 --checkpoint-every 48 --no-film --no-tensorboard --quiet
""".split()  # noqa: SIM905  # a command line reads better in one piece


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    torch.set_num_threads(1)
    folder = tmp_path_factory.mktemp("imitation") / "run"
    assert main([*LINE, "--run-folder", str(folder)]) == 0
    return folder


def test_phases_follow_one_another(trained: Path) -> None:
    lines = [line for line in read_json_lines(trained / "metrics.jsonl") if line["kind"] == "metrics"]
    assert [line["step"] for line in lines] == [16, 32, 48, 64, 80, 96]
    assert ["train/loss" in line for line in lines] == [False, False, True, True, True, True]
    assert ["imitation/critic_loss" in line for line in lines] == [True, True, False, False, False, False]
    assert ["imitation/bc_loss" in line for line in lines] == [True, True, True, True, False, False]


def test_it_resumes_as_if_nothing_had_been(trained: Path, tmp_path: Path) -> None:
    copy = Path(shutil.copytree(trained, tmp_path / "copy"))
    half, end = CheckpointStore(copy / "checkpoints").paths()
    assert int(half.name) == 48  # while both learn
    shutil.rmtree(end)
    assert main(["train", "--resume", str(copy), "--quiet"]) == 0
    states = [CheckpointStore(folder / "checkpoints").load_last()[1].tensors for folder in (trained, copy)]
    for name, tensor in states[0]["model"].items():
        assert torch.equal(tensor, states[1]["model"][name]), name
    samplers = [state["companions"][0]["sampler"]["order"] for state in states]
    assert torch.equal(*samplers)


def test_nothing_to_clone_is_told_by_its_flag(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["train", "caverns", "--imitation.bc-weight", "1", "--run-folder", str(tmp_path / "run")]) == 2
    assert "--imitation.bc-weight: there is nothing to clone: give recordings as `demos`" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())
