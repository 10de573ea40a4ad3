# SPDX-License-Identifier: GPL-3.0-or-later
"""Which blocks the ROM's loading routine reads, by their times."""

from collections.abc import Sequence

from oakemu_rl.emulator.tapes.blocks import STANDARD, Block, DataBlock, PulsesBlock, TapeBlock, TurboBlock

__all__ = ["standard_content"]

_TOLERANCE = 0.1
"""The ROM takes more than that: its limit between 0 and 1 lies half-way."""
_LEAST_PILOT = 2200
"""Pulses. Having heard the first, the routine waits for a second and then wants 256 pairs."""


def standard_content(blocks: Sequence[Block]) -> bytes | None:
    """Flag, data and parity of a row of blocks that together are one in the ROM's timing, else None."""
    match blocks:
        case [TapeBlock(content)] if len(content) > 1:
            return content
        case [TurboBlock(content, pilot, pilot_pulses, sync, zero, one, 8, _)] if len(content) > 1:
            runs = [(pilot_pulses, pilot), (1, sync[0]), (1, sync[1])]
            return content if _is_head(runs) and _is_bits((zero, zero), (one, one)) else None
        case [*heads, DataBlock(content, count, zero, one)] if count == 8 * len(content) > 8:
            head: list[tuple[int, int]] = []
            for block in heads:
                if not isinstance(block, PulsesBlock):
                    return None
                head += block.runs
            return content if _is_head(head) and _is_bits(zero, one) else None
    return None


def _is_head(runs: list[tuple[int, int]]) -> bool:
    if len(runs) != 3:
        return False
    (pilots, pilot), (firsts, first), (seconds, second) = runs
    return (
        pilots >= _LEAST_PILOT
        and firsts == seconds == 1
        and _near(pilot, STANDARD.pilot)
        and _near(first, STANDARD.sync[0])
        and _near(second, STANDARD.sync[1])
    )


def _is_bits(zero: tuple[int, ...], one: tuple[int, ...]) -> bool:
    return (
        len(zero) == len(one) == 2
        and all(_near(pulse, STANDARD.zero) for pulse in zero)
        and all(_near(pulse, STANDARD.one) for pulse in one)
    )


def _near(value: int, standard: int) -> bool:
    return abs(value - standard) <= _TOLERANCE * standard
