# SPDX-License-Identifier: GPL-3.0-or-later
"""Backward curricula from the command line, on a real game with a network of almost nothing."""

from pathlib import Path

import pytest
import torch
from tiny_training import forget_all_but_the_first_checkpoint, timeless, train

from oakemu_rl.cli.main import main
from oakemu_rl.training.json_lines import read_json_lines

_BACKWARD = """
    caverns --demos caverns --curriculum.rule threshold --curriculum.divide progress --curriculum.imitate 1
    --env.episodic-life --env.repeat-action-probability 0.1 --keep-demos 0
""".split()  # noqa: SIM905


@pytest.fixture(autouse=True)
def _one_thread() -> None:
    torch.set_num_threads(1)


_EVERYTHING = """
    --shaping.variable progress --shaping.scale 0.1 --env.reward-clipping
    --episodes.policy 6 --episodes.random 1 --episodes.replay 1 --episodes.replay-part 0 0.02
""".split()  # noqa: SIM905


@pytest.mark.parametrize("more", [[], _EVERYTHING])
def test_a_curriculum_moves_back_is_drawn_and_goes_on_where_it_was_stopped(tmp_path: Path, more: list[str]) -> None:
    budget = ["--steps", "1500", "--checkpoint-every", "500", "--curriculum.at-least", "1", *more]
    assert train(tmp_path / "straight", *_BACKWARD, *budget) == 0
    assert train(tmp_path / "parts", *_BACKWARD, *budget) == 0
    first = forget_all_but_the_first_checkpoint(tmp_path / "parts")
    assert main(["train", "--resume", str(tmp_path / "parts"), "--quiet"]) == 0
    for name in ("metrics.jsonl", "episodes.jsonl"):
        straight = timeless(tmp_path / "straight" / name)
        assert straight == timeless(tmp_path / "parts" / name)
        assert straight[-1]["step"] > first
    figures = timeless(tmp_path / "straight" / "metrics.jsonl")
    # Some of the 26 legs begin 8 steps before their ends, in the middle of the jump that ends them.
    assert figures[-1]["curriculum/learnt"] > figures[0]["curriculum/learnt"] > 0.15
    assert figures[-1]["curriculum/imitated/memory"] > 0
    assert (tmp_path / "straight" / "route.png").read_bytes().startswith(b"\x89PNG")
    played = {line["label"] for line in read_json_lines(tmp_path / "straight" / "episodes.jsonl")}
    assert ({"random", "replay"} <= played) == bool(more)


@pytest.mark.parametrize("demos", [[], ["--demos", "caverns"]])
def test_restarts_come_from_recordings_and_from_the_agent(tmp_path: Path, demos: list[str]) -> None:
    restarts = ["--curriculum.rule", "restarts", "--curriculum.divide", "progress", "--env.episodic-life"]
    assert train(tmp_path / "run", "caverns", *demos, *restarts, "--steps", "1500", "--keep-demos", "0") == 0
    figures = timeless(tmp_path / "run" / "metrics.jsonl")
    assert figures[-1]["curriculum/pool"] >= (25 if demos else 1)
    labels = {line["label"] for line in read_json_lines(tmp_path / "run" / "episodes.jsonl")}
    assert labels == {"own", "restart"}
    assert not (tmp_path / "run" / "route.png").exists()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["acorns", "--curriculum.rule", "plateau"], "--curriculum.rule: there is no route to learn: give a recording"),
        (["acorns", "--curriculum.rule", "restarts"], "--curriculum: restarts begin where a variable of the game"),
        (["acorns", "--curriculum.rule", "restarts", "--curriculum.divide", "acrons"], "no variable 'acrons'"),
        (["acorns", "--curriculum.rule", "platau"], "did you mean 'plateau'"),
        ([*_BACKWARD, "--curriculum.divide", "progres"], "did you mean 'progress'"),
        (
            [*_BACKWARD, "--episodes.policy", "0", "--episodes.replay", "1"],
            "--episodes.policy: a curriculum begins these episodes, and they never come",
        ),
        ([*_BACKWARD, "--shaping.variable", "rom"], "shaping.variable: no variable 'rom' (did you mean 'room'?)"),
        ([*_BACKWARD, "--model.recurrent", "gru"], "curriculum.imitate: "),
        (["acorns", "--curriculum.rule", "plateau", "--demos", "caverns"], "caverns: the recording is of"),
        (["caverns", "--demos", "caverns"], "--demos: nothing learns from the recordings; say how by"),
    ],
)
def test_what_cannot_be_learnt_is_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], said: str
) -> None:
    assert train(tmp_path / "run", *arguments) == 2
    error = capsys.readouterr().err
    assert said in error
    assert error.count("\n") == 1
    assert not (tmp_path / "run").exists()
