# SPDX-License-Identifier: GPL-3.0-or-later
"""CSW recordings within a .tzx file: run lengths of a sampled level, plain or behind zlib."""

import zlib

import numpy as np
from numpy.typing import NDArray

from oakemu_rl.emulator.tapes.blocks import RecordedBlock
from oakemu_rl.emulator.tapes.reader import BlockReader

__all__ = ["MAX_CSW_BYTES", "read_csw_block"]

MAX_CSW_BYTES = 16 << 20
"""Of run lengths; an hour of a noisy recording has some 10 million."""
_CLOCK = 3_500_000
_HEAD = 10
_COMPRESSIONS = {1: "RLE", 2: "Z-RLE"}
_MAX_PULSE = 0xFFFFFFFF


def read_csw_block(reader: BlockReader) -> RecordedBlock:
    """Reads a block of ID 0x18, behind its ID.

    Raises:
        UserError: It is not of that format, or too long.
    """
    length = reader.number_of(4, "length")
    if length < _HEAD:
        reader.fail(f"has length {length}, the least is {_HEAD}")
    if length > reader.left:
        reader.fail(f"has length {length}, but only {reader.left} bytes follow in the file")
    pause = reader.word("pause")
    rate = reader.number_of(3, "sampling rate")
    compression = reader.byte("compression")
    count = reader.number_of(4, "number of pulses")
    if rate == 0:
        reader.fail("has a sampling rate of 0")
    if compression not in _COMPRESSIONS:
        reader.fail(f"has compression {compression}, it can be 1 (RLE) or 2 (Z-RLE)")
    place = reader.offset
    data = reader.take(length - _HEAD, "recording")
    if compression == 2:
        data = _inflated(reader, data, place)
    samples = _run_lengths(reader, data)
    if len(samples) != count:
        reader.fail(f"announces {count} pulses, but has {len(samples)}")
    return RecordedBlock(_in_t_states(reader, samples, rate), rate, _COMPRESSIONS[compression], pause)


def _inflated(reader: BlockReader, data: bytes, place: int) -> bytes:
    inflater = zlib.decompressobj()
    try:
        inflated = inflater.decompress(data, MAX_CSW_BYTES + 1)
    except zlib.error as error:
        reader.fail(f"has broken zlib data at offset {place}: {error}")
    if len(inflated) > MAX_CSW_BYTES:
        reader.fail(f"unpacks to more than {MAX_CSW_BYTES} bytes")
    if not inflater.eof:
        reader.fail(f"has zlib data at offset {place} that is cut off")
    return inflated


def _run_lengths(reader: BlockReader, data: bytes) -> NDArray[np.int64]:
    """A byte each, or 0 and then 4 bytes."""
    parts: list[NDArray[np.int64]] = []
    place = 0
    while place < len(data):
        zero = data.find(0, place)
        end = len(data) if zero < 0 else zero
        if end > place:
            parts.append(np.frombuffer(data, np.uint8, end - place, place).astype(np.int64))
        if zero >= 0:
            if zero + 5 > len(data):
                reader.fail("ends within a long pulse")
            parts.append(np.array([int.from_bytes(data[zero + 1 : zero + 5], "little")], np.int64))
            end = zero + 5
        place = end
    return np.concatenate(parts) if parts else np.zeros(0, np.int64)


def _in_t_states(reader: BlockReader, samples: NDArray[np.int64], rate: int) -> bytes:
    """Every edge at the T-state nearest to it, so that nothing drifts."""
    moments = np.cumsum(samples)
    whole, rest = np.divmod(moments, rate)
    if len(whole) and int(whole[-1]) > _MAX_PULSE:
        reader.fail(f"lasts {int(whole[-1])} seconds")
    edges = whole * _CLOCK + (2 * rest * _CLOCK + rate) // (2 * rate)
    pulses = np.diff(edges, prepend=0)
    if len(pulses) and int(pulses.max()) > _MAX_PULSE:
        reader.fail(f"has a pulse of {int(pulses.max())} T-states")
    return bytes(pulses.astype("<u4").tobytes())
