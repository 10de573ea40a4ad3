# SPDX-License-Identifier: GPL-3.0-or-later
"""The .tzx format, version 1 (TZX 1.20): every block, also those for which other readers have no playback.

SkoolKit's reader is not used: it takes files that end in the middle of a block, and leaves CSW recordings, generalized
data, jumps and calls out. Tests hold this reader against it where both can read a file.
"""

from collections.abc import Callable

from oakemu_rl.emulator.tapes.blocks import (
    T_PER_MS,
    Block,
    CallBlock,
    DataBlock,
    GeneralizedBlock,
    JumpBlock,
    LevelBlock,
    LoopBlock,
    LoopEndBlock,
    PauseBlock,
    PulsesBlock,
    ReturnBlock,
    SampledBlock,
    SelectBlock,
    StopBlock,
    Symbol,
    TapeBlock,
    TurboBlock,
    UnplayableBlock,
)
from oakemu_rl.emulator.tapes.csw import read_csw_block
from oakemu_rl.emulator.tapes.reader import BlockReader
from oakemu_rl.emulator.tapes.tape import Tape
from oakemu_rl.emulator.tapes.tzx_info import INFO_READERS
from oakemu_rl.errors import UserError

__all__ = ["parse_tzx"]

_SIGNATURE = b"ZXTape!\x1a"
_HEADER = 10


def parse_tzx(data: bytes, name: str = "tape") -> Tape:
    """Reads the .tzx format.

    Args:
        data: The file's bytes.
        name: Where they came from, for messages.

    Raises:
        UserError: The bytes are not of that format; names the block and its offset in the file.
    """
    if not data.startswith(_SIGNATURE):
        raise UserError(f"{name}: the file does not begin with ZXTape!, as a .tzx file does")
    if len(data) < _HEADER:
        raise UserError(f"{name}: the file ends at offset {len(data)}, within the header of 10 bytes")
    if data[8] != 1:
        raise UserError(f"{name}: the file has .tzx version {data[8]}.{data[9]}, version 1 can be read")
    reader = BlockReader(data, name, _HEADER)
    blocks: list[Block] = []
    offsets: list[int] = []
    while reader.next_block():
        code = reader.byte("ID")
        read = _READERS.get(code)
        if read is None:
            reader.fail(f"has the ID 0x{code:02X}, which .tzx does not know")
        blocks.append(read(reader))
        offsets.append(reader.begin)
    if not blocks:
        raise UserError(f"{name}: the tape has no blocks")
    return Tape(name, tuple(blocks), "tzx", tuple(offsets))


def _standard(reader: BlockReader) -> Block:
    pause = reader.word("pause")
    return TapeBlock(reader.take(reader.word("length"), "data"), pause)


def _used_bits(reader: BlockReader) -> int:
    used = reader.byte("number of used bits")
    if not 1 <= used <= 8:
        reader.fail(f"uses {used} bits of its last byte, it can be 1 to 8")
    return used


def _bits(content: bytes, used: int) -> int:
    return max(len(content) * 8 - 8 + used, 0) if content else 0


def _turbo(reader: BlockReader) -> Block:
    pilot, sync1, sync2, zero, one, pulses = (reader.word("times") for _ in range(6))
    used = _used_bits(reader)
    pause = reader.word("pause")
    content = reader.take(reader.number_of(3, "length"), "data")
    return TurboBlock(content, pilot, pulses, (sync1, sync2), zero, one, used, pause)


def _tone(reader: BlockReader) -> Block:
    length = reader.word("pulse length")
    return PulsesBlock(((reader.word("number of pulses"), length),))


def _pulses(reader: BlockReader) -> Block:
    count = reader.byte("number of pulses")
    return PulsesBlock(tuple((1, reader.word("pulses")) for _ in range(count)))


def _data(reader: BlockReader) -> Block:
    zero, one = reader.word("times"), reader.word("times")
    used = _used_bits(reader)
    pause = reader.word("pause")
    content = reader.take(reader.number_of(3, "length"), "data")
    return DataBlock(content, _bits(content, used), (zero, zero), (one, one), pause)


def _direct(reader: BlockReader) -> Block:
    period = reader.word("time per sample")
    pause = reader.word("pause")
    used = _used_bits(reader)
    samples = reader.take(reader.number_of(3, "length"), "samples")
    if period == 0 and samples:
        reader.fail("has samples of 0 T-states")
    return SampledBlock(samples, _bits(samples, used), period, pause)


def _generalized(reader: BlockReader) -> Block:
    length = reader.number_of(4, "length")
    end = reader.offset + length
    if length > reader.left:
        reader.fail(f"has length {length}, but only {reader.left} bytes follow in the file")
    pause = reader.word("pause")
    pilot_count, pilot_pulses, pilot_alphabet = reader.number_of(4, "head"), reader.byte("head"), reader.byte("head")
    count, data_pulses, data_alphabet = reader.number_of(4, "head"), reader.byte("head"), reader.byte("head")
    pilot_symbols: tuple[Symbol, ...] = ()
    pilot: tuple[tuple[int, int], ...] = ()
    symbols: tuple[Symbol, ...] = ()
    content = b""
    if pilot_count:
        pilot_symbols = _symbols(reader, pilot_alphabet or 256, pilot_pulses, end)
        _need(reader, pilot_count * 3, end)
        pilot = tuple((reader.byte("pilot"), reader.word("pilot")) for _ in range(pilot_count))
        highest = max(symbol for symbol, _ in pilot)
        if highest >= len(pilot_symbols):
            reader.fail(f"has symbol {highest} in its pilot, of {len(pilot_symbols)} symbols")
    if count:
        symbols = _symbols(reader, data_alphabet or 256, data_pulses, end)
        size = (count * (len(symbols) - 1).bit_length() + 7) // 8
        _need(reader, size, end)
        content = reader.take(size, "data")
        _check_symbols(reader, content, count, len(symbols))
    if reader.offset != end:
        reader.fail(f"has length {length}, its parts together have {reader.offset - end + length} bytes")
    return GeneralizedBlock(pilot_symbols, pilot, symbols, content, count, pause)


def _need(reader: BlockReader, size: int, end: int) -> None:
    if size > end - reader.offset:
        reader.fail(f"ends at offset {end}, but {size} bytes are needed at offset {reader.offset}")


def _symbols(reader: BlockReader, count: int, pulses: int, end: int) -> tuple[Symbol, ...]:
    _need(reader, count * (1 + 2 * pulses), end)
    symbols = []
    for _ in range(count):
        start = reader.byte("symbols") & 3
        lengths = [reader.word("symbols") for _ in range(pulses)]
        # A pulse of length 0 ends the symbol.
        used = lengths.index(0) if 0 in lengths else pulses
        symbols.append(Symbol(start, tuple(lengths[:used])))
    return tuple(symbols)


def _check_symbols(reader: BlockReader, content: bytes, count: int, alphabet: int) -> None:
    bits = (alphabet - 1).bit_length()
    if alphabet == 1 << bits:
        return
    stream = int.from_bytes(content, "big")
    total = len(content) * 8
    if count * bits > 1 << 16:  # cheaper in pieces that a shift does not copy as a whole
        for first in range(0, count, 8):
            size = min(8, count - first)
            piece = content[first * bits // 8 : (first * bits + size * bits + 7) // 8]
            _check_symbols(reader, piece, size, alphabet)
        return
    for k in range(count):
        symbol = stream >> (total - (k + 1) * bits) & ((1 << bits) - 1)
        if symbol >= alphabet:
            reader.fail(f"has symbol {symbol} in its data, of {alphabet} symbols")


def _pause(reader: BlockReader) -> Block:
    pause = reader.word("pause")
    return PauseBlock(pause * T_PER_MS) if pause else StopBlock(only_48k=False)


def _stop_48k(reader: BlockReader) -> Block:
    reader.take(reader.number_of(4, "length"), "body")
    return StopBlock(only_48k=True)


def _level(reader: BlockReader) -> Block:
    body = reader.take(reader.number_of(4, "length"), "body")
    if len(body) < 1 or body[0] > 1:
        reader.fail(f"sets the level to {body[:1].hex() or 'nothing'}, it can be 0 or 1")
    return LevelBlock(body[0])


def _jump(reader: BlockReader) -> Block:
    return JumpBlock(reader.signed("offset"))


def _loop(reader: BlockReader) -> Block:
    return LoopBlock(reader.word("number of repetitions"))


def _call(reader: BlockReader) -> Block:
    count = reader.word("number of calls")
    return CallBlock(tuple(reader.signed("calls") for _ in range(count)))


def _select(reader: BlockReader) -> Block:
    length = reader.word("length")
    end = reader.offset + length
    options = []
    for _ in range(reader.byte("number of options")):
        offset = reader.signed("options")
        options.append((offset, reader.text(reader.byte("options"), "options")))
    if reader.offset != end:
        reader.fail(f"has length {length}, its options together have {reader.offset - end + length} bytes")
    return SelectBlock(tuple(options))


def _c64(kind: str) -> Callable[[BlockReader], Block]:
    def read(reader: BlockReader) -> Block:
        length = reader.number_of(4, "length")
        if length < 4:
            reader.fail(f"has length {length}, which includes itself: the least is 4")
        reader.take(length - 4, "data")
        return UnplayableBlock(kind)

    return read


_READERS: dict[int, Callable[[BlockReader], Block]] = {
    0x10: _standard,
    0x11: _turbo,
    0x12: _tone,
    0x13: _pulses,
    0x14: _data,
    0x15: _direct,
    0x16: _c64("Commodore 64 ROM data"),
    0x17: _c64("Commodore 64 turbo data"),
    0x18: read_csw_block,
    0x19: _generalized,
    0x20: _pause,
    0x23: _jump,
    0x24: _loop,
    0x25: lambda _: LoopEndBlock(),
    0x26: _call,
    0x27: lambda _: ReturnBlock(),
    0x28: _select,
    0x2A: _stop_48k,
    0x2B: _level,
    **INFO_READERS,
}
