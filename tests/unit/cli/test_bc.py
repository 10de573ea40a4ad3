# SPDX-License-Identifier: GPL-3.0-or-later
"""`oakemu-rl bc` in this process, on the recording of Caverns that ships, with a network of almost nothing."""

import json
import os
import signal
from pathlib import Path

import pytest
import torch

from oakemu_rl.cli import bc
from oakemu_rl.cli.main import main
from oakemu_rl.imitation import Epoch
from oakemu_rl.training import CheckpointStore, load_agent
from oakemu_rl.training.json_lines import read_json_lines

TINY = "--model.conv-filters 4 8 8 --model.fcnet-hiddens 8 --torch-threads 1 --batch-size 400 --seed 5".split()  # noqa: SIM905  # a command line reads better in one piece


@pytest.fixture(autouse=True)
def _one_thread() -> None:
    torch.set_num_threads(1)


@pytest.fixture(scope="module")
def cloned(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished run on the same recording twice, one of which is held out; not to be changed."""
    folder = tmp_path_factory.mktemp("bc") / "run"
    assert main(["bc", "caverns", "caverns", *TINY, "--epochs", "3", "--run-folder", str(folder), "--quiet"]) == 0
    return folder


def weights(folder: Path) -> dict[str, torch.Tensor]:
    return CheckpointStore(folder / "best").load_last()[1].tensors["model"]  # type: ignore[no-any-return]  # as saved


def test_it_leaves_an_agent_and_says_how_well_it_does(cloned: Path) -> None:
    figures = json.loads((cloned / "cloning.json").read_text())
    assert [each["held_out"] for each in figures["recordings"]].count(True) == 1
    assert figures["actions"] == ["stay", "left", "right", "jump", "left_jump", "right_jump"]
    validation = figures["validation"]
    assert validation["steps"] == 1099
    assert [sum(row) for row in validation["confusion"]] == [755, 114, 142, 5, 32, 51]
    assert validation["accuracy"] == sum(validation["confusion"][i][i] for i in range(6)) / 1099
    lines = list(read_json_lines(cloned / "metrics.jsonl"))
    assert [line["bc/epoch"] for line in lines] == [1, 2, 3]
    assert lines[-1]["bc/loss"] < lines[0]["bc/loss"] < 1.8
    assert lines[figures["best_epoch"] - 1]["bc/validation_loss"] == pytest.approx(validation["loss"])
    agent = load_agent(cloned)
    assert agent.game.id == "ZXSpectrum/Caverns-v0"
    assert agent.step == 3 * 1200  # three batches of 400 an epoch


def test_the_same_seed_gives_the_same_weights(cloned: Path, tmp_path: Path) -> None:
    line = ["bc", "caverns", "caverns", *TINY, "--epochs", "3", "--quiet", "--run-folder"]
    assert main([*line, str(tmp_path / "same")]) == 0
    assert main([*line, str(tmp_path / "other"), "--seed", "6"]) == 0
    for name, tensor in weights(cloned).items():
        assert torch.equal(tensor, weights(tmp_path / "same")[name])
    assert not torch.equal(weights(cloned)["policy_head.weight"], weights(tmp_path / "other")["policy_head.weight"])


def test_it_says_what_it_does_and_what_next(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bc", "caverns", *TINY, "--epochs", "1", "--output", str(tmp_path / "run")]) == 0
    out = capsys.readouterr().out
    for text in (
        "nothing is held out",
        "epoch 1  loss ",
        "best after epoch 1 of 1: accuracy ",
        "on the 1,099 steps learnt from",
        "right_jump",
        f"oakemu-rl evaluate {tmp_path / 'run'}",
    ):
        assert text in out, text
    assert "held out: loss" not in out


def test_ppo_begins_where_cloning_ended(cloned: Path, tmp_path: Path) -> None:
    small = ["--num-envs", "2", "--num-threads", "1", "--ppo.rollout-length", "8", "--ppo.num-minibatches", "1"]
    line = ["train", "--config", str(cloned / "config.yaml"), "--initial", str(cloned), *small, "--steps", "16"]
    waiting = ["--imitation.ppo-weight", "0", "--eval-every", "0", "--no-film", "--no-tensorboard", "--quiet"]
    assert main([*line, *waiting, "--run-folder", str(tmp_path / "run")]) == 0
    trained = CheckpointStore(tmp_path / "run" / "checkpoints").load_last()[1].tensors["model"]
    for name, tensor in weights(cloned).items():
        assert torch.equal(tensor, trained[name]) == (not name.startswith("value_head")), name


def test_settings_of_a_trained_run_are_taken_but_not_its_folder(tmp_path: Path) -> None:
    config = tmp_path / "config.yaml"
    config.write_text(
        f"game: caverns\ndemos: [caverns]\nrun_folder: {tmp_path}\n"
        "model: {conv_filters: [[4, 8, 8]], fcnet_hiddens: [9]}\n"
        "imitation: {batch_size: 300}\ntorch_threads: 1\n"
    )
    assert main(["bc", "--config", str(config), "--epochs", "1", "--quiet", "--output", str(tmp_path / "run")]) == 0
    assert weights(tmp_path / "run")["fc.0.weight"].shape[0] == 9
    assert load_agent(tmp_path / "run").step == 4 * 300
    assert "run_folder: null" in (tmp_path / "run" / "config.yaml").read_text()


def test_a_cloned_run_cannot_go_on_as_a_trained_one(cloned: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["train", "--resume", str(cloned)]) == 2
    assert f"begin a run with it: --initial {cloned}" in capsys.readouterr().err


def test_ctrl_c_ends_it_after_its_epoch_with_the_best_weights(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = bc.describe_epoch

    def interrupted(epoch: Epoch) -> str:
        if epoch.index == 2:
            os.kill(os.getpid(), signal.SIGINT)
        return real(epoch)

    monkeypatch.setattr(bc, "describe_epoch", interrupted)
    assert main(["bc", "caverns", *TINY, "--epochs", "50", "--run-folder", str(tmp_path / "run")]) == 130
    assert json.loads((tmp_path / "run" / "cloning.json").read_text())["epochs"] == 2
    assert load_agent(tmp_path / "run").step == 2 * 1200


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ([], "DEMO is missing"),
        (["cavern"], "there is no recording 'cavern' (did you mean 'caverns'?)"),
        (["missing.demo"], "missing.demo: No such file"),
        (["caverns", "--game", "acorns"], "the recording is of ZXSpectrum/Caverns-v0, not of ZXSpectrum/Acorns-v0"),
        (["caverns", "--batch-size", "2000"], "1099 steps to learn from, fewer than a batch of 2000"),
        (["caverns", "--focus", "room 9"], "no recording has a marker or a step 'room 9'"),
        (["caverns", "--label-smoothing", "1"], "--label-smoothing: must be less than 1"),
        (["caverns", "--env.frameskip", "3"], "frameskip"),
        (["caverns", "--epoch", "3"], "unknown flag --epoch (did you mean '--epochs'?)"),
    ],
)
def test_mistakes_are_told_in_one_line_and_nothing_is_written(
    line: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["bc", *line]) == 2
    err = capsys.readouterr().err
    assert message in err
    assert err.count("\n") == 1
    assert not list(tmp_path.iterdir())


def test_a_run_that_was_ended_in_the_middle_is_not_taken_for_one_of_ppo(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(_: Epoch) -> str:
        raise KeyboardInterrupt  # as the second Ctrl-C

    monkeypatch.setattr(bc, "describe_epoch", fail)
    assert main(["bc", "caverns", *TINY, "--epochs", "2", "--run-folder", str(tmp_path / "run")]) == 130
    assert main(["train", "--resume", str(tmp_path / "run")]) == 2
    assert "was cloned from recordings, not trained" in capsys.readouterr().err
