# SPDX-License-Identifier: GPL-3.0-or-later
"""Snapshots of machines in the files that all emulators know: .sna, .z80 and .szx, read and written."""

from oakemu_rl.emulator.snapshots.files import format_snapshot, parse_snapshot, read_snapshot, write_snapshot
from oakemu_rl.emulator.snapshots.machine import from_machine, to_machine
from oakemu_rl.emulator.snapshots.model import Snapshot

__all__ = [
    "Snapshot",
    "format_snapshot",
    "from_machine",
    "parse_snapshot",
    "read_snapshot",
    "to_machine",
    "write_snapshot",
]
