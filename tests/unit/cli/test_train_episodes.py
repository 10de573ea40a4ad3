# SPDX-License-Identifier: GPL-3.0-or-later
"""Mixes of episodes and recordings from the command line, on a real game with a network of almost nothing."""

from pathlib import Path

import pytest
import torch
from test_train_metrics import documented
from tiny_training import forget_all_but_the_first_checkpoint, timeless, train

from oakemu_rl.cli.main import main
from oakemu_rl.training.configuration_file import load_layer
from oakemu_rl.training.json_lines import read_json_lines


@pytest.fixture(autouse=True)
def _one_thread() -> None:
    torch.set_num_threads(1)


def test_a_recording_that_is_replayed_whole_is_won_every_time(tmp_path: Path) -> None:
    """Caverns begins with no-op frames, and the policy would not win it: so it began, and went on, as recorded."""
    part = ["--episodes.policy", "0.2", "--episodes.replay", "1", "--episodes.replay-part", "1", "1"]
    assert train(tmp_path / "run", "caverns", "--demos", "caverns", *part, "--steps", "6000") == 0
    figures = {tag for line in read_json_lines(tmp_path / "run" / "metrics.jsonl") for tag in line} - {"step", "kind"}
    assert {"rollout/replay/success_rate", "episodes/replay"} <= figures
    page = documented()
    assert [tag for tag in sorted(figures) if not any(name.fullmatch(tag) for name in page)] == []
    episodes = list(read_json_lines(tmp_path / "run" / "episodes.jsonl"))
    replayed = {line["outcome"] for line in episodes if line["label"] == "replay"}
    assert replayed == {"win"}
    assert {line["outcome"] for line in episodes if line["label"] == "policy"} == {"loss"}


@pytest.mark.parametrize("more", [[], ["--overlap", "--model.recurrent", "gru"]], ids=["plain", "overlapped"])
def test_a_mix_goes_on_where_it_was_stopped(tmp_path: Path, more: list[str]) -> None:
    mix = [*more, "--demos", "caverns", "--episodes.policy", "1", "0.5", "--episodes.replay", "1"]
    mix += ["--episodes.random", "0.5", "--shaping.variable", "room", "--env.max-episode-steps", "0"]
    assert train(tmp_path / "straight", "caverns", *mix, "--steps", "1500", "--checkpoint-every", "500") == 0
    assert train(tmp_path / "parts", "caverns", *mix, "--steps", "1500", "--checkpoint-every", "500") == 0
    first = forget_all_but_the_first_checkpoint(tmp_path / "parts")
    assert main(["train", "--resume", str(tmp_path / "parts"), "--quiet"]) == 0
    for name in ("metrics.jsonl", "episodes.jsonl"):
        straight = timeless(tmp_path / "straight" / name)
        assert straight == timeless(tmp_path / "parts" / name)
        assert straight[-1]["step"] > first


def test_recordings_are_found_from_anywhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "settings.yaml").write_text("demos: [here.demo, caverns]\n")
    monkeypatch.chdir(tmp_path)
    assert load_layer(tmp_path / "settings.yaml")["demos"] == (tmp_path / "here.demo", Path("caverns"))


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["acorns", "--episodes.replay", "1"], "--episodes.replay: there is nothing to replay: give recordings as"),
        (["acorns", "--episodes.policy", "0"], "--episodes: policy, silent, random and replay are all 0 after 0"),
        (["acorns", "--episodes.polcy", "0"], "did you mean '--episodes.policy'"),
        (["acorns", "--episodes.replay", "1", "--demos", "missing.demo"], "missing.demo"),
        (["acorns", "--episodes.replay", "1", "--demos", __file__], f"{__file__}: not a recording"),
        (["acorns", "--episodes.replay", "1", "--demos", "cavern"], "did you mean 'caverns'"),
        (["acorns", "--episodes.replay", "1", "--demos", "caverns"], "caverns: "),
        (["caverns", "--episodes.replay", "1", "--demos", "caverns", "--env.frameskip", "2"], "caverns: step 1 of the"),
    ],
)
def test_what_cannot_be_replayed_is_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], said: str
) -> None:
    assert train(tmp_path / "run", *arguments) == 2
    error = capsys.readouterr().err
    assert said in error
    assert error.count("\n") == 1
    assert not (tmp_path / "run").exists()
