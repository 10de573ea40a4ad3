# SPDX-License-Identifier: GPL-3.0-or-later
"""The expressions of a definition, all together: what each is for, what it may name, and where it stands."""

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Literal

from pydantic import BeforeValidator, JsonValue, WithJsonSchema

from oakemu_rl._validation import LocatedError, shorten
from oakemu_rl.games._program import Compiled, Kind, Program
from oakemu_rl.games.expression import Names, Table, compile_expression
from oakemu_rl.games.variables import Variable

__all__ = ["LABEL", "LABELS", "Expression", "Formulas", "Reward", "RewardKind", "Texts", "compile_formulas", "names_of"]

RewardKind = Literal["training", "evaluation"]
"""Which of a game's rewards is meant."""

LABEL = re.compile(r"[A-Za-z0-9_]{1,40}")
"""What actions, starts and parts of a reward may be called."""

LABELS: dict[str, JsonValue] = {"propertyNames": {"pattern": f"^{LABEL.pattern}$"}}
"""What editors are told of mappings from a `LABEL`."""

_Location = tuple[int | str, ...]


def _as_text(value: object) -> object:
    """An expression that YAML takes for a number, or for true or false."""
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError("the number is too large" if math.isinf(value) else "not a number (.nan)")
    return str(value) if isinstance(value, bool | int | float) else value


def _parts(value: object) -> object:
    """A reward's named parts as text; anything that is neither one nor a text is refused."""
    if not isinstance(value, dict):
        text = _as_text(value)
        if not isinstance(text, str):
            raise ValueError(f"must be an expression, or several by name (part: expression), not {shorten(value)}")
        return text
    if not value:
        raise ValueError("a reward of named parts has at least one; write 0 for none")
    texts = {}
    for name, part in value.items():
        if not isinstance(name, str) or not LABEL.fullmatch(name):
            raise LocatedError(f"{shorten(name)} is not a name: letters, digits and _", (name,), key=True)
        try:
            texts[name] = _as_text(part)
        except ValueError as error:
            raise LocatedError(str(error), (name,)) from error
        if not isinstance(texts[name], str):
            raise LocatedError(f"must be an expression, not {shorten(part)}", (name,))
    return texts


_TEXT_SCHEMA = {"type": ["string", "number", "boolean"]}

Expression = Annotated[str, BeforeValidator(_as_text), WithJsonSchema(_TEXT_SCHEMA)]
"""The text of an expression."""

Reward = Annotated[
    str | dict[str, str],
    BeforeValidator(_parts),
    WithJsonSchema(
        {
            "anyOf": [
                _TEXT_SCHEMA,
                {
                    "type": "object",
                    "minProperties": 1,
                    **LABELS,
                    "additionalProperties": _TEXT_SCHEMA,
                },
            ]
        }
    ),
]
"""The text of an expression, or of several by name, whose sum is the reward."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Texts:
    """The expressions of a definition as they are written; None where there is none."""

    derived: Mapping[str, str]
    training: str | Mapping[str, str]
    evaluation: str | Mapping[str, str] | None
    win: str | None
    loss: str | None
    stall: str | None
    allow: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Formulas:
    """The same, compiled. A program is empty where nothing is said.

    Attributes:
        derived: Of each derived variable, in the order in which they are computed.
        rewards: Of each part of each reward; a reward without named parts has one that is called ``""``.
        win: The condition.
        loss: The condition.
        stall: The value that must change.
        allow: Of each action that is not always allowed.
        names: What expressions may name when all derived variables are known.
    """

    derived: Mapping[str, Program]
    rewards: Mapping[RewardKind, Mapping[str, Program]]
    win: Program
    loss: Program
    stall: Program
    allow: Mapping[str, Program]
    names: Names

    def programs(self) -> Iterator[Program]:
        """All of them."""
        yield from self.derived.values()
        for parts in self.rewards.values():
            yield from parts.values()
        yield from (self.win, self.loss, self.stall)
        yield from self.allow.values()


def names_of(variables: Mapping[str, Variable], routines: Mapping[str, int]) -> Names:
    """What expressions may name before any derived variable is known."""
    kinds = {name: Kind.CONDITION if variable.is_flag else Kind.NUMBER for name, variable in variables.items()}
    return Names(
        variables={name: kinds[name] for name, variable in variables.items() if not variable.is_table},
        routines=tuple(routines),
        tables={
            name: Table(variable.count, *variable.limits, kinds[name])
            for name, variable in variables.items()
            if variable.count is not None
        },
    )


def compile_formulas(texts: Texts, names: Names) -> Formulas:
    """Compiles all expressions of a definition.

    Args:
        texts: The expressions.
        names: What `names_of` gives.

    Raises:
        LocatedError: One cannot be compiled; it says which, as the definition spells the way to it.
    """
    derived: dict[str, Program] = {}
    for name, text in texts.derived.items():
        later = tuple(other for other in texts.derived if other not in derived)
        compiled = _compile(text, replace(names, later=later), ("derived", name))
        derived[name] = compiled.code
        names = replace(names, variables={**names.variables, name: compiled.kind})
    return Formulas(
        derived=derived,
        rewards=_rewards(texts, names),
        win=_condition(texts.win, names, ("win",)),
        loss=_condition(texts.loss, names, ("loss",)),
        stall=() if texts.stall is None else _compile(texts.stall, names, ("limits", "stall", "value")).code,
        allow={action: _condition(text, names, ("allow", action)) for action, text in texts.allow.items()},
        names=names,
    )


def _rewards(texts: Texts, names: Names) -> dict[RewardKind, dict[str, Program]]:
    training = _parts_of(texts.training, names, ("reward",))
    judged = texts.evaluation
    return {
        "training": training,
        "evaluation": training if judged is None else _parts_of(judged, names, ("evaluation", "reward")),
    }


def _parts_of(reward: str | Mapping[str, str], names: Names, loc: _Location) -> dict[str, Program]:
    if isinstance(reward, str):
        return {"": _compile(reward, names, loc).code}
    return {part: _compile(text, names, (*loc, part)).code for part, text in reward.items()}


def _condition(text: str | None, names: Names, loc: _Location) -> Program:
    return () if text is None else _compile(text, names, loc, "condition").code


def _compile(text: str, names: Names, loc: _Location, result: Literal["number", "condition"] = "number") -> Compiled:
    try:
        return compile_expression(text, names, result=result)
    except LocatedError as error:
        raise LocatedError(str(error), loc, offset=error.offset) from error
