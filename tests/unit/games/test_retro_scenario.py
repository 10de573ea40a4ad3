# SPDX-License-Identifier: GPL-3.0-or-later
"""Rewards and ends of stable-retro against its own rules, written down here once more."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oakemu_rl.games.retro_scenario import ScenarioReader

NAMES = ("score", "lives", "time")
RESULTS = {
    "": lambda x, _: x,
    "equal": lambda x, r: x == r,
    "negative-equal": lambda x, r: x == -r,
    "not-equal": lambda x, r: x != r,
    "less-than": lambda x, r: x < r,
    "greater-than": lambda x, r: x > r,
    "less-or-equal": lambda x, r: x <= r,
    "greater-or-equal": lambda x, r: x >= r,
    "nonzero": lambda x, _: x != 0,
    "zero": lambda x, _: x == 0,
    "positive": lambda x, _: x > 0,
    "negative": lambda x, _: x < 0,
    "sign": lambda x, _: (x > 0) - (x < 0),
}
Step = tuple[dict[str, int], dict[str, int]]

small = st.integers(-3, 3)
steps = st.tuples(
    st.fixed_dictionaries(dict.fromkeys(NAMES, small)), st.fixed_dictionaries(dict.fromkeys(NAMES, small))
)
specs = st.fixed_dictionaries(
    {},
    optional={
        "op": st.sampled_from(list(RESULTS)[1:]),
        "reference": small,
        "measurement": st.sampled_from(["absolute", "delta"]),
    },
)
amounts = st.sampled_from([-2, -1, 0, 0.5, 1, 3])
rewards = st.tuples(specs, amounts, amounts).map(lambda each: {**each[0], "reward": each[1], "penalty": each[2]})
variables = st.dictionaries(st.sampled_from(NAMES), specs, min_size=1)
nodes = st.recursive(
    st.fixed_dictionaries({"variables": variables}, optional={"condition": st.sampled_from(["any", "all"])}),
    lambda inner: st.fixed_dictionaries(
        {"nodes": st.dictionaries(st.sampled_from("ab"), inner, min_size=1)},
        optional={"variables": variables, "condition": st.sampled_from(["any", "all"])},
    ),
    max_leaves=4,
)


def result(step: Step, name: str, spec: dict[str, Any], default: str) -> float:
    before, after = step
    measurement = spec.get("measurement", default)
    x = after[name] if measurement == "absolute" else after[name] - before[name]
    return float(RESULTS[spec.get("op", "")](x, spec.get("reference", 0)))


def their_reward(step: Step, spec: dict[str, Any]) -> float:
    total = 0.0
    for name, each in spec.get("variables", {}).items():
        measured = result(step, name, each, "delta")
        total += measured * each.get("penalty" if measured < 0 else "reward", 0)
    return total


def their_end(step: Step, spec: dict[str, Any]) -> bool:
    tests = [result(step, name, each, "absolute") > 0 for name, each in spec.get("variables", {}).items()]
    tests += [their_end(step, each) for each in spec.get("nodes", {}).values()]
    return (all if spec.get("condition") == "all" else any)(tests)


def evaluate(expression: str, step: Step) -> float:
    before, after = step
    names = {f"the_{name}": value for name, value in after.items()}
    old = {f"the_{name}": value for name, value in before.items()}
    for name in names:
        expression = expression.replace(f"delta({name})", f"({names[name]} - {old[name]})")
    return float(eval(expression, {}, {**names, "max": max, "min": min}))  # noqa: S307 - a part of Python


def reader() -> ScenarioReader:
    return ScenarioReader({name: f"the_{name}" for name in NAMES})


@given(steps, st.dictionaries(st.sampled_from(NAMES), rewards))
def test_rewards(step: Step, spec: dict[str, Any]) -> None:
    expression = reader().reward({"reward": {"variables": spec}})
    assert evaluate(expression, step) == pytest.approx(their_reward(step, {"variables": spec}))


@given(steps, nodes)
def test_ends(step: Step, spec: dict[str, Any]) -> None:
    expression = reader().done({"done": spec})
    assert bool(evaluate(expression, step)) == their_end(step, spec)


@pytest.mark.parametrize(
    ("spec", "expression"),
    [
        ({"reward": 1.0}, "max(delta(the_score), 0)"),
        ({"reward": 1, "penalty": 1}, "delta(the_score)"),
        ({"reward": 0.1, "penalty": 0.1}, "0.1 * delta(the_score)"),
        ({"op": "negative", "reward": -5}, "-5 * (delta(the_score) < 0)"),
        ({"op": "sign", "reward": 2, "penalty": 1}, "2 * (delta(the_score) > 0) - (delta(the_score) < 0)"),
        ({"measurement": "absolute", "op": "equal", "reference": 7, "reward": 1}, "(the_score == 7)"),
    ],
)
def test_rewards_read_as_a_person_would_write_them(spec: dict[str, Any], expression: str) -> None:
    assert reader().reward({"reward": {"variables": {"score": spec}}}) == expression


@pytest.mark.parametrize(
    ("time", "expression"),
    [({"penalty": 1}, "0"), ({"reward": -0.5}, "-0.5"), ({"op": "less-than", "reward": 3}, "0")],
)
def test_time_is_worth_the_same_in_every_step(time: dict[str, Any], expression: str) -> None:
    used = reader()
    assert used.reward({"reward": {"time": time}}) == expression
    assert any("once a step here" in note for note in used.changed)


@pytest.mark.parametrize(
    ("scenario", "lost"),
    [
        ({"reward": {"script": "lua:points"}}, "the script 'lua:points' computes"),
        ({"done": {"script": "lua:over"}}, "the script 'lua:over' computes"),
        ({"rewards": [{}, {}]}, "1 more player"),
        ({"reward": {"variables": {"scor": {"reward": 1}}}}, "did you mean 'score'?"),
        ({"reward": {"variables": {"score": {"reward": 1, "op": "equals"}}}}, "unknown operation 'equals'"),
        ({"reward": {"variables": {"score": {}}}}, "neither reward nor penalty"),
        ({"done": {"variables": {"live": {"op": "zero"}}}}, "did you mean 'lives'?"),
    ],
)
def test_what_is_lost_is_told(scenario: dict[str, Any], lost: str) -> None:
    used = reader()
    assert (used.reward(scenario), used.done(scenario)) == ("0", "")
    assert len(used.lost) == 1
    assert lost in used.lost[0]
