# SPDX-License-Identifier: GPL-3.0-or-later
"""The blocks of a .tzx file that are there to be read."""

from collections.abc import Callable

from skoolkit.tape import ARCHIVE_INFO, HARDWARE_INFO, HARDWARE_TYPE

from oakemu_rl.emulator.tapes.blocks import InfoBlock
from oakemu_rl.emulator.tapes.reader import BlockReader, printable

__all__ = ["INFO_READERS"]


def _group(reader: BlockReader) -> InfoBlock:
    return InfoBlock("group", (reader.text(reader.byte("length"), "name"),))


def _text(reader: BlockReader) -> InfoBlock:
    return InfoBlock("text", (reader.text(reader.byte("length"), "text"),))


def _message(reader: BlockReader) -> InfoBlock:
    reader.byte("time")
    return InfoBlock("message", (reader.text(reader.byte("length"), "text"),))


def _archive(reader: BlockReader) -> InfoBlock:
    length = reader.word("length")
    end = reader.offset + length
    lines = []
    for _ in range(reader.byte("number of texts")):
        kind = reader.byte("texts")
        lines.append(f"{ARCHIVE_INFO.get(kind, f'text {kind}')}: {reader.text(reader.byte('texts'), 'texts')}")
    if reader.offset != end:
        reader.fail(f"has length {length}, its texts together have {reader.offset - end + length} bytes")
    return InfoBlock("archive info", tuple(lines))


def _hardware(reader: BlockReader) -> InfoBlock:
    lines = []
    for _ in range(reader.byte("number of entries")):
        kind, device, use = reader.take(3, "entries")
        kind_name, devices = HARDWARE_TYPE.get(kind, (f"type {kind}", {}))
        uses = HARDWARE_INFO[kind > 0]
        lines.append(f"{kind_name} {devices.get(device, device)}: {uses.get(use, use)}")
    return InfoBlock("hardware", tuple(lines))


def _emulation(reader: BlockReader) -> InfoBlock:
    reader.take(8, "body")
    return InfoBlock("emulation info")


def _custom(reader: BlockReader) -> InfoBlock:
    name = reader.text(16, "name")
    body = reader.take(reader.number_of(4, "length"), "body")
    readable = all(byte >= 32 or byte in (9, 10, 13) for byte in body)
    return InfoBlock("custom info", (f"{name}: {printable(body) if readable else f'{len(body)} bytes'}",))


def _snapshot(reader: BlockReader) -> InfoBlock:
    kind = {0: ".z80", 1: ".sna"}.get(reader.byte("type"), "unknown")
    size = len(reader.take(reader.number_of(3, "length"), "body"))
    return InfoBlock("snapshot", (f"{kind}, {size} bytes",))


def _glue(reader: BlockReader) -> InfoBlock:
    if reader.take(9, "body")[:7] != b"XTape!\x1a":
        reader.fail("is the head of a .tzx file that was joined, but does not read ZXTape!")
    return InfoBlock("glue")


INFO_READERS: dict[int, Callable[[BlockReader], InfoBlock]] = {
    0x21: _group,
    0x22: lambda _: InfoBlock("group end"),
    0x30: _text,
    0x31: _message,
    0x32: _archive,
    0x33: _hardware,
    0x34: _emulation,
    0x35: _custom,
    0x40: _snapshot,
    0x5A: _glue,
}
