# SPDX-License-Identifier: GPL-3.0-or-later
"""From snapshots to machines, and back."""

import numpy as np

from oakemu_rl.emulator.snapshots.model import BANKS, OPTIONAL_REGISTERS, REGISTERS, Snapshot
from oakemu_rl.emulator.spectrum import Spectrum

__all__ = ["from_machine", "to_machine"]

# The bits that the sound chip's registers have: what programs read back is no more than that.
_AY_BITS = bytes.fromhex("FF 0F FF 0F FF 0F 1F FF 1F 1F 1F FF FF 0F FF FF")


def to_machine(snapshot: Snapshot, *, contention: bool = True) -> Spectrum:
    """A machine that goes on where the snapshot was taken.

    What the snapshot's format does not tell is as at the beginning of a frame: T is 0, the inner registers are 0, the
    speaker is off, the sound chip silent. No key is held, and the frames are counted from 0 (FLASH begins anew).

    Args:
        snapshot: What the machine begins with.
        contention: As of `Spectrum`.
    """
    spectrum = Spectrum(
        snapshot.machine,
        contention=contention,
        late=snapshot.late,
        issue2=snapshot.issue2,
        kempston=snapshot.kempston,
    )
    machine = spectrum._machine  # the core has setters that people have no use for
    for number, bank in snapshot.banks.items():
        machine.bank(number)[:] = np.frombuffer(bank, dtype=np.uint8)
    for name, value in snapshot.registers.items():
        machine.set_register(name, value)
    machine.set_register("halted", int(snapshot.halted))
    machine.border = snapshot.border
    machine.port_fe = snapshot.border if snapshot.port_fe is None else snapshot.port_fe
    machine.t = snapshot.t or 0
    machine.after_ei = snapshot.after_ei
    if snapshot.machine != "48k":
        machine.port_7ffd = snapshot.port_7ffd
        machine.ay_selected = (snapshot.ay_selected or 0) & 15
        if snapshot.ay is not None:
            known = bytes(value & bits for value, bits in zip(snapshot.ay, _AY_BITS, strict=True))
            machine.ay[:] = np.frombuffer(known, dtype=np.uint8)
    return spectrum


def from_machine(spectrum: Spectrum, name: str = "machine") -> Snapshot:
    """The machine as it is now.

    A tape in its recorder, held keys and the number of the frame are no part of it: no format has a place for them.

    Args:
        spectrum: The machine, which stays as it is.
        name: What to call it in messages.
    """
    machine = spectrum._machine
    paging = machine.model != "48k"
    return Snapshot(
        machine.model,
        {register: machine.get_register(register) for register in (*REGISTERS, *OPTIONAL_REGISTERS)},
        {number: machine.bank(number).tobytes() for number in BANKS[machine.model]},
        machine.border,
        late=machine.late,
        t=machine.t,
        halted=bool(machine.get_register("halted")),
        after_ei=machine.after_ei,
        port_fe=machine.port_fe & 0xF8 | machine.border,
        port_7ffd=machine.port_7ffd,
        ay=machine.ay.tobytes() if paging else None,
        ay_selected=machine.ay_selected if paging else None,
        issue2=machine.issue2,
        kempston=machine.kempston_fitted,
        name=name,
    )
