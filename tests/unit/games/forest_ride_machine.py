# SPDX-License-Identifier: GPL-3.0-or-later
"""A machine that plays Forest Ride turn by turn for the tests: its variables, its trees and riders, its view."""

import importlib.util
import json
import sys
from functools import cache
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np
from acorns_machine import ROOT, load_build
from numpy.typing import NDArray

from oakemu_rl.emulator import Spectrum
from oakemu_rl.games import load_game

RECORDING = ROOT / "tests" / "golden" / "forest_ride_win.json"
TITLE, RIDING, OVER, FINISHED, CRASHED, LEAVING = range(6)
NO_RIDER, RIDES, SHOT, RIDES_OFF = range(4)
VIEW_LINE, VIEW_LINES, HORIZON = 4, 15, 40
VIEW_ROWS = 8 * VIEW_LINES
RELOAD = 14
QUOTAS = (2, 2, 3, 3, 4, 4, 5, 5)


@cache
def built() -> Any:
    """Forest Ride, assembled from its sources."""
    return load_build().build("forest_ride")


@cache
def player_script() -> ModuleType:
    """`programs/find_forest_ride_win.py` as a module: the player that reads the memory."""
    spec = importlib.util.spec_from_file_location("find_forest_ride_win", ROOT / "programs" / "find_forest_ride_win.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def recorded_game() -> tuple[int, list[str]]:
    """The seed of the committed game, and an action for each step of four frames."""
    recording = json.loads(RECORDING.read_text(encoding="utf-8"))
    assert recording["game"] == "ZXSpectrum/ForestRide-v0"
    assert recording["frameskip"] == 4
    return recording["seed"], [action for action, steps in recording["actions"] for _ in range(steps)]


class Tree(NamedTuple):
    """Where a tree stands: aside in 1/256 units from the player, and ahead in units."""

    x: int
    z: int


class ForestRideMachine:
    """The game before its first turn; empty: no tree, no rider and no tuft comes by itself for a while."""

    def __init__(self, *, empty: bool = False, seed: int = 1) -> None:
        self.labels: dict[str, int] = built().labels
        self.keys = load_game("forestride").definition.actions
        self.spectrum = Spectrum()
        self.spectrum.load_state(load_game("forestride").start_state())
        self.write_word("seed", seed)
        self.frame()  # to the end of the frame in which the script stopped; the game waits for it
        self.write("speed", self.byte("cruise"))
        if empty:
            self.write("rider_wait", 255)
            self.clear()

    def clear(self) -> None:
        """No tree ahead, and none to come while the last one seems to be far off."""
        self.write("tree_count", 0)
        self.write("tree_last", self.ridden + 127)

    def byte(self, label: str) -> int:
        return self.spectrum.peek(self.labels[label])

    def signed(self, label: str) -> int:
        value = self.byte(label)
        return value - 256 if value > 127 else value

    def word(self, label: str) -> int:
        return self.spectrum.read_word(self.labels[label])

    def write(self, label: str, value: int, offset: int = 0) -> None:
        self.spectrum.poke(self.labels[label] + offset, value % 256)

    def write_word(self, label: str, value: int) -> None:
        self.write(label, value % 256)
        self.write(label, value // 256, 1)

    def score(self) -> int:
        return int("".join(f"{self.spectrum.peek(self.labels['score'] + i):02x}" for i in range(4)))

    @property
    def mode(self) -> int:
        return self.byte("mode")

    @property
    def ridden(self) -> int:
        """Whole units, modulo 256."""
        return self.spectrum.peek(self.labels["ride"] + 1)

    def plant(self, x: int, z: int) -> None:
        """One tree alone, `x` units aside and `z` ahead."""
        self.clear()
        self.write("tree_first", self.labels["trees"] % 256)
        self.write("tree_count", 1)
        self.write("trees", self.spectrum.peek(self.labels["player_x"] + 1) + x)
        self.write("trees", self.ridden + z, 1)

    def trees(self) -> list[Tree]:
        first = self.byte("tree_first") - self.labels["trees"] % 256
        found = []
        for number in range(self.byte("tree_count")):
            at = self.labels["trees"] + (first + 2 * number) % 64
            aside = (self.spectrum.peek(at) * 256 - self.word("player_x") + 32768) % 65536 - 32768
            found.append(Tree(aside, (self.spectrum.peek(at + 1) - self.ridden) % 256))
        return found

    def put_rider(self, x: int, z: int, *, slot: int = 0, time: int = 250) -> None:
        """A rider that keeps straight on for a while, `x` units aside and `z` ahead."""
        place = self.spectrum.peek(self.labels["player_x"] + 1) + x
        for field, value in enumerate((RIDES, 0, place, z, z, 0, time, 255)):
            self.write("riders", value, 8 * slot + field)

    def rider(self, slot: int = 0) -> int:
        """Its state."""
        return self.spectrum.peek(self.labels["riders"] + 8 * slot)

    def view(self) -> NDArray[np.bool_]:
        """What is ink in the view, shape (120, 256)."""
        lines = self.spectrum.memory[:6144].reshape(3, 8, 8, 32).transpose(0, 2, 1, 3).reshape(192, 32)
        return np.unpackbits(lines[8 * VIEW_LINE : 8 * VIEW_LINE + VIEW_ROWS], axis=1).astype(bool)

    def colours(self) -> NDArray[np.uint8]:
        """Attributes of the view, shape (15, 32)."""
        return self.spectrum.memory[6144:6912].reshape(24, 32)[VIEW_LINE : VIEW_LINE + VIEW_LINES]

    def hold(self, action: str = "stay") -> None:
        self.spectrum.release_all()
        self.spectrum.press(*self.keys[action])

    def frame(self, count: int = 1) -> None:
        self.spectrum.run_frames(count)

    def turn(self, action: str = "stay", count: int = 1) -> None:
        """Turns of two frames; each begins to be thought out in the first one and is painted in the second."""
        self.hold(action)
        self.frame(2 * count)

    def until(self, mode: int, *, turns: int = 400, action: str = "stay") -> None:
        """Turns until the mode is reached."""
        for _ in range(turns):
            if self.mode == mode:
                return
            self.turn(action)
        raise AssertionError(f"mode {mode} is not reached, it is {self.mode}")
