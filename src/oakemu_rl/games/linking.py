# SPDX-License-Identifier: GPL-3.0-or-later
"""Puts the core's numbers in place of the names in a game's compiled expressions.

The core counts first the variables that it reads from RAM and then the derived ones. Those that it reads are the
definition's own variables, which are reported, and behind them one for each number that an expression takes from a
table, which is not.
"""

from collections.abc import Iterable, Mapping, Sequence

from oakemu_rl.games._program import Operand, Program, TableUse
from oakemu_rl.games.variables import CoreVariable, Variable

__all__ = ["Instructions", "Linker"]

Instructions = list[tuple[str, float]]
"""A program as the core takes it."""


class Linker:
    """The core's numbers for one game.

    Args:
        variables: The definition's variables and tables.
        derived: The names of its derived variables, in order.
        routines: Its routines' addresses.
        programs: All programs that `link` will be asked for. Only routines that one of them asks for cost a hook.

    Attributes:
        variables: What the core reads from RAM.
        hooks: The addresses whose calls it counts.
        columns: Of the variables that are reported, by name: where the core puts them.
    """

    def __init__(
        self,
        variables: Mapping[str, Variable],
        derived: Sequence[str],
        routines: Mapping[str, int],
        programs: Iterable[Program],
    ) -> None:
        operands = [instruction for program in programs for instruction in program]
        plain = [name for name, variable in variables.items() if not variable.is_table]
        uses = dict.fromkeys(operand for _, operand in operands if isinstance(operand, TableUse))
        called = {operand for operation, operand in operands if operation == "called"}
        self._routines = [name for name in routines if name in called]
        self.variables: list[CoreVariable] = [variables[name].core for name in plain]
        self.variables += [variables[use.table].core_of(use) for use in uses]
        self.hooks = [routines[name] for name in self._routines]
        self.columns: dict[str, int] = {name: index for index, name in enumerate(plain)}
        self.columns |= {name: len(self.variables) + index for index, name in enumerate(derived)}
        self._uses = {use: len(plain) + index for index, use in enumerate(uses)}

    def link(self, program: Program) -> Instructions:
        """The program with numbers in place of names."""
        return [(operation, self._number(operation, operand)) for operation, operand in program]

    def _number(self, operation: str, operand: Operand) -> float:
        if isinstance(operand, TableUse):
            return float(self._uses[operand])
        if isinstance(operand, str):
            return float(self._routines.index(operand) if operation == "called" else self.columns[operand])
        return operand
