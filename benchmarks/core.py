# SPDX-License-Identifier: GPL-3.0-or-later
"""The core against its peers: the same busy machine code, one thread, frames of 69,888 T-states a second."""

from collections.abc import Callable
from typing import Any

import zx
from skoolkit import CCMIOSimulator, CSimulator

from oakemu_rl._core import Machine
from oakemu_rl.emulator import load_rom

import _busy
from _timing import Rate, rates, ratio

__all__ = ["measure"]

_FRAME = 69_888
_OURS_FRAMES = 4_000
_ZX_FRAMES = 400
_SKOOLKIT_PASSES = 300
_ZX_END_OF_FRAME = 1 << 1


def _ours(*, contention: bool) -> Callable[[], float]:
    def work() -> float:
        machine = Machine(load_rom("48k"), contention=contention)
        for address, code in _busy.program(0).items():
            for offset, value in enumerate(code):
                machine.write(address + offset, value)
        machine.set_register("pc", _busy.ORIGIN)
        machine.run_frames(_OURS_FRAMES)
        return _OURS_FRAMES

    return work


def _zx() -> float:
    machine = zx.Spectrum(headless=True)
    machine.set_on_input_callback(lambda _port: 0xFF)
    for address, code in _busy.program(0).items():
        machine.write(address, code)
    machine.pc = _busy.ORIGIN
    frames = 0
    while frames < _ZX_FRAMES:
        # The core alone, without its Python loop around each frame.
        frames += bool(machine._run() & _ZX_END_OF_FRAME)
    return frames


def _skoolkit(simulator_class: Any) -> Callable[[], float]:  # noqa: ANN401 - extension types without stubs
    def work() -> float:
        memory = bytearray(65_536)
        for address, code in _busy.program(_SKOOLKIT_PASSES).items():
            memory[address : address + len(code)] = code
        simulator = simulator_class(memory, {"SP": 0x9000}, {"iff": 0}, None)
        simulator.run(_busy.ORIGIN, _busy.STOP)
        return float(simulator.registers[25] / _FRAME)

    return work


def measure(rounds: int = 7) -> dict[str, Any]:
    """Frames a second of each emulator, and how many times as fast ours is."""
    names = {
        "OakEmu-RL, exact contention": _ours(contention=True),
        "OakEmu-RL, no contention": _ours(contention=False),
        "zx 0.13, core only": _zx,
        "SkoolKit C, contended": _skoolkit(CCMIOSimulator),
        "SkoolKit C, uncontended": _skoolkit(CSimulator),
    }
    measured: dict[str, Rate] = rates(names, rounds=rounds)
    ours = measured["OakEmu-RL, exact contention"]
    return {
        "title": "Core: busy machine code, one thread (frames/s)",
        "rows": [
            {"name": rate.name, "per_second": round(rate.median), "ours_is": round(ratio(ours, rate), 2)}
            for rate in measured.values()
        ],
    }


if __name__ == "__main__":
    for row in measure()["rows"]:
        print(f"{row['name']:32} {row['per_second']:>8,} frames/s   exact core is {row['ours_is']:.2f} times as fast")
