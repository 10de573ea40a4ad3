# SPDX-License-Identifier: GPL-3.0-or-later
"""Explores games without learning: ways to as many different moments as possible, as recordings."""

from oakemu_rl.exploration.explorer import CellTable, ExplorationSettings, Explorer
from oakemu_rl.exploration.ways import best_cells

__all__ = ["CellTable", "ExplorationSettings", "Explorer", "best_cells"]
