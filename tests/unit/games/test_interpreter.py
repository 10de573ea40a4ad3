# SPDX-License-Identifier: GPL-3.0-or-later
"""Reading derived variables in Python, held against Python's own evaluation of the expressions."""

import numpy as np
import pytest
from expression_texts import NAMES, VALUES, conditions, numbers, python_value
from hypothesis import given, settings
from hypothesis import strategies as st

from oakemu_rl.games.expression import compile_expression
from oakemu_rl.games.formulas import names_of
from oakemu_rl.games.interpreter import Reader
from oakemu_rl.games.variables import Variable

VARIABLES = {
    **{name: Variable(at=0x8000 + 2 * index, type="u16le") for index, name in enumerate(NAMES)},
    "words": Variable(at=0x8000, type="u16le", count=len(NAMES)),
}
KNOWN = names_of(VARIABLES, {"death": 0x9000})


def memory(values: dict[str, int]) -> np.ndarray:
    ram = np.zeros(49152, np.uint8)
    for name in NAMES:
        VARIABLES[name].write(ram, values[name])
    return ram


def derived(text: str, values: dict[str, int]) -> int:
    return Reader(VARIABLES, {"x": compile_expression(text, KNOWN).code}).read(memory(values))["x"]


@settings(max_examples=300, deadline=None)
@given(numbers(3), VALUES)
def test_derived_numbers(text: str, values: dict[str, int]) -> None:
    expected = max(-(2**63), min(2**63 - 1, round(python_value(text, values, values, 0))))
    assert derived(text, values) == expected


@settings(max_examples=100, deadline=None)
@given(conditions(2), VALUES, st.sampled_from(["", "not "]))
def test_conditions(text: str, values: dict[str, int], sign: str) -> None:
    whole = f"{sign}({text})"
    program = compile_expression(whole, KNOWN, result="condition").code
    expected = bool(python_value(text, values, values, 0)) == (sign == "")
    assert Reader(VARIABLES, {}).holds(program, memory(values)) == expected


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("lives / 2", 2),  # 2.5: to the even one
        ("(lives + 2) / 2", 4),  # 3.5
        ("-lives / 2 - 0.1", -3),
        ("1 if lives > score else 2", 2),
        ("(3 if room == 0 else 4) + before(lives)", 8),
        ("delta(sum(words)) + called(death)", 0),
        ("9007199254740992 * 9007199254740992", 2**63 - 1),
        ("lives * -9007199254740992 * 9007199254740992", -(2**63)),
        (" * ".join(["(score - 8)", *["9007199254740992"] * 30]), -(2**63)),  # beyond a double
    ],
)
def test_figures_by_hand(text: str, value: int) -> None:
    assert derived(text, {"score": 7, "lives": 5, "room": 0}) == value
