# SPDX-License-Identifier: GPL-3.0-or-later
import json
import shutil
from pathlib import Path

import pytest
import torch

from oakemu_rl.cli.main import main
from oakemu_rl.evaluation import episode_seeds


@pytest.fixture(autouse=True)
def _one_thread() -> None:
    torch.set_num_threads(1)


@pytest.fixture
def two_runs(tiny_run: Path, tmp_path: Path) -> list[str]:
    """A run with two evaluations, and the same as if it had had another setting."""
    paths = [tmp_path / "runs" / name for name in ("one", "twin")]
    for path in paths:
        shutil.copytree(tiny_run, path)
        lines = [{"step": step, "kind": "evaluation", "eval/mean_reward": step / 100} for step in (100, 200)]
        (path / "metrics.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    config = paths[1] / "config.yaml"
    text = config.read_text()
    assert "clip_coef: 0.2" in text
    config.write_text(text.replace("clip_coef: 0.2", "clip_coef: 0.1"))
    return [str(path) for path in paths]


def test_runs_are_compared_in_the_same_episodes(
    two_runs: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    picture, report = tmp_path / "curves.png", tmp_path / "report.json"
    flags = ["--episodes", "4", "--seed", "7", "--picture", str(picture), "--json", str(report)]
    assert main(["compare", *two_runs, *flags]) == 0
    out = capsys.readouterr().out
    assert "ppo.clip_coef 0.2" in out
    assert "ppo.clip_coef 0.1" in out
    assert "A against B: +0.00 an episode (95%: +0.00 to +0.00; p = 1.0000, may be chance)" in out
    assert picture.read_bytes().startswith(b"\x89PNG")
    figures = json.loads(report.read_text())
    assert [method["runs"] for method in figures["methods"]] == [[path] for path in two_runs]
    first, second = (method["returns"] for method in figures["methods"])
    assert first == second  # the weights are the same
    assert figures["comparisons"][0]["significant"] is False
    judged = tmp_path / "judged.json"
    assert main(["evaluate", two_runs[0], "-n", "4", "--seed", "7", "--quiet", "--json", str(judged)]) == 0
    episodes = json.loads(judged.read_text())["episodes"]
    assert [episode["seed"] for episode in episodes] == episode_seeds(7, 4)
    assert [episode["episode_return"] for episode in episodes] == first[0]


def test_curves_alone_play_nothing(two_runs: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    picture = tmp_path / "curves.png"
    assert main(["compare", *two_runs, "--picture", str(picture)]) == 0
    out = capsys.readouterr().out
    assert "against" not in out
    assert f"curves in {picture}" in out


@pytest.mark.parametrize(
    ("args", "words"),
    [
        ([], "compare needs run folders"),
        (["{one}", "{one}"], "is given twice"),
        (["{one}x"], "no run folder"),
        (["{one}", "--episodes", "-1"], "--episodes"),
        (["{one}", "--picture", "{one}"], "it is a folder"),
        (["{one}", "--curve", "loss"], "--curve"),
        (["{one}", "--curve", "training"], "try --curve evaluation"),
    ],
)
def test_mistakes_are_one_line(
    args: list[str],
    words: str,
    two_runs: list[str],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    monkeypatch.chdir(empty)
    assert main(["compare", *(arg.format(one=two_runs[0]) for arg in args)]) == 2
    err = capsys.readouterr().err
    assert words in err
    assert err.count("\n") == 1
    assert list(empty.iterdir()) == []
