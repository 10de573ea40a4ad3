# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the figures of `oakemu-rl train` go."""

import importlib.util
import re
from pathlib import Path

import pytest
import torch
from rich.console import Console
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
from tracking_services import install_mlflow, install_wandb

from oakemu_rl.cli import train
from oakemu_rl.cli.main import main
from oakemu_rl.training import session
from oakemu_rl.training.json_lines import read_json_lines

TINY = """
    --num-envs 4 --num-threads 1 --torch-threads 1 --ppo.rollout-length 32 --ppo.ppo-epochs 1 --ppo.num-minibatches 1
    --model.conv-filters 4 8 8 --model.fcnet-hiddens 8 --eval-episodes 1 --env.max-episode-steps 60 --seed 5
    --eval-every 256 --checkpoint-every 128 --quiet
""".split()  # noqa: SIM905  # a command line reads better in one piece
PAGE = Path(__file__).parents[3] / "docs" / "metrics.md"


@pytest.fixture(autouse=True)
def _one_thread() -> None:
    torch.set_num_threads(1)


@pytest.fixture
def _services_are_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session, "_is_installed", lambda _: True)


def documented() -> list[re.Pattern[str]]:
    """Every name of the page; what stands in angle brackets there may be anything."""
    names = re.findall(r"`((?:time|rollout|episodes|train|eval|diagnostics)/[^`]+)`", PAGE.read_text(encoding="utf-8"))
    return [re.compile(re.sub(r"<\w+>", "[^/]+", name)) for name in names]


@pytest.mark.usefixtures("_services_are_installed")
def test_every_figure_is_on_the_page_and_goes_everywhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wandb = install_wandb(monkeypatch)
    run = tmp_path / "run"
    line = ["train", *TINY, "--steps", "512", "--no-film", "--run-folder", str(run), "--track", "wandb"]
    assert main(line) == 0
    lines = list(read_json_lines(run / "metrics.jsonl"))
    figures = {tag for line in lines for tag in line} - {"step", "kind", "text"}
    assert len(figures) > 40
    page = documented()
    assert [tag for tag in sorted(figures) if not any(name.fullmatch(tag) for name in page)] == []

    events = EventAccumulator(str(run))
    events.Reload()
    assert set(events.Tags()["scalars"]) == figures
    assert [event.step for event in events.Scalars("train/entropy")] == [128, 256, 384, 512]
    assert "hyperparameters" in events.Tags()["tensors"]

    (tracked,) = wandb.runs.values()
    assert {tag for entry in tracked.history for tag in entry} == figures
    assert tracked.config["ppo"]["rollout_length"] == 32
    assert tracked.exit_codes == [0]


@pytest.mark.usefixtures("_services_are_installed")
def test_a_resumed_run_is_tracked_in_one_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    server = install_mlflow(monkeypatch)
    run = tmp_path / "run"
    line = ["train", *TINY, "--no-tensorboard", "--no-film", "--run-folder", str(run), "--track", "mlflow"]
    assert main([*line, "--steps", "256", "--track-project", "games"]) == 0
    assert main(["train", "--resume", str(run), "--steps", "512", "--quiet"]) == 0
    (tracked,) = server.runs.values()
    assert [metric.step for metric in tracked.metrics if metric.key == "train/entropy"] == [128, 256, 384, 512]
    assert [metric.step for metric in tracked.metrics if metric.key == "eval/mean_reward"] == [256, 512]
    assert (tracked.status, list(server.experiments)) == ("FINISHED", ["games"])
    assert main(["train", "--resume", str(run), "--steps", "640", "--quiet", "--track", "None"]) == 0
    assert max(metric.step for metric in tracked.metrics) == 512


@pytest.mark.parametrize("service", ["wandb", "mlflow"])
def test_a_service_that_is_not_installed_is_told_before_anything_is_written(
    tmp_path: Path, service: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    real = importlib.util.find_spec
    monkeypatch.setattr(session, "find_spec", lambda name: None if name == service else real(name))
    assert main(["train", *TINY, "--run-folder", str(tmp_path / "run"), "--track", service]) == 2
    said = f"train needs {service}, which is not installed: pip install 'oakemu-rl[{service}]'"
    assert said in capsys.readouterr().err
    assert not any(tmp_path.iterdir())


def test_a_folder_of_the_services_name_is_not_the_service(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "wandb_folder").mkdir()
    monkeypatch.syspath_prepend(str(tmp_path))
    assert importlib.util.find_spec("wandb_folder") is not None
    assert not session._is_installed("wandb_folder")
    assert session._is_installed("torch")


def test_an_unknown_service_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["train", *TINY, "--run-folder", str(tmp_path / "run"), "--track", "comet"]) == 2
    assert "--track" in capsys.readouterr().err


def test_a_terminal_that_cannot_move_its_cursor_gets_lines(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(
        train, "Console", lambda file: Console(file=file, force_terminal=True, _environ={"TERM": "dumb"})
    )
    line = [word for word in TINY if word != "--quiet"]
    run = tmp_path / "run"
    assert main(["train", *line, "--steps", "256", "--no-film", "--no-tensorboard", "--run-folder", str(run)]) == 0
    out = capsys.readouterr().out
    assert "128/256 steps" in out
    assert "\x1b" not in out
