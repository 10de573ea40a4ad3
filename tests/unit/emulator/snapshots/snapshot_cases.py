# SPDX-License-Identifier: GPL-3.0-or-later
"""Snapshots to try, and files made by hand, without the code under test."""

import struct
from collections.abc import Mapping

from hypothesis import strategies as st

from oakemu_rl.emulator.snapshots import Snapshot

BANKS = {"48k": (5, 2, 0), "128k": tuple(range(8)), "plus2": tuple(range(8))}
FRAMES = {"48k": 69888, "128k": 70908, "plus2": 70908}

# Every value differs from all others, and the halves of each from one another.
REGISTERS = {
    "af": 0x1234,
    "bc": 0x5678,
    "de": 0x9ABC,
    "hl": 0xDEF1,
    "af_": 0x2143,
    "bc_": 0x6587,
    "de_": 0xA9CB,
    "hl_": 0xED1F,
    "ix": 0x3142,
    "iy": 0x7586,
    "sp": 0xB9CA,
    "pc": 0x8A9B,
    "i": 0x3E,
    "r": 0xC5,
    "im": 2,
    "iff1": 1,
    "iff2": 1,
}


def bank(number: int) -> bytes:
    """A bank that tells its number, and is not the same anywhere."""
    return b"".join(struct.pack("<BBH", number, 0xED, place) for place in range(4096))


def make(machine: str = "48k", **changes: object) -> Snapshot:
    """A snapshot in which everything that can be told apart is told apart; `changes` may name registers, too."""
    registers = {
        **REGISTERS,
        **{name: changes.pop(name) for name in list(changes) if name in (*REGISTERS, "memptr", "q")},
    }
    values: dict[str, object] = {"border": 5, "banks": {number: bank(number) for number in BANKS[machine]}}
    if machine != "48k":
        values |= {"port_7ffd": 0x13, "ay": bytes(range(0x41, 0x51)), "ay_selected": 7}
    return Snapshot(machine, registers, **{**values, **changes})


def words(registers: Mapping[str, int], *names: str) -> bytes:
    return b"".join(struct.pack("<H", registers[name]) for name in names)


def sna_header(registers: Mapping[str, int] = REGISTERS, border: int = 5) -> bytes:
    return (
        bytes([registers["i"]])
        + words(registers, "hl_", "de_", "bc_", "af_", "hl", "de", "bc", "iy", "ix")
        + bytes([registers["iff2"] << 2, registers["r"]])
        + words(registers, "af", "sp")
        + bytes([registers["im"], border])
    )


def z80_header(registers: Mapping[str, int] = REGISTERS, *, pc: int, byte_12: int, byte_29: int = 2) -> bytes:
    return (
        struct.pack(">H", registers["af"])
        + words(registers, "bc", "hl")
        + struct.pack("<H", pc)
        + words(registers, "sp")
        + bytes([registers["i"], registers["r"], byte_12])
        + words(registers, "de", "bc_", "de_", "hl_")
        + struct.pack(">H", registers["af_"])
        + words(registers, "iy", "ix")
        + bytes([registers["iff1"], registers["iff2"], byte_29])
    )


def z80_file(pages: Mapping[int, bytes], *, extra: int = 54, **bytes_at: int) -> bytearray:
    """A .z80 file of version 2 or 3 with raw pages; ``at_34=4`` sets the byte at offset 34."""
    data = bytearray(z80_header(pc=0, byte_12=0x0B) + struct.pack("<H", extra) + bytes(extra))
    data[32:34] = struct.pack("<H", REGISTERS["pc"])
    for name, value in bytes_at.items():
        data[int(name.removeprefix("at_"))] = value
    for page, ram in pages.items():
        data += struct.pack("<HB", 0xFFFF, page) + ram
    return data


Z80_PAGES_48K = {8: bank(5), 4: bank(2), 5: bank(0)}
Z80_PAGES_128K = {number + 3: bank(number) for number in range(8)}


def szx_block(letters: bytes, data: bytes) -> bytes:
    return letters.ljust(4, b"\0") + struct.pack("<I", len(data)) + data


def szx_z80r(
    registers: Mapping[str, int] = REGISTERS, *, t: int = 12345, flags: int = 0, memptr: int = 0x4321
) -> bytes:
    data = words(registers, "af", "bc", "de", "hl", "af_", "bc_", "de_", "hl_", "ix", "iy", "sp", "pc")
    data += bytes(registers[name] for name in ("i", "r", "iff1", "iff2", "im"))
    return szx_block(b"Z80R", data + struct.pack("<IBBH", t, 0, flags, memptr))


def szx_spcr(border: int = 5, port_7ffd: int = 0, port_fe: int = 0x1D) -> bytes:
    return szx_block(b"SPCR", bytes([border, port_7ffd, 0, port_fe, 0, 0, 0, 0]))


def szx_pages(*numbers: int) -> bytes:
    return b"".join(szx_block(b"RAMP", bytes([0, 0, number]) + bank(number)) for number in numbers)


def szx_file(*blocks: bytes, machine: int = 1, minor: int = 4, flags: int = 0) -> bytes:
    return b"ZXST" + bytes([1, minor, machine, flags]) + b"".join(blocks)


# Runs, EDs in all company, and noise.
_PIECES = st.one_of(
    st.binary(min_size=1, max_size=40),
    st.tuples(st.integers(0, 255), st.integers(1, 600)).map(lambda run: bytes([run[0]]) * run[1]),
    st.integers(1, 600).map(lambda count: b"\xed" * count),
    st.lists(st.sampled_from([b"\xed", b"\x00", b"\xed\xed", b"\x00\xed\xed\x00", b"\x05"]), min_size=1).map(b"".join),
)


@st.composite
def banks(draw: st.DrawFn) -> bytes:
    """A bank of 16384 bytes, with something at its end as well as at its beginning."""
    begin = b"".join(draw(st.lists(_PIECES, max_size=6)))[:8192]
    end = b"".join(draw(st.lists(_PIECES, max_size=4)))[:8192]
    filler = draw(st.sampled_from([b"\0", b"\xed", b"\xed\x01", bytes(range(256))]))
    middle = 16384 - len(begin) - len(end)
    return begin + (filler * (middle // len(filler) + 1))[:middle] + end


_WORD = st.integers(0, 0xFFFF)
_BYTE = st.integers(0, 0xFF)


@st.composite
def snapshots(draw: st.DrawFn, machines: tuple[str, ...] = ("48k", "128k", "plus2")) -> Snapshot:
    machine = draw(st.sampled_from(machines))
    registers = {name: draw(_WORD) for name in REGISTERS if REGISTERS[name] > 0xFF}
    registers |= {"i": draw(_BYTE), "r": draw(_BYTE), "im": draw(st.integers(0, 2)), "memptr": draw(_WORD)}
    registers |= {"iff1": draw(st.integers(0, 1)), "iff2": draw(st.integers(0, 1))}
    registers["q"] = draw(st.sampled_from([0, registers["af"] & 0xFF]))
    ram = {number: draw(banks()) for number in BANKS[machine]}
    border = draw(st.integers(0, 7))
    big = machine != "48k"
    port_7ffd = draw(_BYTE) if big else 0
    halted = draw(st.booleans())
    if halted:
        registers["pc"] = _halt_somewhere(draw, registers["pc"], ram, 0 if machine == "48k" else port_7ffd & 7)
    return Snapshot(
        machine,
        registers,
        ram,
        border,
        late=draw(st.booleans()),
        t=draw(st.integers(0, FRAMES[machine] - 1)),
        halted=halted,
        after_ei=draw(st.booleans()),
        port_fe=draw(_BYTE) & 0xF8 | border,
        port_7ffd=port_7ffd,
        ay=draw(st.binary(min_size=16, max_size=16)) if big else None,
        ay_selected=draw(_BYTE) if big else None,
        issue2=not big and draw(st.booleans()),
        kempston=draw(st.booleans()),
    )


def _halt_somewhere(draw: st.DrawFn, pc: int, ram: dict[int, bytes], paged: int) -> int:
    """Puts a HALT into RAM and returns the PC of a CPU that has just executed it."""
    place = pc & 0x3FFF
    slot, number = draw(st.sampled_from([(1, 5), (2, 2), (3, paged)]))
    ram[number] = ram[number][:place] + b"\x76" + ram[number][place + 1 :]
    return (slot * 0x4000 + place + 1) & 0xFFFF
