# SPDX-License-Identifier: GPL-3.0-or-later
"""The 40 keys: their names, and where they lie in the matrix of 8 half rows of 5 keys."""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from oakemu_rl.errors import UserError, nearest

__all__ = ["ALIASES", "HALF_ROWS", "KEYS", "Key", "find_key", "held_matrix", "split_combination"]

HALF_ROWS: tuple[tuple[str, ...], ...] = (
    ("shift", "z", "x", "c", "v"),
    ("a", "s", "d", "f", "g"),
    ("q", "w", "e", "r", "t"),
    ("1", "2", "3", "4", "5"),
    ("0", "9", "8", "7", "6"),
    ("p", "o", "i", "u", "y"),
    ("enter", "l", "k", "j", "h"),
    ("space", "sym", "m", "n", "b"),
)
"""Key names by half row, in the order of the ports 0xFEFE, 0xFDFE, ... 0x7FFE, bit 0 first."""

ALIASES = {
    "caps": "shift",
    "caps_shift": "shift",
    "return": "enter",
    "symbol": "sym",
    "symbol_shift": "sym",
}
"""Other names that are accepted."""


class Key(NamedTuple):
    """A place in the matrix."""

    row: int
    """Half row, 0 (port 0xFEFE) to 7 (port 0x7FFE)."""
    bit: int
    """Bit in the half row, 0 to 4."""


KEYS: dict[str, Key] = {name: Key(row, bit) for row, names in enumerate(HALF_ROWS) for bit, name in enumerate(names)}
"""Every key by its name: ``a`` to ``z``, ``0`` to ``9``, ``space``, ``enter``, ``shift``, ``sym``."""


def find_key(name: str) -> Key:
    """The place of a key.

    Args:
        name: A key's name or alias; capitals are as good as small letters.

    Raises:
        UserError: There is no such key.
    """
    _check_text(name)
    lower = name.lower()
    key = KEYS.get(ALIASES.get(lower, lower))
    if key is None:
        raise UserError(
            f"unknown key {name!r}, allowed are a-z, 0-9, space, enter, shift, sym{nearest(lower, [*KEYS, *ALIASES])}"
        )
    return key


def split_combination(combination: str) -> tuple[str, ...]:
    """The keys of a combination: ``"sym+p"`` gives ``("sym", "p")``.

    Raises:
        UserError: A part is not the name of a key.
    """
    _check_text(combination)
    names = tuple(combination.split("+"))
    for name in names:
        find_key(name)
    return names


def held_matrix(keys: Iterable[str]) -> NDArray[np.uint8]:
    """The matrix with the given keys held.

    Args:
        keys: Names of keys.

    Returns:
        Shape (8,), one byte a half row, bits 0 to 4, 1 = held.

    Raises:
        UserError: There is no such key.
    """
    matrix = np.zeros(8, dtype=np.uint8)
    for name in keys:
        key = find_key(name)
        matrix[key.row] |= 1 << key.bit
    return matrix


def _check_text(name: object) -> None:
    if not isinstance(name, str):
        raise UserError(f"the name of a key is a text, as in '1', not {name!r}")
