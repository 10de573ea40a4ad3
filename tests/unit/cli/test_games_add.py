# SPDX-License-Identifier: GPL-3.0-or-later
"""Bringing one's own tape: recognised, taken for what it is said to be, or refused with the nearest name."""

import hashlib
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "games"))
from small_game import DEFINITION, tape

from oakemu_rl.cli.main import main
from oakemu_rl.games import load_game
from oakemu_rl.games.library import Library

KNOWN = DEFINITION.replace("{bundled: small.tap}", f'{{sha256: ["{hashlib.sha256(tape()).hexdigest()}"]}}')
UNKNOWN = DEFINITION.replace("program: {bundled: small.tap}", "program: {sha256: []}\nverified: false")


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("OAKEMU_RL_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("COLUMNS", "200")
    (tmp_path / "Smal Tape.tap").write_bytes(tape())
    return tmp_path


def define(text: str) -> None:
    folder = Library().folder / "definitions"
    folder.mkdir(parents=True)
    (folder / "small.yaml").write_text(text)


def add(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = main(["games", "add", *arguments])
    output = capsys.readouterr()
    return code, output.out, output.err


def test_a_known_program_is_recognised(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    define(KNOWN)
    code, out, _ = add(capsys, str(home / "Smal Tape.tap"))
    assert code == 0
    assert "is kept for Small" in out
    assert "oakemu-rl play small" in out
    assert load_game("small").program == tape()


def test_an_unknown_one_is_not_guessed(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    define(UNKNOWN)
    code, out, err = add(capsys, str(home / "Smal Tape.tap"))
    assert (code, out) == (2, "")
    assert "is the program of no game that is known; if it is Small, add --game small" in err
    assert Library().programs() == []


def test_it_is_taken_for_what_it_is_said_to_be(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    define(UNKNOWN)
    code, out, _ = add(capsys, str(home / "Smal Tape.tap"), "--game", "small")
    assert code == 0
    assert "addresses may differ" in out
    assert load_game("small").start_state()
    assert main(["games"]) == 0
    line = next(line for line in capsys.readouterr().out.splitlines() if "Small-v0" in line)
    assert line.split()[1:3] == ["unverified", "yours"]


def test_nothing_like_it_is_known(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (home / "zzzz.tap").write_bytes(tape())
    code, _, err = add(capsys, str(home / "zzzz.tap"))
    assert code == 2
    assert "begins a definition of it" in err


@pytest.mark.parametrize(
    ("content", "reason"), [(b"", "neither a tape nor a snapshot"), (b"ZXTape!\x1a\x01\x14\x10", "block 1")]
)
def test_what_is_no_program_is_refused(
    home: Path, capsys: pytest.CaptureFixture[str], content: bytes, reason: str
) -> None:
    (home / "bad.tap").write_bytes(content)
    code, _, err = add(capsys, str(home / "bad.tap"), "--game", "small")
    assert code == 2
    assert reason in err
    assert err.count("\n") == 1


def test_our_own_games_need_no_file(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = add(capsys, str(home / "Smal Tape.tap"), "--game", "acorns")
    assert (code, Library().programs()) == (0, [])
    assert "ships with its program" in out
