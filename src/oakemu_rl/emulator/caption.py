# SPDX-License-Identifier: GPL-3.0-or-later
"""Text beneath a picture, in the letters that the Spectrum itself writes with."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from oakemu_rl.emulator.rom_font import rom_font

__all__ = ["LETTER", "Line", "caption", "darkened", "write_text"]

Line = tuple[str, tuple[int, int, int]]
"""Text and its colour (red, green, blue)."""

LETTER = 8
"""Pixels of a letter in each direction."""

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
        for piece in pieces:
            left = write_text(out[:, : width - _MARGIN], top, left, piece)
    return out


def write_text(picture: NDArray[np.uint8], top: int, left: int, piece: Line) -> int:
    """Writes text into a picture; what is too long for its width is cut off.

    Args:
        picture: Shape (height, width, 3). It is changed.
        top: Row of the letters' first pixels.
        left: Column in which the text begins.
        piece: The text and its colour.

    Returns:
        The column after the text.
    """
    text, colour = piece
    shown = text[: max(0, picture.shape[1] - left) // LETTER]
    end = left + LETTER * len(shown)
    picture[top : top + LETTER, left:end][_glyphs(shown)] = colour
    return end


def darkened(picture: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """A picture that text stands out against: a copy with a quarter of the light."""
    return picture // 4


def _glyphs(text: str) -> NDArray[np.bool_]:
    """The text's pixels, shape (8, 8 * characters); what the character set lacks becomes a question mark."""
    # Code 96 is the pound sign in the Spectrum's character set.
    codes = [ord(letter) - 32 if 32 <= ord(letter) < 127 and letter != "`" else ord("?") - 32 for letter in text]
    rows = np.unpackbits(rom_font()[codes], axis=1).reshape(len(codes), 8, 8)
    return rows.transpose(1, 0, 2).reshape(8, 8 * len(codes)).astype(np.bool_)
