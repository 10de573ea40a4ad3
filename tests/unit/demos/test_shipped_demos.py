# SPDX-License-Identifier: GPL-3.0-or-later
"""The recordings that ship are those of the games as they are, and can be made again."""

import importlib.util
from dataclasses import fields
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from oakemu_rl.demos import SUFFIX, find_demo, load_demo, replay
from oakemu_rl.demos.finding import shipped_demos
from oakemu_rl.errors import UserError
from oakemu_rl.games import load_game

ROOT = Path(__file__).parents[3]
PROGRAM = ROOT / "programs" / "build_recordings.py"


def builder() -> ModuleType:
    spec = importlib.util.spec_from_file_location("build_recordings", PROGRAM)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


NAMES = list(builder().STAGES)


def test_there_is_one_for_each_that_is_built() -> None:
    assert [entry.name for entry in shipped_demos().values()] == [f"{name}{SUFFIX}" for name in sorted(NAMES)]


@pytest.mark.parametrize("name", NAMES)
def test_it_can_be_made_again(name: str) -> None:
    made, kept = builder().build(name), load_demo(name)
    for field in fields(made):
        assert np.array_equal(getattr(made, field.name), getattr(kept, field.name)), field.name


@pytest.mark.parametrize("name", NAMES)
def test_it_wins(name: str) -> None:
    demo = load_demo(name)
    game = load_game(name)
    assert demo.outcome == "win"
    assert game.read(replay(demo, game).visible_ram())["won"] == 1


@pytest.mark.parametrize("given", ["caverns", "Caverns", "ZXSpectrum/Caverns-v0", "caverns-v0", Path("caverns")])
def test_a_name_means_the_one_that_ships(given: str | Path) -> None:
    assert find_demo(given).name == "caverns.demo"


def test_a_path_means_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert find_demo("caverns.demo") == Path("caverns.demo")
    Path("night_raid").mkdir()  # the game's, as a folder is no recording
    assert find_demo("night_raid").name == "night_raid.demo"
    Path("caverns").touch()
    assert find_demo("caverns") == Path("caverns")


def test_what_is_neither_is_refused() -> None:
    with pytest.raises(UserError, match=r"no recording 'cavens' \(did you mean 'caverns'\?\); give a file \(\.demo\)"):
        find_demo("cavens")
    with pytest.raises(UserError, match="no recording 'acorns'"):  # a game that ships none
        find_demo("acorns")
