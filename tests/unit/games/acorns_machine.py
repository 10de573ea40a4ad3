# SPDX-License-Identifier: GPL-3.0-or-later
"""A machine that plays Acorns frame by frame for the tests: its variables by label, its acorns, and players."""

from typing import Any, NamedTuple

import numpy as np
from game_machine import GameMachine, build

GOOD, ROTTEN = 1, 2
STAY: tuple[str, ...] = ()
LEFT, RIGHT = ("o",), ("p",)


def built() -> Any:
    """Acorns, assembled from its sources."""
    return build("acorns")


class Acorn(NamedTuple):
    """One slot of the game."""

    kind: int
    x: int
    y: int
    drawn_y: int
    phase: int  # 0 falling, 1 passed, 2 gone


class AcornsMachine(GameMachine):
    """The game at its first frame, with the given seed."""

    def __init__(self, seed: int = 1) -> None:
        super().__init__("acorns", "acorns", seed)

    def acorns(self) -> list[Acorn]:
        """Those in the air, lowest first."""
        first = self.labels["acorns"]
        slots = [[self.spectrum.peek(first + 8 * slot + i) for i in range(6)] for slot in range(4)]
        acorns = [Acorn(kind, x, y, drawn, phase) for kind, x, _, y, drawn, phase in slots if kind]
        return sorted(acorns, key=lambda acorn: -acorn.y)

    def put_acorn(self, kind: int, x: int, y: int) -> None:
        """Put a falling acorn into the first slot."""
        for offset, value in enumerate((kind, x, 0, y, y, 0)):
            self.write("acorns", value, offset)

    @property
    def playing(self) -> bool:
        return self.byte("mode") == 1

    def call(self, label: str) -> None:
        """Call a routine of the game, with interrupts off, and come back."""
        registers = self.spectrum.registers
        back = 0xFC00
        registers.iff1 = registers.iff2 = 0
        registers.halted = 0
        registers.sp = 0xFBFE
        self.spectrum.write_block(registers.sp, back.to_bytes(2, "little"))
        registers.pc = self.labels[label]
        assert self.spectrum.run_until(back, 2) == back


def perfect_player(machine: AcornsMachine) -> tuple[str, ...]:
    """Goes to the good acorn that lands next, but waits where it is until a rotten one before it is down."""
    falling = [acorn for acorn in machine.acorns() if acorn.phase == 0]
    if not falling:
        return STAY
    basket = machine.byte("basket_x")
    lowest = falling[0]
    if lowest.kind == GOOD:
        goal = min(max(lowest.x - 8, 32), 223)
        return RIGHT if basket < goal - 1 else LEFT if basket > goal + 1 else STAY
    assert not -8 <= lowest.x - basket <= 24, "a rotten acorn falls where the basket has just caught a good one"
    return STAY


def random_player(stream: np.random.Generator) -> tuple[str, ...]:
    """Any of the three actions."""
    return (STAY, LEFT, RIGHT)[stream.integers(3)]
