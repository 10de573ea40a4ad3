# SPDX-License-Identifier: GPL-3.0-or-later
"""A machine that plays Acorns frame by frame for the tests: its variables by label, its acorns, and players."""

import importlib.util
import sys
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np

from oakemu_rl.emulator import Spectrum
from oakemu_rl.games import load_game

ROOT = Path(__file__).resolve().parents[3]
GOOD, ROTTEN = 1, 2
STAY: tuple[str, ...] = ()
LEFT, RIGHT = ("o",), ("p",)


@cache
def load_build() -> ModuleType:
    """`programs/build.py` as a module; it is a script and lies outside every package."""
    spec = importlib.util.spec_from_file_location("programs_build", ROOT / "programs" / "build.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@cache
def built() -> Any:
    """Acorns, assembled from its sources."""
    return load_build().build("acorns")


class Acorn(NamedTuple):
    """One slot of the game."""

    kind: int
    x: int
    y: int
    drawn_y: int
    phase: int  # 0 falling, 1 passed, 2 gone


class AcornsMachine:
    """The game at its first frame, with the given seed."""

    def __init__(self, seed: int = 1) -> None:
        self.labels: dict[str, int] = built().labels
        self.spectrum = Spectrum()
        self.spectrum.load_state(load_game("acorns").start_state())
        self.write_word("seed", seed)
        self.frame()  # to the end of the frame in which the script stopped; the game waits for it

    def byte(self, label: str) -> int:
        return self.spectrum.peek(self.labels[label])

    def word(self, label: str) -> int:
        return self.spectrum.read_word(self.labels[label])

    def bcd(self, label: str) -> int:
        return int("".join(f"{self.spectrum.peek(self.labels[label] + i):02x}" for i in range(4)))

    def write(self, label: str, value: int, offset: int = 0) -> None:
        self.spectrum.poke(self.labels[label] + offset, value)

    def write_word(self, label: str, value: int) -> None:
        self.write(label, value & 0xFF)
        self.write(label, value >> 8, 1)

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

    def hold(self, *keys: str) -> None:
        self.spectrum.release_all()
        self.spectrum.press(*keys)

    def frame(self, count: int = 1) -> None:
        self.spectrum.run_frames(count)

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
