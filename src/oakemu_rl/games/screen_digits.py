# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads the numbers that the display shows: in the letters of the ROM, or in a font of the game's own."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
import numpy.typing as npt

from oakemu_rl.emulator.rom_font import rom_font
from oakemu_rl.games._names import RAM_START

__all__ = ["ROWS", "DigitFont", "ShownNumber", "find_fonts", "read_numbers"]

ROWS, COLUMNS = 24, 32
_BITMAP_BYTES = 0x1800
_GLYPH_BYTES = 8
_MOST_DIGITS = 9  # more do not fit a variable, and are scenery

# Pieces minus holes of each digit, in whatever style it is drawn: a nought is a ring, and may have a slash; a four may
# be open; an eight has two holes. Ten shapes in a row of which this is true are digits.
_SHAPES = ((0, -1), (1,), (1,), (1,), (0, 1), (1,), (0,), (1,), (-1,), (0,))


@dataclass(frozen=True, slots=True)
class DigitFont:
    """How the digits 0 to 9 are drawn."""

    address: int
    """Where the picture of 0 lies in RAM; 0 for the ROM's own letters."""
    keys: tuple[int, ...]
    """The 8 bytes of each digit as one number."""


@dataclass(frozen=True, slots=True)
class ShownNumber:
    """Digits side by side on the display."""

    text: str
    """With leading noughts, as it is shown."""
    row: int
    """Of its character cells, 0 to 23."""
    column: int
    """Of its first cell, 0 to 31."""

    @property
    def value(self) -> int:
        """The number."""
        return int(self.text)


def read_numbers(
    ram: npt.NDArray[np.uint8], display: npt.NDArray[np.uint8] | None = None, fonts: Sequence[DigitFont] | None = None
) -> list[ShownNumber]:
    """The numbers on the display, from top to bottom.

    Args:
        ram: (49152,), from 0x4000 on.
        display: (6144,) or more, the pixels that are shown; the first part of `ram` if None.
        fonts: How digits may look; the ROM's and those that `find_fonts` finds if None. White on black and black on
            white are the same.
    """
    cells = _cells(ram if display is None else display)
    digits = np.full((ROWS, COLUMNS), -1, np.int8)
    for font in find_fonts(ram, display) if fonts is None else fonts:
        for digit, key in enumerate(font.keys):
            seen = (cells == np.uint64(key)) | (cells == ~np.uint64(key))
            digits[seen & (digits < 0)] = digit
    blank = (cells == 0) | (cells == ~np.uint64(0))
    return [number for row in range(ROWS) for number in _numbers_of_row(digits[row], blank[row], row)]


def find_fonts(ram: npt.NDArray[np.uint8], display: npt.NDArray[np.uint8] | None = None) -> list[DigitFont]:
    """The ROM's letters, and the fonts in RAM of which a digit is on the display.

    A font is found by the shapes of its digits, so what it is called and where it lies does not matter; its pictures
    have 8 bytes each and lie one behind the other, in the order of the digits.

    Args:
        ram: (49152,), from 0x4000 on.
        display: As of `read_numbers`.
    """
    rom = np.ascontiguousarray(rom_font()[ord("0") - 32 : ord("9") - 31]).view(np.uint64)
    fonts = [DigitFont(0, tuple(rom.reshape(10).tolist()))]
    keys = np.lib.stride_tricks.sliding_window_view(ram, _GLYPH_BYTES).copy().view(np.uint64).reshape(-1)
    pieces = _pieces_minus_holes(ram)
    length = len(keys) - 9 * _GLYPH_BYTES
    fits = np.ones(length, np.bool_)
    for digit, allowed in enumerate(_SHAPES):
        part = slice(digit * _GLYPH_BYTES, digit * _GLYPH_BYTES + length)
        fits &= np.isin(pieces[part], allowed) & (keys[part] != 0)
    shown = np.unique(_cells(ram if display is None else display))
    shown = np.union1d(shown, ~shown)
    for start in np.flatnonzero(fits).tolist():
        glyphs = keys[start : start + 10 * _GLYPH_BYTES : _GLYPH_BYTES]
        if len(set(glyphs.tolist())) == len(glyphs) and np.isin(glyphs, shown).any():
            fonts.append(DigitFont(RAM_START + start, tuple(glyphs.tolist())))
    return fonts


def _numbers_of_row(digits: npt.NDArray[np.int8], blank: npt.NDArray[np.bool_], row: int) -> list[ShownNumber]:
    text = "".join(" " if digit < 0 else str(digit) for digit in digits.tolist())
    found, column = [], 0
    for part in text.split(" "):
        end = column + len(part)
        # In many fonts the letter O is the nought: alone between two letters it is no number.
        letter = len(part) == 1 and column > 0 and end < COLUMNS and not (blank[column - 1] or blank[end])
        if part and len(part) <= _MOST_DIGITS and not letter:
            found.append(ShownNumber(part, row, column))
        column = end + 1
    return found


def _cells(display: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint64]:
    """The display's character cells, (24, 32): the 8 bytes of each as one number."""
    thirds = display[:_BITMAP_BYTES].reshape(3, 8, 8, COLUMNS)  # third, line of the cell, row of cells, column
    bytes_of_cells = np.ascontiguousarray(thirds.transpose(0, 2, 3, 1))
    return bytes_of_cells.view(np.uint64).reshape(ROWS, COLUMNS)


def _pieces_minus_holes(ram: npt.NDArray[np.uint8]) -> npt.NDArray[np.int16]:
    """For the 8 bytes from each address on, as a picture: how many pieces it has, less the holes in them.

    That is a sum over the squares of 2x2 pixels (Gray 1971): squares with one pixel set, less those with three, less
    two for each diagonal pair, over 4, where pixels that touch at a corner are connected. So it adds up over the pairs
    of neighbouring rows, and over the empty rows above and below.
    """
    table = _squares()
    pairs = table[ram[:-1].astype(np.uint16) << 8 | ram[1:]]
    length = len(ram) - _GLYPH_BYTES + 1
    total: npt.NDArray[np.int16] = table[ram[:length].astype(np.uint16)]
    total += table[ram[_GLYPH_BYTES - 1 :].astype(np.uint16) << 8]
    for row in range(_GLYPH_BYTES - 1):
        total += pairs[row : row + length]
    return np.right_shift(total, 2)


@cache
def _squares() -> npt.NDArray[np.int16]:
    """By the bytes of two rows (upper * 256 + lower): the sum over their nine squares of 2x2 pixels."""
    rows = np.zeros((256, 10), np.int8)  # an empty pixel at either side
    rows[:, 1:9] = np.unpackbits(np.arange(256, dtype=np.uint8)[:, np.newaxis], axis=1)
    upper, lower = rows[:, np.newaxis, :], rows[np.newaxis, :, :]
    a, b, c, d = upper[..., :-1], upper[..., 1:], lower[..., :-1], lower[..., 1:]
    count = a + b + c + d
    diagonal = (count == 2) & (a == d)
    sums = (count == 1).sum(axis=2) - (count == 3).sum(axis=2) - 2 * diagonal.sum(axis=2)
    table: npt.NDArray[np.int16] = sums.astype(np.int16).reshape(-1)
    return table
