# SPDX-License-Identifier: GPL-3.0-or-later
"""Variables of decimal digits that hold something else."""

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from oakemu_rl.games import Definition

__all__ = ["find_bad_digits"]

_RAM_START = 0x4000


def find_bad_digits(definition: Definition, memories: Iterable[npt.NDArray[np.uint8]]) -> dict[str, str]:
    """Looks at the variables of the types bcdN and asciiN.

    Args:
        definition: The game's.
        memories: What the CPU sees from 0x4000 on, (49152,) uint8, at several moments.

    Returns:
        By name, in hexadecimal digits, the first bytes that are none of their type.
    """
    digits = {name: each for name, each in definition.variables.items() if each.type.startswith(("bcd", "ascii"))}
    bad: dict[str, str] = {}
    for ram in memories:
        for name, variable in digits.items():
            data = ram[variable.at - _RAM_START :][: variable.size]
            halves = (data & 15, data >> 4) if variable.type.startswith("bcd") else (data & 15,)
            if any((half > 9).any() for half in halves):
                bad.setdefault(name, data.tobytes().hex(" ").upper())
    return bad
