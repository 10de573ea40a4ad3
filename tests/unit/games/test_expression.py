# SPDX-License-Identifier: GPL-3.0-or-later
import pytest
from expression_machine import run_in_core
from expression_texts import NAMES, VALUES, conditions, numbers, python_value
from hypothesis import given, settings
from hypothesis import strategies as st

from oakemu_rl.errors import UserError
from oakemu_rl.games._program import TableUse
from oakemu_rl.games.expression import ExpressionError, Kind, Names, Program, Table, compile_expression

KNOWN = Names(
    variables={**dict.fromkeys(NAMES, Kind.NUMBER), "won": Kind.CONDITION},
    routines=("death", "jump"),
    tables={"words": Table(3, 0, 0xFFFF, Kind.NUMBER), "flags": Table(8, 0, 1, Kind.CONDITION)},
    later=("danger",),
)


def compiled(text: str, result: str = "number") -> Program:
    return compile_expression(text, KNOWN, result=result).code


def evaluate(text: str, before: dict[str, int], after: dict[str, int], calls: int = 0) -> float:
    program = compiled(text)
    return run_in_core(program, {name: before[name] for name in NAMES}, after, calls)


@settings(max_examples=200, deadline=None)
@given(numbers(3), VALUES, VALUES, st.integers(0, 3))
def test_core_gives_what_python_gives(text: str, before: dict[str, int], after: dict[str, int], calls: int) -> None:
    assert evaluate(text, before, after, calls) == python_value(text, before, after, calls)


@settings(max_examples=100, deadline=None)
@given(conditions(2), VALUES, VALUES, st.integers(0, 3))
def test_conditions_are_0_or_1(text: str, before: dict[str, int], after: dict[str, int], calls: int) -> None:
    assert evaluate(text, before, after, calls) == float(bool(python_value(text, before, after, calls)))


def test_worked_example_of_the_design() -> None:
    before, after = {"score": 100, "lives": 3, "room": 0}, {"score": 350, "lives": 2, "room": 0}
    assert evaluate("delta(score) / 100 - 5 * (delta(lives) < 0)", before, after) == 2.5 - 5


@pytest.mark.parametrize(("calls", "value"), [(0, 0.0), (1, 1.0), (3, 1.0)])
def test_count_in_a_logical_operation_is_a_condition(calls: int, value: float) -> None:
    same = dict.fromkeys(NAMES, 1)
    assert evaluate("called(death) and score == 1", same, same, calls) == value
    assert evaluate("not called(death)", same, same, calls) == 1 - value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("2 + 3 * 4", 14.0),
        ("-7 // 2", -4.0),
        ("-7 % 3", 2.0),
        ("7 % -3", -2.0),
        ("1 < 2 < 3", 1.0),
        ("3 if not False else 4", 3.0),
        ("clamp(9, 1, 5)", 5.0),
        ("min(4, 2, 3) + max(4, 2, 3)", 6.0),
        ("5 * (1 > 2 or 2 > 1)", 5.0),
        ("True", 1.0),
    ],
)
def test_constants_are_folded(text: str, value: float) -> None:
    assert compiled(text) == (("constant", value),)


def test_program_of_a_simple_reward() -> None:
    assert compiled("delta(lives) * 2 + called(jump)") == (
        ("variable", "lives"),
        ("before", "lives"),
        ("subtract", 0.0),
        ("constant", 2.0),
        ("multiply", 0.0),
        ("called", "jump"),
        ("add", 0.0),
    )


def test_chained_comparison_asks_twice() -> None:
    assert compiled("1 <= lives < 4", "condition") == (
        ("constant", 1.0),
        ("variable", "lives"),
        ("less_equal", 0.0),
        ("variable", "lives"),
        ("constant", 4.0),
        ("less", 0.0),
        ("logical_and", 0.0),
    )


@pytest.mark.parametrize(
    ("text", "use"),
    [
        ("sum(words)", TableUse("words", "sum")),
        ("min(words)", TableUse("words", "min")),
        ("max(words)", TableUse("words", "max")),
        ("count(words, 2 + 1)", TableUse("words", "count", 3)),
        ("count(flags, True)", TableUse("flags", "count", 1)),
        ("words[1]", TableUse("words", "item", 1)),
    ],
)
def test_numbers_of_tables(text: str, use: TableUse) -> None:
    assert compiled(text) == (("variable", use),)
    assert compiled(f"before({text})") == (("before", use),)
    assert compiled(f"delta({text})") == (("variable", use), ("before", use), ("subtract", 0.0))


def test_an_item_of_a_table_of_flags_is_a_condition() -> None:
    assert compiled("flags[7] and not before(flags[0])", "condition")


@pytest.mark.parametrize("text", ["won", "not won", "before(won)", "called(death)", "won and lives > 0", "True"])
def test_accepted_as_conditions(text: str) -> None:
    assert compiled(text, "condition")


def test_text_of_several_lines() -> None:
    assert compiled("  delta(score)\n  + 1 ") == compiled("delta(score) + 1")


BAD = [
    # text, what is wanted, words of the message, character from 0
    ("scor + 1", "number", "unknown variable 'scor' (did you mean 'score'?)", 0),
    ("1 + livs", "number", "did you mean 'lives'?", 4),
    ("word + 1", "number", "unknown variable 'word' (did you mean 'words'?)", 0),
    ("\n 1 +\n livs", "number", "did you mean 'lives'?", 7),
    ("called(deth)", "number", "unknown routine 'deth' (did you mean 'death'?)", 7),
    ("called(score)", "number", "unknown routine 'score'", 7),
    ("before(death)", "number", "'death' is a routine; write called(death)", 7),
    ("delta(score + 1)", "number", "delta() takes the name of one variable, or sum(t)", 0),
    ("delta(abs(score))", "number", "delta() takes the name of one variable, or sum(t)", 0),
    ("before(min(score, 1))", "number", "before() takes the name of one variable", 0),
    ("delta()", "number", "delta() takes the name of one variable", 0),
    ("before(wrods[1])", "number", "[...] is not supported; define a table", 7),
    ("words", "number", "is a table; write sum(words), min(words), max(words), count(words, value) or words[0]", 0),
    ("1 + words", "number", "is a table", 4),
    ("words[3]", "number", "words has the items 0 to 2, not '3'; the index must be a constant", 6),
    ("words[-1]", "number", "words has the items 0 to 2, not '-1'", 6),
    ("words[lives]", "number", "not 'lives'; the index must be a constant", 6),
    ("words[0.5]", "number", "words has the items 0 to 2, not '0.5'", 6),
    ("words[0:1]", "number", "only numbers, names", 6),
    ("words[words[0]]", "number", "not 'words[0]'", 6),
    ("score[1]", "number", "[...] is not supported; define a table", 0),
    ("sum(wrods)", "number", "unknown table 'wrods' (did you mean 'words'?)", 4),
    ("sum(score)", "number", "unknown table 'score'; there are flags, words", 4),
    ("sum(words, 1)", "number", "sum() takes the name of one table", 0),
    ("count(words)", "number", "count() takes the name of a table and the value to count", 0),
    ("count(wrods, 1)", "number", "unknown table 'wrods' (did you mean 'words'?)", 6),
    ("count(words, lives)", "number", "must be a constant among them, not 'lives'", 13),
    ("count(words, 65536)", "number", "the items of words are 0 to 65535", 13),
    ("count(words, 0.5)", "number", "must be a constant among them, not '0.5'", 13),
    ("min(score)", "number", "min() takes 2 values or more, not 1", 0),
    ("words[0] and won", "condition", "is a number", 0),
    ("danger + 1", "number", "the derived variable 'danger' is defined further down; move it up", 0),
    ("death", "number", "write called(death)", 0),
    ("min", "number", "write min(...)", 0),
    ("mim(1, 2)", "number", "unknown function 'mim' (did you mean 'min'?)", 0),
    ("score.hi", "number", "'.' is not supported", 0),
    ("score.hi()", "number", "unknown function 'score.hi'", 0),
    ("__import__('os')", "number", "unknown function '__import__'", 0),
    ("abs(1, 2)", "number", "abs() takes 1 value, not 2", 0),
    ("clamp(1, 2)", "number", "clamp() takes 3 values", 0),
    ("clamp(lives, 3, 1)", "number", "lowest value 3 of clamp() is above the highest 1", 0),
    ("max(1)", "number", "max() takes 2 values or more, not 1", 0),
    ("max(1, b=2)", "number", "no named values", 0),
    ("max(*lives)", "number", "only numbers, names", 4),
    ("1 / lives", "number", "a divisor must be a constant that is not 0, not 'lives'", 4),
    ("lives // (2 - 2)", "number", "not '2 - 2'", 10),
    ("lives % 0", "number", "not '0'", 8),
    ("2 ** 3", "number", "** is not supported", 0),
    ("score & 1", "number", "write 'and'", 0),
    ("lives is 1", "number", "write ==", 0),
    ("~lives", "number", "write 'not'", 0),
    ("lives @ 2", "number", "not supported", 0),
    ("lives = 0", "condition", "write == to compare", 6),
    ("lives := 0", "condition", "not an expression", 6),
    ("lives", "condition", "is a number where a condition is needed; compare it, as in lives > 0", 0),
    ("not lives", "condition", "is a number where a condition is needed", 4),
    ("won and lives", "condition", "is a number", 8),
    ("1 if lives else 2", "number", "is a number", 5),
    ("delta(won)", "condition", "is a number", 0),
    ("won if won else 2", "condition", "is a number", 0),
    ("'a'", "number", "'a' is not a number", 0),
    ("1j", "number", "1j is not a number", 0),
    ("None", "number", "None is not a number", 0),
    ("1e400", "number", "the number is too large", 0),
    ("99999999999999999999", "number", "the number is too large", 0),
    ("[1]", "number", "only numbers, names", 0),
    ("lambda: 1", "number", "only numbers, names", 0),
    ("score, 1", "number", "','", 0),
    ("score score", "number", "not an expression", 6),
    ("(1", "number", "not an expression", 0),
    ("", "number", "the expression is empty", 0),
    ("  \n ", "number", "the expression is empty", 4),
    ("score\x00", "number", "is not allowed", 5),
    ("é", "number", "is not allowed", 0),
    ("1 +", "number", "not an expression", 3),
]


@pytest.mark.parametrize(("text", "result", "words", "offset"), BAD)
def test_bad_expression(text: str, result: str, words: str, offset: int) -> None:
    with pytest.raises(ExpressionError) as caught:
        compiled(text, result)
    assert words in str(caught.value)
    assert caught.value.offset == offset
    assert f"at character {offset + 1} of" in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "text",
    [
        "-" * 1900 + "score",
        "(" * 900 + "1" + ")" * 900,
        "score" + ".x" * 900 + "()",
        "score" + " + 1" * 400,
        "score + (" * 60 + "1" + ")" * 60,
        "0 < " + "(0 < " * 30 + "score < 1" + ") < 1" * 30,
        "not " * 400 + "won",
        "1 " * 2000,
        "words[" * 300 + "0" + "]" * 300,
        "count(words, " * 140 + "0" + ")" * 140,
        "delta(" * 300 + "score" + ")" * 300,
    ],
)
def test_too_large_expression(text: str) -> None:
    with pytest.raises(ExpressionError):
        compiled(text)


def test_a_long_sum_is_fine() -> None:
    same = dict.fromkeys(NAMES, 2)
    assert evaluate("score" + " + lives" * 90, same, same) == 182


def test_the_deepest_stack_runs_in_the_core() -> None:
    same = dict.fromkeys(NAMES, 1)
    text = "score + (" * 31 + "score" + ")" * 31
    assert evaluate(text, same, same) == 32
    with pytest.raises(ExpressionError, match="more than 32 values"):
        compiled(f"score + ({text})")


WORDS_OF_NONSENSE = """
score lives won death delta( called( min( ) ( + - / // % <
== = and or not if else 1 0 .5 , ** : [ ' " # lambda é * None :=
"""
PIECES = st.sampled_from([*WORDS_OF_NONSENSE.split(), "\n", "\\", " "])


@settings(max_examples=400, deadline=None)
@given(
    st.one_of(st.text(max_size=40), st.lists(PIECES, max_size=20).map(" ".join)),
    st.sampled_from(["number", "condition"]),
)
def test_nonsense_never_gives_anything_but_a_user_error(text: str, result: str) -> None:
    try:
        compiled(text, result)
    except UserError as error:
        assert "\n" not in str(error)  # noqa: PT017 - most nonsense is refused, but some of it is an expression
