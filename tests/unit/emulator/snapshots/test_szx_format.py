# SPDX-License-Identifier: GPL-3.0-or-later
import struct
import zlib
from dataclasses import replace

import pytest
from hypothesis import given, settings
from snapshot_cases import (
    REGISTERS,
    bank,
    make,
    snapshots,
    szx_block,
    szx_file,
    szx_pages,
    szx_spcr,
    szx_z80r,
)

from oakemu_rl.emulator.snapshots import format_snapshot, parse_snapshot
from oakemu_rl.errors import UserError

PAGES_48K = szx_pages(5, 2, 0)
PAGES_128K = szx_pages(*range(8))
AY = szx_block(b"AY", bytes([0, 11]) + bytes(range(16)))
SPCR_128K = szx_spcr(port_7ffd=0x31)


def parse(data: bytes):
    return parse_snapshot(data, "x.szx")


def packed_page(number: int, packed: bytes) -> bytes:
    return szx_block(b"RAMP", bytes([1, 0, number]) + packed)


def test_a_48k() -> None:
    snapshot = parse(szx_file(szx_z80r(), szx_spcr(), PAGES_48K))
    assert snapshot.registers == {**REGISTERS, "memptr": 0x4321}
    assert snapshot.banks == {number: bank(number) for number in (5, 2, 0)}
    assert (snapshot.machine, snapshot.format, snapshot.warnings) == ("48k", ".szx version 1.4", ())
    assert (snapshot.t, snapshot.border, snapshot.port_fe, snapshot.port_7ffd) == (12345, 5, 0x1D, 0)
    assert (snapshot.late, snapshot.halted, snapshot.after_ei) == (False, False, False)
    assert (snapshot.issue2, snapshot.kempston, snapshot.ay) == (False, False, None)


@pytest.mark.parametrize(("number", "machine"), [(2, "128k"), (3, "plus2")])
def test_a_128k(number: int, machine: str) -> None:
    snapshot = parse(szx_file(PAGES_128K, AY, SPCR_128K, szx_z80r(t=70907), machine=number, flags=1))
    assert snapshot.banks == {number: bank(number) for number in range(8)}
    assert (snapshot.machine, snapshot.late, snapshot.t) == (machine, True, 70907)
    assert (snapshot.port_7ffd, snapshot.ay_selected, snapshot.ay) == (0x31, 11, bytes(range(16)))


def test_a_packed_page() -> None:
    pages = b"".join(packed_page(number, zlib.compress(bank(number))) for number in (0, 2, 5))
    assert parse(szx_file(szx_z80r(), szx_spcr(), pages)).banks[2] == bank(2)


@pytest.mark.parametrize(("flags", "after_ei", "halted"), [(0, False, False), (1, True, False), (2, False, True)])
def test_flags(flags: int, *, after_ei: bool, halted: bool) -> None:
    snapshot = parse(szx_file(szx_z80r(flags=flags), szx_spcr(), PAGES_48K))
    assert (snapshot.after_ei, snapshot.halted) == (after_ei, halted)


# The HALT itself, where nearly everybody has PC; behind it already; in ROM, where nobody looks; nowhere.
@pytest.mark.parametrize(
    ("halt", "pc", "after"),
    [(0x8A9B, 0x8A9B, 0x8A9C), (0x8A9A, 0x8A9B, 0x8A9B), (None, 0x1F3D, 0x1F3E), (None, 0xFFFF, 0)],
)
def test_pc_of_a_halted_cpu(halt: int | None, pc: int, after: int) -> None:
    ram = bytearray(bank(2))
    if halt is not None:
        ram[halt - 0x8000] = 0x76
    pages = szx_pages(5, 0) + szx_block(b"RAMP", bytes([0, 0, 2]) + ram)
    snapshot = parse(szx_file(szx_z80r({**REGISTERS, "pc": pc}, flags=2), szx_spcr(), pages))
    assert snapshot.registers["pc"] == after
    written = format_snapshot(snapshot, "szx").data
    assert written.index(b"Z80R") > 0
    assert struct.unpack_from("<H", written, written.index(b"Z80R") + 8 + 22)[0] == (after - 1) & 0xFFFF


@pytest.mark.parametrize(
    ("minor", "flags", "memptr", "q"),
    [(0, 4, None, None), (3, 4, None, None), (4, 4, 0x4321, None), (5, 4, 0x4321, 0x34), (5, 0, 0x4321, 0)],
)
def test_inner_registers_came_with_later_versions(minor: int, flags: int, memptr: int | None, q: int | None) -> None:
    registers = parse(szx_file(szx_z80r(flags=flags), szx_spcr(), PAGES_48K, minor=minor)).registers
    assert (registers.get("memptr"), registers.get("q")) == (memptr, q)


def test_version_1_0_has_no_flags_and_no_port() -> None:
    keyb = szx_block(b"KEYB", b"\1\0\0\0")
    snapshot = parse(szx_file(szx_z80r(flags=3), szx_spcr(), keyb, PAGES_48K, minor=0))
    assert (snapshot.halted, snapshot.after_ei, snapshot.port_fe, snapshot.issue2) == (False, False, None, True)


@pytest.mark.parametrize(
    ("block", "kempston"),
    [
        (szx_block(b"KEYB", bytes([0, 0, 0, 0, 0])), True),
        (szx_block(b"KEYB", bytes([0, 0, 0, 0, 8])), False),
        (szx_block(b"JOY", bytes([0, 0, 0, 0, 0, 8])), True),
        (szx_block(b"JOY", bytes([0, 0, 0, 0, 8, 0])), True),
        (szx_block(b"JOY", bytes([0, 0, 0, 0, 3, 4])), False),
    ],
)
def test_joysticks(block: bytes, *, kempston: bool) -> None:
    assert parse(szx_file(szx_z80r(), szx_spcr(), block, PAGES_48K)).kempston == kempston


@pytest.mark.parametrize(
    ("creator", "swapped"),
    [
        (b"libspectrum: 0.5.0", True),
        (b"libspectrum: 0.4.1", True),
        (b"libspectrum: 0.5.1", False),
        (b"libspectrum: 1.0.0", False),
        (b"", False),
    ],
)
def test_old_libspectrum_swapped_a_and_f(creator: bytes, *, swapped: bool) -> None:
    block = szx_block(b"CRTR", b"Fuse".ljust(36, b"\0") + b"gcrypt: 1.2.3\n" + creator)
    registers = parse(szx_file(block, szx_z80r(), szx_spcr(), PAGES_48K)).registers
    assert (registers["af"], registers["af_"]) == ((0x3412, 0x4321) if swapped else (0x1234, 0x2143))


def test_a_note_of_ours() -> None:
    pages = (szx_z80r(), szx_spcr(), PAGES_48K)
    ours = szx_block(b"CRTR", b"OakEmu-RL".ljust(32, b"\0") + bytes(4) + b"a note")
    assert parse(szx_file(ours, *pages)).note == b"a note"
    others = szx_block(b"CRTR", b"OakEmu-R".ljust(32, b"\0") + bytes(4) + b"a note")
    assert parse(szx_file(others, *pages)).note == b""
    noted = replace(make("48k"), note=b"\0\xff other")
    data = format_snapshot(noted, "szx").data
    assert parse(data).note == b"\0\xff other"
    assert parse(data) == parse(format_snapshot(make("48k"), "szx").data)
    with pytest.raises(UserError, match="the note has 60001 bytes, at most 60000 are allowed"):
        replace(noted, note=bytes(60001))


def test_unknown_blocks_and_passive_hardware_are_warnings() -> None:
    snapshot = parse(
        szx_file(
            szx_z80r(),
            szx_block(b"ZXPR", b"\1"),
            szx_block(b"\xffx?", b"??"),
            szx_block(b"QQ", b""),
            szx_spcr(),
            PAGES_48K,
        )
    )
    assert snapshot.warnings == (
        "block ZXPR at offset 53: a printer, which is not emulated",
        "block '\\xffx?' at offset 62: an unknown kind of block, passed over",
        "block QQ at offset 72: an unknown kind of block, passed over",
    )


def test_of_port_fe_only_mic_and_speaker_are_sure() -> None:
    assert parse(szx_file(szx_z80r(), szx_spcr(border=5, port_fe=0x1A), PAGES_48K)).port_fe == 0x1D


@pytest.mark.parametrize("t", [0, 2, 69887])
def test_a_t_counter_past_the_frame_is_that_of_the_next(t: int) -> None:
    snapshot = parse(szx_file(szx_z80r(t=69888 + t), szx_spcr(), PAGES_48K))
    assert snapshot.t == t
    assert f"the T counter is {69888 + t}, taken as {t} of the next frame" in snapshot.warnings[0]


def test_a_128k_without_a_sound_chip_is_a_warning() -> None:
    snapshot = parse(szx_file(szx_z80r(), SPCR_128K, PAGES_128K, machine=2))
    assert snapshot.ay is None
    assert "there is no block AY" in snapshot.warnings[0]


def test_what_is_not_connected_does_no_harm() -> None:
    blocks = szx_block(b"IF1", bytes(40)) + szx_block(b"B128", bytes(10))
    assert parse(szx_file(szx_z80r(), blocks, szx_spcr(), PAGES_48K)).warnings == ()


def test_written_as_by_hand() -> None:
    data = format_snapshot(
        make("plus2", t=5, late=True, memptr=0x4321, q=0x34, after_ei=True, port_fe=0xFD, kempston=True), "szx"
    ).data
    assert data[:8] == b"ZXST\x01\x05\x03\x01"
    assert data[8:12] == b"CRTR"
    assert data[16:48] == b"OakEmu-RL".ljust(32, b"\0")
    z80r = bytearray(szx_z80r(t=5, flags=1 | 4))
    z80r[8 + 33] = 31  # the interrupt line stays low for so long
    assert bytes(z80r) in data
    assert szx_spcr(port_7ffd=0x13, port_fe=0xFD) in data
    assert szx_block(b"AY", bytes([0, 7]) + bytes(range(0x41, 0x51))) in data
    assert szx_block(b"KEYB", bytes([0, 0, 0, 0, 8])) in data
    assert szx_block(b"JOY", bytes([0, 0, 0, 0, 0, 8])) in data
    assert data.count(b"RAMP") == 8


@settings(max_examples=30, deadline=None)
@given(snapshot=snapshots())
def test_round_trip_is_exact(snapshot) -> None:
    written = format_snapshot(snapshot, "szx")
    assert written.lost == ()
    again = parse(written.data)
    assert again == snapshot
    assert again.warnings == ()


SPCR_AT = 8 + 45
PAGES_AT = SPCR_AT + 16


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"ZXST\1", "header at offset 5: the file ends here, a .szx header has 8 bytes"),
        (b"ZXST\2\0\1\0", "header at offset 4: the version is 2.0, allowed is 1"),
        (
            szx_file(machine=0),
            "header at offset 6: the machine (number 0) is a 16K; a 48K, a 128K and a +2 are emulated",
        ),
        (szx_file(machine=5), "the machine (number 5) is a +3"),
        (szx_file(machine=7), "the machine (number 7) is a Pentagon 128"),
        (szx_file(machine=99), "the machine (number 99) is of an unknown kind"),
        (szx_file(b"Z80R\0"), "block at offset 8: 5 bytes are left, a block begins with 8"),
        (szx_file(szx_z80r())[:-1], "block Z80R at offset 12: its length is 37, but only 36 bytes follow"),
        (szx_file(szx_block(b"Z80R", bytes(36))), "block Z80R at offset 12: its length is 36, allowed are 37 bytes"),
        (szx_file(szx_block(b"CRTR", bytes(35))), "block CRTR at offset 12: its length is 35, allowed are 36 to 65535"),
        (szx_file(szx_block(b"KEYB", bytes(6))), "block KEYB at offset 12: its length is 6, allowed are 4 to 5 bytes"),
        (szx_file(szx_z80r(), szx_z80r()), f"block Z80R at offset {SPCR_AT}: it is in the file a second time"),
        (szx_file(szx_spcr(), szx_spcr()), "block SPCR at offset 24: it is in the file a second time"),
        (
            szx_file(szx_z80r({**REGISTERS, "im": 3})),
            "block Z80R at offset 44: the interrupt mode is 3, allowed are 0 to 2",
        ),
        (szx_file(szx_z80r(t=139776)), "block Z80R at offset 45: the T counter is 139776, allowed are 0 to 69887"),
        (szx_file(szx_spcr(border=8)), "block SPCR at offset 16: the border is 8, allowed are 0 to 7"),
        (szx_file(szx_pages(0, 2, 0)), "block RAMP, page 0 at offset 32808: it is in the file a second time"),
        (szx_file(szx_pages(1)), "block RAMP, page 1 at offset 18: the pages of this machine are 0, 2, 5"),
        (
            szx_file(szx_pages(8), machine=2),
            "block RAMP, page 8 at offset 18: the pages of this machine are 0, 1, 2, 3,",
        ),
        (szx_file(szx_block(b"RAMP", bytes(16386))), "block RAMP, page 0 at offset 19: it has 16383 bytes of RAM"),
        (szx_file(packed_page(5, b"no")), "block RAMP, page 5 at offset 19: the zlib data is broken: "),
        (
            szx_file(packed_page(5, zlib.compress(bytes(16383)))),
            "page 5 at offset 19: it has 16383 bytes of RAM, a page has",
        ),
        (
            szx_file(packed_page(5, zlib.compress(bytes(16385)))),
            "page 5 at offset 19: it unpacks to more than the 16384",
        ),
        (szx_file(packed_page(5, zlib.compress(bank(5))[:-1])), "the zlib data ends early, after 16384 of 16384 bytes"),
        (
            szx_file(packed_page(5, zlib.compress(bytes(16384)) + b"??")),
            f"page 5 at offset {19 + len(zlib.compress(bytes(16384)))}: 2 bytes follow the zlib data",
        ),
        (
            szx_file(szx_spcr(), PAGES_48K),
            "end of the file at offset 49209: the block Z80R with the registers is missing",
        ),
        (szx_file(szx_z80r(), PAGES_48K), "the block SPCR with border and paging is missing"),
        (szx_file(szx_z80r(), szx_spcr(), szx_pages(5, 0)), "the block RAMP with page 2 is missing"),
        (szx_file(szx_block(b"IF1", b"\1" + bytes(39))), "block IF1 at offset 8: the machine has an Interface 1"),
        (szx_file(szx_block(b"B128", b"\1" + bytes(9))), "block B128 at offset 8: the machine has a Beta 128"),
        (szx_file(szx_block(b"ROM", bytes(9))), "block ROM at offset 8: the machine has a ROM of its own"),
        (szx_file(szx_block(b"IF2R", bytes(9))), "block IF2R at offset 8: the machine has a cartridge"),
        (szx_file(szx_block(b"MFCE", bytes(9))), "block MFCE at offset 8: the machine has a Multiface"),
    ],
)
def test_what_is_wrong_is_told_with_its_place(data: bytes, message: str) -> None:
    with pytest.raises(UserError) as raised:
        parse(data)
    assert message in str(raised.value)
    assert str(raised.value).startswith("x.szx: ")
    assert "\n" not in str(raised.value)


def test_a_bomb_is_not_unpacked() -> None:
    bomb = zlib.compress(bytes(16 << 20), 9)
    assert len(bomb) < 16400 + 4096
    with pytest.raises(UserError, match="unpacks to more than the 16384 bytes of a page"):
        parse(szx_file(packed_page(5, bomb)))
