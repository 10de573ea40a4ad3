# SPDX-License-Identifier: GPL-3.0-or-later
import json
from pathlib import Path

import pytest
import torch

from oakemu_rl.cli.main import main
from oakemu_rl.evaluation import episode_seeds


@pytest.fixture(autouse=True)
def _one_thread() -> None:
    torch.set_num_threads(1)


def figures(folder: Path, *args: str) -> dict:
    file = folder / "figures.json"
    assert main(["evaluate", *args, "--json", str(file), "--quiet"]) == 0
    return json.loads(file.read_text())


def test_the_report_is_for_people(tiny_run, capsys):
    assert main(["evaluate", str(tiny_run), "--episodes", "4"]) == 0
    captured = capsys.readouterr()
    out = captured.out
    assert out.startswith(f"ZXSpectrum/Acorns-v0: 4 episodes of {tiny_run}")
    assert "greedy" in out.splitlines()[0] + out.splitlines()[1]
    for text in ("mean", "95% interval", "median", "IQM", "lowest", "highest", "score", "return", "length (steps)"):
        assert text in out
    assert "outcomes: truncated 100% (4)" in out
    assert "good acorns caught in levels 1 to 3" in out
    assert "missed_1_3" in out
    assert captured.err == ""


def test_a_random_player_needs_no_agent(tmp_path):
    report = figures(tmp_path, "acorns", "--random", "--episodes", "12", "--seed", "4")
    assert report["player"] == "random"
    assert report["agent"] is None
    assert report["score"] if "score" in report else report["variables"]["score"]["mean"] < 5
    assert report["length"]["minimum"] >= 90
    assert report["outcomes"] == {"loss": 12}
    assert [episode["seed"] for episode in report["episodes"]] == episode_seeds(4, 12)
    share = report["shares"]["good acorns caught in levels 1 to 3"]
    ends = [episode["variables"] for episode in report["episodes"]]
    assert share["hits"] == sum(end["caught_1_3"] for end in ends)
    assert share["total"] == share["hits"] + sum(end["missed_1_3"] for end in ends)
    assert share["share"] == share["hits"] / share["total"]
    again = figures(tmp_path, "acorns", "--random", "--episodes", "12", "--seed", "4", "--num-envs", "5")
    assert again == report


def test_a_folder_with_the_name_of_a_game_is_no_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "acorns").mkdir()
    report = figures(tmp_path, "acorns", "--random", "--episodes", "1")
    assert (report["game"], report["agent"]) == ("ZXSpectrum/Acorns-v0", None)


def test_a_random_player_of_a_run_plays_what_the_run_s_agent_does(tiny_run, tmp_path):
    report = figures(tmp_path, str(tiny_run), "--random", "--episodes", "3")
    assert report["environment"]["max_episode_steps"] == 60
    assert report["length"]["maximum"] == 60


def test_the_seed_decides(tiny_run, tmp_path):
    one = figures(tmp_path, str(tiny_run), "--episodes", "3", "--sampled")
    assert figures(tmp_path, str(tiny_run), "--episodes", "3", "--sampled", "--num-envs", "2") == one
    other = figures(tmp_path, str(tiny_run), "--episodes", "3", "--sampled", "--seed", "1")
    assert [e["seed"] for e in other["episodes"]] != [e["seed"] for e in one["episodes"]]


def test_sticky_actions_and_noops(tiny_run, tmp_path):
    report = figures(tmp_path, str(tiny_run), "--episodes", "3", "--sticky", "0.25", "--noop-max", "0")
    assert report["environment"] == {
        "reward": "evaluation",
        "max_episode_steps": 60,
        "repeat_action_probability": 0.25,
        "noop_max": 0,
    }
    assert len({episode["variables"]["frames"] for episode in report["episodes"]}) == 1
    plain = figures(tmp_path, str(tiny_run), "--episodes", "3")
    assert len({episode["variables"]["frames"] for episode in plain["episodes"]}) > 1
    assert plain["episodes"] != report["episodes"]


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["acorns"], "acorns is the game ZXSpectrum/Acorns-v0, not an agent"),
        (["acornz", "--random"], "unknown game 'acornz' (did you mean"),
        (["runs/none"], "no checkpoint or run folder runs/none"),
        (["acorns", "--random", "--sampled"], "--random and --sampled do not go together"),
        (["acorns", "--random", "--sticky", "1"], "--sticky"),
        (["acorns", "--random", "--noop-max", "-1"], "--noop-max"),
        (["acorns", "--random", "--episodes", "0"], "--episodes"),
        (["acorns", "--random", "--num-envs", "0"], "--num-envs"),
        (["acorns", "--random", "--epsiodes", "3"], "did you mean '--episodes'"),
    ],
)
def test_mistakes_are_one_line(args, message, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["evaluate", *args]) == 2
    err = capsys.readouterr().err
    assert message in err
    assert err.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_a_report_that_cannot_be_written(tmp_path, capsys):
    (tmp_path / "file").write_text("")
    line = ["evaluate", "acorns", "--random", "--episodes", "1", "--json", str(tmp_path / "file" / "a.json")]
    assert main(line) == 2
    assert "file is not a folder" in capsys.readouterr().err
    line[-1] = str(tmp_path)
    assert main(line) == 2
    assert "cannot be written: it is a folder" in capsys.readouterr().err
