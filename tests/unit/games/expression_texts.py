# SPDX-License-Identifier: GPL-3.0-or-later
"""Expressions by chance, and what Python itself gives for them: the second implementation of the language.

They are about three 16-bit variables, the table of all three, and a routine called ``death``.
"""

import ast
from collections.abc import Mapping
from functools import cache
from typing import Any

from hypothesis import strategies as st

__all__ = ["NAMES", "VALUES", "conditions", "numbers", "python_value"]

NAMES = ("score", "lives", "room")
VALUES = st.fixed_dictionaries(dict.fromkeys(NAMES, st.one_of(st.integers(0, 0xFFFF), st.integers(0, 3))))
TABLE_USES = st.sampled_from(
    ["sum(words)", "min(words)", "max(words)", "count(words, 0)", "count(words, 1 + 1)", "words[0]", "words[2]"]
)
FUNCTIONS: dict[str, Any] = {
    "min": min,
    "max": max,
    "sum": sum,
    "abs": abs,
    "count": lambda table, value: float(table.count(value)),
    "clamp": lambda x, low, high: min(max(x, low), high),
}


def python_value(text: str, before: Mapping[str, int], after: Mapping[str, int], calls: int) -> float:
    """What Python's own evaluation of the text gives, with doubles for variables."""

    class LookBack(ast.NodeTransformer):
        def visit_Call(self, node: ast.Call) -> ast.AST:
            name = node.func.id if isinstance(node.func, ast.Name) else ""
            if name == "called":
                return ast.copy_location(ast.Constant(float(calls)), node)
            if name not in ("before", "delta"):
                return self.generic_visit(node)
            whole = ast.Expression(node.args[0])
            then = evaluated(whole, before)
            value = then if name == "before" else evaluated(whole, after) - then
            return ast.copy_location(ast.Constant(value), node)

    tree = ast.fix_missing_locations(LookBack().visit(ast.parse(text, mode="eval")))
    return evaluated(tree, after)


def evaluated(tree: ast.Expression, values: Mapping[str, int]) -> float:
    names: dict[str, Any] = {name: float(value) for name, value in values.items()}
    names["words"] = [float(values[name]) for name in NAMES]
    return float(eval(compile(tree, "text", "eval"), {"__builtins__": {}, **FUNCTIONS}, names))  # noqa: S307 - ours


@cache
def numbers(depth: int, names: tuple[str, ...] = NAMES) -> st.SearchStrategy[str]:
    name = st.sampled_from(names)
    literal = st.one_of(st.integers(0, 1000).map(str), st.sampled_from(["0.5", "2.25", "1e-3", "True", "0x10"]))
    leaf = st.one_of(
        literal,
        name,
        name.map("before({})".format),
        name.map("delta({})".format),
        st.just("called(death)"),
        TABLE_USES,
        TABLE_USES.map("before({})".format),
        TABLE_USES.map("delta({})".format),
    )
    if depth == 0:
        return leaf
    inner = numbers(depth - 1, names)
    divisor = st.sampled_from(["3", "0.5", "-7", "(2 + 2)", "1000", "-0.3"])
    return st.one_of(
        leaf,
        inner.map("({})".format),
        inner.map("-{}".format),
        inner.map("abs({})".format),
        st.builds("{} {} {}".format, inner, st.sampled_from("+-*"), inner),
        st.builds("({}) {} {}".format, inner, st.sampled_from(["/", "//", "%"]), divisor),
        st.builds("{}({}, {}, {})".format, st.sampled_from(["min", "max"]), inner, inner, inner),
        st.builds("clamp({}, {}, {})".format, inner, st.sampled_from(["-9", "0"]), st.sampled_from(["0", "80 / 3"])),
        st.builds("clamp({}, lives, {})".format, inner, inner),
        st.builds("({} if {} else {})".format, inner, conditions(depth - 1, names), inner),
        st.builds("5 * ({})".format, conditions(depth - 1, names)),
    )


@cache
def conditions(depth: int, names: tuple[str, ...] = NAMES) -> st.SearchStrategy[str]:
    comparison = st.sampled_from(["<", "<=", ">", ">=", "==", "!="])
    number = numbers(max(depth - 1, 0), names)
    simple = st.builds("{} {} {}".format, number, comparison, number)
    chained = st.builds("{} {} {} {} {}".format, number, comparison, number, comparison, number)
    if depth == 0:
        return st.one_of(simple, chained)
    inner = conditions(depth - 1, names).map("({})".format)
    return st.one_of(
        simple,
        chained,
        inner.map("not {}".format),
        st.builds("{} {} {}".format, inner, st.sampled_from(["and", "or"]), inner),
        st.builds("{} {} {} {} {}".format, inner, st.just("and"), inner, st.just("or"), inner),
    )
