# SPDX-License-Identifier: GPL-3.0-or-later
"""`oakemu-rl train` and what follows it, in this process, on the real game with a network of almost nothing."""

import importlib.util
import json
import re
import shutil
from pathlib import Path

import pytest
import torch

from oakemu_rl.cli.main import main
from oakemu_rl.errors import UserError
from oakemu_rl.training import CheckpointStore, RunFolder, load_agent, session
from oakemu_rl.training.checkpoint import Checkpoint, read_checkpoint, write_checkpoint
from oakemu_rl.training.json_lines import read_json_lines

TINY = """
    --num-envs 4 --num-threads 1 --torch-threads 1 --ppo.rollout-length 32 --ppo.ppo-epochs 1 --ppo.num-minibatches 1
    --model.conv-filters 4 8 8 --model.fcnet-hiddens 8 --eval-episodes 1 --env.max-episode-steps 60 --seed 5
""".split()  # noqa: SIM905  # a command line reads better in one piece


@pytest.fixture(autouse=True)
def _one_thread() -> None:
    torch.set_num_threads(1)


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished run; tests that change it take a copy."""
    folder = tmp_path_factory.mktemp("train") / "runs" / "tiny"
    every = ["--steps", "512", "--eval-every", "256", "--checkpoint-every", "128", "--keep-last", "2", "--no-film"]
    assert main(["train", *TINY, *every, "--run-folder", str(folder), "--quiet"]) == 0
    return folder


@pytest.fixture
def copy(trained: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(trained, tmp_path / "copy"))


def test_a_run_leaves_everything_in_its_folder(trained: Path) -> None:
    names = {path.name.split(".")[0] if path.name.startswith("events") else path.name for path in trained.iterdir()}
    assert names == {
        ".lock",
        "best",
        "checkpoints",
        "config.yaml",
        "demos",
        "episodes.jsonl",
        "events",
        "export",
        "learning_curve.png",
        "metrics.jsonl",
        "videos",
    }
    assert RunFolder.open(trained.parent / "latest").path == trained
    assert [int(path.name) for path in CheckpointStore(trained / "checkpoints").paths()] == [384, 512]
    assert len(CheckpointStore(trained / "best").paths()) == 1
    metrics = list(read_json_lines(trained / "metrics.jsonl"))
    assert [line["step"] for line in metrics if line["kind"] == "metrics"] == [128, 256, 384, 512]
    assert [line["step"] for line in metrics if line["kind"] == "evaluation"] == [256, 512]
    assert {"rollout/ep_rew_mean", "time/fps", "train/approx_kl", "train/learning_rate"} <= metrics[-2].keys()
    assert {"eval/mean_reward", "eval/success_rate", "eval/score"} <= metrics[-1].keys()
    episodes = list(read_json_lines(trained / "episodes.jsonl"))
    assert episodes
    assert {line["outcome"] for line in episodes} <= {"loss", "truncated", "win"}


def test_quiet_is_silent(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    line = [*TINY, "--steps", "128", "--eval-every", "0", "--no-film", "--no-tensorboard", "--quiet"]
    assert main(["train", *line, "--output", str(tmp_path / "run")]) == 0
    assert capfd.readouterr() == ("", "")
    assert not list((tmp_path / "run").glob("events*"))


def test_the_end_says_what_next(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    line = [*TINY, "--steps", "128", "--eval-every", "128", "--no-film", "--no-tensorboard"]
    assert main(["train", *line, "--output", str(tmp_path / "run")]) == 0
    out = capsys.readouterr().out
    for verb in ("watch", "evaluate", "export"):
        assert f"oakemu-rl {verb} {tmp_path / 'run'}" in out
    assert "\x1b" not in out


@pytest.mark.parametrize(("padding", "times"), [("valid", 1), ("same", 0)])
def test_it_says_what_the_network_does_not_see(
    padding: str, times: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    line = [*TINY, "--steps", "128", "--eval-every", "0", "--no-film", "--no-tensorboard"]
    assert main(["train", *line, "--model.conv-padding", padding, "--output", str(tmp_path / "run")]) == 0
    assert capsys.readouterr().out.count("the network does not see rows 40-43 of 44 of its pictures") == times


def test_config_files_lie_between_preset_and_flags(tmp_path: Path) -> None:
    config = tmp_path / "mine.yaml"
    config.write_text("seed: 9\nsteps: 64\nppo: {gamma: 0.5}\n")
    line = [*TINY, "--steps", "128", "--eval-every", "0", "--no-film", "--no-tensorboard", "--quiet"]
    assert main(["train", *line, "--config", str(config), "--output", str(tmp_path / "run")]) == 0
    saved = (tmp_path / "run" / "config.yaml").read_text()
    for text in ("seed: 5", "steps: 128", "gamma: 0.5", "gae_lambda: 0.95", "game: ZXSpectrum/Acorns-v0"):
        assert text in saved, text


def test_a_finished_run_goes_on_when_it_is_given_more_steps(copy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = (copy / "metrics.jsonl").read_text()
    assert main(["train", "--resume", str(copy), "--steps", "640"]) == 0
    assert "changed: steps is 640, it was 512" in capsys.readouterr().out
    assert (copy / "metrics.jsonl").read_text().startswith(before)
    steps = [line["step"] for line in read_json_lines(copy / "metrics.jsonl") if line["kind"] == "metrics"]
    assert steps == [128, 256, 384, 512, 640]
    assert "steps: 640" in (copy / "config.yaml").read_text()


def test_resuming_a_finished_run_changes_nothing(copy: Path) -> None:
    logs = {name: (copy / name).read_text() for name in ("metrics.jsonl", "episodes.jsonl", "config.yaml")}
    assert main(["train", "--resume", str(copy), "--quiet"]) == 0
    assert {name: (copy / name).read_text() for name in logs} == logs


def test_a_run_without_a_checkpoint_begins_again(copy: Path) -> None:
    first = [line["step"] for line in read_json_lines(copy / "episodes.jsonl")]
    shutil.rmtree(copy / "checkpoints")
    (copy / "checkpoints").mkdir()
    assert main(["train", "--resume", str(copy), "--quiet"]) == 0
    assert [line["step"] for line in read_json_lines(copy / "episodes.jsonl")] == first


def test_an_edited_config_file_does_not_change_the_experiment(copy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config = copy / "config.yaml"
    config.write_text(re.sub(r"(?m)^seed: .*$", "seed: 77", config.read_text()))
    assert main(["train", "--resume", str(copy), "--steps", "600", "--quiet"]) == 2
    assert "cannot change seed: the run has 5, 77 was given" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        ("--num-envs 8", "cannot change num_envs: the run has 4, 8 was given"),
        ("--seed 6", "cannot change seed"),
        ("--ppo.gamma 0.5", "cannot change ppo.gamma"),
        ("--model.fcnet-hiddens 16", "cannot change model.fcnet_hiddens"),
        ("--run-folder x", "does not go with --resume"),
        ("--steps -1", "--steps: must be greater than 0"),
    ],
)
def test_a_resumed_run_stays_the_same_experiment(
    copy: Path, flags: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    config = (copy / "config.yaml").read_text()
    assert main(["train", "--resume", str(copy), *flags.split()]) == 2
    assert said in capsys.readouterr().err
    assert (copy / "config.yaml").read_text() == config


def test_an_existing_folder_is_refused(copy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["train", *TINY, "--run-folder", str(copy)]) == 2
    assert f"{copy} exists; go on with it by --resume {copy}" in capsys.readouterr().err


def test_two_processes_do_not_train_in_one_folder(copy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with RunFolder.open(copy).lock():
        assert main(["train", "--resume", str(copy)]) == 2
    assert "another process is training" in capsys.readouterr().err


def test_a_damaged_last_checkpoint_is_passed_over(copy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    last = CheckpointStore(copy / "checkpoints").paths()[-1] / "tensors.pt"
    last.write_bytes(last.read_bytes()[:1000])
    assert main(["train", "--resume", str(copy)]) == 0
    out = capsys.readouterr().out
    assert f"{last} is truncated" in out
    assert "at step 384" in out
    steps = [line["step"] for line in read_json_lines(copy / "metrics.jsonl") if line["kind"] == "metrics"]
    assert steps == [128, 256, 384, 512]


def _edit_info(store: Path, **changes: object) -> None:
    for path in CheckpointStore(store).paths():
        saved = read_checkpoint(path)
        shutil.rmtree(path)
        game = {**saved.info["game"], **changes}
        write_checkpoint(path, Checkpoint({**saved.info, "game": game}, saved.tensors))


def test_a_checkpoint_of_another_game_is_refused(copy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _edit_info(copy / "checkpoints", id="ZXSpectrum/Other-v0")
    assert main(["train", "--resume", str(copy)]) == 2
    assert "the checkpoint is of ZXSpectrum/Other-v0, not of ZXSpectrum/Acorns-v0" in capsys.readouterr().err
    _edit_info(copy / "best", id="ZXSpectrum/Other-v0")
    assert main(["evaluate", str(copy), "--episodes", "1"]) == 2
    assert "was trained on ZXSpectrum/Other-v0, not on ZXSpectrum/Acorns-v0" in capsys.readouterr().err


def test_a_run_does_not_go_on_with_changed_rules(copy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _edit_info(copy / "checkpoints", fingerprint="0123456789abcdef")
    assert main(["train", "--resume", str(copy)]) == 2
    assert "has changed since the checkpoint" in capsys.readouterr().err


def test_an_agent_says_when_its_rules_have_changed_but_plays(copy: Path) -> None:
    assert load_agent(copy).notes == ()
    _edit_info(copy / "best", fingerprint="0123456789abcdef")
    assert "has changed since" in load_agent(copy).notes[0]
    _edit_info(copy / "best", actions=["stay", "left"])
    with pytest.raises(UserError, match=r"has the actions stay, left; .* now has stay, left, right"):
        load_agent(copy)


def test_a_checkpoint_of_another_network_is_refused(copy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config = copy / "config.yaml"
    config.write_text(config.read_text().replace("fcnet_hiddens: [8]", "fcnet_hiddens: [16]"))
    assert main(["train", "--resume", str(copy)]) == 2
    assert "cannot change model.fcnet_hiddens: the run has [8], [16] was given" in capsys.readouterr().err
    for path in CheckpointStore(copy / "checkpoints").paths():  # weights that are not those of their own settings
        saved = read_checkpoint(path)
        settings = saved.info["configuration"]
        settings = {**settings, "model": {**settings["model"], "fcnet_hiddens": [16]}}
        shutil.rmtree(path)
        write_checkpoint(path, Checkpoint({**saved.info, "configuration": settings}, saved.tensors))
    assert main(["train", "--resume", str(copy)]) == 2
    err = capsys.readouterr().err
    assert "of another network" in err
    assert "(8," in err
    assert "(16," in err


def test_evaluate_and_export_take_the_run(trained: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    figures = tmp_path / "figures.json"
    assert main(["evaluate", str(trained), "--episodes", "3", "--json", str(figures)]) == 0
    out = capsys.readouterr().out
    for text in ("median", "IQM", "95% interval", "outcomes: truncated 100% (3)", "good acorns caught"):
        assert text in out, text
    report = json.loads(figures.read_text())
    assert len(report["episodes"]) == 3
    assert main(["export", str(trained), "--output", str(tmp_path / "agent.onnx")]) == 0
    assert "onnxruntime agrees" in capsys.readouterr().out
    assert (tmp_path / "agent.onnx").is_file()


def test_evaluate_is_the_same_whatever_the_number_of_environments(
    trained: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    reports = []
    for number in (1, 3):
        line = ["evaluate", str(trained), "-n", "3", "--num-envs", str(number), "--json", str(tmp_path / "e.json")]
        assert main([*line, "--quiet"]) == 0
        reports.append((tmp_path / "e.json").read_text())
    assert reports[0] == reports[1]
    assert capsys.readouterr() == ("", "")


def test_bench_measures_and_writes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "bench.json"
    assert main(["bench", "--seconds", "0.01", "--num-envs", "2", "--json", str(file)]) == 0
    assert "training steps" in capsys.readouterr().out
    assert all(rate > 0 for rate in json.loads(file.read_text())["per_second"].values())


def test_a_missing_package_is_told_before_anything_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    real = importlib.util.find_spec
    monkeypatch.setattr(session, "find_spec", lambda name: None if name == "tensorboard" else real(name))
    assert main(["train", *TINY, "--run-folder", str(tmp_path / "run")]) == 2
    assert "train needs tensorboard, which is not installed: pip install" in capsys.readouterr().err
    assert not any(tmp_path.iterdir())
