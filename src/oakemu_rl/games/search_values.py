# SPDX-License-Identifier: GPL-3.0-or-later
"""RAM read as every type of variable at every address at once: what a search for variables compares."""

from dataclasses import dataclass
from functools import cache

import numpy as np
import numpy.typing as npt

from oakemu_rl.games._names import RAM_END, RAM_START

__all__ = ["RAM_SIZE", "SIZES", "TYPES", "Reading", "last_bytes", "read_all"]

RAM_SIZE = RAM_END - RAM_START

_BCD_BYTES = (1, 2, 3, 4)
_ASCII_BYTES = (1, 2, 3, 4, 5, 6, 7, 8)

SIZES: dict[str, int] = {
    "u8": 1,
    "i8": 1,
    "u16le": 2,
    "u16be": 2,
    "u24": 3,
    **{f"bcd{count}": count for count in _BCD_BYTES},
    **{f"ascii{count}": count for count in _ASCII_BYTES},
}
"""Bytes of each type that is searched for. ``bool`` and ``bits`` are parts of a ``u8``, and found as one."""

TYPES = tuple(SIZES)

_LEAST_FIRST = ("u16le", "u24")


@dataclass(frozen=True, slots=True)
class Reading:
    """The same memory read as each of `TYPES`."""

    values: npt.NDArray[np.int32]
    """(types, 49152): the value of a variable of this type whose first byte is there."""
    valid: npt.NDArray[np.bool_]
    """(types, 49152): whether the bytes are one; two hexadecimal digits A to F are no BCD number."""


def read_all(ram: npt.NDArray[np.uint8]) -> Reading:
    """Reads all of RAM as all types.

    Args:
        ram: (49152,), from 0x4000 on.
    """
    wide = ram.astype(np.int32)
    values = np.zeros((len(TYPES), RAM_SIZE), np.int32)
    valid = np.zeros((len(TYPES), RAM_SIZE), np.bool_)
    plain = {
        "u8": wide,
        "i8": ram.view(np.int8).astype(np.int32),
        "u16le": wide[:-1] | wide[1:] << 8,
        "u16be": wide[:-1] << 8 | wide[1:],
        "u24": wide[:-2] | wide[1:-1] << 8 | wide[2:] << 16,
    }
    for name, column in plain.items():
        values[TYPES.index(name), : len(column)] = column
        valid[TYPES.index(name), : len(column)] = True
    _read_digits(values, valid, "bcd", _BCD_BYTES, _bcd_values()[ram], _bcd_valid()[ram], base=100)
    _read_digits(values, valid, "ascii", _ASCII_BYTES, wide & 15, np.ones(RAM_SIZE, np.bool_), base=10)
    _keep_numerals(valid, ram)
    return Reading(values, valid)


def last_bytes(types: npt.NDArray[np.intp], addresses: npt.NDArray[np.intp]) -> npt.NDArray[np.intp]:
    """Where the byte of the least weight of a variable lies, which is the one that changes most often.

    Variables that share it are different readings of one and the same number.

    Args:
        types: Indices into `TYPES`.
        addresses: Offsets from 0x4000 of their first bytes.
    """
    offsets = np.array([0 if name in _LEAST_FIRST else size - 1 for name, size in SIZES.items()], np.intp)
    found: npt.NDArray[np.intp] = addresses + offsets[types]
    return found


def _read_digits(
    values: npt.NDArray[np.int32],
    valid: npt.NDArray[np.bool_],
    kind: str,
    counts: tuple[int, ...],
    digits: npt.NDArray[np.int32],
    good: npt.NDArray[np.bool_],
    *,
    base: int,
) -> None:
    """Fills the rows of a type of digits: each is the one before with one more byte of less weight behind it."""
    values[TYPES.index(f"{kind}1")], valid[TYPES.index(f"{kind}1")] = digits, good
    for count in counts[1:]:
        row, shorter, length = TYPES.index(f"{kind}{count}"), TYPES.index(f"{kind}{count - 1}"), RAM_SIZE - count + 1
        np.multiply(values[shorter, :length], base, out=values[row, :length])
        values[row, :length] += digits[count - 1 :]
        np.logical_and(valid[shorter, :length], good[count - 1 :], out=valid[row, :length])


def _keep_numerals(valid: npt.NDArray[np.bool_], ram: npt.NDArray[np.uint8]) -> None:
    """Of asciiN: it is either N bytes 0 to 9, or N characters: digits, perhaps with spaces in front of them."""
    raw, blank = ram <= 9, ram == ord(" ")
    digit = (ram >= ord("0")) & (ram <= ord("9"))
    raws, digits, numerals = raw, digit, digit  # of so many bytes, from each address on
    for count in _ASCII_BYTES:
        length = RAM_SIZE - count + 1
        if count > 1:
            numerals = digit[:length] & digits[1:] | blank[:length] & numerals[1:]
            digits = digit[:length] & digits[1:]
            raws = raw[:length] & raws[1:]
        valid[TYPES.index(f"ascii{count}"), :length] &= raws | numerals


@cache
def _bcd_values() -> npt.NDArray[np.int32]:
    return np.array([(byte >> 4) * 10 + (byte & 15) for byte in range(256)], np.int32)


@cache
def _bcd_valid() -> npt.NDArray[np.bool_]:
    return np.array([byte >> 4 <= 9 and byte & 15 <= 9 for byte in range(256)])
