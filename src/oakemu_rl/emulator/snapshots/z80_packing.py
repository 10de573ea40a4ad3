# SPDX-License-Identifier: GPL-3.0-or-later
"""The packing of RAM in .z80 files.

``ED ED n b`` stands for n times b. Runs of 5 and more are packed so, of ED already those of 2. A byte that follows a
single ED stands for itself, so that a run behind one begins a byte later.
"""

import re

from oakemu_rl.emulator.snapshots.source import Source

__all__ = ["pack", "unpack"]

_MARK = b"\xed\xed"

# A run of ED, a single ED with the byte behind it (which may not begin a run), a run of anything else.
_RUNS = re.compile(rb"\xed{2,255}|\xed.?|(.)\1{4,254}", re.DOTALL)


def pack(ram: bytes) -> bytes:
    """Packs RAM, without an end marker."""

    def replace(match: re.Match[bytes]) -> bytes:
        run = match[0]
        if match[1] is None and run[:2] != _MARK:
            return run
        return bytes((0xED, 0xED, len(run), run[0]))

    return _RUNS.sub(replace, ram)


def unpack(source: Source, block: str, start: int, end: int, size: int) -> tuple[bytes, int]:
    """Unpacks RAM.

    Args:
        source: The file.
        block: What the block is called in messages.
        start: Offset of its first byte.
        end: Offset behind its last byte.
        size: How many bytes have to come out.

    Returns:
        The RAM, and the offset behind the last byte that was needed for it.

    Raises:
        UserError: Another number of bytes comes out, or a run is not whole or empty.
    """
    data = source.data
    ram = bytearray()
    offset = start
    while offset < end and len(ram) < size:
        mark = data.find(_MARK, offset, end)
        literal_end = min(end if mark == -1 else mark, offset + size - len(ram))
        ram += data[offset:literal_end]
        offset = literal_end
        if offset != mark or len(ram) == size:
            continue
        if data[mark + 2 : min(mark + 3, end)] == b"\0":
            raise source.error(
                block, mark, f"ED ED 00 (a run of no bytes, or the end) after {len(ram)} of {size} bytes"
            )
        if mark + 4 > end:
            raise source.error(block, mark, "the block ends in the middle of a run ED ED n b")
        count = data[mark + 2]
        if len(ram) + count > size:
            raise source.error(block, mark, f"a run of {count} bytes after {len(ram)} bytes, the block holds {size}")
        ram += bytes((data[mark + 3],)) * count
        offset = mark + 4
    if len(ram) < size:
        raise source.error(block, end, f"the block ends after {len(ram)} bytes of RAM, it holds {size}")
    return bytes(ram), offset
