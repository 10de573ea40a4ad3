# SPDX-License-Identifier: GPL-3.0-or-later
"""The operators and functions of expressions: their names in the core, what they give, and hints for those left out."""

import ast
import operator
from collections.abc import Callable

__all__ = ["BINARY", "COMPARE", "FOLD", "FUNCTIONS", "HINTS", "TABLE_FUNCTIONS"]

FUNCTIONS = ("abs", "before", "called", "clamp", "count", "delta", "max", "min", "sum")
TABLE_FUNCTIONS = ("count", "max", "min", "sum")

BINARY: dict[type[ast.operator], str] = {
    ast.Add: "add",
    ast.Sub: "subtract",
    ast.Mult: "multiply",
    ast.Div: "divide",
    ast.FloorDiv: "floor_divide",
    ast.Mod: "modulo",
}
COMPARE: dict[type[ast.cmpop], str] = {
    ast.Lt: "less",
    ast.LtE: "less_equal",
    ast.Gt: "greater",
    ast.GtE: "greater_equal",
    ast.Eq: "equal",
    ast.NotEq: "not_equal",
}
# What the operations give: for constants, which are computed here rather than at every step, and in `interpreter`.
FOLD: dict[str, Callable[..., float]] = {
    "add": operator.add,
    "subtract": operator.sub,
    "multiply": operator.mul,
    "divide": operator.truediv,
    "floor_divide": operator.floordiv,
    "modulo": operator.mod,
    "negate": operator.neg,
    "less": operator.lt,
    "less_equal": operator.le,
    "greater": operator.gt,
    "greater_equal": operator.ge,
    "equal": operator.eq,
    "not_equal": operator.ne,
    "logical_and": lambda a, b: a != 0 and b != 0,
    "logical_or": lambda a, b: a != 0 or b != 0,
    "logical_not": lambda a: a == 0,
    "minimum": min,
    "maximum": max,
    "absolute": abs,
}
HINTS: dict[type[ast.AST], str] = {
    ast.Pow: "** is not supported; multiply instead",
    ast.BitAnd: "& is not supported; write 'and'",
    ast.BitOr: "| is not supported; write 'or'",
    ast.Is: "'is' is not supported; write ==",
    ast.IsNot: "'is not' is not supported; write !=",
    ast.In: "'in' is not supported; compare with == and 'or'",
    ast.NotIn: "'not in' is not supported; compare with != and 'and'",
    ast.Invert: "~ is not supported; write 'not'",
    ast.NamedExpr: "':=' is not supported; write == to compare",
    ast.Attribute: "a name has no parts; '.' is not supported",
    ast.Tuple: "',' is only allowed between the arguments of a function",
}
