# SPDX-License-Identifier: GPL-3.0-or-later
import struct
from dataclasses import replace

import pytest
from hypothesis import given, settings
from snapshot_cases import (
    FRAMES,
    REGISTERS,
    Z80_PAGES_48K,
    Z80_PAGES_128K,
    bank,
    banks,
    make,
    snapshots,
    z80_file,
    z80_header,
)

from oakemu_rl.emulator.snapshots import format_snapshot, parse_snapshot
from oakemu_rl.emulator.snapshots.source import Source
from oakemu_rl.emulator.snapshots.z80_packing import pack, unpack
from oakemu_rl.errors import UserError

RAM_48K = bank(5) + bank(2) + bank(0)
END_MARKER = b"\x00\xed\xed\x00"


def version_1(ram: bytes = RAM_48K, *, byte_12: int = 0x0B, byte_29: int = 2) -> bytearray:
    return bytearray(z80_header(pc=0x8A9B, byte_12=byte_12, byte_29=byte_29) + ram)


def parse(data: bytes) -> object:
    return parse_snapshot(bytes(data), "x.z80")


# Packing


@pytest.mark.parametrize(
    ("ram", "packed"),
    [
        (b"\x07" * 4, b"\x07" * 4),
        (b"\x07" * 5, b"\xed\xed\x05\x07"),
        (b"\x07" * 255, b"\xed\xed\xff\x07"),
        (b"\x07" * 258, b"\xed\xed\xff\x07\x07\x07\x07"),
        (b"\xed", b"\xed"),
        (b"\x01\xed", b"\x01\xed"),
        (b"\xed\xed", b"\xed\xed\x02\xed"),
        (b"\xed" * 256 + b"\x01", b"\xed\xed\xff\xed\xed\x01"),
        (b"\xed" + b"\x00" * 6, b"\xed\x00\xed\xed\x05\x00"),  # the example in the format's description
        (b"\xed" + b"\x00" * 5, b"\xed" + b"\x00" * 5),
        (b"\xed\x01\xed\xed", b"\xed\x01\xed\xed\x02\xed"),
        (b"\x00\xed\xed\x00", b"\x00\xed\xed\x02\xed\x00"),
        (b"\x01\x01\x01\x01\x02", b"\x01\x01\x01\x01\x02"),
    ],
)
def test_packing_by_hand(ram: bytes, packed: bytes) -> None:
    assert pack(ram) == packed
    assert unpack(Source(packed, "x"), "RAM", 0, len(packed), len(ram)) == (ram, len(packed))


@settings(max_examples=100, deadline=None)
@given(ram=banks())
def test_packing_round_trip(ram: bytes) -> None:
    packed = pack(ram)
    assert unpack(Source(packed, "x"), "RAM", 0, len(packed), len(ram)) == (ram, len(packed))
    # Nothing in it can be taken for a run of no bytes or for the end.
    place = packed.find(b"\xed\xed")
    while place != -1:
        assert packed[place + 2] >= 2
        place = packed.find(b"\xed\xed", place + 4)


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


# Writing


@pytest.mark.parametrize(("version", "length"), [(1, 30), (2, 55), (3, 86)])
def test_the_header_is_written_as_by_hand(version: int, length: int) -> None:
    zeros = dict.fromkeys((5, 2, 0), bytes(16384))
    data = format_snapshot(make(t=17473, kempston=True, issue2=True, banks=zeros), "z80", z80_version=version).data
    pc, packed = (0x8A9B, 0x20) if version == 1 else (0, 0)
    expected = bytearray(z80_header(pc=pc, byte_12=0x0B | packed, byte_29=0x46))
    if version > 1:
        expected += struct.pack("<HH", length - 32, 0x8A9B) + bytes([0, 0, 0, 3]) + bytes(length - 38)
    if version == 3:
        expected[55:58] = struct.pack("<HB", 17470, 0)
        expected[61:63] = b"\xff\xff"
    assert data[:length] == expected


@pytest.mark.parametrize(("version", "hardware"), [(2, (3, 12)), (3, (4, 12))])
def test_the_machine_is_written_as_others_read_it(version: int, hardware: tuple[int, int]) -> None:
    for machine, number in zip(("128k", "plus2"), hardware, strict=True):
        data = format_snapshot(make(machine, port_7ffd=0x25), "z80", z80_version=version).data
        assert (data[34], data[35], data[37], data[38]) == (number, 0x25, 3, 7)
        assert data[39:55] == bytes(range(0x41, 0x51))


def test_a_page_that_does_not_pack_is_raw() -> None:
    ram = b"\xed\xed\x01" * 5461 + b"\x01"
    snapshot = make()
    data = format_snapshot(replace(snapshot, banks={**snapshot.banks, 2: ram}), "z80").data
    assert struct.pack("<HB", 0xFFFF, 4) + ram in data
    assert parse(data).banks[2] == ram


def test_a_version_1_that_does_not_pack_is_raw() -> None:
    ram = b"\xed\xed\x01" * 5461 + b"\x01"
    data = format_snapshot(make(banks={5: ram, 2: ram, 0: ram}), "z80", z80_version=1).data
    assert data[30:] == ram * 3
    assert parse(data).banks[0] == ram


@pytest.mark.parametrize(
    ("machine", "pc", "version", "message"),
    [
        ("128k", 1, 1, "a .z80 file of version 1 holds a 48k only; write version 2 or 3"),
        ("48k", 0, 1, "PC is 0, which a .z80 file of version 1 cannot hold; write version 2 or 3"),
        ("48k", 1, 4, "there is no version 4 of .z80 files, allowed are 1, 2 and 3"),
    ],
)
def test_what_cannot_be_written(machine: str, pc: int, version: int, message: str) -> None:
    with pytest.raises(UserError) as raised:
        format_snapshot(make(machine, pc=pc), "z80", z80_version=version)
    assert str(raised.value) == f"snapshot: {message}"


@settings(max_examples=20, deadline=None)
@given(snapshot=snapshots())
def test_round_trip(snapshot) -> None:
    pc = snapshot.pc_in_file
    expected = {name: value for name, value in snapshot.registers.items() if name not in ("memptr", "q")}
    for version in (1, 2, 3):
        if version == 1 and (snapshot.machine != "48k" or pc == 0):
            continue
        again = parse(format_snapshot(snapshot, "z80", z80_version=version).data)
        assert again.pc_in_file == pc
        assert again.registers == {**expected, "pc": (pc + again.halted) & 0xFFFF}
        if snapshot.halted and snapshot.registers["iff1"]:
            assert again.halted == (version < 3 or snapshot.t < (32 if snapshot.machine == "48k" else 36))
        assert again.banks == snapshot.banks
        assert (again.machine, again.border, again.port_7ffd) == (snapshot.machine, snapshot.border, snapshot.port_7ffd)
        assert (again.ay, again.ay_selected) == (snapshot.ay, snapshot.ay_selected)
        assert (again.issue2, again.kempston) == (snapshot.issue2, snapshot.kempston)
        assert again.t == (snapshot.t if version == 3 else None)
        assert again.warnings == ()


@pytest.mark.parametrize("machine", ["48k", "128k"])
def test_every_t_comes_back(machine: str) -> None:
    snapshot = make(machine)
    for t in (*range(0, FRAMES[machine], 5999), FRAMES[machine] - 1):
        assert parse(format_snapshot(replace(snapshot, t=t), "z80").data).t == t


# What is wrong


def without(page: int) -> dict[int, bytes]:
    return {number: ram for number, ram in Z80_PAGES_48K.items() if number != page}


def packed_page(page: int, packed: bytes) -> bytes:
    return struct.pack("<HB", len(packed), page) + packed


V2_END = 55  # of the headers
V3_END = 86


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (version_1()[:29], "header at offset 29: the file ends here, a .z80 header has 30 bytes"),
        (version_1(byte_29=3), "header at offset 29: the interrupt mode is 3, allowed are 0 to 2"),
        (version_1()[:-1], "RAM at offset 49181: the file ends after 49151 bytes of RAM, there are 49152"),
        (
            version_1(b"\xed\xed\xff\x01" * 192 + b"\xed\xed\xc0\x01", byte_12=0x20),
            "RAM at offset 802: after 49152 bytes the end marker 00 ED ED 00 is due, found the end of the file",
        ),
        (
            version_1(b"\xed\xed\xff\x01" * 192 + b"\xed\xed\xc0\x01\x02\x03", byte_12=0x20),
            "RAM at offset 802: after 49152 bytes the end marker 00 ED ED 00 is due, found 02 03",
        ),
        (
            version_1(b"\xed\xed\xff\x01" * 192 + END_MARKER, byte_12=0x20),
            "RAM at offset 799: ED ED 00 (a run of no bytes, or the end) after 48961 of 49152 bytes",
        ),
        (
            version_1(b"\xed\xed\xff\x01" * 193 + END_MARKER, byte_12=0x20),
            "RAM at offset 798: a run of 255 bytes after 48960 bytes, the block holds 49152",
        ),
        (version_1(b"\xed\xed\xff", byte_12=0x20), "RAM at offset 30: the block ends in the middle of a run ED ED n b"),
        (version_1(b"\x01\xed", byte_12=0x20), "RAM at offset 32: the block ends after 2 bytes of RAM, it holds 49152"),
        (z80_file({})[:31], "header at offset 31: the file ends here, the length of the second header is due"),
        (z80_file(Z80_PAGES_48K, at_31=1), "header at offset 30: the second header has length 310, allowed are 23"),
        (z80_file({})[:60], "header at offset 60: the file ends here, the headers have 86 bytes"),
        (
            z80_file(Z80_PAGES_48K, extra=23, at_34=1),
            "the machine (hardware 1) is a 48K with Interface 1; a 48K, a 128K",
        ),
        (z80_file(Z80_PAGES_48K, extra=23, at_34=2), "header at offset 34: the machine (hardware 2) is a SamRam"),
        (z80_file(Z80_PAGES_48K, extra=23, at_34=4), "is a 128K with Interface 1"),
        (z80_file(Z80_PAGES_48K, at_34=3), "is a 48K with a disk interface of MGT"),
        (z80_file(Z80_PAGES_48K, at_34=7), "is a +3"),
        (z80_file(Z80_PAGES_48K, at_34=9), "is a Pentagon"),
        (z80_file(Z80_PAGES_48K, at_34=10), "is a Scorpion"),
        (z80_file(Z80_PAGES_48K, at_34=13), "is a +2A"),
        (z80_file(Z80_PAGES_48K, at_34=77), "the machine (hardware 77) is of an unknown kind"),
        (z80_file(Z80_PAGES_48K, at_37=0x80), "header at offset 37: the machine is a 16K"),
        (z80_file(Z80_PAGES_48K, at_60=0xFF), "header at offset 60: the ROM of a Multiface is paged in"),
        (
            z80_file(Z80_PAGES_48K) + b"\0\0",
            f"page at offset {V3_END + 3 * 16387}: 2 bytes are left, a page begins with 3",
        ),
        (z80_file(Z80_PAGES_48K)[:-1], "page 5 at offset 32863: it has 16384 bytes, but only 16383 follow"),
        (
            z80_file({**Z80_PAGES_48K, 3: bank(1)}),
            "page 3 at offset 49249: it is unknown; the pages of this machine are 4, 5, 8",
        ),
        (z80_file({0: bank(1)}), "page 0 at offset 88: it is a ROM; the pages of this machine are 4, 5, 8"),
        (z80_file({11: bank(1)}), "page 11 at offset 88: it is the ROM of a Multiface"),
        (
            z80_file(Z80_PAGES_48K) + packed_page(4, pack(bank(0))),
            "page 4 at offset 49249: it is in the file a second time",
        ),
        (
            z80_file(without(4)),
            f"end of the pages at offset {V3_END + 2 * 16387}: page 4 is missing (2 of 3 are there)",
        ),
        (
            z80_file({}, extra=23) + packed_page(8, b"\x01"),
            "page 8 at offset 59: the block ends after 1 bytes of RAM, it",
        ),
        (
            z80_file({}) + packed_page(8, bytes(16385)),
            "page 8 at offset 16473: 1 bytes are left after 16384 bytes of RAM",
        ),
        (z80_file({}) + packed_page(8, b"\xed\xed\x00\x01"), "page 8 at offset 89: ED ED 00 (a run of no bytes"),
    ],
)
def test_what_is_wrong_is_told_with_its_place(data: bytes, message: str) -> None:
    with pytest.raises(UserError) as raised:
        parse(data)
    assert message in str(raised.value)
    assert str(raised.value).startswith("x.z80: ")
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (z80_file(Z80_PAGES_48K, at_37=4), "header at offset 37: a sound chip in a 48K machine, which is not emulated"),
        (
            z80_file(Z80_PAGES_48K, at_29=0x0A),
            "header at offset 29: doubled interrupt frequency, which is not emulated",
        ),
    ],
)
def test_what_is_strange_is_a_warning(data: bytes, message: str) -> None:
    assert parse(data).warnings == (message,)
