# SPDX-License-Identifier: GPL-3.0-or-later
"""The .szx format (zx-state), read.

SkoolKit reads and writes this format too, but has neither the halted and EI flags nor the timing, ends in a traceback
where a block is short or a page missing, takes a block that is cut off for the end of the file, and unpacks whatever
comes; so we read it ourselves and hold the two against each other in the tests.

After 8 bytes there are blocks: 4 letters, a 32-bit length, data. What a block we do not know would have changed is not
known either, so each is named in the warnings.
"""

import re
import zlib
from collections.abc import Callable
from dataclasses import dataclass, field

from oakemu_rl.emulator.snapshots.halts import pc_after_halt
from oakemu_rl.emulator.snapshots.model import BANK_BYTES, BANKS, FRAME_TSTATES, Snapshot
from oakemu_rl.emulator.snapshots.source import Source
from oakemu_rl.emulator.snapshots.szx_names import HARDWARE, MACHINES, OTHER_MACHINES, PASSIVE, SWITCHED
from oakemu_rl.errors import UserError

__all__ = ["CREATOR", "EI_LAST", "FLAGS_SET", "HALTED", "Z80R_WORDS", "parse_szx"]

CREATOR = b"OakEmu-RL"
"""What our own files say made them."""

_HEADER_BYTES = 8
_BLOCK_HEADER_BYTES = 8
_LATE = 1

Z80R_WORDS = ("af", "bc", "de", "hl", "af_", "bc_", "de_", "hl_", "ix", "iy", "sp", "pc")
"""The registers at the beginning of the block Z80R."""
EI_LAST, HALTED, FLAGS_SET = 1, 2, 4
"""Bits of its byte 34."""

_PACKED = 1


@dataclass
class _Parts:
    """What the blocks told so far."""

    machine: str
    minor: int
    registers: dict[str, int] = field(default_factory=dict)
    banks: dict[int, bytes] = field(default_factory=dict)
    t: int = 0
    flags: int = 0
    spcr: bytes | None = None
    ay: bytes | None = None
    ay_selected: int | None = None
    issue2: bool = False
    kempston: bool = False
    swapped_af: bool = False
    note: bytes = b""


def parse_szx(source: Source) -> Snapshot:
    """Reads a .szx file.

    Raises:
        UserError: The file is not a sound one, or of a machine or with hardware that is not emulated.
    """
    if len(source) < _HEADER_BYTES:
        raise source.error("header", len(source), f"the file ends here, a .szx header has {_HEADER_BYTES} bytes")
    if source.byte(4) != 1:
        raise source.error("header", 4, f"the version is {source.byte(4)}.{source.byte(5)}, allowed is 1")
    number = source.byte(6)
    if number not in MACHINES:
        what = OTHER_MACHINES.get(number, "of an unknown kind")
        raise source.error("header", 6, f"the machine (number {number}) is {what}; a 48K, a 128K and a +2 are emulated")
    parts = _Parts(MACHINES[number], source.byte(5))
    offset = _HEADER_BYTES
    while offset < len(source):
        offset = _read_block(source, offset, parts)
    return _assemble(source, parts)


def _read_block(source: Source, offset: int, parts: _Parts) -> int:
    """Reads the block at an offset and returns that of the next."""
    left = len(source) - offset
    if left < _BLOCK_HEADER_BYTES:
        raise source.error("block", offset, f"{left} bytes are left, a block begins with {_BLOCK_HEADER_BYTES}")
    letters = source.data[offset : offset + 4].rstrip(b"\0")
    name = letters.decode("ascii") if letters.isalnum() or letters == b"+3" else repr(letters)[1:]
    length = source.dword(offset + 4)
    if length > left - _BLOCK_HEADER_BYTES:
        raise source.error(
            f"block {name}", offset + 4, f"its length is {length}, but only {left - _BLOCK_HEADER_BYTES} bytes follow"
        )
    start = offset + _BLOCK_HEADER_BYTES
    if name in _BLOCKS:
        lengths, read = _BLOCKS[name]
        if length not in lengths:
            allowed = f"{lengths[0]} to {lengths[-1]}" if len(lengths) > 1 else f"{lengths[0]}"
            raise source.error(f"block {name}", offset + 4, f"its length is {length}, allowed are {allowed} bytes")
        read(source, start, start + length, parts)
    elif name in HARDWARE:
        _refuse_hardware(source, name, start, length)
    elif name in PASSIVE:
        source.warn(f"block {name}", offset, f"{PASSIVE[name]}, which is not emulated")
    else:
        source.warn(f"block {name}", offset, "an unknown kind of block, passed over")
    return start + length


def _refuse_hardware(source: Source, name: str, start: int, length: int) -> None:
    flag = SWITCHED.get(name, 0)
    if flag and length and not source.byte(start) & flag:
        return  # the file says that it is not connected
    raise source.error(
        f"block {name}", start - _BLOCK_HEADER_BYTES, f"the machine has {HARDWARE[name]}, which is not emulated"
    )


def _read_creator(source: Source, start: int, end: int, parts: _Parts) -> None:
    """Behind name and version stands what the program wants; ours is a note.

    Up to version 0.5.0, libspectrum wrote A and F, and A' and F', the wrong way round.
    """
    if source.data[start : start + 32].rstrip(b"\0") == CREATOR:
        parts.note = source.data[start + 36 : end]
    match = re.search(rb"libspectrum: (\d{1,3})\.(\d{1,3})\.(\d{1,3})", source.data[start + 36 : end])
    parts.swapped_af = match is not None and tuple(int(part) for part in match.groups()) <= (0, 5, 0)


def _read_z80r(source: Source, start: int, _end: int, parts: _Parts) -> None:
    block = "block Z80R"
    if parts.registers:
        raise source.error(block, start - _BLOCK_HEADER_BYTES, "it is in the file a second time")
    parts.registers = {name: source.word(start + 2 * place) for place, name in enumerate(Z80R_WORDS)}
    parts.registers["i"] = source.byte(start + 24)
    parts.registers["r"] = source.byte(start + 25)
    parts.registers["iff1"] = int(source.byte(start + 26) != 0)
    parts.registers["iff2"] = int(source.byte(start + 27) != 0)
    parts.registers["im"] = source.limited(block, start + 28, "the interrupt mode", 2)
    parts.t = source.dword(start + 29)
    frame = FRAME_TSTATES[parts.machine]
    if parts.t >= 2 * frame:
        raise source.error(block, start + 29, f"the T counter is {parts.t}, allowed are 0 to {frame - 1}")
    if parts.t >= frame:  # saved by somebody who had not begun the next frame yet
        source.warn(block, start + 29, f"the T counter is {parts.t}, taken as {parts.t - frame} of the next frame")
        parts.t -= frame
    if parts.minor >= 1:
        parts.flags = source.byte(start + 34)
    if parts.minor >= 4:
        parts.registers["memptr"] = source.word(start + 35)


def _read_spcr(source: Source, start: int, end: int, parts: _Parts) -> None:
    if parts.spcr is not None:
        raise source.error("block SPCR", start - _BLOCK_HEADER_BYTES, "it is in the file a second time")
    source.limited("block SPCR", start, "the border", 7)
    parts.spcr = source.data[start:end]


def _read_ramp(source: Source, start: int, end: int, parts: _Parts) -> None:
    page = source.byte(start + 2)
    block = f"block RAMP, page {page}"
    if page not in BANKS[parts.machine]:
        allowed = ", ".join(str(number) for number in sorted(BANKS[parts.machine]))
        raise source.error(block, start + 2, f"the pages of this machine are {allowed}")
    if page in parts.banks:
        raise source.error(block, start + 2, "it is in the file a second time")
    ram = source.data[start + 3 : end]
    if source.word(start) & _PACKED:
        ram = _inflate(source, block, start + 3, ram)
    if len(ram) != BANK_BYTES:
        raise source.error(block, start + 3, f"it has {len(ram)} bytes of RAM, a page has {BANK_BYTES}")
    parts.banks[page] = ram


def _inflate(source: Source, block: str, offset: int, data: bytes) -> bytes:
    inflater = zlib.decompressobj()
    try:
        ram = inflater.decompress(data, BANK_BYTES + 1)
    except zlib.error as error:
        raise source.error(block, offset, f"the zlib data is broken: {error}") from error
    if len(ram) > BANK_BYTES:
        raise source.error(block, offset, f"it unpacks to more than the {BANK_BYTES} bytes of a page")
    if not inflater.eof:
        raise source.error(
            block, offset + len(data), f"the zlib data ends early, after {len(ram)} of {BANK_BYTES} bytes"
        )
    if inflater.unused_data:
        raise source.error(
            block,
            offset + len(data) - len(inflater.unused_data),
            f"{len(inflater.unused_data)} bytes follow the zlib data",
        )
    return ram


def _read_ay(source: Source, start: int, _end: int, parts: _Parts) -> None:
    if parts.machine == "48k":
        source.warn("block AY", start, "a sound chip in a 48K machine, which is not emulated")
        return
    parts.ay_selected = source.byte(start + 1)
    parts.ay = source.data[start + 2 : start + 18]


def _read_keyb(source: Source, start: int, end: int, parts: _Parts) -> None:
    parts.issue2 = parts.machine == "48k" and bool(source.byte(start) & 1)
    if end - start > 4 and source.byte(start + 4) == 0:
        parts.kempston = True


def _read_joy(source: Source, start: int, _end: int, parts: _Parts) -> None:
    if 0 in (source.byte(start + 4), source.byte(start + 5)):
        parts.kempston = True


_Reader = Callable[[Source, int, int, _Parts], None]

_BLOCKS: dict[str, tuple[range | tuple[int, ...], _Reader]] = {
    "CRTR": (range(36, 65536), _read_creator),
    "Z80R": ((37,), _read_z80r),
    "SPCR": ((8,), _read_spcr),
    "RAMP": (range(4, BANK_BYTES + 4096), _read_ramp),
    "AY": ((18,), _read_ay),
    "KEYB": ((4, 5), _read_keyb),
    "JOY": ((6,), _read_joy),
}
"""Allowed lengths, and what reads the block."""


def _assemble(source: Source, parts: _Parts) -> Snapshot:
    end = len(source)
    missing = [number for number in BANKS[parts.machine] if number not in parts.banks]
    if not parts.registers:
        raise source.error("end of the file", end, "the block Z80R with the registers is missing")
    if parts.spcr is None:
        raise source.error("end of the file", end, "the block SPCR with border and paging is missing")
    if missing:
        raise source.error("end of the file", end, f"the block RAMP with page {missing[0]} is missing")
    if parts.machine != "48k" and parts.ay is None:
        source.warn("end of the file", end, "there is no block AY, the registers of the sound chip are taken as 0")
    registers = parts.registers
    if parts.swapped_af:
        for name in ("af", "af_"):
            registers[name] = registers[name] >> 8 | (registers[name] & 0xFF) << 8
    if parts.minor >= 5:
        registers["q"] = registers["af"] & 0xFF if parts.flags & FLAGS_SET else 0
    border, port_7ffd, _, port_fe = parts.spcr[:4]
    if parts.machine == "48k":
        port_7ffd = 0
    if parts.flags & HALTED:
        registers["pc"] = pc_after_halt(parts.machine, registers["pc"], parts.banks, port_7ffd)
    try:
        return Snapshot(
            parts.machine,
            registers,
            parts.banks,
            border,
            late=bool(source.byte(7) & _LATE),
            t=parts.t,
            halted=bool(parts.flags & HALTED),
            after_ei=bool(parts.flags & EI_LAST),
            # Only MIC and speaker are sure to be right in it.
            port_fe=port_fe & 0xF8 | border if parts.minor >= 1 else None,
            port_7ffd=port_7ffd,
            ay=parts.ay,
            ay_selected=parts.ay_selected,
            issue2=parts.issue2,
            kempston=parts.kempston,
            name=source.name,
            format=f".szx version 1.{parts.minor}",
            note=parts.note,
            warnings=tuple(source.warnings),
        )
    except UserError as error:
        raise source.error("end of the file", end, str(error)) from error
