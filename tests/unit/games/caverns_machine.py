# SPDX-License-Identifier: GPL-3.0-or-later
"""A machine that plays Caverns frame by frame for the tests: its variables by label, its cells, and the won game."""

import json
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from acorns_machine import ROOT, load_build
from numpy.typing import NDArray

from oakemu_rl.emulator import Spectrum
from oakemu_rl.games import load_game

RECORDING = ROOT / "tests" / "golden" / "caverns_win.json"
TITLE, PLAYING, OVER, WON, DYING, LEAVING = range(6)
GUARDIAN, DEADLY, FALL, AIR = range(1, 5)
FALLING = 255
ROOM_KEYS = (3, 4, 3, 3, 3, 4)
BUFFER, CELLS, FIRST_LINE = 0xC000, 0xDB00, 3
GROUND = 168  # y of a player who stands on the lowest line
EMPTY, WALL, FLOOR, BELT_LEFT, BELT_RIGHT, CRUMBLING, DEADLY_CELL, KEY = 0, 0xC0, 0x40, 0x44, 0x45, 0x48, 0x20, 0x10


@cache
def built() -> Any:
    """Caverns, assembled from its sources."""
    return load_build().build("caverns")


def recorded_actions() -> list[str]:
    """The committed game, an action for each step of four frames."""
    recording = json.loads(RECORDING.read_text(encoding="utf-8"))
    assert recording["game"] == "ZXSpectrum/Caverns-v0"
    assert recording["frameskip"] == 4
    return [action for action, steps in recording["actions"] for _ in range(steps)]


class Guardian(NamedTuple):
    """One slot of the room."""

    kind: int
    x: int
    y: int
    low: int
    high: int
    step: int
    pace: int
    ink: int


class CavernsMachine:
    """The game in the first frame of a room."""

    def __init__(self, room: int = 1, *, guardians: bool = True) -> None:
        self.labels: dict[str, int] = built().labels
        self.keys = load_game("caverns").definition.actions
        self.spectrum = Spectrum()
        self.spectrum.load_state(load_game("caverns").start_state())
        self.frame()  # to the end of the frame in which the script stopped; the game waits for it
        if room != 1:
            self.write("room", room)
            self.call_room()
        if not guardians:
            for slot in range(4):
                self.write("guardians", 255, 8 * slot)

    def call_room(self) -> None:
        """Begin the room (room)."""
        self.spectrum.registers.pc = self.labels["begin_room"]
        self.spectrum.registers.halted = 0
        assert self.spectrum.run_until(self.labels["main_loop"], 30) is not None
        self.frame()

    def byte(self, label: str) -> int:
        return self.spectrum.peek(self.labels[label])

    def word(self, label: str) -> int:
        return self.spectrum.read_word(self.labels[label])

    def score(self) -> int:
        return int("".join(f"{self.spectrum.peek(self.labels['score'] + i):02x}" for i in range(4)))

    def write(self, label: str, value: int, offset: int = 0) -> None:
        self.spectrum.poke(self.labels[label] + offset, value)

    def put(self, x: int, y: int) -> None:
        """Set the player down, standing."""
        for label, value in (("player_x", x), ("player_y", y), ("jump", 0), ("peak_y", y)):
            self.write(label, value)

    @property
    def place(self) -> tuple[int, int]:
        return self.byte("player_x"), self.byte("player_y")

    @property
    def mode(self) -> int:
        return self.byte("mode")

    def cells(self) -> NDArray[np.uint8]:
        """What each cell is, shape (24, 32); the first three lines are not part of the cave."""
        first = CELLS - 0x4000
        return self.spectrum.memory[first : first + 768].reshape(24, 32)

    def guardians(self) -> list[Guardian]:
        first = self.labels["guardians"]
        slots = [[self.spectrum.peek(first + 8 * slot + i) for i in range(8)] for slot in range(4)]
        return [Guardian(*slot) for slot in slots if slot[0] != 255]

    def hold(self, action: str = "stay") -> None:
        self.spectrum.release_all()
        self.spectrum.press(*self.keys[action])

    def frame(self, count: int = 1) -> None:
        self.spectrum.run_frames(count)

    def act(self, action: str, frames: int = 1) -> None:
        self.hold(action)
        self.frame(frames)


def hall() -> CavernsMachine:
    """Room 1 emptied: walls all round, the player on the ground in the middle."""
    machine = CavernsMachine(guardians=False)
    machine.cells()[4:23, 1:31] = EMPTY
    machine.put(120, GROUND)
    return machine
