# SPDX-License-Identifier: GPL-3.0-or-later
"""What is said of .z80 files that are damaged or strange."""

import struct

import pytest
from snapshot_cases import Z80_PAGES_48K, bank, z80_file
from z80_cases import END_MARKER, parse, version_1

from oakemu_rl.emulator.snapshots.z80_packing import pack
from oakemu_rl.errors import UserError


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
