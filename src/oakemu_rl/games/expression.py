# SPDX-License-Identifier: GPL-3.0-or-later
"""Compiles reward and end expressions into the small stack program that the core runs.

The language is a piece of Python's expression syntax:

* names of the game's variables (their value after the step), ``before(x)``, ``delta(x)`` (after minus before),
  ``called(routine)`` (how often the routine was reached during the step);
* of tables ``sum(t)``, ``min(t)``, ``max(t)``, ``count(t, value)`` and ``t[3]``, also within ``before`` and ``delta``;
* ``+ - * / // %`` and unary ``-``, where a divisor must be a constant that is not 0;
* ``min max abs clamp(x, lowest, highest)``, comparisons (chained too), ``and or not``, ``a if condition else b``.

Every value is a double. A condition counts as 0 or 1 where a number is wanted; a number is not taken for a condition.
"""

import ast
import math
from collections.abc import Sequence
from typing import Literal

from oakemu_rl._validation import shorten
from oakemu_rl.errors import nearest
from oakemu_rl.games._operators import BINARY, COMPARE, FOLD, FUNCTIONS, HINTS, TABLE_FUNCTIONS
from oakemu_rl.games._program import Compiled, Kind, Program
from oakemu_rl.games._references import Names, References, Table
from oakemu_rl.games._syntax import MAX_TEXT, ExpressionError, ExpressionText

__all__ = ["Compiled", "ExpressionError", "Kind", "Names", "Program", "Table", "compile_expression"]

MAX_DEPTH = 100
MAX_PROGRAM = 1000
MAX_STACK = 32  # the core's
_MAX_CONSTANT = 2.0**53  # whole numbers up to here are exact in a double

_ARITY = {"abs": (1, 1, "1 value"), "clamp": (3, 3, "3 values (x, lowest, highest)")}
_AT_LEAST_TWO = (2, MAX_TEXT, "2 values or more")


def compile_expression(text: str, names: Names, *, result: Literal["number", "condition"] = "number") -> Compiled:
    """Parses, checks and compiles one expression.

    Args:
        text: The expression.
        names: The names that it may use.
        result: What the whole must be; a condition is taken for a number, but not the other way round.

    Raises:
        ExpressionError: It cannot be compiled; the message names the character and the nearest allowed name.
    """
    compiler = _Compiler(ExpressionText(text), names)
    tree = compiler.text.parse()
    whole = compiler.compile(tree, 0)
    if result == "condition":
        compiler.require_condition(whole, tree)
    return whole


class _Compiler:
    """Walks the syntax tree of one text. Its methods return compiled parts or raise `ExpressionError`."""

    def __init__(self, text: ExpressionText, names: Names) -> None:
        self.text = text
        self._references = References(text, names, lambda node: self.compile(node, 0).constant)

    def compile(self, node: ast.expr, depth: int) -> Compiled:
        if depth > MAX_DEPTH:
            raise self.text.error(f"the expression is nested more than {MAX_DEPTH} deep", node)
        part = self._node(node, depth)
        if len(part.code) > MAX_PROGRAM:
            raise self.text.error(f"the expression compiles to more than {MAX_PROGRAM} instructions", node)
        if part.height > MAX_STACK:
            hint = "put the part in parentheses first"
            raise self.text.error(f"the expression needs more than {MAX_STACK} values at a time; {hint}", node)
        return part

    def _node(self, node: ast.expr, depth: int) -> Compiled:
        match node:
            case ast.Constant():
                return self._constant(node)
            case ast.Name():
                return self._references.name(node)
            case ast.Subscript():
                return self._references.item(node)
            case ast.UnaryOp():
                return self._unary(node, depth)
            case ast.BinOp():
                return self._binary(node, depth)
            case ast.BoolOp():
                return self._logical(node, depth)
            case ast.Compare():
                return self._comparison(node, depth)
            case ast.IfExp():
                return self._select(node, depth)
            case ast.Call():
                return self._call(node, depth)
            case _:
                hint = HINTS.get(type(node), "only numbers, names, operators and functions are allowed")
                raise self.text.error(hint, node)

    def require_condition(self, part: Compiled, node: ast.expr) -> None:
        if part.kind is Kind.NUMBER:
            source = self.text.source(node)
            hint = f"; compare it, as in {source} > 0" if len(source) <= 30 else ""
            raise self.text.error(f"{shorten(source)} is a number where a condition is needed{hint}", node)

    def _constant(self, node: ast.Constant) -> Compiled:
        value = node.value
        if isinstance(value, bool):
            return Compiled.of(float(value), Kind.CONDITION)
        if not isinstance(value, int | float):
            raise self.text.error(f"{shorten(value)} is not a number", node)
        if not abs(value) <= _MAX_CONSTANT:
            raise self.text.error(f"the number is too large, at most {_MAX_CONSTANT:.0f} is allowed", node)
        return Compiled.of(float(value), Kind.NUMBER)

    def _unary(self, node: ast.UnaryOp, depth: int) -> Compiled:
        inner = self.compile(node.operand, depth + 1)
        match node.op:
            case ast.UAdd():
                return Compiled(inner.code, Kind.NUMBER, inner.height)
            case ast.USub():
                return self._apply("negate", (inner,), Kind.NUMBER, node)
            case ast.Not():
                self.require_condition(inner, node.operand)
                return self._apply("logical_not", (inner,), Kind.CONDITION, node)
            case _:
                raise self.text.error(HINTS[ast.Invert], node)

    def _binary(self, node: ast.BinOp, depth: int) -> Compiled:
        if type(node.op) not in BINARY:
            raise self.text.error(HINTS.get(type(node.op), "this operator is not supported"), node)
        left, right = self.compile(node.left, depth + 1), self.compile(node.right, depth + 1)
        if isinstance(node.op, ast.Div | ast.FloorDiv | ast.Mod) and not right.constant:
            given = shorten(self.text.source(node.right))
            raise self.text.error(f"a divisor must be a constant that is not 0, not {given}", node.right)
        return self._apply(BINARY[type(node.op)], (left, right), Kind.NUMBER, node)

    def _logical(self, node: ast.BoolOp, depth: int) -> Compiled:
        parts = [self.compile(value, depth + 1) for value in node.values]
        for part, value in zip(parts, node.values, strict=True):
            self.require_condition(part, value)
        name = "logical_and" if isinstance(node.op, ast.And) else "logical_or"
        return self._chain(name, parts, Kind.CONDITION, node)

    def _comparison(self, node: ast.Compare, depth: int) -> Compiled:
        parts = [self.compile(value, depth + 1) for value in (node.left, *node.comparators)]
        links = []
        for index, comparison in enumerate(node.ops):
            if type(comparison) not in COMPARE:
                raise self.text.error(HINTS[type(comparison)], node)
            pair = (parts[index], parts[index + 1])
            links.append(self._apply(COMPARE[type(comparison)], pair, Kind.CONDITION, node))
        return self._chain("logical_and", links, Kind.CONDITION, node)

    def _select(self, node: ast.IfExp, depth: int) -> Compiled:
        condition = self.compile(node.test, depth + 1)
        self.require_condition(condition, node.test)
        then, otherwise = self.compile(node.body, depth + 1), self.compile(node.orelse, depth + 1)
        kinds = {then.kind, otherwise.kind}
        kind = next(kind for kind in (Kind.NUMBER, Kind.COUNT, Kind.CONDITION) if kind in kinds)
        if condition.constant is not None:
            chosen = then if condition.constant else otherwise
            return Compiled(chosen.code, kind, chosen.height)
        return Compiled.joined((condition, then, otherwise), "select", kind)

    def _call(self, node: ast.Call, depth: int) -> Compiled:
        if not isinstance(node.func, ast.Name) or node.func.id not in FUNCTIONS:
            given = self.text.source(node.func)
            known = f"{nearest(given, FUNCTIONS)}; there are {', '.join(FUNCTIONS)}"
            raise self.text.error(f"unknown function {shorten(given)}{known}", node)
        name = node.func.id
        if node.keywords:
            raise self.text.error(f"{name}() takes no named values", node)
        if name == "called":
            return self._references.called(node)
        if name in ("before", "delta"):
            return self._references.earlier(node, name)
        if name in TABLE_FUNCTIONS and (taken := self._references.of_table(node)) is not None:
            return taken
        parts = [self.compile(argument, depth + 1) for argument in node.args]
        least, most, words = _ARITY.get(name, _AT_LEAST_TWO)
        if not least <= len(parts) <= most:
            raise self.text.error(f"{name}() takes {words}, not {len(parts)}", node)
        if name == "abs":
            return self._apply("absolute", (parts[0],), Kind.NUMBER, node)
        if name == "clamp":
            return self._clamp(parts, node)
        return self._chain("minimum" if name == "min" else "maximum", parts, Kind.NUMBER, node)

    def _clamp(self, parts: list[Compiled], node: ast.Call) -> Compiled:
        low, high = parts[1].constant, parts[2].constant
        if low is not None and high is not None and low > high:
            raise self.text.error(f"the lowest value {low:g} of clamp() is above the highest {high:g}", node)
        raised = self._apply("maximum", (parts[0], parts[1]), Kind.NUMBER, node)
        return self._apply("minimum", (raised, parts[2]), Kind.NUMBER, node)

    def _chain(self, name: str, parts: Sequence[Compiled], kind: Kind, node: ast.expr) -> Compiled:
        """An operation of two arguments applied from left to right."""
        result = parts[0]
        for part in parts[1:]:
            result = self._apply(name, (result, part), kind, node)
        return result

    def _apply(self, name: str, parts: tuple[Compiled, ...], kind: Kind, node: ast.expr) -> Compiled:
        """The operation on its arguments' code, or its value where all of them are constants."""
        constants = [part.constant for part in parts]
        if None in constants:
            return Compiled.joined(parts, name, kind)
        value = float(FOLD[name](*constants))
        if not math.isfinite(value):
            raise self.text.error(f"{shorten(self.text.source(node))} is too large a number", node)
        return Compiled.of(value, kind)
