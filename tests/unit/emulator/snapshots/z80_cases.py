# SPDX-License-Identifier: GPL-3.0-or-later
"""Files of version 1 made by hand, and how they are read."""

from snapshot_cases import bank, z80_header

from oakemu_rl.emulator.snapshots import parse_snapshot

RAM_48K = bank(5) + bank(2) + bank(0)
END_MARKER = b"\x00\xed\xed\x00"


def version_1(ram: bytes = RAM_48K, *, byte_12: int = 0x0B, byte_29: int = 2) -> bytearray:
    return bytearray(z80_header(pc=0x8A9B, byte_12=byte_12, byte_29=byte_29) + ram)


def parse(data: bytes) -> object:
    return parse_snapshot(bytes(data), "x.z80")
