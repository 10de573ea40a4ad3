# SPDX-License-Identifier: GPL-3.0-or-later
"""How .z80 files pack memory."""

import pytest
from hypothesis import given, settings
from snapshot_cases import banks

from oakemu_rl.emulator.snapshots.source import Source
from oakemu_rl.emulator.snapshots.z80_packing import pack, unpack


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
