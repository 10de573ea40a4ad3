# SPDX-License-Identifier: GPL-3.0-or-later
"""Rewards and ends of stable-retro's scenario.json as expressions of ours.

There, each variable's value (or its change) goes through an operation. A reward multiplies a positive result by
``reward`` and a negative one by ``penalty``, and adds everything up; an end is a positive result of any or of all.
"""

import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from oakemu_rl.errors import UserError, nearest

__all__ = ["ScenarioReader"]

# The comparison, and what the reference is multiplied by.
_COMPARISONS = {
    "equal": ("==", 1),
    "negative-equal": ("==", -1),
    "not-equal": ("!=", 1),
    "less-than": ("<", 1),
    "greater-than": (">", 1),
    "less-or-equal": ("<=", 1),
    "greater-or-equal": (">=", 1),
    "nonzero": ("!=", 0),
    "zero": ("==", 0),
    "positive": (">", 0),
    "negative": ("<", 0),
}
_MEANINGS: dict[str, Callable[[float, float], bool]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    ">": operator.gt,
    "<=": operator.le,
    ">=": operator.ge,
}
_OPERATIONS = ("sign", *_COMPARISONS)


@dataclass
class ScenarioReader:
    """Turns parts of a scenario into expressions, and notes what has no counterpart.

    Attributes:
        names: The names in data.json, and what they are called in the definition.
        lost: What was not carried over, and why.
        changed: What was carried over, and means something slightly different.
    """

    names: Mapping[str, str]
    lost: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)

    def reward(self, scenario: Mapping[str, Any]) -> str:
        """The reward of the first player; ``0`` if there is none."""
        spec = scenario.get("reward")
        players = scenario.get("rewards")
        if isinstance(players, list) and players:
            spec = players[0]
            if len(players) > 1:
                self.lost.append(f"rewards of {len(players) - 1} more player(s): an environment has one")
        if not isinstance(spec, Mapping):
            return "0"
        if "script" in spec:
            self.lost.append(f"the reward, which the script {spec['script']!r} computes: write it as an expression")
            return "0"
        terms = [self._reward_term(f"reward of {name}", name, each) for name, each in _entries(spec, "variables")]
        if isinstance(spec.get("time"), Mapping):
            terms.append(self._time(spec["time"]))
        return " + ".join(term for term in terms if term).replace("+ -", "- ") or "0"

    def done(self, scenario: Mapping[str, Any]) -> str:
        """The condition that ends an episode; empty if there is none."""
        spec = scenario.get("done")
        if not isinstance(spec, Mapping):
            return ""
        if "script" in spec:
            self.lost.append(f"the end, which the script {spec['script']!r} computes: write it as a condition")
            return ""
        return self._node(spec)

    def _node(self, spec: Mapping[str, Any]) -> str:
        conditions = [self._condition(f"end by {name}", name, each) for name, each in _entries(spec, "variables")]
        conditions += [self._node(each) for _, each in _entries(spec, "nodes")]
        given = [condition for condition in conditions if condition]
        if len(given) == 1:
            return given[0]
        joint = " and " if spec.get("condition") == "all" else " or "
        return joint.join(
            f"({condition})" if " and " in condition or " or " in condition else condition for condition in given
        )

    def _condition(self, what: str, name: str, spec: Mapping[str, Any]) -> str:
        x = self._measured(what, name, spec, default="absolute")
        operation = self._operation(what, spec)
        if x is None or operation is None:
            return ""
        if operation in ("", "sign"):
            return f"{x} > 0"
        return self._compare(operation, x, spec)

    def _reward_term(self, what: str, name: str, spec: Mapping[str, Any]) -> str:
        x = self._measured(what, name, spec, default="delta")
        operation = self._operation(what, spec)
        reward, penalty = _number(spec, "reward"), _number(spec, "penalty")
        if x is None or operation is None:
            return ""
        if not reward and not penalty:
            self.lost.append(f"{what}: it has neither reward nor penalty, and so is always 0")
            return ""
        if spec.get("measurement") == "absolute":
            self.changed.append(f"{what}: it counts once a step here, once a frame there")
        if operation in _COMPARISONS:
            return _times(reward, f"({self._compare(operation, x, spec)})")
        if operation == "sign":
            return _sum(_times(reward, f"({x} > 0)"), _times(-penalty, f"({x} < 0)"))
        if reward == penalty:
            return _times(reward, x)
        return _sum(_times(reward, f"max({x}, 0)"), _times(penalty, f"min({x}, 0)"))

    def _time(self, spec: Mapping[str, Any]) -> str:
        """What every frame there is worth; its value and its change are always 1."""
        self.changed.append("reward of time: it counts once a step here, once a frame there")
        operation = self._operation("reward of time", spec)
        if operation is None:
            return ""
        value = 1
        if operation in _COMPARISONS:
            symbol, factor = _COMPARISONS[operation]
            value = int(_MEANINGS[symbol](1, factor * _number(spec, "reference")))
        return _text(_number(spec, "reward") * value) if value else ""

    def _measured(self, what: str, name: str, spec: Mapping[str, Any], *, default: str) -> str | None:
        if name not in self.names:
            self.lost.append(f"{what}: data.json has no usable variable of this name{nearest(name, self.names)}")
            return None
        measurement = spec.get("measurement", default)
        if measurement not in ("absolute", "delta"):
            measurement = default  # as there
        return self.names[name] if measurement == "absolute" else f"delta({self.names[name]})"

    def _operation(self, what: str, spec: Mapping[str, Any]) -> str | None:
        operation = spec.get("op", "")
        if operation == "" or operation in _OPERATIONS:
            return str(operation)
        self.lost.append(f"{what}: unknown operation {operation!r}{nearest(str(operation), _OPERATIONS)}")
        return None

    def _compare(self, operation: str, x: str, spec: Mapping[str, Any]) -> str:
        symbol, factor = _COMPARISONS[operation]
        return f"{x} {symbol} {_text(factor * _number(spec, 'reference'))}"


def _entries(spec: Mapping[str, Any], key: str) -> Sequence[tuple[str, Mapping[str, Any]]]:
    entries = spec.get(key, {})
    if not isinstance(entries, Mapping) or not all(isinstance(each, Mapping) for each in entries.values()):
        raise UserError(f"scenario.json: {key} must hold objects by name, not {str(entries)[:60]}")
    return list(entries.items())


def _number(spec: Mapping[str, Any], key: str) -> float:
    value = spec.get(key, 0)
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else 0.0


def _times(factor: float, text: str) -> str:
    if factor == 0:
        return ""
    if factor in (1, -1):
        return text if factor == 1 else f"-{text}"
    return f"{_text(factor)} * {text}"


def _sum(*terms: str) -> str:
    return " + ".join(term for term in terms if term).replace("+ -", "- ")


def _text(number: float) -> str:
    return str(int(number)) if number == int(number) else repr(number)
