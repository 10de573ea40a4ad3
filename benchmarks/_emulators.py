# SPDX-License-Identifier: GPL-3.0-or-later
"""The emulators in the comparison, behind one small interface: take a program, run it for some frames."""

import ctypes
import shutil
import subprocess
import tempfile
from array import array
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import zx
from skoolkit import CCMIOSimulator, CSimulator

from oakemu_rl._core import Machine
from oakemu_rl.emulator import load_rom

from _programs import REGISTERS, Program

__all__ = [
    "Emulator",
    "exact",
    "hooked",
    "make_z80ex",
    "skoolkit_contended",
    "skoolkit_plain",
    "uncontended",
    "zx_core",
]

_FRAME = 69_888
_ROM_SIZE = 16_384
_ZX_END_OF_FRAME = 1 << 1


@dataclass(frozen=True)
class Emulator:
    """One emulator with one program in it.

    Attributes:
        restart: Puts it where the program begins.
        run: Runs about so many frames, from where it stands; gives how many it was.
    """

    restart: Callable[[], None]
    run: Callable[[int], float]


def _machine(program: Program, *, contention: bool) -> tuple[Machine, Callable[[], None]]:
    machine = Machine(load_rom("48k"), contention=contention)
    machine.ram[:] = np.frombuffer(program.memory, np.uint8)[_ROM_SIZE:]
    for name, value in program.registers.items():
        machine.set_register(name, value)
    state = machine.save()
    return machine, lambda: machine.restore(state)


def _ours(program: Program, *, contention: bool) -> Emulator:
    machine, restart = _machine(program, contention=contention)

    def run(frames: int) -> float:
        machine.run_frames(frames)
        return frames

    return Emulator(restart, run)


def exact(program: Program) -> Emulator:
    """OakEmu-RL with exact contention."""
    return _ours(program, contention=True)


def uncontended(program: Program) -> Emulator:
    """OakEmu-RL in its fast mode."""
    return _ours(program, contention=False)


def hooked(program: Program) -> Emulator:
    """OakEmu-RL with exact contention, watching addresses that are not reached."""
    machine, restart = _machine(program, contention=True)

    def run(frames: int) -> float:
        reached = machine.run_until(program.unreached, frames)
        if reached is not None:
            raise RuntimeError(f"the benchmark's hook at {reached:#06x} was reached")
        return frames

    return Emulator(restart, run)


def zx_core(program: Program) -> Emulator:
    """The core of zx, without the Python loop that it has around each frame. It draws every frame as it goes."""
    machine = zx.Spectrum(headless=True)
    machine.set_on_input_callback(lambda _port: 0xFF)
    names = {"af_": "alt_af", "bc_": "alt_bc", "de_": "alt_de", "hl_": "alt_hl", "im": "int_mode"}
    values = dict(program.registers)
    values["ir"] = 256 * values.pop("i", 0) + values.pop("r", 0)

    def restart() -> None:
        machine.write(_ROM_SIZE, program.memory[_ROM_SIZE:], ram_page=0)  # which is the one at 0xC000
        for name, value in values.items():
            setattr(machine, names.get(name, name), value)

    def run(frames: int) -> float:
        for _ in range(frames):
            while not machine._run() & _ZX_END_OF_FRAME:
                pass
        return frames

    return Emulator(restart, run)


def _skoolkit(simulator_class: Any, program: Program) -> Emulator:  # noqa: ANN401 - extension types without stubs
    values = dict(program.registers)
    state = {"iff": values.pop("iff1", 0), "im": values.pop("im", 1)}
    registers = {
        f"^{name[:2].upper()}" if name.endswith("_") else name.upper(): value for name, value in values.items()
    }
    simulator = simulator_class(bytearray(program.memory), registers, state, None)
    start = array("Q", simulator.registers)
    pc, clock = 24, 25  # their places among the registers

    def restart() -> None:
        simulator.memory[:] = program.memory
        simulator.registers[:] = start

    def run(frames: int) -> float:
        begin = simulator.registers[clock]
        end = begin + frames * _FRAME
        while simulator.registers[clock] < end:
            simulator.run(simulator.registers[pc], program.tick, True)  # noqa: FBT003 - the C function takes no keywords
        return float((simulator.registers[clock] - begin) / _FRAME)

    return Emulator(restart, run)


def skoolkit_contended(program: Program) -> Emulator:
    """SkoolKit's simulator in C with contention."""
    return _skoolkit(CCMIOSimulator, program)


def skoolkit_plain(program: Program) -> Emulator:
    """SkoolKit's simulator in C without contention."""
    return _skoolkit(CSimulator, program)


def make_z80ex() -> Callable[[Program], Emulator]:
    """Debian's z80ex, a bare CPU on flat memory.

    Raises:
        OSError: The library or a C compiler is not there (Debian: apt-get install libz80ex-dev).
    """
    compiler = shutil.which("cc")
    if compiler is None:
        raise OSError("no C compiler")
    with tempfile.TemporaryDirectory() as folder:
        built = Path(folder) / "peer.so"
        source = Path(__file__).with_name("z80ex_peer.c")
        command = [compiler, "-O3", "-shared", "-fPIC", str(source), "-o", str(built), "-lz80ex"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise OSError("libz80ex-dev is not installed")
        library = ctypes.CDLL(str(built))
    library.peer_new.restype = ctypes.c_void_p
    library.peer_restart.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
    library.peer_run.argtypes = [ctypes.c_void_p, ctypes.c_uint64]

    def z80ex(program: Program) -> Emulator:
        registers = (ctypes.c_uint16 * len(REGISTERS))(*(program.registers.get(name, 0) for name in REGISTERS))
        peer = library.peer_new()

        def restart() -> None:
            library.peer_restart(peer, program.memory, registers)

        def run(frames: int) -> float:
            library.peer_run(peer, frames)
            return frames

        return Emulator(restart, run)

    return z80ex
