# SPDX-License-Identifier: GPL-3.0-or-later
"""A game of busy machine code, and its machines with nothing around them."""

import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from oakemu_rl._core import Machine
from oakemu_rl.emulator import load_rom
from oakemu_rl.games import Game, load_game

import _busy

sys.path.insert(0, str(Path(__file__).parents[1] / "programs"))
from build import write_tape

__all__ = ["busy_game", "emulation"]

_DEFINITION = """\
id: ZXSpectrum/Busy-v0
title: Busy machine code
machine: 48k
program: {bundled: busy.tap}
start:
  - until: {routine: main, at_most_frames: 500}
area: [0, 16, 256, 176]
variables:
  passes: {at: 0x8100, type: u16le}
MORE_VARIABLES
routines: {main: 0x8000}
actions: {stay: [], fire: [space]}
reward: delta(passes)
loss: passes == 1
presets: {frameskip: 4, size: [84, 84], colour: grey, stack: 4}
"""


def busy_game(more_variables: int = 0) -> Game:
    """Busy code that rewrites every attribute within a step, so that no row of the picture stays as it was.

    Args:
        more_variables: Variables that are read beside the one by which it is rewarded.
    """
    memory = _busy.program(0, target=0x5800, rounds=0x300)
    code = bytearray(0x103)
    for address, data in memory.items():
        code[address - _busy.ORIGIN : address - _busy.ORIGIN + len(data)] = data
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "busy.tap").write_bytes(write_tape("busy", bytes(code)))
        path = Path(folder) / "busy.yaml"
        more = [f"  more{i}: {{at: {0x8200 + 2 * i}, type: u16le}}" for i in range(more_variables)]
        path.write_text(_DEFINITION.replace("MORE_VARIABLES", "\n".join(more)))
        return load_game(path)


def emulation(game: Game, *, machines: int, steps: int, frameskip: int) -> Callable[[], float]:
    """The same machines and frames with nothing around them."""
    each = [Machine(load_rom("48k")) for _ in range(machines)]
    for machine in each:
        machine.restore(game.start_state())

    def work() -> float:
        for _ in range(steps):
            for machine in each:
                machine.run_frames(frameskip)
        return steps * machines

    return work
