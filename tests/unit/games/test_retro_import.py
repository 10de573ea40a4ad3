# SPDX-License-Identifier: GPL-3.0-or-later
"""Folders of stable-retro's: what of them becomes a definition, and what is said of the rest."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from oakemu_rl.errors import UserError
from oakemu_rl.games import Definition, Game
from oakemu_rl.games.retro_import import ImportedGame, import_retro
from oakemu_rl.yaml_source import parse_yaml, validate

DATA = {
    "info": {
        "score": {"address": 0x9000, "type": ">d3"},
        "lives": {"address": 0x9004, "type": "|u1"},
        "gems": {"address": 0x9006, "type": "<u2"},
    }
}
SCENARIO = {
    "done": {"variables": {"lives": {"op": "zero"}}},
    "reward": {"variables": {"score": {"reward": 1.0}, "lives": {"penalty": 5.0}}},
    "actions": [[[], ["LEFT"], ["RIGHT"]], [[], ["B"]]],
}


def write(folder: Path, data: object = DATA, scenario: object = SCENARIO, **files: str) -> Path:
    game = folder / "Gems-Spectrum"
    game.mkdir()
    (game / "data.json").write_text(json.dumps(data))
    if scenario is not None:
        (game / "scenario.json").write_text(json.dumps(scenario))
    for name, text in files.items():
        (game / name.replace("_", ".")).write_text(text)
    return game


def imported(folder: Path, **parts: Any) -> ImportedGame:
    return import_retro(write(folder, **parts))


def define(game: ImportedGame) -> Definition:
    head = "id: ZXSpectrum/Gems-v0\ntitle: Gems\nmachine: 48k\nprogram: {sha256: []}\nverified: false\n"
    return validate(Definition, parse_yaml(head + "\n".join(game.lines()), name="gems.yaml"))


def test_a_whole_folder(tmp_path: Path) -> None:
    game = imported(tmp_path)
    assert game.lost == []
    definition = define(game)
    assert {name: (each.at, each.type) for name, each in definition.variables.items()} == {
        "score": (0x9000, "bcd3"),
        "lives": (0x9004, "u8"),
        "gems": (0x9006, "u16le"),
    }
    assert definition.actions == {
        "stay": [],
        "fire": ["fire"],
        "left": ["left"],
        "left_fire": ["left", "fire"],
        "right": ["right"],
        "right_fire": ["right", "fire"],
    }
    assert definition.joystick == "kempston"
    assert definition.loss == "lives == 0"
    assert game.reward == "max(delta(score), 0) + 5 * min(delta(lives), 0)"
    assert definition.area == (0, 0, 256, 192)


def test_types_without_a_counterpart_are_derived(tmp_path: Path) -> None:
    info = {"time": {"address": 0x9000, "type": ">u3"}, "door": {"address": 0x9003, "type": "|u1", "mask": 6}}
    scenario = {"reward": {"variables": {"time": {"penalty": 1}}}, "done": {"variables": {"door": {"op": "nonzero"}}}}
    game = imported(tmp_path, data={"info": info}, scenario=scenario)
    definition = define(game)
    assert definition.derived == {"time": "time_0 + 256 * time_1 + 65536 * time_2", "door": "2 * door_0"}
    assert (game.reward, game.loss) == ("min(delta(time), 0)", "door != 0")
    ram = np.zeros(49152, np.uint8)
    ram[0x5000:0x5004] = [1, 2, 3, 0xFF]
    assert Game(definition, b"").read(ram) == {
        "time_0": 3,
        "time_1": 2,
        "time_2": 1,
        "door_0": 3,
        "time": 66051,
        "door": 6,
    }


def test_without_a_scenario_there_are_variables_and_directions(tmp_path: Path) -> None:
    game = imported(tmp_path, scenario=None)
    definition = define(game)
    assert list(definition.actions) == ["stay", "left", "right", "up", "down", "fire"]
    assert (game.reward, definition.loss) == ("0", None)
    assert any("the scenario names none" in note for note in game.changed)


def test_names_that_mean_something_else_here(tmp_path: Path) -> None:
    info = {
        name: {"address": 0x9000, "type": "|u1"} for name in ("lambda", "max", "outcome", "a b", "a_b", "_x", "1up")
    }
    game = imported(
        tmp_path, data={"info": info}, scenario={"reward": {"variables": {"a b": {"op": "zero", "reward": 1}}}}
    )
    define(game)
    assert list(game.variables) == ["the_lambda", "the_max", "game_outcome", "a_b", "a_b_", "x", "the_1up"]
    assert game.reward == "(delta(a_b) == 0)"
    assert "variable a b: it is called a_b here" in game.changed


@pytest.mark.parametrize(
    ("spec", "lost"),
    [
        (
            {"address": 0x100, "type": "|u1"},
            "the address 0x100 is outside RAM, which is 0x4000 to 0xFFFF; --base 0x4000",
        ),
        ({"address": 0x10000, "type": "|u1"}, "the address 0x10000 is outside RAM"),
        ({"address": 0xFFFF, "type": ">d3"}, "the address 0x10001 is outside RAM"),
        ({"address": 0x9000, "type": ">f4"}, "the type '>f4' is none that is known"),
        ({"address": "0x9000", "type": "|u1"}, "it needs a whole number as address"),
        ([1], "it must be an object"),
    ],
)
def test_variables_that_are_lost(spec: object, lost: str, tmp_path: Path) -> None:
    game = imported(tmp_path, data={"info": {**DATA["info"], "bad": spec}})
    assert len(game.lost) == 1
    assert game.lost[0].startswith(f"variable bad: {lost}")
    assert "bad" not in define(game).variables


def test_addresses_from_the_beginning_of_ram(tmp_path: Path) -> None:
    folder = write(tmp_path, data={"info": {"score": {"address": 0x5000, "type": "|u1"}}}, scenario=None)
    assert import_retro(folder, base=0x4000).variables == {"score": (0x9000, "u8")}


@pytest.mark.parametrize(
    ("crop", "area"),
    [([0, 16, 0, 0], (0, 16, 256, 176)), ([8, 8, 100, 50], (8, 8, 100, 50)), ([0, 0, 0, 0], None)],
)
def test_the_crop_is_the_area(crop: list[int], area: tuple[int, ...] | None, tmp_path: Path) -> None:
    game = imported(tmp_path, scenario={"crop": crop})
    assert game.area == area
    assert define(game).area == (area or (0, 0, 256, 192))


@pytest.mark.parametrize(
    ("parts", "lost"),
    [
        ({"scenario": {"crop": [0, 0, 320, 240]}}, "crop: [0, 0, 320, 240] reaches beyond the display"),
        ({"scenario": {"crop": 5}}, "crop: 5 is not x, y, width, height"),
        ({"scenario": {"actions": [[[], ["START"]]]}}, "there is no button START on a joystick"),
        ({"Level1_state": "x", "metadata_json": '{"default_state": "Level1"}'}, "1 saved state(s), of which Level1"),
        ({"script_lua": ""}, "the script(s) script.lua"),
        ({"rom_sha": "x"}, "rom.sha: it holds an SHA-1"),
    ],
)
def test_what_else_is_lost(parts: dict[str, Any], lost: str, tmp_path: Path) -> None:
    game = imported(tmp_path, **parts)
    assert [note for note in game.lost if lost in note], game.lost
    define(game)


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("data.json", '{"info": \n {', r"data.json:2:3: not valid JSON"),
        ("data.json", "[]", r"data.json: must be an object"),
        ("data.json", "{}", r"data.json: there is no object 'info'"),
        ("scenario.json", '{"done": {"variables": []}}', r"scenario.json: variables must hold objects by name"),
    ],
)
def test_files_that_are_wrong(name: str, text: str, said: str, tmp_path: Path) -> None:
    folder = write(tmp_path)
    (folder / name).write_text(text)
    with pytest.raises(UserError, match=said):
        import_retro(folder)


def test_a_folder_that_is_none(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="is no folder"):
        import_retro(tmp_path / "none")
    with pytest.raises(UserError, match=r"data.json: cannot be read: No such file"):
        import_retro(tmp_path)
