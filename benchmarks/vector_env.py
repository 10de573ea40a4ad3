# SPDX-License-Identifier: GPL-3.0-or-later
"""The vector environment, frameskip 4, 84x84 grey x4: against ALE's, emulation alone, and one thread."""

import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from ale_py.vector_env import AtariVectorEnv

from oakemu_rl._core import Machine
from oakemu_rl.emulator import load_rom
from oakemu_rl.envs import SpectrumVectorEnv
from oakemu_rl.games import Game, load_game

import _busy
from _timing import rates, ratio

sys.path.insert(0, str(Path(__file__).parents[1] / "programs"))
from build import write_tape

__all__ = ["measure"]

_NUM_ENVS = 32
_STEPS = 60
_ALE_STEPS = 6
_FRAMESKIP = 4
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
routines: {main: 0x8000}
actions: {stay: [], fire: [space]}
reward: delta(passes)
loss: passes == 1
presets: {frameskip: 4, size: [84, 84], colour: grey, stack: 4}
"""


def _busy_game() -> Game:
    """Busy code that rewrites every attribute within a step, so that no row of the picture stays as it was."""
    memory = _busy.program(0, target=0x5800, rounds=0x300)
    code = bytearray(0x103)
    for address, data in memory.items():
        code[address - _busy.ORIGIN : address - _busy.ORIGIN + len(data)] = data
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "busy.tap").write_bytes(write_tape("busy", bytes(code)))
        path = Path(folder) / "busy.yaml"
        path.write_text(_DEFINITION)
        return load_game(path)


def _stepping(game: Game, num_threads: int) -> Callable[[], float]:
    """Agent steps of all environments together."""
    env = SpectrumVectorEnv(
        game, _NUM_ENVS, num_threads=num_threads, img_width=84, img_height=84, stack_num=4, frameskip=_FRAMESKIP
    )
    env.reset(seed=1)
    actions = np.random.default_rng(1).integers(len(game.action_names), size=(_STEPS, _NUM_ENVS))

    def work() -> float:
        for row in actions:
            env.step(row)
        return _STEPS * _NUM_ENVS

    return work


def _emulation(game: Game) -> Callable[[], float]:
    """The same machines and frames with nothing around them."""
    machines = [Machine(load_rom("48k")) for _ in range(_NUM_ENVS)]
    for machine in machines:
        machine.restore(game.start_state())

    def work() -> float:
        for _ in range(_STEPS):
            for machine in machines:
                machine.run_frames(_FRAMESKIP)
        return _STEPS * _NUM_ENVS

    return work


def _ale(num_threads: int) -> Callable[[], float]:
    """ALE's own vector environment on Breakout, with what we do too: no max-pooling, no clipping of rewards."""
    env = AtariVectorEnv("breakout", _NUM_ENVS, num_threads=num_threads, maxpool=False, reward_clipping=False)
    env.reset(seed=1)
    actions = np.random.default_rng(1).integers(env.single_action_space.n, size=(_ALE_STEPS, _NUM_ENVS))

    def work() -> float:
        for row in actions:
            env.step(row)
        return _ALE_STEPS * _NUM_ENVS

    return work


def measure(rounds: int = 9) -> dict[str, Any]:
    """Agent steps a second, and the ratios that count."""
    busy, acorns = _busy_game(), load_game("acorns")
    measured = rates(
        {
            "busy code, pure emulation, 1 thread": _emulation(busy),
            "busy code, 1 thread": _stepping(busy, 1),
            "busy code, 2 threads": _stepping(busy, 2),
            "Acorns, 1 thread": _stepping(acorns, 1),
            "Acorns, 2 threads": _stepping(acorns, 2),
            "ALE's AtariVectorEnv, Breakout, 1 thread": _ale(1),
            "ALE's AtariVectorEnv, Breakout, 2 threads": _ale(2),
        },
        rounds=rounds,
    )
    pure, one, two, acorns_one, acorns_two, ale_one, ale_two = measured.values()
    return {
        "title": f"Vector environment: {_NUM_ENVS} machines, frameskip 4, 84x84 grey x4 (steps/s)",
        "rows": [{"name": rate.name, "per_second": round(rate.median)} for rate in measured.values()],
        "overhead": round(ratio(pure, one) - 1.0, 3),
        "two_threads": round(ratio(two, one), 2),
        "two_threads_acorns": round(ratio(acorns_two, acorns_one), 2),
        "against_ale": {
            "busy code, 1 thread": round(ratio(one, ale_one), 2),
            "busy code, 2 threads": round(ratio(two, ale_two), 2),
            "Acorns, 1 thread": round(ratio(acorns_one, ale_one), 2),
            "Acorns, 2 threads": round(ratio(acorns_two, ale_two), 2),
        },
    }


if __name__ == "__main__":
    result = measure()
    for row in result["rows"]:
        print(f"{row['name']:42} {row['per_second']:>9,} steps/s")
    print(f"observation, reward and bookkeeping over pure emulation: {result['overhead']:.1%}")
    print(f"two threads against one: {result['two_threads']} times (Acorns: {result['two_threads_acorns']})")
    for name, times in result["against_ale"].items():
        print(f"against ALE, {name}: {times} times as fast")
