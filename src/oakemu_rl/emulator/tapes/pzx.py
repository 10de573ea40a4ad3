# SPDX-License-Identifier: GPL-3.0-or-later
"""The .pzx format, version 1: pulses with their exact levels.

SkoolKit's reader is not used: it takes files that end in the middle of a block. Tests hold this reader against it.
"""

from collections.abc import Callable

from oakemu_rl.emulator.tapes.blocks import Block, DataBlock, InfoBlock, PauseBlock, PulsesBlock, StopBlock
from oakemu_rl.emulator.tapes.reader import BlockReader, printable
from oakemu_rl.emulator.tapes.tape import Tape
from oakemu_rl.errors import UserError

__all__ = ["parse_pzx"]

_SIGNATURE = b"PZXT"
_HIGH = 1 << 31
_LONG = 0x8000


def parse_pzx(data: bytes, name: str = "tape") -> Tape:
    """Reads the .pzx format.

    Args:
        data: The file's bytes.
        name: Where they came from, for messages.

    Raises:
        UserError: The bytes are not of that format; names the block and its offset in the file.
    """
    if not data.startswith(_SIGNATURE):
        raise UserError(f"{name}: the file does not begin with PZXT, as a .pzx file does")
    reader = BlockReader(data, name)
    blocks: list[Block] = []
    offsets: list[int] = []
    while reader.next_block():
        tag = reader.take(4, "tag")
        if not (tag.isascii() and tag.decode("latin-1").isprintable()):
            reader.fail(f"has the tag {tag.hex(' ')}, a tag is four letters")
        size = reader.number_of(4, "size")
        if size > reader.left:
            reader.fail(f"has size {size}, but only {reader.left} bytes follow in the file")
        end = reader.offset + size
        blocks.append(_READERS.get(tag, _unknown)(reader, size))
        offsets.append(reader.begin)
        if reader.offset != end:
            reader.fail(f"has size {size}, its parts together have {reader.offset - end + size} bytes")
    return Tape(name, tuple(blocks), "pzx", tuple(offsets))


def _header(reader: BlockReader, size: int) -> Block:
    if size < 2:
        reader.fail(f"has size {size}, the least is 2 (the version)")
    major, minor = reader.take(2, "version")
    if major != 1:
        reader.fail(f"has .pzx version {major}.{minor}, version 1 can be read")
    texts = [printable(text) for text in reader.take(size - 2, "texts").split(b"\0") if text]
    pairs = zip(["Title", *texts[1::2]], [*texts[:1], *texts[2::2]], strict=False)
    return InfoBlock("archive info", tuple(f"{name}: {text}" for name, text in pairs))


def _pulses(reader: BlockReader, size: int) -> Block:
    end = reader.offset + size
    runs = []
    while reader.offset < end:
        count, length = 1, _within(reader, end)
        if length > _LONG:
            count, length = length - _LONG, _within(reader, end)
        if length >= _LONG:
            length = (length - _LONG) << 16 | _within(reader, end)
        runs.append((count, length))
    return PulsesBlock(tuple(runs), 0)


def _within(reader: BlockReader, end: int) -> int:
    if reader.offset + 2 > end:
        reader.fail(f"ends at offset {end} within a pulse")
    return reader.word("pulses")


def _data(reader: BlockReader, size: int) -> Block:
    end = reader.offset + size
    if size < 8:
        reader.fail(f"has size {size}, the least is 8")
    head = reader.number_of(4, "number of bits")
    tail = reader.word("tail")
    zero_count, one_count = reader.byte("pulses of a 0"), reader.byte("pulses of a 1")
    if reader.offset + 2 * (zero_count + one_count) > end:
        reader.fail(f"ends at offset {end} within its pulses")
    zero = tuple(reader.word("pulses of a 0") for _ in range(zero_count))
    one = tuple(reader.word("pulses of a 1") for _ in range(one_count))
    count = head % _HIGH
    if reader.offset + (count + 7) // 8 > end:
        reader.fail(f"has {count} bits, but only {end - reader.offset} bytes of data")
    content = reader.take((count + 7) // 8, "data")
    return DataBlock(content, count, zero, one, 0, head // _HIGH, tail)


def _pause(reader: BlockReader, size: int) -> Block:
    if size != 4:
        reader.fail(f"has size {size}, a pause has 4")
    head = reader.number_of(4, "duration")
    return PauseBlock(head % _HIGH, head // _HIGH)


def _stop(reader: BlockReader, size: int) -> Block:
    if size != 2:
        reader.fail(f"has size {size}, a stop has 2")
    return StopBlock(only_48k=reader.word("flags") == 1)


def _browse(reader: BlockReader, size: int) -> Block:
    return InfoBlock("browse point", (reader.text(size, "text"),))


def _unknown(reader: BlockReader, size: int) -> Block:
    # The format asks readers to pass over what they do not know.
    kind = printable(reader.data[reader.begin : reader.begin + 4])
    reader.take(size, "data")
    return InfoBlock(f"unknown ({kind})", (f"{size} bytes",))


_READERS: dict[bytes, Callable[[BlockReader, int], Block]] = {
    _SIGNATURE: _header,
    b"PULS": _pulses,
    b"DATA": _data,
    b"PAUS": _pause,
    b"STOP": _stop,
    b"BRWS": _browse,
}
