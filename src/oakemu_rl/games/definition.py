# SPDX-License-Identifier: GPL-3.0-or-later
"""The definition of a game: everything that makes an environment of a program, in one YAML file."""

import re
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, BeforeValidator, Field, model_validator

from oakemu_rl._validation import LocatedError, shorten
from oakemu_rl.errors import nearest
from oakemu_rl.games._names import Address, Name, Part
from oakemu_rl.games.expression import Kind, Names, Program, Table, compile_expression
from oakemu_rl.games.keys import Joystick, KeyList, check_key
from oakemu_rl.games.program_source import ProgramSource
from oakemu_rl.games.settings import Area, Limits, Presets, Reset, list_of
from oakemu_rl.games.start_script import Step
from oakemu_rl.games.variables import Variable

__all__ = ["Definition", "definition_schema"]

ID_PATTERN = re.compile(r"ZXSpectrum/([A-Za-z][A-Za-z0-9_]*)-v(0|[1-9][0-9]*)")


def _id(value: str) -> str:
    if not ID_PATTERN.fullmatch(value):
        raise ValueError(f"must be ZXSpectrum/Name-vN, as in ZXSpectrum/Acorns-v0, not {shorten(value)}")
    return value


def _machine(value: object) -> object:
    if value in ("+3", "plus3", "16k"):
        raise ValueError(f"the machine {value!r} is not emulated; 48k, 128k and plus2 are")
    return value


def _as_text(value: object) -> object:
    """An expression that YAML takes for a number, or for true or false."""
    return str(value) if isinstance(value, bool | int | float) else value


_Expression = Annotated[str, BeforeValidator(_as_text)]


class Definition(Part):
    """A game, as its YAML file says it.

    Attributes:
        id: The environment's id, ``ZXSpectrum/Name-vN``; N grows when reward, actions, start or timing change.
        title: The game's name for people.
        description: What the game is about, for people.
        controls: What the keys do, for people who play it by hand.
        machine: The machine it runs on.
        program: Where the program comes from.
        verified: Whether somebody has run the definition on the real program; of others the addresses are hearsay.
        start: What is done after loading, up to the first playable frame.
        reset: What differs between episodes.
        area: The part of the display that the agent sees.
        variables: What the game keeps in RAM, by name.
        routines: Addresses of code, by name.
        joystick: The joystick whose directions actions may hold.
        actions: What each action holds down; one of them holds nothing.
        reward: An expression, the reward of a step.
        win: A condition that ends an episode well.
        loss: A condition that ends it badly.
        limits: When an episode is cut off.
        presets: How the game is usually seen and stepped.
        lives: The variable that counts lives; the one called so by default.
        score: The variable that holds the score; the one called so by default.
        shares: What evaluations report beside the variables, by its name for people: a variable that counts what
            succeeded and one that counts what did not.
    """

    id: Annotated[str, AfterValidator(_id)]
    title: Annotated[str, Field(min_length=1, max_length=100)]
    description: str = ""
    controls: dict[str, str] = Field(default_factory=dict)
    machine: Annotated[Literal["48k", "128k", "plus2"], BeforeValidator(_machine)]
    program: ProgramSource
    verified: bool = True
    start: list[Step] = Field(default_factory=list)
    reset: Reset = Field(default_factory=Reset)
    area: Area = (0, 0, 256, 192)
    variables: dict[Name, Variable] = Field(default_factory=dict)
    routines: dict[Name, Address] = Field(default_factory=dict)
    joystick: Joystick = "none"
    actions: Annotated[dict[str, KeyList], Field(min_length=1)]
    reward: _Expression
    win: _Expression | None = None
    loss: _Expression | None = None
    limits: Limits = Field(default_factory=Limits)
    presets: Presets = Field(default_factory=Presets)
    lives: str | None = None
    score: str | None = None
    shares: dict[str, Annotated[tuple[str, str], list_of(2, "two variables [succeeded, failed]")]] = Field(
        default_factory=dict
    )

    @property
    def name(self) -> str:
        """The name in the id: ``Acorns`` of ``ZXSpectrum/Acorns-v0``."""
        return self.id.removeprefix("ZXSpectrum/").rpartition("-v")[0]

    @property
    def lives_variable(self) -> str | None:
        """The name of the variable that counts lives."""
        return self.lives or ("lives" if "lives" in self.variables else None)

    @property
    def score_variable(self) -> str | None:
        """The name of the variable that holds the score."""
        return self.score or ("score" if "score" in self.variables else None)

    @property
    def noop_action(self) -> int:
        """The index of the first action that holds nothing."""
        return next(index for index, keys in enumerate(self.actions.values()) if not keys)

    @model_validator(mode="after")
    def _names_agree(self) -> Self:
        for name in self.routines:
            if name in self.variables:
                raise LocatedError(f"the name {name!r} is a variable already", ("routines", name), key=True)
        for field in ("lives", "score"):
            given = getattr(self, field)
            if given is not None:
                self._require_variable(given, (field,))
        for label, pair in self.shares.items():
            for index, name in enumerate(pair):
                self._require_variable(name, ("shares", label, index))
        for name, kind in self.reset.randomize.items():
            loc = ("reset", "randomize", name)
            variable = self._require_variable(name, loc, key=True)
            size = {"u8": 1, "u16": 2}[kind]
            if size > variable.size or not variable.is_plain_number:
                raise LocatedError(f"{size} random byte(s) do not fit {name}, which is a {variable.type}", loc)
        return self

    @model_validator(mode="after")
    def _program_is_known(self) -> Self:
        if self.verified and self.program.sha256 == []:
            raise LocatedError(
                "an empty list does for verified: false alone: who has verified it can say of which program",
                ("program", "sha256"),
            )
        return self

    @model_validator(mode="after")
    def _actions_are_sound(self) -> Self:
        seen: dict[frozenset[str], str] = {}
        for name, keys in self.actions.items():
            if not re.fullmatch(r"[A-Za-z0-9_]{1,40}", name):
                raise LocatedError(f"{shorten(name)} is not a name: letters, digits and _", ("actions", name), key=True)
            self._check_keys(keys, ("actions", name))
            twin = seen.setdefault(frozenset(keys), name)
            if twin != name:
                raise LocatedError(f"holds the same keys as the action {twin!r}", ("actions", name))
        if frozenset() not in seen:
            raise LocatedError("one action must hold nothing, as in stay: []", ("actions",))
        return self

    @model_validator(mode="after")
    def _start_is_sound(self) -> Self:
        for index, step in enumerate(self.start):
            loc = ("start", index)
            if step.press is not None:
                self._check_keys(step.press.keys, (*loc, "press", "keys"))
            if step.until is not None and step.until.routine not in self.routines:
                routine = step.until.routine
                known = f"{nearest(routine, self.routines)}; there are {', '.join(self.routines) or 'none'}"
                raise LocatedError(f"unknown routine {shorten(routine)}{known}", (*loc, "until", "routine"))
            for name, value in (step.set or {}).items():
                low, high = self._require_variable(name, (*loc, "set", name), key=True).limits
                if not low <= value <= high:
                    raise LocatedError(f"{shorten(value)} is not within {low} to {high}", (*loc, "set", name))
        return self

    @model_validator(mode="after")
    def _expressions_compile(self) -> Self:
        field: Literal["reward", "win", "loss"]
        for field in ("reward", "win", "loss"):
            try:
                self.compile(field)
            except LocatedError as error:
                raise LocatedError(str(error), (field,), offset=error.offset) from error
        return self

    def compile(self, field: Literal["reward", "win", "loss"]) -> Program:
        """Compiles an expression, whose operands count as the definition does; empty if none is given."""
        text = {"reward": self.reward, "win": self.win, "loss": self.loss}[field]
        if text is None:
            return ()
        names = Names(
            variables={
                name: Kind.CONDITION if variable.is_flag else Kind.NUMBER
                for name, variable in self.variables.items()
                if not variable.is_table
            },
            routines=tuple(self.routines),
            tables={
                name: Table(variable.count, *variable.limits, Kind.CONDITION if variable.is_flag else Kind.NUMBER)
                for name, variable in self.variables.items()
                if variable.count is not None
            },
        )
        return compile_expression(text, names, result="number" if field == "reward" else "condition").code

    def _require_variable(self, name: str, loc: tuple[int | str, ...], *, key: bool = False) -> Variable:
        if name not in self.variables:
            known = f"{nearest(name, self.variables)}; there are {', '.join(self.variables) or 'none'}"
            raise LocatedError(f"unknown variable {shorten(name)}{known}", loc, key=key)
        return self.variables[name]

    def _check_keys(self, keys: list[str], loc: tuple[int | str, ...]) -> None:
        for index, key in enumerate(keys):
            if problem := check_key(key, self.joystick):
                raise LocatedError(problem, (*loc, index))
            if key in keys[:index]:
                raise LocatedError(f"the key {key!r} is listed twice", (*loc, index))


def definition_schema() -> dict[str, Any]:
    """The JSON Schema of definitions, for editors that check YAML while it is written."""
    schema = Definition.model_json_schema()
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema, "title": "OakEmu-RL game definition"}
