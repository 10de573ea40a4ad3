# SPDX-License-Identifier: GPL-3.0-or-later
"""Everything about one game: nothing of a definition is left out."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "games"))
from small_game import DEFINITION, write_game

from oakemu_rl.cli.main import main

RICH = (
    DEFINITION.replace(
        "reward: delta(score) + 10 * called(scored) + called(main_loop) / 100",
        "reward: {points: delta(score), time: -0.01}\nevaluation: {reward: delta(score)}",
    )
    + """\
derived: {danger: 10 - lives}
allow: {right: lives > 1}
starts:
  later: {weight: 0.5, after: default, start: [{wait: {frames: 30}}]}
limits: {steps: 90, stall: {value: score, steps: 40}}
verified: false
"""
)


@pytest.fixture(autouse=True)
def wide(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "150")


def shown(capsys: pytest.CaptureFixture[str], game: str) -> dict[str, str]:
    """What was printed, by the words in the first column; lines of one row are joined."""
    assert main(["games", "show", game]) == 0
    rows: dict[str, str] = {}
    name = ""
    for line in capsys.readouterr().out.splitlines():
        head, _, text = line.partition("  ")
        name = head if head else name
        rows[name] = " ".join([rows.get(name, ""), *text.split()]).strip()
    return rows


def test_all_of_a_definition(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = shown(capsys, str(write_game(tmp_path, RICH)))
    assert rows["id"] == "ZXSpectrum/Small-v0"
    assert rows["program"] == "small.tap"
    assert rows["verified"].startswith("not yet")
    assert "press: {keys: [space], frames: 3}" in rows["start"]
    assert rows["start later"] == "weight 0.5, after default {wait: {frames: 30}}"
    assert rows["variables"] == "score 0x9000 u16le lives 0x9002 u8 rounds 0x9003 u8"
    assert rows["derived"] == "danger 10 - lives"
    assert rows["routines"] == "unused 0x8000 main_loop 0x8011 scored 0x8028"
    assert rows["actions"] == "left o stay (nothing) right p"
    assert rows["allowed if"] == "right lives > 1"
    assert rows["reward"] == "points delta(score) time -0.01"
    assert rows["judged by"] == "delta(score)"
    assert (rows["win"], rows["loss"]) == ("(never)", "lives == 0")
    assert rows["limits"] == "steps 90, 40 steps in which score does not change"


def test_a_game_whose_program_is_missing_is_shown_all_the_same(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = shown(capsys, "manicminer")
    assert "a file that you bring" in rows["program"]
    assert main(["games", "show", "manicminer", "--picture", str(tmp_path / "a.png")]) == 2
    assert "a file that you bring" in capsys.readouterr().err


def test_a_check_goes_to_every_start(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = str(write_game(tmp_path, RICH))
    assert main(["games", "check", path]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert any(line.startswith("start default") and "danger 5" in line for line in lines)
    assert any(line.startswith("start later") and "reached after" in line for line in lines)
    write_game(tmp_path, RICH.replace("[{wait: {frames: 30}}]", "[{until: {routine: unused}}]"))
    assert main(["games", "check", path]) == 2
    assert "unused at 0x8000 was not reached" in capsys.readouterr().err
