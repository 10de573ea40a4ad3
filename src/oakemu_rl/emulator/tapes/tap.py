# SPDX-License-Identifier: GPL-3.0-or-later
"""The .tap format: a row of blocks, each a 16-bit length, then a flag byte, data and a parity byte."""

from oakemu_rl.emulator.tapes.blocks import TapeBlock
from oakemu_rl.emulator.tapes.compiler import compile_tape
from oakemu_rl.emulator.tapes.tape import Tape
from oakemu_rl.errors import UserError

__all__ = ["parse_tap", "tap_bytes"]


def parse_tap(data: bytes, name: str = "tape") -> Tape:
    """Reads the .tap format.

    Args:
        data: The file's bytes.
        name: Where they came from, for messages.

    Raises:
        UserError: The bytes are not of that format; names the block and its offset in the file.
    """
    blocks: list[TapeBlock] = []
    offsets: list[int] = []
    offset = 0
    while offset < len(data):
        where = f"{name}: block {len(blocks) + 1} at offset {offset}"
        left = len(data) - offset - 2
        if left < 0:
            raise UserError(f"{where} has 1 byte, a block begins with a length of 2 bytes")
        length = int.from_bytes(data[offset : offset + 2], "little")
        if length < 2:
            raise UserError(f"{where} has length {length}, the least is 2 (flag and parity)")
        if length > left:
            raise UserError(f"{where} has length {length}, but only {left} bytes follow in the file")
        blocks.append(TapeBlock(data[offset + 2 : offset + 2 + length]))
        offsets.append(offset)
        offset += 2 + length
    if not blocks:
        raise UserError(f"{name}: the file is empty, a .tap file holds at least one block")
    return Tape(name, tuple(blocks), "tap", tuple(offsets))


def tap_bytes(tape: Tape) -> bytes:
    """Writes the .tap format, which holds blocks in the ROM's timing and nothing else.

    Pauses and texts are left out.

    Raises:
        UserError: A block cannot be written in that format.
    """
    if all(isinstance(block, TapeBlock) for block in tape.blocks):
        contents = [block.content for block in tape.blocks if isinstance(block, TapeBlock)]
    else:
        contents = []
        for part in compile_tape(tape).parts:
            if part.content is None:
                raise UserError(f"{tape.where(part.blocks[0])} is not in the ROM's timing, .tap has no place for it")
            contents.append(part.content)
    return b"".join(len(content).to_bytes(2, "little") + content for content in contents)
