# SPDX-License-Identifier: GPL-3.0-or-later
"""From the snapshots in recordings to machines, and back."""

from oakemu_rl.emulator.rzx.recording import RzxSnapshot
from oakemu_rl.emulator.snapshots import format_snapshot, from_machine, parse_snapshot, to_machine
from oakemu_rl.emulator.spectrum import Spectrum

__all__ = ["snapshot_of", "spectrum_from"]


def spectrum_from(snapshot: RzxSnapshot, *, contention: bool = True) -> Spectrum:
    """The machine that a snapshot in a recording holds.

    Raises:
        UserError: It is none that can be read.
    """
    return to_machine(parse_snapshot(snapshot.data, snapshot.name), contention=contention)


def snapshot_of(spectrum: Spectrum, kind: str, name: str) -> RzxSnapshot:
    """A machine as the bytes of a snapshot file.

    Args:
        spectrum: The machine.
        kind: ``"szx"``, which holds all that a recording needs, or ``"z80"``, which more programs read.
        name: Where it came from, for messages.

    Raises:
        UserError: The format is unknown, or cannot hold this machine.
    """
    return RzxSnapshot(name, kind, format_snapshot(from_machine(spectrum, name), kind).data)
