# SPDX-License-Identifier: GPL-3.0-or-later
"""A machine that plays Forest Ride turn by turn for the tests: its variables, its trees and riders, its view."""

from types import ModuleType
from typing import Any, NamedTuple

import numpy as np
from game_machine import GameMachine, WonGame, build, load_script, won_game
from numpy.typing import NDArray

TITLE, RIDING, OVER, FINISHED, CRASHED, LEAVING = range(6)
NO_RIDER, RIDES, SHOT, RIDES_OFF = range(4)
VIEW_LINE, VIEW_LINES, HORIZON = 4, 15, 40
VIEW_ROWS = 8 * VIEW_LINES
RELOAD = 14
QUOTAS = (2, 2, 3, 3, 4, 4, 5, 5)


def built() -> Any:
    """Forest Ride, assembled from its sources."""
    return build("forest_ride")


def player_script() -> ModuleType:
    """The player that reads the memory."""
    return load_script("find_forest_ride_win")


def recorded_game() -> WonGame:
    """The committed game."""
    return won_game("forest_ride", "ForestRide")


class Tree(NamedTuple):
    """Where a tree stands: aside in 1/256 units from the player, and ahead in units."""

    x: int
    z: int


class ForestRideMachine(GameMachine):
    """The game before its first turn; empty: no tree, no rider and no tuft comes by itself for a while."""

    def __init__(self, *, empty: bool = False, seed: int = 1) -> None:
        super().__init__("forest_ride", "forestride", seed)
        self.write("speed", self.byte("cruise"))
        if empty:
            self.write("rider_wait", 255)
            self.clear()

    def clear(self) -> None:
        """No tree ahead, and none to come while the last one seems to be far off."""
        self.write("tree_count", 0)
        self.write("tree_last", self.ridden + 127)

    def signed(self, label: str) -> int:
        value = self.byte(label)
        return value - 256 if value > 127 else value

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
