# SPDX-License-Identifier: GPL-3.0-or-later
"""A machine that plays Night Raid frame by frame for the tests: its variables by label, its sky, and the won game."""

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

RECORDING = ROOT / "tests" / "golden" / "night_raid_win.json"
TITLE, PLAYING, OVER, WON, DYING = range(5)
GRUB, CRAB, LANTERN, BAT, BURST = range(1, 6)
NO_SHIP, CROSSING, BOSS, SHOWN = range(4)
POINTS = {GRUB: 10, CRAB: 20, LANTERN: 30, BAT: 40}
COLUMNS, RAIDERS, BOMBS, WALLS = 7, 28, 5, 4
WALL_X, WALL_Y, WALL_PITCH = 32, 136, 56
GUN_Y = 164
BANNER_FRAMES = 60


@cache
def built() -> Any:
    """Night Raid, assembled from its sources."""
    return load_build().build("night_raid")


@cache
def load_player() -> ModuleType:
    """`programs/find_night_raid_game.py` as a module; it is a script and lies outside every package."""
    spec = importlib.util.spec_from_file_location("night_raid_player", ROOT / "programs" / "find_night_raid_game.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def recorded_actions() -> list[str]:
    """The committed game, an action for each step of four frames."""
    recording = json.loads(RECORDING.read_text(encoding="utf-8"))
    assert recording["game"] == "ZXSpectrum/NightRaid-v0"
    assert recording["frameskip"] == 4
    return [action for action, steps in recording["actions"] for _ in range(steps)]


class Raider(NamedTuple):
    """One raider on the march."""

    place: int  # in the formation: 0 to 6 the bottom row, from left to right
    kind: int
    x: int
    y: int


class NightRaidMachine:
    """The game in its first frame, with the given seed; `fight` is past the banner."""

    def __init__(self, seed: int = 1) -> None:
        self.labels: dict[str, int] = built().labels
        self.keys = load_game("nightraid").definition.actions
        self.spectrum = Spectrum()
        self.spectrum.load_state(load_game("nightraid").start_state())
        self.write_word("seed", seed)
        self.frame()  # to the end of the frame in which the script stopped; the game waits for it

    def byte(self, label: str, offset: int = 0) -> int:
        return self.spectrum.peek(self.labels[label] + offset)

    def word(self, label: str) -> int:
        return self.spectrum.read_word(self.labels[label])

    def bcd(self, label: str) -> int:
        return int("".join(f"{self.byte(label, i):02x}" for i in range(4)))

    def score(self) -> int:
        return self.bcd("score")

    def write(self, label: str, value: int, offset: int = 0) -> None:
        self.spectrum.poke(self.labels[label] + offset, value)

    def write_word(self, label: str, value: int) -> None:
        self.write(label, value & 0xFF)
        self.write(label, value >> 8, 1)

    @property
    def mode(self) -> int:
        return self.byte("mode")

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

    def hold(self, action: str = "stay") -> None:
        self.spectrum.release_all()
        self.spectrum.press(*self.keys[action])

    def frame(self, count: int = 1) -> None:
        self.spectrum.run_frames(count)

    def act(self, action: str, frames: int = 1) -> None:
        self.hold(action)
        self.frame(frames)

    def jump(self, label: str, frames: int) -> None:
        """Let the game go on from a place of its own."""
        self.spectrum.registers.pc = self.labels[label]
        self.spectrum.registers.halted = 0
        self.frame(frames)

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
