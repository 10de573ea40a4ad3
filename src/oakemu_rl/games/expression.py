# SPDX-License-Identifier: GPL-3.0-or-later
"""Compiles reward and end expressions into the small stack program that the core runs.

The language is a piece of Python's expression syntax:

* names of the game's variables (their value after the step), ``before(x)``, ``delta(x)`` (after minus before),
  ``called(routine)`` (how often the routine was reached during the step);
* ``+ - * / // %`` and unary ``-``, where a divisor must be a constant that is not 0;
* ``min max abs clamp(x, lowest, highest)``, comparisons (chained too), ``and or not``, ``a if condition else b``.

Every value is a double. A condition counts as 0 or 1 where a number is wanted; a number is not taken for a condition.
"""

import ast
import math
import warnings
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Literal

from oakemu_rl._validation import LocatedError, shorten
from oakemu_rl.errors import nearest
from oakemu_rl.games._operators import BINARY, COMPARE, FOLD, HINTS

__all__ = ["FUNCTIONS", "ExpressionError", "Program", "compile_expression"]

Program = tuple[tuple[str, float], ...]
"""Instructions in the order in which they run: the name of a core ``Op`` and its operand."""

FUNCTIONS = ("abs", "before", "called", "clamp", "delta", "max", "min")

MAX_TEXT = 2000
MAX_DEPTH = 100
MAX_PROGRAM = 1000
MAX_STACK = 32  # the core's
_MAX_CONSTANT = 2.0**53  # whole numbers up to here are exact in a double


class ExpressionError(LocatedError):
    """An expression cannot be compiled; `offset` is the character (from 0) at which it is wrong."""

    def __init__(self, message: str, text: str, offset: int) -> None:
        super().__init__(f"{message}, at character {offset + 1} of {shorten(text)}", offset=offset)


class _Kind(Enum):
    NUMBER = "number"
    CONDITION = "condition"
    COUNT = "count"  # how often a routine was called: a number, and a condition too


@dataclass(frozen=True, slots=True)
class _Part:
    """The compiled form of one node: code that leaves one value, its kind, how many values the stack holds at most."""

    code: Program
    kind: _Kind
    height: int = 1

    @classmethod
    def joined(cls, parts: Sequence["_Part"], name: str, kind: _Kind) -> "_Part":
        code = tuple(instruction for part in parts for instruction in part.code)
        height = max(index + part.height for index, part in enumerate(parts))
        return cls((*code, (name, 0.0)), kind, height)

    @property
    def constant(self) -> float | None:
        return self.code[0][1] if len(self.code) == 1 and self.code[0][0] == "constant" else None


_ARITY = {"abs": (1, 1, "1 value"), "clamp": (3, 3, "3 values (x, lowest, highest)")}
_AT_LEAST_TWO = (2, MAX_TEXT, "2 values or more")


def compile_expression(
    text: str,
    *,
    variables: Sequence[str],
    routines: Sequence[str] = (),
    flags: Collection[str] = (),
    result: Literal["number", "condition"] = "number",
) -> Program:
    """Parses, checks and compiles one expression.

    Args:
        text: The expression.
        variables: Names of variables; an operand is an index into it.
        routines: Names of routines; an operand is an index into it.
        flags: Those variables whose values are conditions (type ``bool``).
        result: What the whole must be; a condition is taken for a number, but not the other way round.

    Raises:
        ExpressionError: It cannot be compiled; the message names the character and the nearest allowed name.
    """
    compiler = _Compiler(text, variables, routines, flags)
    tree = compiler.parse()
    part = compiler.compile(tree, 0)
    if result == "condition":
        compiler.require_condition(part, tree)
    return part.code


class _Compiler:
    """Walks the syntax tree of one text. Its methods return parts or raise `ExpressionError`."""

    def __init__(self, text: str, variables: Sequence[str], routines: Sequence[str], flags: Collection[str]) -> None:
        flat = text.replace("\n", " ").replace("\r", " ")
        self._text = text
        self._body = flat.lstrip()
        self._lead = len(flat) - len(self._body)
        self._variables = {name: index for index, name in enumerate(variables)}
        self._routines = {name: index for index, name in enumerate(routines)}
        self._flags = flags

    def parse(self) -> ast.expr:
        body = self._body
        if not body:
            raise self._error("the expression is empty", 0)
        if len(body) > MAX_TEXT:
            raise self._error(f"the expression has {len(body)} characters, at most {MAX_TEXT} are allowed", 0)
        for index, character in enumerate(body):
            if not " " <= character <= "~":
                raise self._error(f"the character {character!r} is not allowed", index)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # "1if x else 2" is odd, but means what it says
                return ast.parse(body, mode="eval").body
        except SyntaxError as error:
            at = min(error.offset - 1, len(body)) if error.offset else len(body)
            lone = body[at : at + 1] == "=" or "'=='" in error.msg
            raise self._error("write == to compare" if lone else f"not an expression ({error.msg})", at) from error
        except (RecursionError, MemoryError) as error:  # what the parser raises for thousands of nested signs
            raise self._error("the expression is nested too deeply", 0) from error

    def _error(self, message: str, at: ast.expr | int) -> ExpressionError:
        column = at if isinstance(at, int) else at.col_offset
        return ExpressionError(message, self._text, self._lead + column)

    def _source(self, node: ast.expr) -> str:
        return self._body[node.col_offset : node.end_col_offset]

    def compile(self, node: ast.expr, depth: int) -> _Part:
        if depth > MAX_DEPTH:
            raise self._error(f"the expression is nested more than {MAX_DEPTH} deep", node)
        match node:
            case ast.Constant():
                part = self._constant(node)
            case ast.Name():
                part = self._name(node)
            case ast.UnaryOp():
                part = self._unary(node, depth)
            case ast.BinOp():
                part = self._binary(node, depth)
            case ast.BoolOp():
                part = self._logical(node, depth)
            case ast.Compare():
                part = self._comparison(node, depth)
            case ast.IfExp():
                part = self._select(node, depth)
            case ast.Call():
                part = self._call(node, depth)
            case _:
                hint = HINTS.get(type(node), "only numbers, names, operators and functions are allowed")
                raise self._error(hint, node)
        if len(part.code) > MAX_PROGRAM:
            raise self._error(f"the expression compiles to more than {MAX_PROGRAM} instructions", node)
        if part.height > MAX_STACK:
            hint = "put the part in parentheses first"
            raise self._error(f"the expression needs more than {MAX_STACK} values at a time; {hint}", node)
        return part

    def require_condition(self, part: _Part, node: ast.expr) -> None:
        if part.kind is _Kind.NUMBER:
            source = self._source(node)
            hint = f"; compare it, as in {source} > 0" if len(source) <= 30 else ""
            raise self._error(f"{shorten(source)} is a number where a condition is needed{hint}", node)

    def _constant(self, node: ast.Constant) -> _Part:
        value = node.value
        if isinstance(value, bool):
            return _Part((("constant", float(value)),), _Kind.CONDITION)
        if not isinstance(value, int | float):
            raise self._error(f"{shorten(value)} is not a number", node)
        if not abs(value) <= _MAX_CONSTANT:
            raise self._error(f"the number is too large, at most {_MAX_CONSTANT:.0f} is allowed", node)
        return _Part((("constant", float(value)),), _Kind.NUMBER)

    def _name(self, node: ast.Name) -> _Part:
        if node.id in self._variables:
            kind = _Kind.CONDITION if node.id in self._flags else _Kind.NUMBER
            return _Part((("variable", float(self._variables[node.id])),), kind)
        if node.id in self._routines:
            raise self._error(f"{node.id!r} is a routine; write called({node.id})", node)
        if node.id in FUNCTIONS:
            raise self._error(f"{node.id!r} is a function; write {node.id}(...)", node)
        raise self._unknown("variable", node, self._variables)

    def _unknown(self, what: str, node: ast.Name, allowed: Collection[str]) -> ExpressionError:
        names = f"; there are {', '.join(sorted(allowed)[:20])}" if allowed else f"; the game defines no {what}"
        return self._error(f"unknown {what} {shorten(node.id)}{nearest(node.id, allowed)}{names}", node)

    def _unary(self, node: ast.UnaryOp, depth: int) -> _Part:
        inner = self.compile(node.operand, depth + 1)
        match node.op:
            case ast.UAdd():
                return _Part(inner.code, _Kind.NUMBER, inner.height)
            case ast.USub():
                return self._apply("negate", (inner,), _Kind.NUMBER, node)
            case ast.Not():
                self.require_condition(inner, node.operand)
                return self._apply("logical_not", (inner,), _Kind.CONDITION, node)
            case _:
                raise self._error(HINTS[ast.Invert], node)

    def _binary(self, node: ast.BinOp, depth: int) -> _Part:
        if type(node.op) not in BINARY:
            raise self._error(HINTS.get(type(node.op), "this operator is not supported"), node)
        left, right = self.compile(node.left, depth + 1), self.compile(node.right, depth + 1)
        if isinstance(node.op, ast.Div | ast.FloorDiv | ast.Mod) and not right.constant:
            given = shorten(self._source(node.right))
            raise self._error(f"a divisor must be a constant that is not 0, not {given}", node.right)
        return self._apply(BINARY[type(node.op)], (left, right), _Kind.NUMBER, node)

    def _logical(self, node: ast.BoolOp, depth: int) -> _Part:
        parts = [self.compile(value, depth + 1) for value in node.values]
        for part, value in zip(parts, node.values, strict=True):
            self.require_condition(part, value)
        name = "logical_and" if isinstance(node.op, ast.And) else "logical_or"
        return self._chain(name, parts, _Kind.CONDITION, node)

    def _comparison(self, node: ast.Compare, depth: int) -> _Part:
        parts = [self.compile(value, depth + 1) for value in (node.left, *node.comparators)]
        links = []
        for index, comparison in enumerate(node.ops):
            if type(comparison) not in COMPARE:
                raise self._error(HINTS[type(comparison)], node)
            pair = (parts[index], parts[index + 1])
            links.append(self._apply(COMPARE[type(comparison)], pair, _Kind.CONDITION, node))
        return self._chain("logical_and", links, _Kind.CONDITION, node)

    def _select(self, node: ast.IfExp, depth: int) -> _Part:
        condition = self.compile(node.test, depth + 1)
        self.require_condition(condition, node.test)
        then, otherwise = self.compile(node.body, depth + 1), self.compile(node.orelse, depth + 1)
        kinds = {then.kind, otherwise.kind}
        kind = next(kind for kind in (_Kind.NUMBER, _Kind.COUNT, _Kind.CONDITION) if kind in kinds)
        if condition.constant is not None:
            chosen = then if condition.constant else otherwise
            return _Part(chosen.code, kind, chosen.height)
        return _Part.joined((condition, then, otherwise), "select", kind)

    def _call(self, node: ast.Call, depth: int) -> _Part:
        if not isinstance(node.func, ast.Name) or node.func.id not in FUNCTIONS:
            given = self._source(node.func)
            known = f"{nearest(given, FUNCTIONS)}; there are {', '.join(FUNCTIONS)}"
            raise self._error(f"unknown function {shorten(given)}{known}", node)
        name = node.func.id
        if node.keywords:
            raise self._error(f"{name}() takes no named values", node)
        if name in ("before", "delta", "called"):
            return self._access(name, node)
        parts = [self.compile(argument, depth + 1) for argument in node.args]
        least, most, words = _ARITY.get(name, _AT_LEAST_TWO)
        if not least <= len(parts) <= most:
            raise self._error(f"{name}() takes {words}, not {len(parts)}", node)
        if name == "abs":
            return self._apply("absolute", (parts[0],), _Kind.NUMBER, node)
        if name == "clamp":
            return self._clamp(parts, node)
        return self._chain("minimum" if name == "min" else "maximum", parts, _Kind.NUMBER, node)

    def _clamp(self, parts: list[_Part], node: ast.Call) -> _Part:
        low, high = parts[1].constant, parts[2].constant
        if low is not None and high is not None and low > high:
            raise self._error(f"the lowest value {low:g} of clamp() is above the highest {high:g}", node)
        raised = self._apply("maximum", (parts[0], parts[1]), _Kind.NUMBER, node)
        return self._apply("minimum", (raised, parts[2]), _Kind.NUMBER, node)

    def _access(self, name: str, node: ast.Call) -> _Part:
        what, table = ("routine", self._routines) if name == "called" else ("variable", self._variables)
        if len(node.args) != 1 or not isinstance(node.args[0], ast.Name):
            raise self._error(f"{name}() takes the name of one {what}", node)
        argument = node.args[0]
        if argument.id not in table:
            raise self._unknown(what, argument, table)
        index = float(table[argument.id])
        if name == "called":
            return _Part((("called", index),), _Kind.COUNT)
        if name == "before":
            kind = _Kind.CONDITION if argument.id in self._flags else _Kind.NUMBER
            return _Part((("before", index),), kind)
        return _Part((("variable", index), ("before", index), ("subtract", 0.0)), _Kind.NUMBER, height=2)

    def _chain(self, name: str, parts: Sequence[_Part], kind: _Kind, node: ast.expr) -> _Part:
        """An operation of two arguments applied from left to right."""
        result = parts[0]
        for part in parts[1:]:
            result = self._apply(name, (result, part), kind, node)
        return result

    def _apply(self, name: str, parts: tuple[_Part, ...], kind: _Kind, node: ast.expr) -> _Part:
        """The operation on its arguments' code, or its value where all of them are constants."""
        constants = [part.constant for part in parts]
        if None in constants:
            return _Part.joined(parts, name, kind)
        value = float(FOLD[name](*constants))
        if not math.isfinite(value):
            raise self._error(f"{shorten(self._source(node))} is too large a number", node)
        return _Part((("constant", value),), kind)
