# SPDX-License-Identifier: GPL-3.0-or-later
"""The compiled form of expressions, in which variables and routines still go by their names.

`linking` puts the core's numbers in place of the names, once it has seen all expressions of a game.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Literal, NamedTuple

__all__ = ["Compiled", "Instruction", "Kind", "Operand", "Program", "TableUse"]


class Kind(Enum):
    """What an expression's value may be used for."""

    NUMBER = "number"
    CONDITION = "condition"
    COUNT = "count"  # how often a routine was called: a number, and a condition too


class TableUse(NamedTuple):
    """One number taken from a table: the core reads it as a variable of its own."""

    table: str
    what: Literal["sum", "min", "max", "count", "item"]
    value: int = 0
    """Which value is counted, or the index of the item."""


Operand = float | str | TableUse
"""A constant, the name of a variable or routine, or something of a table."""

Instruction = tuple[str, Operand]

Program = tuple[Instruction, ...]
"""Instructions in the order in which they run: the name of a core ``Op`` and its operand. Empty: nothing was given."""


@dataclass(frozen=True, slots=True)
class Compiled:
    """An expression: code that leaves one value, its kind, and how many values the stack holds at most."""

    code: Program
    kind: Kind
    height: int = 1

    @classmethod
    def joined(cls, parts: Sequence["Compiled"], name: str, kind: Kind) -> "Compiled":
        """An operation after the code of its arguments."""
        code = tuple(instruction for part in parts for instruction in part.code)
        height = max(index + part.height for index, part in enumerate(parts))
        return cls((*code, (name, 0.0)), kind, height)

    @classmethod
    def of(cls, value: float, kind: Kind) -> "Compiled":
        """A constant."""
        return cls((("constant", value),), kind)

    @property
    def constant(self) -> float | None:
        """Its value, where that is known already."""
        name, operand = self.code[0]
        return operand if len(self.code) == 1 and name == "constant" and isinstance(operand, float) else None
