# SPDX-License-Identifier: GPL-3.0-or-later
"""Reading .z80 files of every version."""

import struct

import pytest
from snapshot_cases import REGISTERS, Z80_PAGES_48K, Z80_PAGES_128K, bank, z80_file
from z80_cases import END_MARKER, RAM_48K, parse, version_1

from oakemu_rl.emulator.snapshots import format_snapshot
from oakemu_rl.emulator.snapshots.z80_packing import pack

# Version 1


@pytest.mark.parametrize("packed", [False, True])
def test_version_1(*, packed: bool) -> None:
    data = version_1(pack(RAM_48K) + END_MARKER, byte_12=0x2B) if packed else version_1()
    snapshot = parse(data)
    assert snapshot.registers == REGISTERS
    assert b"".join(snapshot.banks[number] for number in (5, 2, 0)) == RAM_48K
    assert (snapshot.machine, snapshot.format) == ("48k", ".z80 version 1")
    assert (snapshot.border, snapshot.t, snapshot.issue2, snapshot.kempston) == (5, None, False, False)
    assert snapshot.warnings == ()


def test_pc_is_that_of_the_header_and_the_stack_stays() -> None:
    data = version_1()
    data[30 + 0xB9CA - 0x4000] ^= 0xFF
    snapshot = parse(data)
    assert (snapshot.registers["pc"], snapshot.registers["sp"]) == (0x8A9B, 0xB9CA)
    assert snapshot.banks[2] == bytes(data[30 + 0x4000 : 30 + 0x8000])


@pytest.mark.parametrize(
    ("byte_11", "byte_12", "r"), [(0x7F, 0, 0x7F), (0xFF, 0, 0x7F), (0x00, 1, 0x80), (0x80, 1, 0x80)]
)
def test_bit_7_of_r_is_elsewhere(byte_11: int, byte_12: int, r: int) -> None:
    data = version_1(byte_12=byte_12)
    data[11] = byte_11
    assert parse(data).registers["r"] == r
    written = format_snapshot(parse(data), "z80", z80_version=1).data
    assert parse(written).registers["r"] == r


def test_byte_12_of_255_is_1() -> None:
    snapshot = parse(version_1(byte_12=255))
    assert (snapshot.registers["r"], snapshot.border) == (0xC5, 0)
    assert snapshot.banks[0] == bank(0)


def test_the_end_marker_in_the_data_is_data() -> None:
    ram = b"\x00\xed\xed\x00" * 12288
    assert b"".join(parse(version_1(ram)).banks[number] for number in (5, 2, 0)) == ram
    packed = version_1(pack(ram) + END_MARKER, byte_12=0x2B)
    assert b"".join(parse(packed).banks[number] for number in (5, 2, 0)) == ram


def test_flip_flops_and_joystick() -> None:
    data = version_1(byte_29=0x45)
    data[27], data[28] = 0, 0xFF
    snapshot = parse(data)
    assert (snapshot.registers["iff1"], snapshot.registers["iff2"], snapshot.registers["im"]) == (0, 1, 1)
    assert (snapshot.issue2, snapshot.kempston) == (True, True)
    assert not parse(version_1(byte_29=0xC5)).kempston  # 3, Sinclair 2


def test_what_follows_version_1_is_a_warning() -> None:
    data = version_1(pack(RAM_48K) + END_MARKER + b"\x1a\x1a", byte_12=0x2B)
    assert parse(data).warnings == (
        f"end of the RAM at offset {len(data) - 2}: 2 more bytes follow, which mean nothing",
    )


# Versions 2 and 3


@pytest.mark.parametrize(("extra", "version"), [(23, 2), (54, 3), (55, 3)])
def test_a_48k(extra: int, version: int) -> None:
    snapshot = parse(z80_file(Z80_PAGES_48K, extra=extra, at_35=0x77))
    assert snapshot.registers == REGISTERS
    assert snapshot.banks == {5: bank(5), 2: bank(2), 0: bank(0)}
    assert (snapshot.machine, snapshot.format) == ("48k", f".z80 version {version}")
    assert (snapshot.border, snapshot.port_7ffd, snapshot.ay) == (5, 0, None)


@pytest.mark.parametrize(
    ("extra", "hardware", "byte_37", "machine"),
    [
        (23, 3, 0, "128k"),
        (54, 4, 0, "128k"),
        (55, 4, 0, "128k"),
        (23, 3, 0x80, "plus2"),
        (54, 4, 0x80, "plus2"),
        (23, 12, 0, "plus2"),
        (54, 12, 0, "plus2"),
    ],
)
def test_a_128k(extra: int, hardware: int, byte_37: int, machine: str) -> None:
    data = z80_file(Z80_PAGES_128K, extra=extra, at_34=hardware, at_35=0x33, at_37=byte_37, at_38=0x0E)
    data[39:55] = bytes(range(0x41, 0x51))
    snapshot = parse(data)
    assert snapshot.machine == machine
    assert snapshot.banks == {number: bank(number) for number in range(8)}
    assert (snapshot.port_7ffd, snapshot.ay_selected) == (0x33, 14)
    assert snapshot.ay == bytes(range(0x41, 0x51))
    assert not snapshot.issue2


# Low and high counter, T: the first of a frame, the last of its first quarter, the first of the second, the last.
@pytest.mark.parametrize(("low", "high", "t"), [(17471, 3, 0), (0, 3, 17471), (17471, 0, 17472), (0, 2, 69887)])
def test_the_t_counter_of_a_48k(low: int, high: int, t: int) -> None:
    data = z80_file(Z80_PAGES_48K)
    data[55:58] = struct.pack("<HB", low, high)
    snapshot = parse(data)
    assert snapshot.t == t
    assert format_snapshot(snapshot, "z80").data[55:58] == data[55:58]


@pytest.mark.parametrize(("low", "high", "t"), [(17726, 3, 0), (17726, 0, 17727), (0, 2, 70907)])
def test_the_t_counter_of_a_128k(low: int, high: int, t: int) -> None:
    data = z80_file(Z80_PAGES_128K, at_34=4)
    data[55:58] = struct.pack("<HB", low, high)
    assert parse(data).t == t


@pytest.mark.parametrize(("low", "high"), [(17472, 3), (0, 4)])
def test_a_t_counter_that_cannot_be_is_not_used(low: int, high: int) -> None:
    data = z80_file(Z80_PAGES_48K)
    data[55:58] = struct.pack("<HB", low, high)
    snapshot = parse(data)
    assert snapshot.t is None
    assert snapshot.warnings[0].startswith(
        f"header at offset 55: the T counter is {low}, {high}, allowed are 0 to 17471"
    )


def test_levels_of_an_slt_file_are_a_warning() -> None:
    data = z80_file(Z80_PAGES_48K) + b"\0\0\0SLT" + bytes(100)
    assert parse(data).warnings[0].startswith(f"SLT at offset {len(data) - 106}: levels")


@pytest.mark.parametrize(
    ("t", "iff1", "byte", "halted"),
    [(0, 1, 0x76, True), (31, 1, 0x76, True), (32, 1, 0x76, False), (0, 0, 0x76, False), (0, 1, 0x77, False)],
)
def test_a_halt_at_pc_is_one_that_waits_if_an_interrupt_is_due(t: int, iff1: int, byte: int, *, halted: bool) -> None:
    ram = bytearray(bank(2))
    ram[0x0A9B] = byte
    data = z80_file({**Z80_PAGES_48K, 4: bytes(ram)})
    data[27] = iff1
    data[55:58] = struct.pack("<HB", 17471 - t, 3)
    snapshot = parse(data)
    assert (snapshot.t, snapshot.halted, snapshot.registers["pc"]) == (t, halted, 0x8A9B + halted)


def test_a_halt_in_rom() -> None:
    data = z80_file(Z80_PAGES_48K)
    data[32:34] = struct.pack("<H", 0x1F3D)  # that of PAUSE
    data[55:58] = struct.pack("<HB", 17471, 3)
    assert (parse(data).halted, parse(data).registers["pc"]) == (True, 0x1F3E)
    data = z80_file(Z80_PAGES_128K, at_34=4, at_35=0x10)
    data[32:34] = struct.pack("<H", 0x1F3D)
    data[55:58] = struct.pack("<HB", 17726, 3)
    assert parse(data).halted
    data[35] = 0
    assert not parse(data).halted
