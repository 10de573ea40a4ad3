# SPDX-License-Identifier: GPL-3.0-or-later
"""The core against its peers on the same programs: frames of 69,888 T-states a second, one thread and two."""

import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context
from typing import Any

from oakemu_rl._core import Machine
from oakemu_rl.emulator import load_rom

import _emulators
from _emulators import Emulator
from _memory import bytes_each, environments, machines_48k, machines_128k
from _programs import Program, programs
from _timing import Rate, rates, ratio

__all__ = ["measure", "table"]

_SECONDS = 0.03  # that one timing of one candidate takes, about
_SECONDS_TOGETHER = 0.3  # the same where two threads have to get going, and the wall's clock counts
_EXACT, _TWO, _FAST, _HOOKED = "exact", "two threads", "fast", "3 hooks"
_ZX, _CONTENDED, _PLAIN, _Z80EX = "zx", "SkoolKit contended", "SkoolKit", "z80ex"
_STATES = 2_000


def _frames(emulator: Emulator, program: Program, frames: int) -> float:
    """Runs a program for some frames, again from its start if it has an end."""
    if program.frames is None:
        return emulator.run(frames)
    done = 0.0
    for _ in range(max(1, frames // program.frames)):
        emulator.restart()
        done += emulator.run(program.frames)
    return done


def _candidate(emulator: Emulator, program: Program, seconds: float = _SECONDS) -> Callable[[], float]:
    """Work of a fixed number of frames that takes about so long."""
    emulator.restart()
    frames = elapsed = 1.0
    while True:
        start = time.thread_time()
        frames = _frames(emulator, program, round(frames))
        elapsed = time.thread_time() - start
        if elapsed > seconds / 4:
            break
        frames *= 2
    amount = max(1, round(frames * seconds / elapsed))
    return lambda: _frames(emulator, program, amount)


def _two_threads(program: Program) -> Callable[[], float]:
    """Two machines, each in a thread of its own."""
    works = [_candidate(_emulators.exact(program), program, _SECONDS_TOGETHER) for _ in range(2)]
    pool = ThreadPoolExecutor(2)
    return lambda: sum(pool.map(lambda work: work(), works))


def _kinds() -> dict[str, Callable[[Program], Emulator]]:
    """What can be measured here."""
    kinds: dict[str, Callable[[Program], Emulator]] = {
        _EXACT: _emulators.exact,
        _FAST: _emulators.uncontended,
        _HOOKED: _emulators.hooked,
        _ZX: _emulators.zx_core,
        _CONTENDED: _emulators.skoolkit_contended,
        _PLAIN: _emulators.skoolkit_plain,
    }
    try:
        kinds[_Z80EX] = _emulators.make_z80ex()
    except OSError as error:
        print(f"{_Z80EX} is left out: {error} (Debian: apt-get install libz80ex-dev)")
    return kinds


def _measure_program(program: Program, kinds: dict[str, Callable[[Program], Emulator]], rounds: int) -> dict[str, Any]:
    candidates = {
        name: _candidate(make(program), program) for name, make in kinds.items() if name != _HOOKED or program.unreached
    }
    measured: dict[str, Rate] = rates(candidates, rounds=rounds, clock=time.thread_time)
    exact = measured[_EXACT]
    alone = _candidate(_emulators.exact(program), program, _SECONDS_TOGETHER)
    together = rates({_EXACT: alone, _TWO: _two_threads(program)}, rounds=rounds)
    return {
        "program": program.name,
        "per_second": {name: round(rate.median) for name, rate in measured.items()},
        "exact_is": {name: round(ratio(exact, rate), 2) for name, rate in measured.items() if name != _EXACT},
        "two_threads": round(ratio(together[_TWO], together[_EXACT]), 2),
    }


def _states(rounds: int) -> dict[str, float]:
    """Microseconds to save and to restore a 48K machine."""
    machine = Machine(load_rom("48k"))
    machine.run_frames(100)
    state = machine.save()

    def save() -> float:
        for _ in range(_STATES):
            machine.save()
        return _STATES

    def restore() -> float:
        for _ in range(_STATES):
            machine.restore(state)
        return _STATES

    def fork() -> float:
        for _ in range(_STATES):
            machine.fork()
        return _STATES

    measured = rates({"save": save, "restore": restore, "fork": fork}, rounds=rounds, clock=time.thread_time)
    return {name: round(1e6 / rate.median, 2) for name, rate in measured.items()}


def _memory() -> dict[str, int]:
    """Bytes that one machine takes, alone and in a batch. Each in a process of its own, which keeps what it used."""
    makers = {
        "48K machine": machines_48k,
        "128K machine": machines_128k,
        "48K machine in a batch, with its observations": environments,
    }
    sizes = {}
    for name, maker in makers.items():
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as process:
            sizes[name] = process.submit(bytes_each, maker, 500).result()
    return sizes


def measure(rounds: int = 7) -> dict[str, Any]:
    """Frames a second of each emulator and program, how many times as fast ours is, and what states cost."""
    kinds = _kinds()
    listed = [_measure_program(program, kinds, rounds) for program in programs()]
    return {
        "title": "Core: frames of 69,888 T-states a second",
        "programs": listed,
        "microseconds": _states(rounds),
        "bytes": _memory(),
    }


def table(results: dict[str, Any]) -> list[str]:
    """The results as Markdown: a row a program; the peers with how many times as fast the exact core is."""
    peers = [name for name in (_ZX, _CONTENDED, _PLAIN, _Z80EX) if name in results["programs"][0]["per_second"]]
    lines = [
        "| frames/s | OakEmu-RL exact | fast | 3 hooks | two threads | " + " | ".join(peers) + " |",
        "|---|" + "---:|" * (4 + len(peers)),
    ]
    for row in results["programs"]:
        per_second, exact_is = row["per_second"], row["exact_is"]
        ours = [f"{per_second[name]:,}" if name in per_second else "" for name in (_EXACT, _FAST, _HOOKED)]
        ours.append(f"{row['two_threads']}x")
        theirs = [f"{per_second[name]:,} ({exact_is[name]:.1f}x)" for name in peers]
        lines.append(f"| {row['program']} | " + " | ".join(ours + theirs) + " |")
    return lines


if __name__ == "__main__":
    measured = measure()
    print("\n".join(table(measured)))
    print("microseconds:", measured["microseconds"])
    print("bytes:", measured["bytes"])
