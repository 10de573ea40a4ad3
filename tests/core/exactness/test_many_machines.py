# SPDX-License-Identifier: GPL-3.0-or-later
"""A million frames on a thousand machines of all models: as if each had run alone, and no memory is left behind."""

import hashlib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from oakemu_rl._core import Machine

_MACHINES, _ROUNDS, _FRAMES = 1000, 10, 100
_KINDS = (
    {"model": "48k"},
    {"model": "48k", "late": True, "kempston": True},
    {"model": "128k"},
    {"model": "plus2", "contention": False},
)
# EI; HALT; INC (HL); INC HL; SET 6,H; IN A,(0xFE); ADD A,D; LD D,A; LD BC,0x7FFD; AND 15; OUT (C),A; LD (0xC100),A;
# IN A,(0x1F); XOR D; LD D,A; OUT (0xFE),A; INC E; JR to the start
_PROGRAM = bytes.fromhex("FB 76 34 23 CB F4 DB FE 82 57 01 FD 7F E6 0F ED 79 32 00 C1 DB 1F AA 57 D3 FE 1C 18 E3")
_ROM = bytearray(32768)
_ROM[0x38:0x3A] = _ROM[0x4038:0x403A] = b"\x1c\xc9"  # INC E; RET


def _launch(number: int) -> Machine:
    kind = _KINDS[number % len(_KINDS)]
    machine = Machine(bytes(_ROM[: 16384 if kind["model"] == "48k" else 32768]), **kind)
    machine.bank(2)[: len(_PROGRAM)] = list(_PROGRAM)
    for name, value in {"pc": 0x8000, "sp": 0xBF00, "im": 1, "hl": number * 41 | 0x4000, "de": number}.items():
        machine.set_register(name, value)
    machine.keys[number % 8] = number % 32
    return machine


def _resident() -> int:
    """Memory of this process in KiB."""
    status = Path("/proc/self/status").read_text(encoding="utf-8")
    return int(status.split("VmRSS:")[1].split()[0])


def _ending(machine: Machine) -> str:
    return hashlib.blake2b(machine.save()).hexdigest()


def test_a_thousand_machines_on_threads_equal_their_twins() -> None:
    machines = [_launch(number) for number in range(_MACHINES)]
    after_warm_up = 0
    with ThreadPoolExecutor(2) as pool:
        for round_ in range(_ROUNDS):
            list(pool.map(lambda machine: machine.run_frames(_FRAMES), machines))
            if round_ == 1:
                after_warm_up = _resident()
    assert _resident() - after_warm_up < 8192
    assert {machine.frame for machine in machines} == {_ROUNDS * _FRAMES}
    assert len({_ending(machine) for machine in machines}) == _MACHINES, "each has its own story"
    for number, machine in enumerate(machines):
        twin = _launch(number)
        twin.run_frames(_ROUNDS * _FRAMES)
        assert _ending(twin) == _ending(machine), f"machine {number}"
