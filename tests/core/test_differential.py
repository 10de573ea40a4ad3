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
from skoolkit_reference import Reference, core_registers

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
    for start in range(rng.randrange(499), size - 5, 499):
        code[start : start + 5] = (0x01, 0xFD, 0x7F, 0xED, 0x59)  # LD BC,0x7FFD; OUT (C),E
    return code


def _random_moment(rng: random.Random, frame: int) -> int:
    """Any T, and often near INT, the first wait of the picture, its last one, and the end of the frame."""
    near = [range(frame), range(40), range(14300, 14600), range(57100, 58100), range(frame - 2000, frame)]
    return rng.choice(rng.choice(near))


def _random_registers(rng: random.Random) -> dict[str, int]:
    """Any values; addresses often in contended memory, at the borders between the banks, or where PC wraps."""

    def place() -> int:
        return rng.choice(
            [
                rng.randrange(65536),
                rng.randrange(0x4000, 0x8000),
                rng.randrange(0xC000, 0x10000),
                rng.choice([0x3FFC, 0x7FF8, 0xFFF8]),
            ]
        )

    values = {name: rng.randrange(65536) for name in ("af", "bc", "de", "af_", "bc_", "de_", "hl_", "memptr")}
    values |= {name: place() for name in ("hl", "ix", "iy", "sp", "pc")}
    values |= {"i": rng.randrange(256), "r": rng.randrange(256), "im": rng.randrange(3), "iff1": rng.randrange(2)}
    return values | {"iff2": values["iff1"], "q": 0}


# In the real ROM a random program would soon run the ROM's own loops only.
_RANDOM_ROM = {"48k": bytes(_random_code(48, 16384)), "128k": bytes(_random_code(128, 32768))}


@cache
def _python_reference(model: str) -> Reference:
    return Reference(_RANDOM_ROM[model], model=model)


def _total_t(machine: Machine) -> int:
    return machine.frame * machine.frame_tstates + machine.t


def _compare(machine: Machine, reference: Reference, where: str) -> None:
    assert core_registers(machine) == reference.registers(), where


def _check_flags_of_scf(machine: Machine, reference: Reference, f_before: int) -> None:
    """SkoolKit has no Q: its SCF and CCF know only A. Ours may also show the flags of before; follow it."""
    a, f = machine.get_register("a"), machine.get_register("f")
    assert f & 0x28 in (a & 0x28, (a | f_before) & 0x28), "flags 5 and 3"
    reference.set_flags_53(f)


def _is_known_fault(codes: list[int], machine: Machine) -> bool:
    """SkoolKit waits by B before OTIR and OTDR have counted it down; by the SingleStepTests it is the new B.

    And it looks at memory once more, or never again, where an instruction changes banks while it runs: OUT (n),A, INI,
    OUTI and their kin.
    """
    codes = codes[1:] if codes[0] in (0xDD, 0xFD) else codes
    b = machine.get_register("b")
    if codes[0] == 0xED and codes[1] in (0xB3, 0xBB) and b in (0x00, 0x40, 0x80, 0xC0):
        return True
    if codes[0] == 0xD3:
        port = machine.get_register("a") << 8 | codes[1]
    elif codes[0] == 0xED and codes[1] in (0xA2, 0xA3, 0xAA, 0xAB, 0xB2, 0xB3, 0xBA, 0xBB):
        port = machine.get_register("bc") - (0x100 if codes[1] & 1 else 0)
    else:
        return False
    return machine.model == "128k" and port & 0x8002 == 0


def _run_both(machine: Machine, reference: Reference, steps: int) -> None:
    for _ in range(steps):
        pc, f, halted = (machine.get_register(name) for name in ("pc", "f", "halted"))
        codes = [machine.read((pc + k) % 65536) for k in range(4)]
        if _is_known_fault(codes, machine):
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
    assert machine.port_7ffd == reference.port_7ffd, "paging latch"
    assert (machine.ay_selected, machine.ay.tolist()) == (reference.ay_selected, reference.ay), "sound chip"


# The message names the instruction at fault; to shrink 48K of random code would take minutes and say no more.
@pytest.mark.parametrize("model", ["48k", "128k"])
@settings(
    max_examples=int(_EXAMPLES or 200),
    derandomize=_EXAMPLES is None,
    deadline=None,
    database=None,
    phases=[Phase.generate],
)
@given(program=st.binary(max_size=24), seed=st.integers(0, 2**64 - 1))
def test_random_programs_agree(model: str, program: bytes, seed: int) -> None:
    rng = random.Random(seed)  # noqa: S311 - test data
    machine = Machine(_RANDOM_ROM[model], model=model)
    machine.t = _random_moment(rng, machine.frame_tstates)
    start = _random_registers(rng)
    machine.ram[:] = _random_code(seed, machine.ram.size)  # wherever it jumps to, there is more random code
    if model == "128k":
        machine.port_7ffd = rng.choice([rng.randrange(32), rng.randrange(64)])
    for offset, byte in enumerate(program):
        address = (start["pc"] + offset) % 65536
        if address >= 0x4000:
            machine.write(address, byte)
    for name, value in start.items():
        machine.set_register(name, value)
    reference = _python_reference(model)
    if start["iff1"] and machine.t < reference.facts.interrupt:
        machine.run_tstates(1)  # SkoolKit accepts interrupts only after an instruction
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
        while reference.t < frame * machine.frame_tstates:
            reference.step()
        # The reference has already answered the interrupt that waits at the start of the frame.
        while _total_t(machine) < reference.t:
            machine.run_tstates(1)
        assert _total_t(machine) == reference.t, f"frame {frame}"
        assert machine.ram.tobytes() == reference.ram(), f"frame {frame}"
        _compare(machine, reference, f"frame {frame}")
    # The copyright sign is character 127 of the Spectrum's set.
    assert _text(machine, 23).rstrip() == "\x7f 1982 Sinclair Research Ltd"
