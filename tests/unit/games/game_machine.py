# SPDX-License-Identifier: GPL-3.0-or-later
"""What the machines that play our own games for the tests share: variables by label, keys, frames, won games."""

import importlib.util
import json
import sys
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

from oakemu_rl.emulator import Spectrum
from oakemu_rl.games import load_game

ROOT = Path(__file__).resolve().parents[3]


@cache
def load_script(name: str) -> ModuleType:
    """A script of `programs/` as a module; it lies outside every package."""
    spec = importlib.util.spec_from_file_location(f"programs_{name}", ROOT / "programs" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@cache
def build(program: str) -> Any:
    """A game, assembled from its sources."""
    return load_script("build").build(program)


class WonGame(NamedTuple):
    """A committed game."""

    seed: int
    actions: list[str]  # one for each step of four frames


def won_game(program: str, game: str) -> WonGame:
    """The one that wins a game."""
    recording = json.loads((ROOT / "tests" / "golden" / f"{program}_win.json").read_text(encoding="utf-8"))
    assert recording["game"] == f"ZXSpectrum/{game}-v0"
    assert recording["frameskip"] == 4
    actions = [action for action, steps in recording["actions"] for _ in range(steps)]
    return WonGame(recording.get("seed", 0), actions)


class GameMachine:
    """A game at the end of the frame in which its start script stopped; the game waits for it.

    Args:
        program: What its sources are called.
        game: Its name.
        seed: Of its random numbers, if it has any.
    """

    def __init__(self, program: str, game: str, seed: int | None = None) -> None:
        self.labels: dict[str, int] = build(program).labels
        found = load_game(game)
        self.keys = found.definition.actions
        self.spectrum = Spectrum()
        self.spectrum.load_state(found.start_state())
        if seed is not None:
            self.write_word("seed", seed)
        self.frame()

    def byte(self, label: str, offset: int = 0) -> int:
        return self.spectrum.peek(self.labels[label] + offset)

    def word(self, label: str) -> int:
        return self.spectrum.read_word(self.labels[label])

    def bcd(self, label: str) -> int:
        return int("".join(f"{self.byte(label, i):02x}" for i in range(4)))

    def score(self) -> int:
        return self.bcd("score")

    @property
    def mode(self) -> int:
        return self.byte("mode")

    def write(self, label: str, value: int, offset: int = 0) -> None:
        """Writes a byte, a negative one as its complement."""
        self.spectrum.poke(self.labels[label] + offset, value % 256)

    def write_word(self, label: str, value: int) -> None:
        self.write(label, value & 0xFF)
        self.write(label, value >> 8, 1)

    def hold_keys(self, *keys: str) -> None:
        self.spectrum.release_all()
        self.spectrum.press(*keys)

    def hold(self, action: str = "stay") -> None:
        self.hold_keys(*self.keys[action])

    def frame(self, count: int = 1) -> None:
        self.spectrum.run_frames(count)

    def act(self, action: str, frames: int = 1) -> None:
        self.hold(action)
        self.frame(frames)

    def jump(self, label: str) -> None:
        """Lets the game go on from a place of its own."""
        self.spectrum.registers.pc = self.labels[label]
        self.spectrum.registers.halted = 0
