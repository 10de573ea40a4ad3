# SPDX-License-Identifier: GPL-3.0-or-later
import pytest
from hypothesis import given, settings
from snapshot_cases import REGISTERS, bank, make, sna_header, snapshots

from oakemu_rl.emulator import load_rom
from oakemu_rl.emulator.snapshots import format_snapshot, parse_snapshot
from oakemu_rl.errors import UserError


def file_48k(**registers: int) -> bytearray:
    return bytearray(sna_header({**REGISTERS, **registers}) + bank(5) + bank(2) + bank(0))


def file_128k(port_7ffd: int) -> bytearray:
    paged = port_7ffd & 7
    data = bytearray(sna_header() + bank(5) + bank(2) + bank(paged))
    data += REGISTERS["pc"].to_bytes(2, "little") + bytes([port_7ffd, 0])
    for number in range(8):
        if number not in (5, 2, paged):
            data += bank(number)
    return data


def test_a_48k_file_pops_pc() -> None:
    data = file_48k()
    data[27 + 0xB9CA - 0x4000 : 27 + 0xB9CC - 0x4000] = b"\x9b\x8a"
    snapshot = parse_snapshot(bytes(data), "a.sna")
    assert snapshot.registers == {**REGISTERS, "pc": 0x8A9B, "sp": 0xB9CC}
    assert (snapshot.machine, snapshot.border, snapshot.format, snapshot.warnings) == ("48k", 5, ".sna", ())
    assert b"".join(snapshot.banks[number] for number in (5, 2, 0)) == bytes(data[27:])
    assert (snapshot.t, snapshot.ay, snapshot.port_fe, snapshot.halted) == (None, None, None, False)


@pytest.mark.parametrize("iff2", [0, 1])
def test_iff2_is_both_flip_flops(iff2: int) -> None:
    registers = parse_snapshot(bytes(file_48k(iff2=iff2, iff1=0)), "a.sna").registers
    assert (registers["iff1"], registers["iff2"]) == (iff2, iff2)


@pytest.mark.parametrize(
    ("sp", "pc", "new_sp"),
    [
        (0x0000, 0xAFF3, 0x0002),  # DI; XOR A begin the ROM
        (0x3FFF, 0x053C, 0x4001),  # the ROM's last byte, then ours
        (0xFFFF, 0xF342, 0x0001),  # our last byte, then the ROM's first
        (0xFFFE, 0x420F, 0x0000),
    ],
)
def test_a_stack_at_the_rom(sp: int, pc: int, new_sp: int) -> None:
    data = file_48k(sp=sp)
    data[27], data[-2], data[-1] = 0x05, 0x0F, 0x42
    snapshot = parse_snapshot(bytes(data), "a.sna")
    rom = load_rom("48k")
    memory = rom + bytes(data[27:]) + rom
    assert snapshot.registers["pc"] == memory[sp] | memory[sp + 1] << 8 == pc
    assert snapshot.registers["sp"] == new_sp
    warned = sp != 0xFFFE
    assert len(snapshot.warnings) == warned
    if warned:
        assert snapshot.warnings[0].startswith(f"header at offset 23: SP is 0x{sp:04X}, so that PC")


@pytest.mark.parametrize("rom", [0, 0x10])
@pytest.mark.parametrize("paged", range(8))
def test_the_banks_of_a_128k_file(paged: int, rom: int) -> None:
    data = file_128k(paged | rom | 0x20)
    assert len(data) == (147487 if paged in (2, 5) else 131103)
    snapshot = parse_snapshot(bytes(data), "a.sna")
    assert snapshot.registers == REGISTERS
    assert (snapshot.machine, snapshot.port_7ffd) == ("128k", paged | rom | 0x20)
    assert snapshot.banks == {number: bank(number) for number in range(8)}


@pytest.mark.parametrize("paged", range(8))
def test_a_128k_file_is_written_as_by_hand(paged: int) -> None:
    written = format_snapshot(make("128k", port_7ffd=paged | 0x18), "sna")
    assert written.data == bytes(file_128k(paged | 0x18))
    assert written.lost == ("the registers of the sound chip",)


def test_a_48k_file_is_written_as_by_hand() -> None:
    expected = file_48k(sp=0xB9C8)
    expected[27 + 0xB9C8 - 0x4000 : 27 + 0xB9CA - 0x4000] = b"\x9b\x8a"
    assert format_snapshot(make(), "sna") == (bytes(expected), ())


def test_a_halted_cpu_is_written_on_its_halt() -> None:
    snapshot = parse_snapshot(format_snapshot(make(halted=True), "sna").data)
    assert (snapshot.registers["pc"], snapshot.halted) == (REGISTERS["pc"] - 1, False)


@pytest.mark.parametrize(("iff2", "halted"), [(0, False), (1, True)])
def test_a_halt_at_pc_is_one_that_waits_if_an_interrupt_is_due(iff2: int, *, halted: bool) -> None:
    for port_7ffd in range(8):
        data = file_128k(port_7ffd)
        data[19] = iff2 << 2
        data[27 + 0x4000 + 0xA9B] = 0x76
        if port_7ffd == 2:
            data[27 + 0x8000 + 0xA9B] = 0x76
        snapshot = parse_snapshot(bytes(data))
        assert (snapshot.registers["pc"], snapshot.halted) == (0x8A9B + halted, halted)
        assert snapshot.pc_in_file == 0x8A9B


@pytest.mark.parametrize("sp", [1, 2, 0x4000, 0x4001])
def test_no_room_for_pc_on_the_stack(sp: int) -> None:
    with pytest.raises(
        UserError, match=rf"snapshot: a \.sna file .* SP is 0x{sp:04X}, below which is ROM; write \.z80"
    ):
        format_snapshot(make(sp=sp), "sna")


@pytest.mark.parametrize("sp", [0, 0x4002])
def test_just_enough_room_for_pc_on_the_stack(sp: int) -> None:
    assert parse_snapshot(format_snapshot(make(sp=sp), "sna").data).registers["pc"] == REGISTERS["pc"]


def test_what_gets_lost_is_told() -> None:
    snapshot = make(
        t=7, late=True, memptr=0x12, q=0x34, after_ei=True, port_fe=0x1D, issue2=True, kempston=True, iff1=0
    )
    assert format_snapshot(snapshot, "sna").lost == (
        "T = 7",
        "the late timing",
        "MEMPTR = 0x0012",
        "Q = 0x34",
        "that the last instruction was EI",
        "MIC and speaker of port 0xFE = 0x1D",
        "the issue 2 keyboard",
        "the Kempston joystick",
        "IFF1 = 0, which becomes IFF2 = 1",
    )


def test_a_plus2_cannot_be_told_from_a_128k() -> None:
    with pytest.raises(UserError, match=r"cannot say that the machine is a \+2; write \.z80 or \.szx"):
        format_snapshot(make("plus2"), "sna")


@settings(max_examples=40, deadline=None)
@given(snapshot=snapshots(("48k", "128k")))
def test_round_trip(snapshot) -> None:
    registers = snapshot.registers
    try:
        data = format_snapshot(snapshot, "sna").data
    except UserError:
        sp = registers["sp"]
        assert snapshot.machine == "48k"
        assert (sp - 1) & 0xFFFF < 0x4000 or (sp - 2) & 0xFFFF < 0x4000
        return
    again = parse_snapshot(data)
    expected = {name: value for name, value in registers.items() if name not in ("memptr", "q")}
    pc = (registers["pc"] - snapshot.halted) & 0xFFFF
    expected |= {"iff1": registers["iff2"], "pc": (pc + again.halted) & 0xFFFF}
    assert again.registers == expected
    if snapshot.halted and registers["iff2"]:
        assert again.halted
    assert (again.machine, again.border, again.port_7ffd) == (snapshot.machine, snapshot.border, snapshot.port_7ffd)
    if snapshot.machine == "48k":
        stacked = bytearray(b"".join(snapshot.banks[number] for number in (5, 2, 0)))
        place = (registers["sp"] - 2 & 0xFFFF) - 0x4000
        stacked[place : place + 2] = pc.to_bytes(2, "little")
        assert b"".join(again.banks[number] for number in (5, 2, 0)) == stacked
    else:
        assert again.banks == snapshot.banks


def broken(data: bytearray, offset: int, value: int) -> bytes:
    data[offset] = value
    return bytes(data)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (
            bytes(file_48k()[:-1]),
            "x.sna: end of the file at offset 49178: a .sna file has 49179, 131103 or 147487 bytes",
        ),
        (broken(file_48k(), 25, 3), "x.sna: header at offset 25: the interrupt mode is 3, allowed are 0 to 2"),
        (broken(file_128k(0), 49182, 1), "x.sna: tail at offset 49182: it is 1: the TR-DOS ROM of a Beta 128"),
        (
            broken(file_128k(0), 49181, 0x15),
            "tail at offset 49181: port 0x7FFD is 0x15, so bank 5 is at 0xC000 and the file has 147487 bytes, but",
        ),
        (broken(file_128k(2), 49181, 3), "so bank 3 is at 0xC000 and the file has 131103 bytes, but there are 147487"),
        (broken(file_128k(2), 40000, 3), "x.sna: RAM at offset 32795: bank 2 is here a second time, and not the same"),
    ],
)
def test_what_is_wrong_is_told_with_its_place(data: bytes, message: str) -> None:
    with pytest.raises(UserError) as raised:
        parse_snapshot(data, "x.sna")
    assert message in str(raised.value)
    assert "\n" not in str(raised.value)


def test_a_border_that_is_no_colour_is_a_warning() -> None:
    snapshot = parse_snapshot(broken(file_48k(), 26, 0x1A), "x.sna")
    assert (snapshot.border, snapshot.warnings) == (2, ("header at offset 26: the border is 26, taken as 2",))
