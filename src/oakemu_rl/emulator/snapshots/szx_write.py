# SPDX-License-Identifier: GPL-3.0-or-later
"""The .szx format (zx-state), version 1.5, written. It holds all of a snapshot."""

import zlib
from importlib.metadata import version

from oakemu_rl.emulator.snapshots.halts import INTERRUPT_TSTATES
from oakemu_rl.emulator.snapshots.model import BANKS, Snapshot, Written
from oakemu_rl.emulator.snapshots.szx import CREATOR, EI_LAST, FLAGS_SET, HALTED, Z80R_WORDS
from oakemu_rl.emulator.snapshots.szx_names import MACHINES

__all__ = ["format_szx"]

_MAJOR, _MINOR = 1, 5
_JOYSTICK_KEMPSTON, _JOYSTICK_NONE = 0, 8


def format_szx(snapshot: Snapshot) -> Written:
    """Writes a .szx file."""
    number = next(number for number, machine in MACHINES.items() if machine == snapshot.machine)
    joystick = _JOYSTICK_KEMPSTON if snapshot.kempston else _JOYSTICK_NONE
    port_fe = snapshot.border if snapshot.port_fe is None else snapshot.port_fe
    blocks = [
        _block(b"CRTR", CREATOR.ljust(32, b"\0") + _program_version() + snapshot.note),
        _block(b"Z80R", _z80r(snapshot)),
        _block(b"SPCR", bytes([snapshot.border, snapshot.port_7ffd, 0, port_fe]) + bytes(4)),
        _block(b"KEYB", int(snapshot.issue2).to_bytes(4, "little") + bytes([_JOYSTICK_NONE])),
        _block(b"JOY\0", bytes(4) + bytes([joystick, _JOYSTICK_NONE])),
    ]
    if snapshot.machine != "48k":
        blocks.append(_block(b"AY\0\0", bytes([0, snapshot.ay_selected or 0]) + (snapshot.ay or bytes(16))))
    for bank in sorted(BANKS[snapshot.machine]):
        packed = zlib.compress(snapshot.banks[bank], 9)
        blocks.append(_block(b"RAMP", bytes([1, 0, bank]) + packed))
    return Written(b"ZXST" + bytes([_MAJOR, _MINOR, number, int(snapshot.late)]) + b"".join(blocks), ())


def _block(letters: bytes, data: bytes) -> bytes:
    return letters + len(data).to_bytes(4, "little") + data


def _program_version() -> bytes:
    major, minor = (int(part) for part in version("oakemu-rl").split(".")[:2])
    return major.to_bytes(2, "little") + minor.to_bytes(2, "little")


def _z80r(snapshot: Snapshot) -> bytes:
    registers = {**snapshot.registers, "pc": snapshot.pc_in_file}
    t = snapshot.t or 0
    flags = snapshot.after_ei * EI_LAST | snapshot.halted * HALTED | (registers.get("q", 0) != 0) * FLAGS_SET
    small = (registers["i"], registers["r"], registers["iff1"], registers["iff2"], registers["im"])
    return (
        b"".join(registers[name].to_bytes(2, "little") for name in Z80R_WORDS)
        + bytes(small)
        + t.to_bytes(4, "little")
        + bytes([max(0, INTERRUPT_TSTATES[snapshot.machine] - t), flags])
        + registers.get("memptr", 0).to_bytes(2, "little")
    )
