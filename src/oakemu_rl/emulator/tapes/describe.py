# SPDX-License-Identifier: GPL-3.0-or-later
"""Blocks of a tape in words."""

from oakemu_rl.emulator.tapes.blocks import (
    T_PER_MS,
    Block,
    CallBlock,
    DataBlock,
    GeneralizedBlock,
    InfoBlock,
    JumpBlock,
    LevelBlock,
    LoopBlock,
    LoopEndBlock,
    PauseBlock,
    PulsesBlock,
    RecordedBlock,
    ReturnBlock,
    SampledBlock,
    SelectBlock,
    StopBlock,
    TapeBlock,
    TurboBlock,
    UnplayableBlock,
)
from oakemu_rl.emulator.tapes.reader import printable

__all__ = ["Header", "describe_block", "parse_header"]

_KINDS = {0: "Program", 1: "Number array", 2: "Character array", 3: "Bytes"}
_HEADER_SIZE = 19


class Header:
    """The header that the ROM writes before the data of a program, an array or bytes.

    Args:
        content: The whole block, 19 bytes.
    """

    def __init__(self, content: bytes) -> None:
        self.kind = _KINDS[content[1]]
        """``Program``, ``Number array``, ``Character array`` or ``Bytes``."""
        self.name = printable(content[2:12])
        self.length, self.first, self.second = (
            int.from_bytes(content[at : at + 2], "little") for at in range(12, 18, 2)
        )

    @property
    def detail(self) -> str:
        """Where it begins, or the line with which it starts."""
        if self.kind == "Bytes":
            return f"start {self.first}"
        if self.kind == "Program":
            return f"LINE {self.first}" if self.first < 32768 else "no LINE"
        return ""


def parse_header(block: Block) -> Header | None:
    """The ROM's header in a block, or None if it is something else."""
    content = block.content if isinstance(block, TapeBlock | TurboBlock | DataBlock) else b""
    if len(content) == _HEADER_SIZE and content[0] == 0 and content[1] in _KINDS:
        return Header(content)
    return None


def describe_block(block: Block) -> str:  # noqa: C901 - a table of kinds
    """What a block is, in a few words."""
    header = parse_header(block)
    match block:
        case TapeBlock(content):
            return f"{header.kind}: {header.name}" if header else f"standard data, {len(content)} bytes"
        case TurboBlock(content):
            return f"turbo data, {len(content)} bytes"
        case PulsesBlock(((count, length),)) if count > 1:
            return f"pure tone, {count} x {length} T"
        case PulsesBlock(runs):
            return f"pulses, {sum(count for count, _ in runs)}"
        case DataBlock(content, count):
            return f"pure data, {len(content)} bytes" + (f" ({count} bits)" if count % 8 else "")
        case SampledBlock(_, count, period):
            return f"direct recording, {count} samples of {period} T"
        case RecordedBlock(pulses, rate, compression):
            return f"CSW recording ({compression}), {len(pulses) // 4} pulses at {rate} Hz"
        case GeneralizedBlock(pilot=pilot, count=count):
            return f"generalized data, {count} symbols, pilot of {sum(times for _, times in pilot)}"
        case PauseBlock(duration):
            return f"pause, {duration / T_PER_MS:g} ms"
        case StopBlock(only_48k):
            return "stop if 48K" if only_48k else "stop"
        case LevelBlock(level):
            return f"set level {'high' if level else 'low'}"
        case JumpBlock(offset):
            return f"jump {offset:+d}"
        case LoopBlock(times):
            return f"loop, {times} times"
        case LoopEndBlock():
            return "loop end"
        case CallBlock(offsets):
            return f"call {', '.join(f'{offset:+d}' for offset in offsets[:8])}" + (", ..." if len(offsets) > 8 else "")
        case ReturnBlock():
            return "return"
        case SelectBlock(options):
            return f"select, {len(options)} options"
        case InfoBlock(kind) | UnplayableBlock(kind):
            return kind
