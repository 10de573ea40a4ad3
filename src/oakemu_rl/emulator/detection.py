# SPDX-License-Identifier: GPL-3.0-or-later
"""What kind of file some bytes are. Their content decides, never a file name's extension.

.szx, .tzx, .pzx and .rzx begin with a signature. A .tap is a chain of blocks that ends exactly where the file ends, and
a .sna has one of three sizes. A .z80 has neither signature nor size, so that it is asked last, by what its header says.
"""

from functools import reduce
from operator import xor

__all__ = [
    "KIND_NAMES",
    "RECORDINGS",
    "SNAPSHOTS",
    "TAPES",
    "Z80_END_MARKER",
    "Z80_EXTRA_LENGTHS",
    "detect",
    "first_bytes",
]

SNAPSHOTS = ("sna", "z80", "szx")
TAPES = ("tap", "tzx", "pzx")
RECORDINGS = ("rzx",)

KIND_NAMES = {
    "sna": "a snapshot (.sna)",
    "z80": "a snapshot (.z80)",
    "szx": "a snapshot (.szx)",
    "tap": "a tape (.tap)",
    "tzx": "a tape (.tzx)",
    "pzx": "a tape (.pzx)",
    "rzx": "a recording (.rzx)",
}

_SIGNATURES = {b"ZXST": "szx", b"ZXTape!\x1a": "tzx", b"PZXT": "pzx", b"RZX!": "rzx"}
_SNA_SIZES = (49179, 131103, 147487)

Z80_EXTRA_LENGTHS = {23: 2, 54: 3, 55: 3}
"""Length of the .z80 header's second part -> version of the format."""
Z80_END_MARKER = b"\x00\xed\xed\x00"
_Z80_HEADER = 30


def detect(data: bytes) -> str | None:
    """The kind of a file, by its content.

    Args:
        data: The whole file, unpacked.

    Returns:
        One of `SNAPSHOTS`, `TAPES` and `RECORDINGS`, or None. What is of a kind need not be sound.
    """
    for signature, kind in _SIGNATURES.items():
        if data.startswith(signature):
            return kind
    could_be_sna = len(data) in _SNA_SIZES and data[25] <= 2
    if _is_block_chain(data) and not (could_be_sna and not _first_block_is_sound(data)):
        return "tap"
    if could_be_sna:
        return "sna"
    return "z80" if _could_be_z80(data) else None


def first_bytes(data: bytes) -> str:
    """The first bytes in words, for messages about what nobody knows."""
    return f"it begins with {data[:8].hex(' ').upper()}" if data else "it is empty"


def _is_block_chain(data: bytes) -> bool:
    offset = 0
    while offset + 2 <= len(data):
        length = data[offset] | data[offset + 1] << 8
        if length < 2:  # flag and parity
            return False
        offset += 2 + length
    return offset == len(data) > 0


def _first_block_is_sound(data: bytes) -> bool:
    length = data[0] | data[1] << 8
    return reduce(xor, data[2 : 2 + length]) == 0


def _could_be_z80(data: bytes) -> bool:
    if len(data) <= _Z80_HEADER or data[29] & 3 == 3:  # there is no interrupt mode 3
        return False
    if data[6] or data[7]:  # version 1: PC is here
        packed = data[12] != 255 and data[12] & 0x20
        return Z80_END_MARKER in data[_Z80_HEADER:] if packed else len(data) == _Z80_HEADER + 49152
    if len(data) < _Z80_HEADER + 2:
        return False
    extra = data[30] | data[31] << 8
    return extra in Z80_EXTRA_LENGTHS and len(data) >= _Z80_HEADER + 2 + extra + 3
