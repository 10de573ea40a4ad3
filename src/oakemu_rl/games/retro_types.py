# SPDX-License-Identifier: GPL-3.0-or-later
"""Variables of stable-retro's data.json as variables of ours.

A type there is an order of bytes, a kind and a number of bytes: ``>u2``, ``|u1``, ``<i4``, ``>d4`` (two decimal digits
in each byte), ``>n6`` (one in the low half of each). What no type of ours is becomes several variables, and a derived
one that puts them together.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from oakemu_rl.errors import UserError

__all__ = ["CarriedVariable", "carry_variable"]

_TYPE = re.compile(r"(<>|><|[<>=|])([uidn])([1-8])")
_ANY_BITS = (1 << 64) - 1
_DIRECT = {"|u1": "u8", "|i1": "i8", "<u2": "u16le", ">u2": "u16be", "<u3": "u24"}
_DIGITS = {"d": "bcd", "n": "ascii"}
_BASES = {"u": 256, "i": 256, "d": 100, "n": 10}
_MOST_BINARY_BYTES = 6  # what expressions compute with holds 53 bits


@dataclass(frozen=True)
class CarriedVariable:
    """A variable as a definition of ours has it.

    Attributes:
        variables: Address and type by name.
        expression: What puts them together, for the derived variable of the asked name; empty if there is one variable,
            which has that name itself.
    """

    variables: dict[str, tuple[int, str]]
    expression: str = ""


def carry_variable(name: str, address: int, text: str, mask: int = _ANY_BITS) -> CarriedVariable:
    """Finds what says the same.

    Args:
        name: What to call it.
        address: Of its first byte.
        text: The type, as in data.json.
        mask: The bits of the value that count.

    Raises:
        UserError: Nothing of ours says the same; without a place.
    """
    match = _TYPE.fullmatch(text)
    if match is None:
        raise UserError(f"the type {text!r} is none that is known, as |u1, >u2 or >d4 are")
    order, kind, size = match[1], match[2], int(match[3])
    masked = mask & ((1 << 8 * size) - 1) != (1 << 8 * size) - 1
    if masked and kind != "u":
        raise UserError(f"a mask on the type {text!r}, which has a sign or digits")
    if kind in "ui" and size > _MOST_BINARY_BYTES:
        raise UserError(f"the type {text!r} has more than {_MOST_BINARY_BYTES} bytes")
    if not masked and (direct := _direct(order, kind, size)):
        return CarriedVariable({name: (address, direct)})
    offsets = _least_significant_first(order, size)
    if masked:
        return _simplest(name, *_bits(name, address, offsets, mask))
    return _bytes(name, address, offsets, kind)


def _direct(order: str, kind: str, size: int) -> str:
    """The one type of ours that says the same, or an empty string."""
    if kind in _DIGITS and (order == ">" or size == 1):
        return f"{_DIGITS[kind]}{size}"
    little = "<" if order in "=|" else order  # numbers have no order in one byte, else that of the computer: little
    return _DIRECT.get(f"{'|' if size == 1 else little}{kind}{size}", "")


def _least_significant_first(order: str, size: int) -> list[int]:
    """Where the bytes of a number lie, its lowest first."""
    half = size // 2
    if order == ">":
        return list(range(size - 1, -1, -1))
    if order == "<>":  # the lower half first, each half big-endian
        return [*range(half - 1, -1, -1), *range(size - 1, half - 1, -1)]
    if order == "><":  # the higher half first, each half little-endian
        return [*range(half, size), *range(half)]
    return list(range(size))


def _bytes(name: str, address: int, offsets: Sequence[int], kind: str) -> CarriedVariable:
    """One variable for each byte."""
    part = {"u": "u8", "i": "u8", "d": "bcd1", "n": "ascii1"}[kind]
    variables = {f"{name}_{power}": (address + offset, part) for power, offset in enumerate(offsets)}
    terms = [_times(each, _BASES[kind] ** power) for power, each in enumerate(variables)]
    if kind == "i":
        highest = f"{name}_{len(offsets) - 1}"
        terms.append(f"-{256 ** len(offsets)} * ({highest} >= 128)")
    return CarriedVariable(variables, " + ".join(terms).replace("+ -", "- "))


def _bits(
    name: str, address: int, offsets: Sequence[int], mask: int
) -> tuple[dict[str, tuple[int, str]], list[tuple[str, int]]]:
    """One variable for each run of bits that count, and what it counts for."""
    variables: dict[str, tuple[int, str]] = {}
    weights: list[tuple[str, int]] = []
    for power, offset in enumerate(offsets):
        for low, high in _runs(mask >> 8 * power & 0xFF):
            part = f"{name}_{len(variables)}"
            variables[part] = (address + offset, f"bits({low},{high})" if (low, high) != (0, 7) else "u8")
            weights.append((part, 256**power * 2**low))
    if not variables:
        raise UserError("the mask leaves no bit")
    return variables, weights


def _simplest(name: str, variables: dict[str, tuple[int, str]], weights: list[tuple[str, int]]) -> CarriedVariable:
    if len(weights) == 1 and weights[0][1] == 1:
        return CarriedVariable({name: variables[weights[0][0]]})
    return CarriedVariable(variables, " + ".join(_times(part, weight) for part, weight in weights))


def _runs(byte: int) -> list[tuple[int, int]]:
    """The lowest and highest bit of each run of ones."""
    bits = f"{byte:08b}"[::-1]
    return [(match.start(), match.end() - 1) for match in re.finditer("1+", bits)]


def _times(name: str, weight: int) -> str:
    return name if weight == 1 else f"{weight} * {name}"
