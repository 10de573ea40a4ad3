# SPDX-License-Identifier: GPL-3.0-or-later
"""Pictures that people take while they play or watch."""

from itertools import count
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from oakemu_rl.emulator.png import write_png

__all__ = ["free_path", "save_picture"]

_SCALE = 2


def free_path(folder: Path, name: str, suffix: str) -> Path:
    """``<name>-<number><suffix>`` with the first number that is free."""
    return next(path for number in count(1) if not (path := folder / f"{name}-{number:03d}{suffix}").exists())


def save_picture(folder: Path, name: str, picture: NDArray[np.uint8]) -> Path:
    """Writes a picture as ``<name>-<number>.png``, under the first number that is free.

    Raises:
        UserError: It cannot be written.
    """
    path = free_path(folder, name, ".png")
    write_png(path, picture, scale=_SCALE)
    return path
