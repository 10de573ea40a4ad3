# SPDX-License-Identifier: GPL-3.0-or-later
"""What is written into .z80 files, and comes back from them."""

import struct
from dataclasses import replace

import pytest
from hypothesis import given, settings
from snapshot_cases import FRAMES, make, snapshots, z80_header
from z80_cases import parse

from oakemu_rl.emulator.snapshots import format_snapshot
from oakemu_rl.errors import UserError


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
