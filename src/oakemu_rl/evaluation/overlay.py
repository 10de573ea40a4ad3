# SPDX-License-Identifier: GPL-3.0-or-later
"""Text beneath a picture, in the letters that the Spectrum itself writes with."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from oakemu_rl.emulator import load_rom

__all__ = ["caption"]

_FONT_ADDRESS = 0x3D00  # the ROM's character set: 96 characters of 8 bytes, from the space on
_MARGIN = 4


def caption(
    picture: NDArray[np.uint8], lines: Sequence[tuple[str, tuple[int, int, int]]], *, scale: int = 1
) -> NDArray[np.uint8]:
    """A picture with lines of text added beneath it.

    Args:
        picture: Shape (height, width, 3).
        lines: Text and colour (red, green, blue) of each line. What is too long for the width is cut off.
        scale: Whole-number enlargement of picture and text.

    Returns:
        Shape (scale * (height + 10 * lines + 6), scale * width, 3), a new array.
    """
    height, width, _ = picture.shape
    out = np.zeros((height + 10 * len(lines) + 6, width, 3), dtype=np.uint8)
    out[:height] = picture
    for number, (text, colour) in enumerate(lines):
        pixels = _glyphs(text[: (width - 2 * _MARGIN) // 8])
        top = height + _MARGIN + 10 * number
        out[top : top + 8, _MARGIN : _MARGIN + pixels.shape[1]][pixels] = colour
    return out.repeat(scale, axis=0).repeat(scale, axis=1) if scale > 1 else out


def _glyphs(text: str) -> NDArray[np.bool_]:
    """The text's pixels, shape (8, 8 * characters); what the character set lacks becomes a question mark."""
    rom = np.frombuffer(load_rom("48k"), dtype=np.uint8)
    font = rom[_FONT_ADDRESS : _FONT_ADDRESS + 96 * 8].reshape(96, 8)
    codes = [ord(character) - 32 if 32 <= ord(character) < 127 else ord("?") - 32 for character in text]
    rows = np.unpackbits(font[codes], axis=1).reshape(len(codes), 8, 8)
    return rows.transpose(1, 0, 2).reshape(8, 8 * len(codes)).astype(np.bool_)
