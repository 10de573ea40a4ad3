# SPDX-License-Identifier: GPL-3.0-or-later
"""The blocks of a tape as a table."""

import hashlib
from functools import reduce
from operator import xor

from rich.console import Console
from rich.table import Table
from rich.text import Text

from oakemu_rl.emulator.container import open_content
from oakemu_rl.emulator.tapes import Tape, compile_tape, parse_tape
from oakemu_rl.emulator.tapes.blocks import Block, DataBlock, InfoBlock, SelectBlock, TapeBlock, TurboBlock
from oakemu_rl.emulator.tapes.describe import describe_block, parse_header
from oakemu_rl.emulator.tapes.measure import measure_block
from oakemu_rl.errors import UserError

__all__ = ["print_tape"]

_T_PER_SECOND = 3_500_000
_T_PER_MS = 3500


def print_tape(console: Console, path: str) -> None:
    """Prints what is on a tape.

    Raises:
        OSError: The file cannot be read.
        UserError: It is no tape, or damaged.
    """
    content = open_content(path)
    tape = parse_tape(content.data, content.name)
    table = Table(box=None, pad_edge=False)
    table.add_column("#", justify="right")
    table.add_column("block", overflow="fold")
    for heading in ("flag", "bytes", "checksum", "pulses", "pause", "seconds"):
        table.add_column(heading, justify="right")
    for number, block in enumerate(tape.blocks, 1):
        table.add_row(str(number), *(Text(cell) for cell in _cells(block)))
        for line in _lines(block):
            table.add_row("", Text(line), style="dim")
    console.print(table, highlight=False)
    console.print(_summary(tape), markup=False, highlight=False, soft_wrap=True)
    console.print(f"SHA-256  {hashlib.sha256(content.data).hexdigest()}", markup=False, highlight=False, soft_wrap=True)


def _cells(block: Block) -> tuple[str, ...]:
    content = block.content if isinstance(block, TapeBlock | TurboBlock | DataBlock) else b""
    measure = measure_block(block)
    flag = checksum = ""
    if len(content) > 1 and not isinstance(block, DataBlock):
        flag = str(content[0])
        parity = reduce(xor, content)
        checksum = "ok" if parity == 0 else f"wrong, {content[-1] ^ parity} expected"
    seconds = (measure.duration + measure.pause) / _T_PER_SECOND
    return (
        describe_block(block),
        flag,
        str(len(content)) if content else "",
        checksum,
        str(measure.pulses) if measure.pulses else "",
        f"{measure.pause / _T_PER_MS:g} ms" if measure.pause else "",
        f"{seconds:.2f}" if seconds else "",
    )


def _lines(block: Block) -> list[str]:
    """What there is to say beyond one line."""
    header = parse_header(block)
    if header is not None:
        return [f"  {header.length} bytes" + (f", {header.detail}" if header.detail else "")]
    if isinstance(block, TurboBlock):
        pilot = f"{block.pilot_pulses} x {block.pilot} T"
        return [f"  pilot {pilot}, sync {block.sync[0]} and {block.sync[1]}, 0 is {block.zero}, 1 is {block.one}"]
    if isinstance(block, InfoBlock):
        return [f"  {line}" for line in block.text]
    if isinstance(block, SelectBlock):
        return [f"  {offset:+d}: {text}" for offset, text in block.options]
    return []


def _summary(tape: Tape) -> str:
    try:
        program = compile_tape(tape)
    except UserError as error:
        return f"It cannot be played: {error}"
    seconds = program.core.duration / _T_PER_SECOND
    at_once = sum(part.content is not None and not part.in_loop for part in program.parts)
    return (
        f".{tape.format}, {len(tape.blocks)} blocks, {seconds:.1f} seconds; "
        f"{at_once} of {len(program.parts)} parts that are heard are in the ROM's timing"
    )
