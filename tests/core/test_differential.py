# SPDX-License-Identifier: GPL-3.0-or-later
"""Our machine against SkoolKit's contended simulator: random programs, and the ROM from power-on to its message."""

import os
import random
from functools import cache
from typing import Any

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from skoolkit.cmiosimulator import CMIOSimulator
from skoolkit_reference import FRAME, INTERRUPT, Reference, core_registers

from oakemu_rl._core import Machine
from oakemu_rl.emulator.rom import load_rom

_EXAMPLES = os.environ.get("OAKEMU_FUZZ_EXAMPLES")  # set it to search on with fresh seeds
_STEPS = 300
_SCF, _CCF = 0x37, 0x3F


def _random_code(seed: int, size: int = 49152) -> list[int]:
    """Random bytes with more prefixes than chance gives, so that every table is visited often, and fewer HALTs."""
    rng = random.Random(seed)  # noqa: S311 - test data
    code = list(rng.randbytes(size).replace(b"\x76", b"\x00"))
    for byte, stride in ((0xCB, 19), (0xED, 23), (0xDD, 29), (0xFD, 31), (0x76, 1009)):
        start = rng.randrange(stride)
        code[start::stride] = [byte] * len(code[start::stride])
    return code


def _random_moment(rng: random.Random) -> int:
    """Any T, and often near INT, the first wait of the picture, its last one, and the end of the frame."""
    near = [range(FRAME), range(40), range(14300, 14600), range(57100, 57300), range(FRAME - 2000, FRAME)]
    return rng.choice(rng.choice(near))


def _random_registers(rng: random.Random) -> dict[str, int]:
    """Any values; addresses often in contended memory, at the borders between the banks, or where PC wraps."""

    def place() -> int:
        return rng.choice([rng.randrange(65536), rng.randrange(0x4000, 0x8000), rng.choice([0x3FFC, 0x7FF8, 0xFFF8])])

    values = {name: rng.randrange(65536) for name in ("af", "bc", "de", "af_", "bc_", "de_", "hl_", "memptr")}
    values |= {name: place() for name in ("hl", "ix", "iy", "sp", "pc")}
    values |= {"i": rng.randrange(256), "r": rng.randrange(256), "im": rng.randrange(3), "iff1": rng.randrange(2)}
    return values | {"iff2": values["iff1"], "q": 0}


# In the real ROM a random program would soon run the ROM's own loops only.
_RANDOM_ROM = bytes(_random_code(48, 16384))


@cache
def _python_reference() -> Reference:
    return Reference(_RANDOM_ROM)


def _advance_to(machine: Machine, t: int) -> None:
    """Lets time pass until T `t` of the first frame, or up to 21 T later, which only RAM at 0x8000 sees."""
    machine.set_register("pc", 0x8000)
    machine.write(0x8000, 0x3E)  # LD A,n: 7 T, so that every T can be reached and not only multiples of 4
    for _ in range(-t % 4):
        machine.set_register("pc", 0x8000)
        machine.run_tstates(1)
    machine.set_register("halted", 1)
    machine.run_tstates(max(0, t - machine.t))
    machine.set_register("halted", 0)


def _total_t(machine: Machine) -> int:
    return machine.frame * FRAME + machine.t


def _compare(machine: Machine, reference: Reference, where: str) -> None:
    assert core_registers(machine) == reference.registers(), where


def _check_flags_of_scf(machine: Machine, reference: Reference, f_before: int) -> None:
    """SkoolKit has no Q: its SCF and CCF know only A. Ours may also show the flags of before; follow it."""
    a, f = machine.get_register("a"), machine.get_register("f")
    assert f & 0x28 in (a & 0x28, (a | f_before) & 0x28), "flags 5 and 3"
    reference.set_flags_53(f)


def _is_known_fault(codes: list[int], b: int) -> bool:
    """SkoolKit waits by B before OTIR and OTDR have counted it down; by the SingleStepTests it is the new B."""
    return codes[0] == 0xED and codes[1] in (0xB3, 0xBB) and b in (0x40, 0x80)


def _run_both(machine: Machine, reference: Reference, steps: int) -> None:
    for _ in range(steps):
        pc, f, halted = (machine.get_register(name) for name in ("pc", "f", "halted"))
        codes = [machine.read((pc + k) % 65536) for k in range(4)]
        if _is_known_fault(codes, machine.get_register("b")):
            break
        where = f"after {bytes(codes).hex(' ')} at {pc:#06x}, frame {machine.frame}, T {machine.t}"
        machine.run_tstates(1)
        interrupted = reference.step()
        executed = codes[0]
        if executed in (0xDD, 0xFD):
            executed = codes[1]
            if reference.t < _total_t(machine):  # a prefix without effect is a step of its own there
                interrupted = reference.step()
        if executed in (_SCF, _CCF) and not halted:
            _check_flags_of_scf(machine, reference, f)
        if interrupted:
            machine.run_tstates(1)
        assert _total_t(machine) == reference.t, where
        _compare(machine, reference, where)
    assert machine.ram.tobytes() == reference.ram(), "RAM"
    assert machine.border == reference.port_fe % 8, "border"


# The message names the instruction at fault; to shrink 48K of random code would take minutes and say no more.
@settings(
    max_examples=int(_EXAMPLES or 250),
    derandomize=_EXAMPLES is None,
    deadline=None,
    database=None,
    phases=[Phase.generate],
)
@given(program=st.binary(max_size=24), seed=st.integers(0, 2**64 - 1))
def test_random_programs_agree(program: bytes, seed: int) -> None:
    rng = random.Random(seed)  # noqa: S311 - test data
    machine = Machine(_RANDOM_ROM)
    _advance_to(machine, _random_moment(rng))
    start = _random_registers(rng)
    machine.ram[:] = _random_code(seed)  # wherever it jumps to, there is more random code
    for offset, byte in enumerate(program):
        address = (start["pc"] + offset) % 65536
        if address >= 0x4000:
            machine.write(address, byte)
    for name, value in start.items():
        machine.set_register(name, value)
    if start["iff1"] and machine.t < INTERRUPT:
        machine.run_tstates(1)  # SkoolKit accepts interrupts only after an instruction
    reference = _python_reference()
    reference.load(machine)
    _run_both(machine, reference, _STEPS)


def _text(machine: Machine, line: int) -> str:
    """A line of the display, its characters recognised by the ROM's font."""
    font = {bytes(machine.rom[0x3D00 + 8 * k : 0x3D08 + 8 * k]): chr(32 + k) for k in range(96)}
    base = (line & 24) << 8 | (line & 7) << 5
    cells = (bytes(machine.ram[base + column + 256 * row] for row in range(8)) for column in range(32))
    return "".join(font.get(cell, "?") for cell in cells)


def _fastest_simulator() -> Any:
    try:
        from skoolkit.ccmiosimulator import CCMIOSimulator
    except ImportError:  # SkoolKit was installed without a compiler
        return CMIOSimulator
    return CCMIOSimulator


@pytest.mark.parametrize("frames", [100])
def test_rom_boots_alike(frames: int) -> None:
    machine = Machine(load_rom("48k"))
    reference = Reference(load_rom("48k"), _fastest_simulator())
    reference.load(machine)
    for frame in range(1, frames + 1):
        machine.run_frames(1)
        while reference.t < frame * FRAME:
            reference.step()
        # The reference has already answered the interrupt that waits at the start of the frame.
        while _total_t(machine) < reference.t:
            machine.run_tstates(1)
        assert _total_t(machine) == reference.t, f"frame {frame}"
        assert machine.ram.tobytes() == reference.ram(), f"frame {frame}"
        _compare(machine, reference, f"frame {frame}")
    # The copyright sign is character 127 of the Spectrum's set.
    assert _text(machine, 23).rstrip() == "\x7f 1982 Sinclair Research Ltd"
