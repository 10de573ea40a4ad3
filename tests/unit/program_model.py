# SPDX-License-Identifier: GPL-3.0-or-later
"""Second implementations of what an environment draws, reads from memory and computes, in plain Python."""

import struct
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Program = Sequence[tuple[str, float]]

_LARGEST = 1.7976931348623157e308
_WORD = 2**64 - 1


class Stream:
    """SplitMix64 into xoshiro256**, from the papers."""

    def __init__(self, seed: int) -> None:
        self.words = []
        for _ in range(4):
            seed = (seed + 0x9E3779B97F4A7C15) & _WORD
            z = seed
            z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & _WORD
            z = (z ^ z >> 27) * 0x94D049BB133111EB & _WORD
            self.words.append(z ^ z >> 31)

    def next(self) -> int:
        def rotated(x: int, by: int) -> int:
            return (x << by | x >> 64 - by) & _WORD

        a, b, c, d = self.words
        result = rotated(b * 5 & _WORD, 7) * 9 & _WORD
        c ^= a
        d ^= b
        self.words = [a ^ d, b ^ c, c ^ b << 17 & _WORD, rotated(d, 45)]
        return result

    def uniform(self) -> float:
        return (self.next() >> 11) / 2**53

    def between(self, low: int, high: int) -> int:
        if low == high:
            return low
        bound = high - low + 1
        while True:
            product = (self.next() >> 32) * bound
            if product % 2**32 >= (2**32 - bound) % bound:
                return low + (product >> 32)

    def weighted(self, weights: Sequence[float]) -> int:
        if sum(weight > 0 for weight in weights) == 1:
            return next(i for i, weight in enumerate(weights) if weight > 0)
        place = self.uniform() * sum(weights)
        return next(i for i in range(len(weights)) if place < sum(weights[: i + 1]))


def saturated(value: float) -> float:
    return min(max(value, -_LARGEST), _LARGEST)


_UNARY: dict[str, Callable[[float], float]] = {
    "negate": lambda a: -a,
    "logical_not": lambda a: float(not a),
    "absolute": abs,
}
_BINARY: dict[str, Callable[[float, float], float]] = {
    "add": lambda a, b: a + b,
    "subtract": lambda a, b: a - b,
    "multiply": lambda a, b: a * b,
    "divide": lambda a, b: a / b,
    "floor_divide": lambda a, b: a // b,
    "modulo": lambda a, b: a % b,
    "less": lambda a, b: float(a < b),
    "less_equal": lambda a, b: float(a <= b),
    "greater": lambda a, b: float(a > b),
    "greater_equal": lambda a, b: float(a >= b),
    "equal": lambda a, b: float(a == b),
    "not_equal": lambda a, b: float(a != b),
    "logical_and": lambda a, b: float(bool(a and b)),
    "logical_or": lambda a, b: float(bool(a or b)),
    "minimum": min,
    "maximum": max,
}


def evaluate(program: Program, after: Sequence[int], before: Sequence[int], calls: Sequence[int]) -> float:
    """What a program leaves."""
    stack: list[float] = []
    for op, operand in program:
        if op == "constant":
            stack.append(operand)
        elif op in {"variable", "before", "called"}:
            stack.append(float({"variable": after, "before": before, "called": calls}[op][int(operand)]))
        elif op in _UNARY:
            stack.append(_UNARY[op](stack.pop()))
        elif op == "select":
            otherwise, then, condition = stack.pop(), stack.pop(), stack.pop()
            stack.append(then if condition else otherwise)
        else:
            b, a = stack.pop(), stack.pop()
            stack.append(saturated(_BINARY[op](a, b)))
    (value,) = stack
    return value


def whole(value: float) -> int:
    return min(max(round(value), -(2**63)), 2**63 - 1)


def read(ram: NDArray[np.uint8], variable: Sequence[Any]) -> int:
    """A variable, or what a table comes to, in (49152,) uint8."""
    address, kind, num_bytes, low, high, items, stride, reduction, value = variable
    values = [
        _decode(bytes(ram[start : start + 18]), kind, num_bytes, low, high)
        for start in range(address - 0x4000, address - 0x4000 + items * max(stride, 1), max(stride, 1))
    ]
    match reduction:
        case "sum":
            return min(sum(values), 2**63 - 1)
        case "min":
            return min(values)
        case "max":
            return max(values)
        case "count":
            return values.count(value)
        case _:
            return values[0]


def _decode(data: bytes, kind: str, num_bytes: int, low: int, high: int) -> int:
    formats = {"u8": "<B", "i8": "<b", "u16le": "<H", "u16be": ">H"}
    if kind in formats:
        return int(struct.unpack_from(formats[kind], data)[0])
    match kind:
        case "u24":
            return int.from_bytes(data[:3], "little")
        case "bits":
            return int(f"{data[0]:08b}"[7 - high : 8 - low], 2)
        case "boolean":
            return int(data[0] != 0)
        case _:
            digits = [
                d for byte in data[:num_bytes] for d in ((byte >> 4, byte & 15) if kind == "bcd" else (byte & 15,))
            ]
            value = 0
            for digit in digits:
                value = 10 * value + digit
            return value
