# SPDX-License-Identifier: GPL-3.0-or-later
"""Which of the ways that an exploration has found are worth keeping."""

import numpy as np

from oakemu_rl.exploration.explorer import CellTable

__all__ = ["best_cells"]


def best_cells(table: CellTable, count: int) -> list[int]:
    """The numbers of at most `count` cells: the shortest way to each of the highest returns, the highest first.

    A return that is not more than that of the start, which is the first cell, is nothing to keep a way to.
    """
    levels = np.unique(table.returns[table.returns > table.returns[0]])[::-1][:count]
    return [int(np.where(table.returns == level, table.steps, np.iinfo(np.int64).max).argmin()) for level in levels]
