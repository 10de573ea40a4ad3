# SPDX-License-Identifier: GPL-3.0-or-later
"""The list of games: what can be played, what waits for a file, and what is broken."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "games"))
from small_game import DEFINITION, tape

from oakemu_rl.cli.main import main
from oakemu_rl.games.library import Library

ALIEN = DEFINITION.replace("{bundled: small.tap}", '{sha256: ["' + "0" * 64 + '"]}')


@pytest.fixture(autouse=True)
def definitions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("OAKEMU_RL_HOME", str(tmp_path))
    folder = Library().folder / "definitions"
    folder.mkdir()
    return folder


def listed(capsys: pytest.CaptureFixture[str]) -> dict[str, dict[str, str]]:
    assert main(["games", "list", "--json"]) == 0
    return {game["id"]: game for game in json.loads(capsys.readouterr().out)}


def test_every_status(definitions: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (definitions / "small.tap").write_bytes(tape())
    texts = {
        "Mine": DEFINITION,
        "Hearsay": DEFINITION + "verified: false\n",
        "Missing": ALIEN,
        "Typo": DEFINITION.replace("reward:", "rewrad:"),
        "Lost": DEFINITION.replace("small.tap", "other.tap"),
    }
    for name, text in texts.items():
        (definitions / f"{name}.yaml").write_text(text.replace("Small-v0", f"{name}-v0"))
    games = listed(capsys)
    found = {
        name: (games[f"ZXSpectrum/{name}-v0"]["status"], games[f"ZXSpectrum/{name}-v0"]["program"]) for name in texts
    }
    assert found == {
        "Mine": ("ready", "ships"),
        "Hearsay": ("unverified", "ships"),
        "Missing": ("needs file", ""),
        "Typo": ("broken", ""),
        "Lost": ("broken", ""),
    }
    assert "did you mean 'reward'?" in games["ZXSpectrum/Typo-v0"]["description"]
    assert "other.tap" in games["ZXSpectrum/Lost-v0"]["description"]
    assert games["ZXSpectrum/ManicMiner-v0"]["status"] == "needs file"
    assert games["ZXSpectrum/Acorns-v0"]["status"] == "ready"


def test_a_definition_without_an_id_is_not_passed_over(definitions: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (definitions / "nameless.yaml").write_text("title: No id\n")
    (definitions / "binary.yaml").write_bytes(b"\xff\xfe")
    games = listed(capsys)
    assert games[str(definitions / "nameless.yaml")]["status"] == "broken"
    assert games[str(definitions / "binary.yaml")]["status"] == "broken"


@pytest.mark.parametrize("width", [50, 80, 200])
def test_ids_and_status_are_whole_at_any_width(
    width: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    assert main(["games"]) == 0
    out = capsys.readouterr().out
    lines = [line for line in out.splitlines() if "HungryHorace" in line]
    assert lines[0].startswith("ZXSpectrum/HungryHorace-v0  needs file")
    assert "needs file: the program is yours to bring" in " ".join(out.split())


def test_it_takes_nothing_else(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["games", "list", "acorns"]) == 2
    assert "acorns" in capsys.readouterr().err


def test_a_reader_that_leaves_is_no_error() -> None:
    """`oakemu-rl games list | true`."""
    command = [sys.executable, "-m", "oakemu_rl", "games", "list"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait() == 0
