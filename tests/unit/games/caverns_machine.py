# SPDX-License-Identifier: GPL-3.0-or-later
"""A machine that plays Caverns frame by frame for the tests: its variables by label, its cells, and the won game."""

from typing import Any, NamedTuple

import numpy as np
from game_machine import GameMachine, build, won_game
from numpy.typing import NDArray

TITLE, PLAYING, OVER, WON, DYING, LEAVING = range(6)
GUARDIAN, DEADLY, FALL, AIR = range(1, 5)
FALLING = 255
ROOM_KEYS = (3, 4, 3, 3, 3, 4)
BUFFER, CELLS, FIRST_LINE = 0xC000, 0xDB00, 3
GROUND = 168  # y of a player who stands on the lowest line
EMPTY, WALL, FLOOR, BELT_LEFT, BELT_RIGHT, CRUMBLING, DEADLY_CELL, KEY = 0, 0xC0, 0x40, 0x44, 0x45, 0x48, 0x20, 0x10


def built() -> Any:
    """Caverns, assembled from its sources."""
    return build("caverns")


def recorded_actions() -> list[str]:
    """The committed game, an action for each step of four frames."""
    return won_game("caverns", "Caverns").actions


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


class CavernsMachine(GameMachine):
    """The game in the first frame of a room."""

    def __init__(self, room: int = 1, *, guardians: bool = True) -> None:
        super().__init__("caverns", "caverns")
        if room != 1:
            self.write("room", room)
            self.call_room()
        if not guardians:
            for slot in range(4):
                self.write("guardians", 255, 8 * slot)

    def call_room(self) -> None:
        """Begin the room (room)."""
        self.jump("begin_room")
        assert self.spectrum.run_until(self.labels["main_loop"], 30) is not None
        self.frame()

    def put(self, x: int, y: int) -> None:
        """Set the player down, standing."""
        for label, value in (("player_x", x), ("player_y", y), ("jump", 0), ("peak_y", y)):
            self.write(label, value)

    @property
    def place(self) -> tuple[int, int]:
        return self.byte("player_x"), self.byte("player_y")

    def cells(self) -> NDArray[np.uint8]:
        """What each cell is, shape (24, 32); the first three lines are not part of the cave."""
        first = CELLS - 0x4000
        return self.spectrum.memory[first : first + 768].reshape(24, 32)

    def guardians(self) -> list[Guardian]:
        first = self.labels["guardians"]
        slots = [[self.spectrum.peek(first + 8 * slot + i) for i in range(8)] for slot in range(4)]
        return [Guardian(*slot) for slot in slots if slot[0] != 255]


def hall() -> CavernsMachine:
    """Room 1 emptied: walls all round, the player on the ground in the middle."""
    machine = CavernsMachine(guardians=False)
    machine.cells()[4:23, 1:31] = EMPTY
    machine.put(120, GROUND)
    return machine
