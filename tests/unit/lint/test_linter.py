# SPDX-License-Identifier: GPL-3.0-or-later
"""Whole reports, on a game of a few bytes that has been spoilt in one way or another."""

import json
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "games"))
import small_game
from small_game import CODE, DEFINITION, write_game

from oakemu_rl.cli.main import main
from oakemu_rl.games import load_game
from oakemu_rl.lint import Finding, LintReport, lint_game, linter

SOUND = DEFINITION.replace(
    "reward: delta(score) + 10 * called(scored) + called(main_loop) / 100", "reward: delta(score)"
).replace("loss: lives == 0", "loss: rounds == 77\nlimits: {steps: 60}")


@pytest.fixture(autouse=True)
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(linter, "_RANDOM_STEPS", 150)
    monkeypatch.setattr(linter, "_HELD_STEPS", 150)


def lint(folder: Path, text: str) -> LintReport:
    return lint_game(load_game(write_game(folder, text)))


def texts(findings: list[Finding]) -> list[str]:
    return [f"{finding.level} {finding.check} {finding.text}" for finding in findings]


def test_a_game_that_is_sound_but_for_its_lives_and_its_one_direction(tmp_path: Path) -> None:
    report = lint(tmp_path, SOUND)
    assert texts(report.findings) == [
        "warning actions right does the same as left, from all of 20 states",  # O and P count alike
        "warning variables never changed: lives (5)",
    ]
    assert report.errors == 0
    assert report.random.steps == 16 * 150
    assert report.random.rewarded > 0.5 * report.random.steps  # two of three actions score
    assert report.frames_per_second > 0
    assert 0xDFFE in report.ports
    assert {effect.action for effect in report.effects} == {"left", "right"}
    assert all(effect.different == effect.tried > 10 for effect in report.effects)


def test_each_action_is_held_all_the_time(tmp_path: Path) -> None:
    report = lint(tmp_path, SOUND.replace("reset: {noops: [0, 3], randomize: {rounds: u8}}", ""))
    assert set(report.held.returns) == {0.0, max(report.held.returns)}  # staying scores nothing, the others alike


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("reward: delta(score)", "reward: 0", "error reward not one of"),
        ("reward: delta(score)", "reward: 100 * delta(score)", "warning reward a step is worth up to"),
        ("limits: {steps: 60}", "", "error episodes there is no limit, and no episode ended"),
        ("rounds == 77", "rounds >= 0", "error episodes there are episodes of one step"),
        ("right: [p]}", "right: [p], jump: [q]}", "warning actions jump did nothing: the machine was the same"),
        ("{left: [o], stay: [], right: [p]}", "{stay: [], jump: [q]}", "error actions no action did anything"),
        ("score: {at: 0x9000, type: u16le}", "score: {at: 0x8016, type: bcd3}", "error variables score was 01 FE DF"),
        ("actions:", "joystick: kempston\nactions:", "warning joystick joystick is kempston, but the game never"),
        ("actions:", "allow: {right: lives > 9}\nactions:", "warning actions right was never allowed"),
        (
            "reward: delta(score)",
            "reward: {points: delta(score), door: lives / 0.5 - 10}",
            "warning reward the part door",
        ),
        ("reset: {noops: [0, 3], randomize: {rounds: u8}}", "", "warning start 4 seeds begin the same episode"),
    ],
)
def test_what_is_spoilt_is_told(old: str, new: str, said: str, tmp_path: Path) -> None:
    assert old in SOUND
    text = SOUND.replace(old, new)
    if said.startswith("error episodes there is no limit"):
        text = text.replace("loss: rounds == 77", "loss: rounds == 300")
    report = lint(tmp_path, text)
    assert any(text.startswith(said) for text in texts(report.findings)), texts(report.findings)
    assert [finding.level for finding in report.findings] == sorted(finding.level for finding in report.findings)


def test_a_masked_action_is_tried_where_it_is_allowed(tmp_path: Path) -> None:
    report = lint(tmp_path, SOUND.replace("actions:", "allow: {right: score > 5}\nactions:"))
    tried = {effect.action: effect.tried for effect in report.effects}
    assert 0 < tried["right"] < tried["left"]


def test_a_game_with_several_starts(tmp_path: Path) -> None:
    report = lint(tmp_path, SOUND + "starts: {later: {after: default, start: [{wait: {frames: 30}}]}}\n")
    assert report.errors == 0


def test_a_joystick_that_is_read_but_not_attached(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read_p = bytes([0x01, 0xFE, 0xDF, 0xED, 0x78])
    assert CODE.count(read_p) == 1
    monkeypatch.setattr(small_game, "CODE", CODE.replace(read_p, bytes([0xDB, 0x1F, 0x00, 0x00, 0x00])))
    report = lint(tmp_path, SOUND)
    assert any(text.startswith("warning joystick the game reads the Kempston port") for text in texts(report.findings))
    assert set(report.ports) == {0x001F | port & 0xFF00 for port in report.ports}


def test_the_same_seed_says_the_same(tmp_path: Path) -> None:
    reports = [lint(tmp_path, SOUND).as_dict() for _ in range(2)]
    for report in reports:
        del report["frames_per_second"], report["random"]["seconds"], report["held"]["seconds"]
    assert reports[0] == reports[1]


def run(capsys: pytest.CaptureFixture[str], *args: str) -> tuple[int, str, str]:
    code = main(["games", "lint", *args])
    output = capsys.readouterr()
    return code, output.out, output.err


def test_exit_codes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = str(write_game(tmp_path, SOUND))
    code, out, _ = run(capsys, path)
    assert code == 0
    assert "0 errors, 2 warnings" in out
    assert run(capsys, path, "--strict")[0] == 1
    path = str(write_game(tmp_path, SOUND.replace("reward: delta(score)", "reward: 0")))
    code, out, _ = run(capsys, path)
    assert code == 1
    assert "1 error, " in out
    code, out, err = run(capsys, "nothing.yaml")
    assert (code, out) == (2, "")
    assert err.count("\n") == 1


def test_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = str(write_game(tmp_path, SOUND))
    code, out, _ = run(capsys, path, "--json", "-")
    report = json.loads(out)
    assert code == 0
    assert report["game"] == "ZXSpectrum/Small-v0"
    assert report["findings"][0].keys() == {"level", "check", "text", "hint"}
    assert report["random"]["variables"]["lives"] == [5, 5]
    code, out, _ = run(capsys, path, "--json", str(tmp_path / "report.json"))
    assert "0 errors" in out
    assert json.loads((tmp_path / "report.json").read_text())["actions"] == report["actions"]
