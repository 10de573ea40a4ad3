# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes tapes by hand: blocks of .tzx and .pzx files as their descriptions say, and a program that loads code."""

from collections.abc import Sequence

from oakemu_rl.emulator import TapeBlock

TZX_HEAD = b"ZXTape!\x1a\x01\x14"
PZX_HEAD = b"PZXT\x02\x00\x00\x00\x01\x00"


def word(value: int) -> bytes:
    return (value & 0xFFFF).to_bytes(2, "little")


def triple(value: int) -> bytes:
    return value.to_bytes(3, "little")


def dword(value: int) -> bytes:
    return value.to_bytes(4, "little")


def words(*values: int) -> bytes:
    return b"".join(word(value) for value in values)


# .tzx


def tzx(*blocks: bytes) -> bytes:
    return TZX_HEAD + b"".join(blocks)


def standard(content: bytes, pause: int = 1000) -> bytes:
    return b"\x10" + words(pause, len(content)) + content


def turbo(
    content: bytes,
    pilot: int = 2168,
    pulses: int = 3223,
    sync: tuple[int, int] = (667, 735),
    zero: int = 855,
    one: int = 1710,
    used: int = 8,
    pause: int = 1000,
) -> bytes:
    head = words(pilot, *sync, zero, one, pulses) + bytes([used]) + word(pause)
    return b"\x11" + head + triple(len(content)) + content


def tone(length: int, count: int) -> bytes:
    return b"\x12" + words(length, count)


def pulses(*lengths: int) -> bytes:
    return b"\x13" + bytes([len(lengths)]) + words(*lengths)


def pure_data(content: bytes, zero: int = 855, one: int = 1710, used: int = 8, pause: int = 0) -> bytes:
    return b"\x14" + words(zero, one) + bytes([used]) + word(pause) + triple(len(content)) + content


def direct(samples: bytes, period: int, used: int = 8, pause: int = 0) -> bytes:
    return b"\x15" + words(period, pause) + bytes([used]) + triple(len(samples)) + samples


def csw(data: bytes, count: int, rate: int = 44100, compression: int = 1, pause: int = 0) -> bytes:
    body = word(pause) + triple(rate) + bytes([compression]) + dword(count) + data
    return b"\x18" + dword(len(body)) + body


def generalized(
    pilot_symbols: Sequence[tuple[int, Sequence[int]]] = (),
    pilot: Sequence[tuple[int, int]] = (),
    symbols: Sequence[tuple[int, Sequence[int]]] = (),
    content: bytes = b"",
    count: int = 0,
    pause: int = 0,
) -> bytes:
    def table(rows: Sequence[tuple[int, Sequence[int]]], width: int) -> bytes:
        return b"".join(bytes([start]) + words(*lengths, *[0] * (width - len(lengths))) for start, lengths in rows)

    pilot_width = max((len(lengths) for _, lengths in pilot_symbols), default=0)
    width = max((len(lengths) for _, lengths in symbols), default=0)
    body = word(pause) + dword(len(pilot)) + bytes([pilot_width, len(pilot_symbols) % 256])
    body += dword(count) + bytes([width, len(symbols) % 256])
    if pilot:
        body += table(pilot_symbols, pilot_width) + b"".join(bytes([s]) + word(times) for s, times in pilot)
    if count:
        body += table(symbols, width) + content
    return b"\x19" + dword(len(body)) + body


def pause(milliseconds: int) -> bytes:
    return b"\x20" + word(milliseconds)


def jump(offset: int) -> bytes:
    return b"\x23" + word(offset)


def loop(times: int) -> bytes:
    return b"\x24" + word(times)


LOOP_END = b"\x25"
RETURN = b"\x27"
STOP_48K = b"\x2a" + bytes(4)


def call(*offsets: int) -> bytes:
    return b"\x26" + word(len(offsets)) + words(*offsets)


def select(*options: tuple[int, bytes]) -> bytes:
    body = bytes([len(options)]) + b"".join(word(o) + bytes([len(t)]) + t for o, t in options)
    return b"\x28" + word(len(body)) + body


def level(value: int) -> bytes:
    return b"\x2b" + dword(1) + bytes([value])


def text(message: bytes) -> bytes:
    return b"\x30" + bytes([len(message)]) + message


# .pzx


def pzx(*blocks: bytes) -> bytes:
    return PZX_HEAD + b"".join(blocks)


def pzx_block(tag: bytes, body: bytes) -> bytes:
    return tag + dword(len(body)) + body


def puls(*runs: tuple[int, int]) -> bytes:
    body = b""
    for count, length in runs:
        if count > 1 or length >= 0x8000:
            body += word(0x8000 | count)
        body += words(0x8000 | length >> 16, length) if length >= 0x8000 else word(length)
    return pzx_block(b"PULS", body)


def data(
    content: bytes,
    count: int | None = None,
    zero: Sequence[int] = (855, 855),
    one: Sequence[int] = (1710, 1710),
    start: int = 1,
    tail: int = 945,
) -> bytes:
    bits = 8 * len(content) if count is None else count
    body = dword(bits | start << 31) + word(tail) + bytes([len(zero), len(one)]) + words(*zero, *one) + content
    return pzx_block(b"DATA", body)


def paus(duration: int, start: int = 0) -> bytes:
    return pzx_block(b"PAUS", dword(duration | start << 31))


# BASIC


def number(value: int) -> bytes:
    """A number in a BASIC line: digits, then the hidden value."""
    return str(value).encode() + bytes([0x0E, 0, 0, value & 0xFF, value >> 8, 0])


def header(kind: int, name: str, length: int, first: int, second: int) -> TapeBlock:
    return TapeBlock.from_data(0, bytes([kind]) + name.ljust(10).encode() + words(length, first, second))


def program_blocks(code: bytes) -> tuple[TapeBlock, ...]:
    """10 CLEAR 32767: LOAD ""CODE: RANDOMIZE USR 32768, and the code."""
    clear, load, code_token, randomize, usr = 0xFD, 0xEF, 0xAF, 0xF9, 0xC0
    line = bytes([clear]) + number(32767) + b":" + bytes([load]) + b'""' + bytes([code_token])
    line += b":" + bytes([randomize, usr]) + number(32768) + b"\r"
    basic = (10).to_bytes(2, "big") + len(line).to_bytes(2, "little") + line
    return (
        header(0, "hello", len(basic), 10, len(basic)),
        TapeBlock.from_data(0xFF, basic),
        header(3, "code", len(code), 32768, 32768),
        TapeBlock.from_data(0xFF, code),
    )
