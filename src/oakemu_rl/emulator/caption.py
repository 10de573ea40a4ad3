# SPDX-License-Identifier: GPL-3.0-or-later
"""Text beneath a picture, in the letters that the Spectrum itself writes with."""

from collections.abc import Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

from oakemu_rl.emulator import load_rom

__all__ = ["Line", "caption"]

Line = tuple[str, tuple[int, int, int]]
"""Text and its colour (red, green, blue)."""

_FONT_ADDRESS = 0x3D00  # the ROM's character set: 96 characters of 8 bytes, from the space on
_MARGIN = 4
_PITCH = 10  # rows from one line to the next


def caption(picture: NDArray[np.uint8], lines: Sequence[Sequence[Line]]) -> NDArray[np.uint8]:
    """A picture with lines of text added beneath it.

    Args:
        picture: Shape (height, width, 3).
        lines: The pieces of each line. What is too long for the width is cut off.

    Returns:
        Shape (height + 10 * lines + 6, width, 3), a new array.
    """
    height, width, _ = picture.shape
    out = np.zeros((height + _PITCH * len(lines) + _MARGIN + 2, width, 3), dtype=np.uint8)
    out[:height] = picture
    for number, pieces in enumerate(lines):
        top = height + _MARGIN + _PITCH * number
        left = _MARGIN
        for text, colour in pieces:
            pixels = _glyphs(text[: max(0, width - _MARGIN - left) // 8])
            out[top : top + 8, left : left + pixels.shape[1]][pixels] = colour
            left += pixels.shape[1]
    return out


@cache
def _font() -> NDArray[np.uint8]:
    rom = np.frombuffer(load_rom("48k"), dtype=np.uint8)
    return rom[_FONT_ADDRESS : _FONT_ADDRESS + 96 * 8].reshape(96, 8)


def _glyphs(text: str) -> NDArray[np.bool_]:
    """The text's pixels, shape (8, 8 * characters); what the character set lacks becomes a question mark."""
    # Code 96 is the pound sign in the Spectrum's character set.
    codes = [ord(letter) - 32 if 32 <= ord(letter) < 127 and letter != "`" else ord("?") - 32 for letter in text]
    rows = np.unpackbits(_font()[codes], axis=1).reshape(len(codes), 8, 8)
    return rows.transpose(1, 0, 2).reshape(8, 8 * len(codes)).astype(np.bool_)
