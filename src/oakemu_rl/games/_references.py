# SPDX-License-Identifier: GPL-3.0-or-later
"""What expressions may name: variables, derived ones, tables and routines, and how each is reached."""

import ast
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal, NamedTuple

from oakemu_rl._validation import shorten
from oakemu_rl.errors import nearest
from oakemu_rl.games._operators import FUNCTIONS, TABLE_FUNCTIONS
from oakemu_rl.games._program import Compiled, Kind, TableUse
from oakemu_rl.games._syntax import ExpressionError, ExpressionText

__all__ = ["Names", "References", "Table"]

_TABLE_WORDS: dict[str, Literal["sum", "min", "max"]] = {"sum": "sum", "min": "min", "max": "max"}


class Table(NamedTuple):
    """A table, as far as expressions care: how many items it has, their lowest and highest value, and their kind."""

    items: int
    low: int
    high: int
    kind: Kind


@dataclass(frozen=True, slots=True)
class Names:
    """The names that an expression may use.

    Attributes:
        variables: Variables, derived ones too, and what their values may be used for.
        routines: Routines, for ``called()``.
        tables: Tables.
        later: Derived variables that are defined further down, to say so.
        moment: There is no step, only what is now: nothing can be known of before it, or of calls during it.
    """

    variables: Mapping[str, Kind]
    routines: Collection[str] = ()
    tables: Mapping[str, Table] = field(default_factory=dict)
    later: Collection[str] = ()
    moment: bool = False

    def at_one_moment(self) -> "Names":
        """The same names where no step has been taken."""
        return replace(self, moment=True)


class References:
    """Compiles those parts of one expression that name something.

    Args:
        text: The expression.
        names: What it may use.
        constant: Gives the value of a node that is a constant, else None.
    """

    def __init__(self, text: ExpressionText, names: Names, constant: Callable[[ast.expr], float | None]) -> None:
        self._text = text
        self._names = names
        self._constant = constant

    def name(self, node: ast.Name) -> Compiled:
        """A variable by its name."""
        names = self._names
        if node.id in names.variables:
            return Compiled((("variable", node.id),), names.variables[node.id])
        if node.id in names.tables:
            wanted = f"sum({node.id}), min({node.id}), max({node.id}), count({node.id}, value) or {node.id}[0]"
            raise self._text.error(f"{node.id!r} is a table; write {wanted}", node)
        if node.id in names.routines:
            raise self._text.error(f"{node.id!r} is a routine; write called({node.id})", node)
        if node.id in FUNCTIONS:
            raise self._text.error(f"{node.id!r} is a function; write {node.id}(...)", node)
        raise self._unknown("variable", node, [*names.variables, *names.tables])

    def called(self, node: ast.Call) -> Compiled:
        """``called(routine)``."""
        self._require_step("called", node)
        argument = self._only_name(node, "called() takes the name of one routine")
        if argument.id not in self._names.routines:
            raise self._unknown("routine", argument, self._names.routines)
        return Compiled((("called", argument.id),), Kind.COUNT)

    def earlier(self, node: ast.Call, function: str) -> Compiled:
        """``before(x)`` or ``delta(x)``, where `x` is a variable or something of a table."""
        self._require_step(function, node)
        now = self._readable(node.args[0]) if len(node.args) == 1 else None
        if now is None:
            tables = ", or sum(t), min(t), max(t), count(t, value), t[0] of a table t" if self._names.tables else ""
            raise self._text.error(f"{function}() takes the name of one variable{tables}", node)
        operand = now.code[0][1]
        if function == "before":
            return Compiled((("before", operand),), now.kind)
        return Compiled((("variable", operand), ("before", operand), ("subtract", 0.0)), Kind.NUMBER, height=2)

    def of_table(self, node: ast.Call) -> Compiled | None:
        """``sum(t)``, ``min(t)``, ``max(t)`` or ``count(t, value)``; None where no table is meant."""
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        if name == "count":
            return self._count(node)
        if name == "sum":
            table = self._only_name(node, "sum() takes the name of one table")
            if table.id not in self._names.tables:
                raise self._unknown("table", table, self._names.tables)
        elif len(node.args) != 1 or not self._is_table(node.args[0]):
            return None
        else:
            table = self._only_name(node, "")
        return Compiled((("variable", TableUse(table.id, _TABLE_WORDS[name])),), Kind.NUMBER)

    def item(self, node: ast.Subscript) -> Compiled:
        """``t[3]``."""
        if not self._is_table(node.value):
            hint = "[...] is not supported; define a table (with a count) or a variable at that address"
            raise self._text.error(hint, node)
        name = self._text.source(node.value)
        table = self._names.tables[name]
        index = self._whole(node.slice)
        if index is None or not 0 <= index < table.items:
            given = self._text.source(node.slice)
            raise self._text.error(
                f"{name} has the items 0 to {table.items - 1}, not {shorten(given)}; the index must be a constant",
                node.slice,
            )
        return Compiled((("variable", TableUse(name, "item", index)),), table.kind)

    def _count(self, node: ast.Call) -> Compiled:
        if len(node.args) != 2 or not isinstance(node.args[0], ast.Name):
            raise self._text.error("count() takes the name of a table and the value to count", node)
        if not self._is_table(node.args[0]):
            raise self._unknown("table", node.args[0], self._names.tables)
        table = self._names.tables[node.args[0].id]
        value = self._whole(node.args[1])
        if value is None or not table.low <= value <= table.high:
            given = self._text.source(node.args[1])
            raise self._text.error(
                f"the items of {node.args[0].id} are {table.low} to {table.high}; the value to count must be a "
                f"constant among them, not {shorten(given)}",
                node.args[1],
            )
        return Compiled((("variable", TableUse(node.args[0].id, "count", value)),), Kind.NUMBER)

    def _readable(self, node: ast.expr) -> Compiled | None:
        """A variable, or something of a table: what the core reads once a step."""
        if isinstance(node, ast.Name):
            return self.name(node)
        if isinstance(node, ast.Subscript):
            return self.item(node)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and not node.keywords:
            return self.of_table(node) if node.func.id in TABLE_FUNCTIONS else None
        return None

    def _require_step(self, function: str, node: ast.Call) -> None:
        if self._names.moment:
            raise self._text.error(f"{function}() looks back at a step of an agent, and here there is none", node)

    def _is_table(self, node: ast.expr) -> bool:
        return isinstance(node, ast.Name) and node.id in self._names.tables

    def _only_name(self, node: ast.Call, problem: str) -> ast.Name:
        if len(node.args) != 1 or not isinstance(node.args[0], ast.Name):
            raise self._text.error(problem, node)
        return node.args[0]

    def _whole(self, node: ast.expr) -> int | None:
        """A whole number that can be told from the text alone."""
        if any(isinstance(inner, ast.Name | ast.Subscript | ast.Call) for inner in ast.walk(node)):
            return None
        value = self._constant(node)
        return None if value is None or value != int(value) else int(value)

    def _unknown(self, what: str, node: ast.Name, allowed: Collection[str]) -> ExpressionError:
        if node.id in self._names.later:
            return self._text.error(f"the derived variable {node.id!r} is defined further down; move it up", node)
        names = f"; there are {', '.join(sorted(allowed)[:20])}" if allowed else f"; the game defines no {what}"
        return self._text.error(f"unknown {what} {shorten(node.id)}{nearest(node.id, allowed)}{names}", node)
