# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads a game's variables out of a memory in Python, derived ones too: for tools and windows, one machine at a time.

The core does the same for every step of an environment; a test holds the two against each other.
"""

import sys
from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from oakemu_rl.games._operators import FOLD
from oakemu_rl.games._program import Operand, Program, TableUse
from oakemu_rl.games.variables import Variable

__all__ = ["Reader"]

_LOWEST, _HIGHEST = -(2**63), 2**63 - 1
_LARGEST = sys.float_info.max  # as the core, which has no infinity either


class Reader:
    """Reads one game's variables.

    Args:
        variables: The definition's variables and tables.
        derived: Its derived variables, compiled, in the order in which they are computed.
    """

    def __init__(self, variables: Mapping[str, Variable], derived: Mapping[str, Program]) -> None:
        self._variables = variables
        self._derived = derived

    def read(self, ram: npt.NDArray[np.uint8]) -> dict[str, int]:
        """All variables that environments report, by name.

        Args:
            ram: (49152,) uint8 from 0x4000 on. Nothing is known of a time before it: what was before is what is now,
                and no routine has been called.
        """
        values = {name: each.read(ram) for name, each in self._variables.items() if not each.is_table}
        for name, program in self._derived.items():
            values[name] = _rounded(self._run(program, values, ram))
        return values

    def holds(self, condition: Program, ram: npt.NDArray[np.uint8]) -> bool:
        """Whether a condition holds in `ram`, as of `read`."""
        return self._run(condition, self.read(ram), ram) != 0

    def _run(self, program: Program, values: Mapping[str, int], ram: npt.NDArray[np.uint8]) -> float:
        stack: list[float] = []
        for operation, operand in program:
            match operation:
                case "constant" | "variable" | "before":
                    stack.append(self._value(operand, values, ram))
                case "called":
                    stack.append(0.0)
                case "select":
                    otherwise, then, condition = stack.pop(), stack.pop(), stack.pop()
                    stack.append(then if condition else otherwise)
                case "negate" | "logical_not" | "absolute":
                    stack.append(float(FOLD[operation](stack.pop())))
                case _:
                    right, left = stack.pop(), stack.pop()
                    stack.append(max(-_LARGEST, min(_LARGEST, float(FOLD[operation](left, right)))))
        return stack[0]

    def _value(self, operand: Operand, values: Mapping[str, int], ram: npt.NDArray[np.uint8]) -> float:
        if isinstance(operand, TableUse):
            return float(self._variables[operand.table].read_of(operand, ram))
        return float(values[operand] if isinstance(operand, str) else operand)


def _rounded(value: float) -> int:
    return max(_LOWEST, min(_HIGHEST, round(value)))
