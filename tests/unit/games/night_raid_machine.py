# SPDX-License-Identifier: GPL-3.0-or-later
"""A machine that plays Night Raid frame by frame for the tests: its variables by label, its sky, and the won game."""

from types import ModuleType
from typing import Any, NamedTuple

import numpy as np
from game_machine import GameMachine, build, load_script, won_game
from numpy.typing import NDArray

TITLE, PLAYING, OVER, WON, DYING = range(5)
GRUB, CRAB, LANTERN, BAT, BURST = range(1, 6)
NO_SHIP, CROSSING, BOSS, SHOWN = range(4)
POINTS = {GRUB: 10, CRAB: 20, LANTERN: 30, BAT: 40}
COLUMNS, RAIDERS, BOMBS, WALLS = 7, 28, 5, 4
WALL_X, WALL_Y, WALL_PITCH = 32, 136, 56
GUN_Y = 164
BANNER_FRAMES = 60


def built() -> Any:
    """Night Raid, assembled from its sources."""
    return build("night_raid")


def load_player() -> ModuleType:
    """The player that reads the memory."""
    return load_script("find_night_raid_game")


def recorded_actions() -> list[str]:
    """The committed game, an action for each step of four frames."""
    return won_game("night_raid", "NightRaid").actions


class Raider(NamedTuple):
    """One raider on the march."""

    place: int  # in the formation: 0 to 6 the bottom row, from left to right
    kind: int
    x: int
    y: int


class NightRaidMachine(GameMachine):
    """The game in its first frame, with the given seed; `fight` is past the banner."""

    def __init__(self, seed: int = 1) -> None:
        super().__init__("night_raid", "nightraid", seed)

    def table(self, label: str, count: int, size: int) -> NDArray[np.uint8]:
        """A table of the memory, shape (count, size); writing to it writes to the memory."""
        first = self.labels[label] - 0x4000
        return self.spectrum.memory[first : first + count * size].reshape(count, size)

    def raiders(self) -> list[Raider]:
        slots = self.table("raiders", RAIDERS, 4).tolist()
        return [Raider(place, kind, x, y) for place, (kind, x, y, _) in enumerate(slots) if kind]

    def bombs(self) -> list[tuple[int, int]]:
        return [(x, y) for x, y in self.table("bombs", BOMBS, 2).tolist() if y]

    def walls(self) -> NDArray[np.uint8]:
        """Strength of every block, shape (4, 4, 6)."""
        return self.table("walls", WALLS, 24).reshape(WALLS, 4, 6)

    def put_shot(self, x: int, y: int) -> None:
        self.write("shot_x", x)
        self.write("shot_y", y)

    def put_bomb(self, x: int, y: int, slot: int = 0) -> None:
        self.table("bombs", BOMBS, 2)[slot] = x, y

    def put_diver(self, kind: int, x: int, y: int, *, worth: int = 2, dx: int = 0) -> None:
        """A diver that was not on the march before."""
        for label, value in (("diver", kind), ("diver_x", x), ("diver_y", y), ("diver_dx", dx), ("diver_clock", 0)):
            self.write(label, value)
        self.write("diver_worth", worth)
        self.write("raiders_left", self.byte("raiders_left") + 1)

    def begin_wave(self, wave: int) -> None:
        """Let the game go on to a wave as if the one before were beaten."""
        self.write("wave", wave - 1)
        for label in ("raiders_left", "diver", "burst", "ship", "marching"):
            self.write(label, 0)
        self.table("raiders", RAIDERS, 4)[:, 0] = 0
        while self.byte("wave") != wave:
            self.frame()
        self.frame()  # a wave is put up in more than one
        while self.byte("banner"):
            self.frame()


def fight(seed: int = 1, wave: int = 1) -> NightRaidMachine:
    """The first frame of a wave after its banner."""
    machine = NightRaidMachine(seed)
    machine.frame(BANNER_FRAMES)
    assert machine.byte("banner") == 0
    if wave != 1:
        machine.begin_wave(wave)
    return machine


def calm(seed: int = 1, wave: int = 1) -> NightRaidMachine:
    """A fight in which nothing moves, falls or crosses by itself, and the gun stands in the middle of the screen."""
    machine = fight(seed, wave)
    machine.write("wave_moves", 0)
    machine.write("bomb_clock", 0)  # 256 frames
    machine.write("bomb_period", 255)
    machine.write("dive_period", 0)
    machine.write("ship_clock", 255)
    return machine


def alone(kind: int = GRUB, x: int = 120, y: int = 64, seed: int = 1) -> NightRaidMachine:
    """A calm sky with one raider, in the middle of the bottom row."""
    machine = calm(seed)
    slots = machine.table("raiders", RAIDERS, 4)
    slots[:, 0] = 0
    slots[3, :3] = kind, x, y
    machine.write("marching", 1)
    machine.write("raiders_left", 1)
    machine.write("lowest_y", y)
    machine.write_word("march_next", machine.labels["raiders"])
    return machine
