# SPDX-License-Identifier: GPL-3.0-or-later
"""The .z80 format, read: versions 1 (48K only), 2 and 3.

SkoolKit reads and writes this format too, but takes byte 12 = 255 for what it says, cuts the last 4 bytes of a version
1 file whatever they are, lets pages be missing, and ends in an IndexError where a file ends early; so we read it
ourselves and hold the two against each other in the tests.
"""

from collections.abc import Mapping
from typing import NamedTuple

from oakemu_rl.emulator.detection import Z80_END_MARKER, Z80_EXTRA_LENGTHS
from oakemu_rl.emulator.snapshots.halts import find_halt
from oakemu_rl.emulator.snapshots.model import BANK_BYTES, BANKS, FRAME_TSTATES, Snapshot
from oakemu_rl.emulator.snapshots.source import Source
from oakemu_rl.emulator.snapshots.z80_packing import unpack

__all__ = ["EXTRA_OFFSET", "HEADER_BYTES", "RAW_LENGTH", "WORD_OFFSETS", "bank_of_page", "parse_z80"]

HEADER_BYTES = 30
EXTRA_OFFSET = 32  # the second part of the header, of versions 2 and 3
RAW_LENGTH = 0xFFFF  # the length of a page that is not packed
WORD_OFFSETS = {"bc": 2, "hl": 4, "sp": 8, "de": 13, "bc_": 15, "de_": 17, "hl_": 19, "iy": 23, "ix": 25}
"""Offset of each 16-bit register that is at the same place in all versions."""

_SLT = b"\0\0\0SLT"

# Hardware by number, by version; 7 and up are the same in both.
_MACHINES = {2: {0: "48k", 3: "128k", 12: "plus2"}, 3: {0: "48k", 4: "128k", 12: "plus2"}}
_UNSUPPORTED = {
    2: {1: "a 48K with Interface 1", 2: "a SamRam", 4: "a 128K with Interface 1"},
    3: {
        1: "a 48K with Interface 1",
        2: "a SamRam",
        3: "a 48K with a disk interface of MGT",
        5: "a 128K with Interface 1",
        6: "a 128K with a disk interface of MGT",
    },
}
_CLONES = {
    7: "a +3",
    8: "a +3",
    9: "a Pentagon",
    10: "a Scorpion",
    11: "a Didaktik Kompakt",
    13: "a +2A",
    14: "a Timex TC2048",
    15: "a Timex TC2068",
    128: "a Timex TS2068",
}
_ROM_PAGES = {0: "a ROM", 1: "the ROM of an interface", 2: "a ROM", 11: "the ROM of a Multiface"}


class _Extra(NamedTuple):
    """What only versions 2 and 3 have."""

    version: int
    machine: str
    end: int
    t: int | None
    port_7ffd: int = 0
    ay: bytes | None = None
    ay_selected: int | None = None


def parse_z80(source: Source) -> Snapshot:
    """Reads a .z80 file.

    Raises:
        UserError: The file is not a sound one, or of a machine that is not emulated.
    """
    if len(source) < HEADER_BYTES:
        raise source.error("header", len(source), f"the file ends here, a .z80 header has {HEADER_BYTES} bytes")
    flags = 1 if source.byte(12) == 255 else source.byte(12)  # as very old files have it
    registers = {name: source.word(offset) for name, offset in WORD_OFFSETS.items()}
    registers["af"] = source.byte(0) << 8 | source.byte(1)
    registers["af_"] = source.byte(21) << 8 | source.byte(22)
    registers["i"] = source.byte(10)
    registers["r"] = source.byte(11) & 0x7F | (flags & 1) << 7
    registers["iff1"] = int(source.byte(27) != 0)
    registers["iff2"] = int(source.byte(28) != 0)
    registers["im"] = source.byte(29) & 3
    if registers["im"] == 3:
        raise source.error("header", 29, "the interrupt mode is 3, allowed are 0 to 2")
    if source.byte(29) & 8:
        source.warn("header", 29, "doubled interrupt frequency, which is not emulated")
    registers["pc"] = source.word(6)
    if registers["pc"]:
        extra = _Extra(1, "48k", HEADER_BYTES, None)
        banks = _read_version_1(source, packed=bool(flags & 0x20))
    else:
        extra = _read_extra(source)
        registers["pc"] = source.word(EXTRA_OFFSET)
        banks = _read_pages(source, extra)
    halted = find_halt(extra.machine, registers, banks, extra.port_7ffd, extra.t)
    return Snapshot(
        extra.machine,
        registers,
        banks,
        flags >> 1 & 7,
        t=extra.t,
        halted=halted,
        port_7ffd=extra.port_7ffd,
        ay=extra.ay,
        ay_selected=extra.ay_selected,
        issue2=extra.machine == "48k" and bool(source.byte(29) & 4),
        kempston=source.byte(29) >> 6 == 1,
        name=source.name,
        format=f".z80 version {extra.version}",
        warnings=tuple(source.warnings),
    )


def _read_version_1(source: Source, *, packed: bool) -> dict[int, bytes]:
    size = len(BANKS["48k"]) * BANK_BYTES
    if packed:
        ram, end = unpack(source, "RAM", HEADER_BYTES, len(source), size)
        if source.data[end : end + len(Z80_END_MARKER)] != Z80_END_MARKER:
            found = source.data[end : end + len(Z80_END_MARKER)].hex(" ").upper() or "the end of the file"
            raise source.error("RAM", end, f"after {size} bytes the end marker 00 ED ED 00 is due, found {found}")
        end += len(Z80_END_MARKER)
    else:
        ram, end = source.data[HEADER_BYTES : HEADER_BYTES + size], HEADER_BYTES + size
        if len(ram) < size:
            raise source.error("RAM", len(source), f"the file ends after {len(ram)} bytes of RAM, there are {size}")
    if end < len(source):
        source.warn("end of the RAM", end, f"{len(source) - end} more bytes follow, which mean nothing")
    return {number: ram[place * BANK_BYTES :][:BANK_BYTES] for place, number in enumerate(BANKS["48k"])}


def _read_extra(source: Source) -> _Extra:
    if len(source) < EXTRA_OFFSET:
        raise source.error("header", len(source), "the file ends here, the length of the second header is due")
    length = source.word(HEADER_BYTES)
    version = Z80_EXTRA_LENGTHS.get(length)
    if version is None:
        raise source.error(
            "header", HEADER_BYTES, f"the second header has length {length}, allowed are 23 (version 2), 54 and 55 (3)"
        )
    end = EXTRA_OFFSET + length
    if len(source) < end:
        raise source.error("header", len(source), f"the file ends here, the headers have {end} bytes")
    machine = _machine(source, version)
    t = _read_t(source, FRAME_TSTATES[machine]) if version == 3 else None
    if machine == "48k":
        if source.byte(37) & 4:
            source.warn("header", 37, "a sound chip in a 48K machine, which is not emulated")
        return _Extra(version, machine, end, t)
    return _Extra(version, machine, end, t, source.byte(35), source.data[39:55], source.byte(38))


def _machine(source: Source, version: int) -> str:
    hardware = source.byte(34)
    name = _UNSUPPORTED[version].get(hardware) or _CLONES.get(hardware)
    machine = _MACHINES[version].get(hardware)
    if machine is None:
        found = name or "of an unknown kind"
        raise source.error(
            "header", 34, f"the machine (hardware {hardware}) is {found}; a 48K, a 128K and a +2 are emulated"
        )
    if source.byte(37) & 0x80:  # "modify hardware"
        if machine == "48k":
            raise source.error("header", 37, "the machine is a 16K; a 48K, a 128K and a +2 are emulated")
        machine = "plus2"
    if version == 3 and source.byte(60) == 0xFF:
        raise source.error("header", 60, "the ROM of a Multiface is paged in, which is not emulated")
    return machine


def _read_t(source: Source, frame: int) -> int | None:
    """The counter runs down from a quarter of a frame to 0, in quarters that are numbered 3, 0, 1, 2."""
    quarter = frame // 4
    low, high = source.word(55), source.byte(57)
    if low >= quarter or high > 3:
        source.warn(
            "header", 55, f"the T counter is {low}, {high}, allowed are 0 to {quarter - 1} and 0 to 3; not used"
        )
        return None
    return (high + 1) % 4 * quarter + quarter - 1 - low


def bank_of_page(machine: str) -> Mapping[int, int]:
    """The numbers of the file's pages -> those of the banks."""
    if machine == "48k":
        return {8: 5, 4: 2, 5: 0}
    return {number + 3: number for number in BANKS[machine]}


def _read_pages(source: Source, extra: _Extra) -> dict[int, bytes]:
    pages = bank_of_page(extra.machine)
    banks: dict[int, bytes] = {}
    offset = extra.end
    while offset < len(source):
        if source.data.startswith(_SLT, offset):
            source.warn("SLT", offset, "levels that the program loads from the file, which is not emulated")
            break
        if offset + 3 > len(source):
            raise source.error("page", offset, f"{len(source) - offset} bytes are left, a page begins with 3")
        length, page = source.word(offset), source.byte(offset + 2)
        block = f"page {page}"
        if page not in pages:
            what = _ROM_PAGES.get(page, "unknown")
            allowed = ", ".join(str(number) for number in sorted(pages))
            raise source.error(block, offset + 2, f"it is {what}; the pages of this machine are {allowed}")
        if pages[page] in banks:
            raise source.error(block, offset + 2, "it is in the file a second time")
        start = offset + 3
        offset = start + (BANK_BYTES if length == RAW_LENGTH else length)
        if offset > len(source):
            raise source.error(block, start, f"it has {offset - start} bytes, but only {len(source) - start} follow")
        if length == RAW_LENGTH:
            banks[pages[page]] = source.data[start:offset]
        else:
            banks[pages[page]], end = unpack(source, block, start, offset, BANK_BYTES)
            if end != offset:
                raise source.error(block, end, f"{offset - end} bytes are left after {BANK_BYTES} bytes of RAM")
    missing = [str(page) for page, number in pages.items() if number not in banks]
    if missing:
        raise source.error(
            "end of the pages", offset, f"page {missing[0]} is missing ({len(banks)} of {len(pages)} are there)"
        )
    return banks
