# SPDX-License-Identifier: GPL-3.0-or-later
"""How many pulses a block has, and how long it is heard."""

from dataclasses import dataclass

import numpy as np

from oakemu_rl.emulator.tapes.blocks import (
    PILOT_FLAG_LIMIT,
    STANDARD,
    T_PER_MS,
    Block,
    DataBlock,
    GeneralizedBlock,
    PauseBlock,
    PulsesBlock,
    RecordedBlock,
    SampledBlock,
    TapeBlock,
    TurboBlock,
)

__all__ = ["Measure", "measure_block"]


@dataclass(frozen=True, slots=True)
class Measure:
    """The size of a block."""

    pulses: int
    duration: int
    """T that it is heard, without the pause behind it."""
    pause: int
    """T of the pause behind it."""


def measure_block(block: Block) -> Measure:
    """Counts a block's pulses and adds up its times. What only steers the tape measures 0."""
    match block:
        case TapeBlock(content, pause):
            long = len(content) == 0 or content[0] < PILOT_FLAG_LIMIT
            pilot = STANDARD.long_pilot_pulses if long else STANDARD.short_pilot_pulses
            bits = _bits(content, 8 * len(content), (STANDARD.zero,) * 2, (STANDARD.one,) * 2)
            return Measure(pilot + 2 + bits[0], pilot * STANDARD.pilot + sum(STANDARD.sync) + bits[1], pause * T_PER_MS)
        case TurboBlock(content, pilot, pilot_pulses, sync, zero, one, used, pause):
            count = max(8 * len(content) - 8 + used, 0) if content else 0
            bits = _bits(content, count, (zero, zero), (one, one))
            return Measure(pilot_pulses + 2 + bits[0], pilot_pulses * pilot + sum(sync) + bits[1], pause * T_PER_MS)
        case PulsesBlock(runs):
            return Measure(sum(count for count, _ in runs), sum(count * length for count, length in runs), 0)
        case DataBlock(content, count, zero, one, pause, _, tail):
            bits = _bits(content, count, zero, one)
            return Measure(bits[0] + (tail > 0), bits[1] + tail, pause * T_PER_MS)
        case SampledBlock(samples, count, period, pause):
            levels = np.unpackbits(np.frombuffer(samples, np.uint8), count=count)
            changes = int(np.count_nonzero(levels[1:] != levels[:-1]))
            return Measure(changes + (count > 0), count * period, pause * T_PER_MS)
        case RecordedBlock(pulses, _, _, pause):
            return Measure(len(pulses) // 4, int(np.frombuffer(pulses, "<u4").sum(dtype=np.uint64)), pause * T_PER_MS)
        case GeneralizedBlock():
            return _generalized(block)
        case PauseBlock(duration):
            return Measure(0, 0, duration)
        case _:
            return Measure(0, 0, 0)


def _bits(content: bytes, count: int, zero: tuple[int, ...], one: tuple[int, ...]) -> tuple[int, int]:
    ones = int(np.unpackbits(np.frombuffer(content, np.uint8), count=count).sum(dtype=np.int64)) if count else 0
    zeros = count - ones
    return zeros * len(zero) + ones * len(one), zeros * sum(zero) + ones * sum(one)


def _generalized(block: GeneralizedBlock) -> Measure:
    times = [(block.pilot_symbols[symbol], repeats) for symbol, repeats in block.pilot]
    width = block.bits_per_symbol
    if width == 0:
        times += [(block.symbols[0], block.count)] if block.count else []
    else:
        bits = np.unpackbits(np.frombuffer(block.content, np.uint8), count=block.count * width).reshape(-1, width)
        values = bits @ (1 << np.arange(width - 1, -1, -1))
        counts = np.bincount(values, minlength=len(block.symbols))
        times += [(symbol, int(count)) for symbol, count in zip(block.symbols, counts, strict=False)]
    pulses = sum(len(symbol.pulses) * count for symbol, count in times)
    return Measure(pulses, sum(sum(symbol.pulses) * count for symbol, count in times), block.pause * T_PER_MS)
