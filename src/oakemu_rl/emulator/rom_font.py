# SPDX-License-Identifier: GPL-3.0-or-later
"""The letters that the Spectrum itself writes with."""

from functools import cache

import numpy as np
from numpy.typing import NDArray

from oakemu_rl.emulator.rom import load_rom

__all__ = ["rom_font"]

_ADDRESS = 0x3D00


@cache
def rom_font() -> NDArray[np.uint8]:
    """The ROM's character set, (96, 8), read-only: the rows of the characters 32 (space) to 127, of which 96 is £."""
    rom = np.frombuffer(load_rom("48k"), dtype=np.uint8)
    return rom[_ADDRESS : _ADDRESS + 96 * 8].reshape(96, 8)
