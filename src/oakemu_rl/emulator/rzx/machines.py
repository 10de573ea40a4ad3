# SPDX-License-Identifier: GPL-3.0-or-later
"""From the snapshots in recordings to machines, and back."""

import numpy as np

from oakemu_rl.emulator.rzx.recording import RzxSnapshot
from oakemu_rl.emulator.snapshots import Snapshot, format_snapshot, parse_snapshot
from oakemu_rl.emulator.snapshots.model import BANKS, REGISTERS
from oakemu_rl.emulator.spectrum import Spectrum

__all__ = ["snapshot_of", "spectrum_from"]


def spectrum_from(snapshot: RzxSnapshot, *, contention: bool = True) -> Spectrum:
    """The machine that a snapshot in a recording holds.

    Raises:
        UserError: It is none that can be read.
    """
    parsed = parse_snapshot(snapshot.data, snapshot.name)
    spectrum = Spectrum(
        parsed.machine, contention=contention, late=parsed.late, issue2=parsed.issue2, kempston=parsed.kempston
    )
    machine = spectrum._machine
    for number, bank in parsed.banks.items():
        machine.bank(number)[:] = np.frombuffer(bank, dtype=np.uint8)
    for name, value in parsed.registers.items():
        machine.set_register(name, value)
    machine.set_register("halted", int(parsed.halted))
    machine.border = parsed.border
    machine.port_fe = parsed.border if parsed.port_fe is None else parsed.port_fe
    machine.t = parsed.t or 0
    if parsed.machine != "48k":
        machine.port_7ffd = parsed.port_7ffd
        machine.ay[:] = np.frombuffer(parsed.ay or bytes(16), dtype=np.uint8)
        machine.ay_selected = (parsed.ay_selected or 0) & 15
    return spectrum


def snapshot_of(spectrum: Spectrum, kind: str, name: str) -> RzxSnapshot:
    """A machine as the bytes of a snapshot file.

    Args:
        spectrum: The machine.
        kind: ``"szx"``, which holds all that a recording needs, or ``"z80"``, which more programs read.
        name: Where it came from, for messages.
    """
    machine = spectrum._machine
    paging = machine.model != "48k"
    made = Snapshot(
        machine.model,
        {register: machine.get_register(register) for register in (*REGISTERS, "memptr", "q")},
        {number: machine.bank(number).tobytes() for number in BANKS[machine.model]},
        border=machine.border,
        late=machine.late,
        t=machine.t,
        halted=machine.get_register("halted") != 0,
        port_fe=machine.port_fe & 0xF8 | machine.border,
        port_7ffd=machine.port_7ffd if paging else 0,
        ay=machine.ay.tobytes() if paging else None,
        ay_selected=machine.ay_selected if paging else None,
        issue2=machine.issue2,
        kempston=machine.kempston_fitted,
        name=name,
    )
    return RzxSnapshot(name, kind, format_snapshot(made, kind).data)
