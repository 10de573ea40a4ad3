# SPDX-License-Identifier: GPL-3.0-or-later
import json
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "games"))
from small_game import tape

from oakemu_rl.cli.main import main
from oakemu_rl.games import find_definition, load_game

DATA = {"info": {"score": {"address": 0x9000, "type": "<u2"}, "lives": {"address": 0x9002, "type": "|u1"}}}
SCENARIO = {"reward": {"variables": {"score": {"reward": 1}}}, "done": {"variables": {"lives": {"op": "zero"}}}}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("OAKEMU_RL_HOME", str(tmp_path / "home"))
    work = tmp_path / "work"
    (work / "Tiny-Spectrum").mkdir(parents=True)
    monkeypatch.chdir(work)
    (work / "Tiny-Spectrum" / "data.json").write_text(json.dumps(DATA))
    (work / "Tiny-Spectrum" / "scenario.json").write_text(json.dumps({**SCENARIO, "scripts": []}))
    (work / "Tiny-Spectrum" / "rom.sha").touch()
    (work / "tiny.tap").write_bytes(tape())
    return work


def run(capsys: pytest.CaptureFixture[str], *args: str) -> tuple[int, str, str]:
    code = main(["games", "import", *args])
    output = capsys.readouterr()
    return code, output.out, output.err


def test_without_the_program_it_waits_for_it(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "Tiny-Spectrum")
    assert code == 0
    assert "written to tinyspectrum.yaml: 2 variables, 6 actions, reward max(delta(score), 0), loss lives == 0" in out
    assert "not carried over: rom.sha" in out
    assert "look at:          the end" in out
    definition = find_definition(folder / "tinyspectrum.yaml")
    assert (definition.id, definition.verified, definition.machine) == ("ZXSpectrum/TinySpectrum-v0", False, "48k")


def test_with_the_program_it_can_be_played(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(
        capsys, "Tiny-Spectrum", "--program", "tiny.tap", "--id", "ZXSpectrum/Tiny-v1", "--out", "t.yaml"
    )
    assert code == 0
    assert "next: oakemu-rl games lint t.yaml" in out
    game = load_game(folder / "t.yaml")
    assert game.program == tape()
    assert game.start_state()


@pytest.mark.parametrize(
    ("args", "said"),
    [
        ((), "name a folder of stable-retro's"),
        (("None-Spectrum",), "None-Spectrum is no folder"),
        (("Tiny-Spectrum", "--base", "many"), "--base: 'many' is not a whole number"),
        (("Tiny-Spectrum", "--joystick", "none"), "--joystick"),
        (("Tiny-Spectrum", "--program", "no.tap"), "no.tap: No such file"),
        (("Tiny-Spectrum", "--out", "tiny.tap"), "ends in .yaml"),
    ],
)
def test_mistakes_are_one_line(
    args: tuple[str, ...], said: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, err = run(capsys, *args)
    assert (code, out) == (2, "")
    assert said in err
    assert err.count("\n") == 1
    assert not list(folder.glob("*.yaml"))


def test_nothing_is_overwritten(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "tinyspectrum.yaml").write_text("precious")
    assert run(capsys, "Tiny-Spectrum")[0] == 2
    assert (folder / "tinyspectrum.yaml").read_text() == "precious"
    assert run(capsys, "Tiny-Spectrum", "--force")[0] == 0
