# SPDX-License-Identifier: GPL-3.0-or-later
"""Mixes of episodes and recordings from the command line, on a real game with a network of almost nothing."""

from pathlib import Path

import pytest
import torch
from test_train_metrics import documented

from oakemu_rl.cli.main import main
from oakemu_rl.training.configuration_file import load_layer
from oakemu_rl.training.json_lines import read_json_lines

_TINY = """
    --num-envs 4 --num-threads 1 --torch-threads 1 --ppo.rollout-length 64 --ppo.ppo-epochs 1 --ppo.num-minibatches 1
    --model.conv-filters 4 8 8 --model.fcnet-hiddens 8 --eval-every 0 --seed 5 --no-film --no-tensorboard
    --diagnostics-every 0
""".split()  # noqa: SIM905  # a command line reads better in one piece


@pytest.fixture(autouse=True)
def _one_thread() -> None:
    torch.set_num_threads(1)


def train(folder: Path, *arguments: str) -> int:
    return main(["train", *_TINY, "--run-folder", str(folder), "--quiet", *arguments])


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
    # Progress is a part of the whole budget: the run is stopped by losing its later checkpoints, not by its steps.
    assert train(tmp_path / "parts", "caverns", *mix, "--steps", "1500", "--checkpoint-every", "500") == 0
    checkpoints = sorted((tmp_path / "parts" / "checkpoints").iterdir())
    for later in checkpoints[1:]:
        for file in later.iterdir():
            file.unlink()
        later.rmdir()
    assert main(["train", "--resume", str(tmp_path / "parts"), "--quiet"]) == 0
    for name in ("metrics.jsonl", "episodes.jsonl"):
        straight, parts = (
            [
                {key: value for key, value in line.items() if not key.startswith("time/")}
                for line in read_json_lines(tmp_path / run / name)
            ]
            for run in ("straight", "parts")
        )
        assert straight == parts
        assert straight[-1]["step"] > int(checkpoints[0].name)


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
