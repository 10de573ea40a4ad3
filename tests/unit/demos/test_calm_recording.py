# SPDX-License-Identifier: GPL-3.0-or-later
"""The game of Caverns that keeps off guardians is the one that can be made again, and wins."""

import importlib.util
from dataclasses import fields
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from oakemu_rl.demos import Demo, DemoSteps, demo_steps, load_demo
from oakemu_rl.games import load_game

ROOT = Path(__file__).parents[3]
CALM = ROOT / "benchmarks" / "caverns_calm.demo"
GUARDIANS, SLOTS, SLOT_SIZE, NO_GUARDIAN = 0x8440, 4, 8, 255  # docs/games/caverns.md


def builder() -> ModuleType:
    spec = importlib.util.spec_from_file_location("build_recordings", ROOT / "programs" / "build_recordings.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def calm() -> Demo:
    return load_demo(CALM)


def played(demo: Demo) -> DemoSteps:
    return demo_steps(demo, load_game("caverns"), {"obs_type": "ram"})


def crowded(steps: DemoSteps) -> int:
    """After how many steps a guardian was nearer than 15 columns and 14 rows."""
    assert isinstance(steps.observations, np.ndarray)
    ram = steps.observations.reshape(len(steps.actions) + 1, -1).astype(np.int64)[:, -49152:]
    playing = steps.variables["mode"] == 1
    near = np.zeros(len(ram), np.bool_)
    for slot in range(SLOTS):
        kind, x, y = (ram[:, GUARDIANS - 0x4000 + slot * SLOT_SIZE + field] for field in range(3))
        across = np.abs(steps.variables["player_x"] - x) < 15
        near |= across & (np.abs(steps.variables["player_y"] - y) < 14) & (kind != NO_GUARDIAN)
    return int((near & playing).sum())


def test_it_can_be_made_again(calm: Demo) -> None:
    made = builder().build("caverns", "calm")
    for field in fields(made):
        assert np.array_equal(getattr(made, field.name), getattr(calm, field.name)), field.name


def test_it_wins_and_keeps_off_guardians(calm: Demo) -> None:
    steps = played(calm)
    assert (steps.outcome, steps.rewards.sum(), len(steps.actions)) == ("win", 50.0, 1229)
    assert crowded(steps) < 10 < 50 < crowded(played(load_demo("caverns")))
