# SPDX-License-Identifier: GPL-3.0-or-later
"""Tape files of any format. The content decides, not the extension."""

from pathlib import Path

from oakemu_rl.emulator.container import open_content
from oakemu_rl.emulator.detection import KIND_NAMES, TAPES, detect, first_bytes
from oakemu_rl.emulator.tapes.pzx import parse_pzx
from oakemu_rl.emulator.tapes.tap import parse_tap
from oakemu_rl.emulator.tapes.tape import Tape
from oakemu_rl.emulator.tapes.tzx import parse_tzx
from oakemu_rl.errors import UserError

__all__ = ["parse_tape", "read_tape"]

_PARSERS = {"tap": parse_tap, "tzx": parse_tzx, "pzx": parse_pzx}


def parse_tape(data: bytes, name: str = "tape") -> Tape:
    """Reads the bytes of a .tap, .tzx or .pzx file.

    Args:
        data: The file's bytes, unpacked.
        name: Where they came from, for messages.

    Raises:
        UserError: They are of none of these formats, or damaged; names the block and its offset in the file.
    """
    kind = detect(data)
    if kind is not None and kind not in TAPES:
        raise UserError(f"{name}: the file is {KIND_NAMES[kind]}, not a tape")
    if kind is None and not name.lower().endswith(".tap"):
        raise UserError(f"{name}: the file is no tape (.tap, .tzx or .pzx): {first_bytes(data)}")
    # A damaged .tap file is known by its name alone; its parser says what is wrong.
    return _PARSERS[kind or "tap"](data, name)


def read_tape(path: str | Path) -> Tape:
    """Reads a .tap, .tzx or .pzx file, which may be in a .zip or .gz file.

    Raises:
        OSError: The file cannot be read.
        UserError: It is no tape, or damaged.
    """
    content = open_content(path)
    return parse_tape(content.data, content.name)
