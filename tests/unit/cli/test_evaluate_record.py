# SPDX-License-Identifier: GPL-3.0-or-later
"""`oakemu-rl evaluate --record`: the episodes that are judged, as recordings."""

import json
from pathlib import Path

import pytest
import torch

from oakemu_rl.cli.main import main
from oakemu_rl.demos import load_demo, read_head, replay
from oakemu_rl.games import load_game

RANDOM = ("evaluate", "acorns", "--random", "--episodes", "7", "--seed", "4", "--num-envs", "3", "--quiet")


@pytest.fixture(autouse=True)
def _one_thread() -> None:
    torch.set_num_threads(1)


def test_every_episode_is_recorded_as_it_was_judged(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    report, folder = tmp_path / "figures.json", tmp_path / "kept"
    assert main([*RANDOM[:-1], "--json", str(report), "--record", str(folder), "--sticky", "0.25"]) == 0
    assert capsys.readouterr().out.endswith("/kept: 7 recordings\n")  # those of machines without work do not count
    episodes = json.loads(report.read_text())["episodes"]
    files = sorted(folder.iterdir())
    assert len(files) == len(episodes) == 7
    for number, (file, episode) in enumerate(zip(files, episodes, strict=True), start=1):
        assert file.name == f"{number}_loss_{episode['episode_return']:g}.demo"
        demo = load_demo(file)
        assert (demo.seed, demo.steps, demo.outcome) == (episode["seed"], episode["length"], episode["outcome"])
        ended = load_game("acorns").read(replay(demo, load_game("acorns")).visible_ram())
        assert {name: ended[name] for name in episode["variables"]} == episode["variables"]


def test_the_best_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    report = tmp_path / "figures.json"
    args = ["--json", str(report), "--record", str(tmp_path / "kept"), "--record-only", "best"]
    assert main([*RANDOM[:-1], *args]) == 0
    returns = [each["episode_return"] for each in json.loads(report.read_text())["episodes"]]
    (file,) = (tmp_path / "kept").iterdir()
    assert file.name.startswith(f"{returns.index(max(returns)) + 1}_")
    assert read_head(file).episode_return == max(returns)
    assert capsys.readouterr().out.endswith("/kept: 1 recordings\n")


def test_no_win_no_recording(tmp_path: Path) -> None:
    assert main([*RANDOM, "--record", str(tmp_path / "kept"), "--record-only", "wins"]) == 0
    assert not list((tmp_path / "kept").iterdir())


def test_mistakes_are_told_before_anything_is_played(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*RANDOM, "--record-only", "wins"]) == 2
    assert capsys.readouterr().err == (
        "oakemu-rl: error: --record-only wins: nothing is recorded; --record FOLDER says where to\n"
    )
    (tmp_path / "file").touch()
    assert main([*RANDOM, "--record", str(tmp_path / "file")]) == 2
    assert "cannot be written" in capsys.readouterr().err
