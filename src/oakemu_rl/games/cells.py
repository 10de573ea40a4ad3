# SPDX-License-Identifier: GPL-3.0-or-later
"""A display as 24 rows of 32 character cells, and how two of them differ."""

import numpy as np
import numpy.typing as npt

from oakemu_rl.emulator import Spectrum

__all__ = ["Cells", "Mask", "bounds", "cells_of", "changed", "display_memory", "drawn_on"]

_COLUMNS, _ROWS, _CELL = 32, 24, 8

Cells = npt.NDArray[np.uint8]
"""What each cell holds: 8 bytes of bitmap and the attribute, (24, 32, 9)."""
Mask = npt.NDArray[np.bool_]
"""Some of the cells, (24, 32)."""


def display_memory(spectrum: Spectrum) -> bytes:
    """The display memory that is shown: bitmap and attributes (which FLASH does not change)."""
    shown = 7 if spectrum.port_7ffd & 8 else 5
    return spectrum.bank(shown)[: _ROWS * _COLUMNS * (_CELL + 1)].tobytes()


def cells_of(spectrum: Spectrum) -> Cells:
    """What is shown now."""
    memory = np.frombuffer(display_memory(spectrum), np.uint8)
    bitmap = memory[: _ROWS * _COLUMNS * _CELL].reshape(3, _CELL, 8, _COLUMNS)  # third, line of a cell, row, column
    cells = bitmap.transpose(0, 2, 3, 1).reshape(_ROWS, _COLUMNS, _CELL)
    attributes = memory[_ROWS * _COLUMNS * _CELL :].reshape(_ROWS, _COLUMNS, 1)
    return np.concatenate([cells, attributes], axis=2)


def changed(one: Cells, other: Cells) -> Mask:
    """The cells that differ."""
    differs: Mask = (one != other).any(axis=2)
    return differs


def drawn_on(cells: Cells) -> Mask:
    """The cells that hold more than the commonest one, which is the background; all of an empty display."""
    kinds, number, counts = np.unique(cells.reshape(-1, _CELL + 1), axis=0, return_inverse=True, return_counts=True)
    drawn: Mask = (number.reshape(-1) != int(counts.argmax())).reshape(_ROWS, _COLUMNS)
    return drawn if len(kinds) > 1 else np.ones((_ROWS, _COLUMNS), np.bool_)


def bounds(mask: Mask) -> tuple[int, int, int, int]:
    """x, y, width and height in pixels of the rectangle around some cells, of which there is one at least."""
    rows, columns = np.nonzero(mask)
    x, y = int(columns.min()), int(rows.min())
    return x * _CELL, y * _CELL, (int(columns.max()) - x + 1) * _CELL, (int(rows.max()) - y + 1) * _CELL
