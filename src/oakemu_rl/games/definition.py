# SPDX-License-Identifier: GPL-3.0-or-later
"""The definition of a game: everything that makes an environment of a program, in one YAML file."""

import re
from collections.abc import Iterator
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, BeforeValidator, Field, model_validator

from oakemu_rl._validation import LocatedError, shorten
from oakemu_rl.games._checks import DEFAULT_START, Vocabulary, check_actions, check_starts, check_unique
from oakemu_rl.games._names import NAMES, Address, Name, Part
from oakemu_rl.games.formulas import LABELS, Expression, Formulas, Reward, Texts, compile_formulas, names_of
from oakemu_rl.games.keys import Joystick, KeyList
from oakemu_rl.games.program_source import ProgramSource
from oakemu_rl.games.settings import Area, Evaluation, Limits, Presets, Reset, list_of
from oakemu_rl.games.start_script import Script, Start
from oakemu_rl.games.variables import Variable

__all__ = ["ID_PATTERN", "Definition"]

ID_PATTERN = re.compile(r"ZXSpectrum/([A-Za-z][A-Za-z0-9_]*)-v(0|[1-9][0-9]*)")


def _id(value: str) -> str:
    if not ID_PATTERN.fullmatch(value):
        raise ValueError(f"must be ZXSpectrum/Name-vN, as in ZXSpectrum/Acorns-v0, not {shorten(value)}")
    return value


def _machine(value: object) -> object:
    if value in ("+3", "plus3", "16k"):
        raise ValueError(f"the machine {value!r} is not emulated; 48k, 128k and plus2 are")
    return value


class Definition(Part):
    """A game, as its YAML file says it.

    Attributes:
        extends: Another definition that this one is laid over. That has been done before a `Definition` is made of it.
        id: The environment's id, ``ZXSpectrum/Name-vN``; N grows when reward, actions, start or timing change.
        title: The game's name for people.
        description: What the game is about, for people.
        controls: What the keys do, for people who play it by hand.
        machine: The machine it runs on.
        program: Where the program comes from.
        verified: Whether somebody has run the definition on the real program; of others the addresses are hearsay.
        start: What is done after loading, up to the first playable frame.
        starts: More states in which episodes may begin, by name; that of `start` is called ``default``.
        default_weight: How often the default start is drawn, in proportion to the others; 1 if nothing is said.
        reset: What differs between episodes.
        area: The part of the display that the agent sees.
        variables: What the game keeps in RAM, by name: numbers, and tables of them.
        derived: Numbers that are computed from those after each step, by name; each may use those above it.
        routines: Addresses of code, by name.
        joystick: The joystick whose directions actions may hold.
        actions: What each action holds down; one of them holds nothing.
        allow: Conditions under which an action may be taken, by its name; the others always may.
        reward: An expression, the reward of a step; or several by name, whose sum it is.
        evaluation: What is different when an agent is judged.
        win: A condition that ends an episode well.
        loss: A condition that ends it badly.
        limits: When an episode is cut off.
        presets: How the game is usually seen and stepped.
        cells: What tells one moment from another for an exploration: numbers, of which all together make a cell.
        lives: The variable that counts lives; the one called so by default.
        score: The variable that holds the score; the one called so by default.
        shares: What evaluations report beside the variables, by its name for people: a variable that counts what
            succeeded and one that counts what did not.
    """

    extends: str | None = None
    id: Annotated[str, AfterValidator(_id), Field(json_schema_extra={"pattern": f"^{ID_PATTERN.pattern}$"})]
    title: Annotated[str, Field(min_length=1, max_length=100)]
    description: str = ""
    controls: dict[str, str] = Field(default_factory=dict)
    machine: Annotated[Literal["48k", "128k", "plus2"], BeforeValidator(_machine)]
    program: ProgramSource
    verified: bool = True
    start: Script = Field(default_factory=list)
    starts: dict[str, Start] = Field(default_factory=dict, json_schema_extra=LABELS)
    default_weight: Annotated[float, Field(ge=0, le=1e6, allow_inf_nan=False, strict=True)] | None = None
    reset: Reset = Field(default_factory=Reset)
    area: Area = (0, 0, 256, 192)
    variables: dict[Name, Variable] = Field(default_factory=dict, json_schema_extra=NAMES)
    derived: dict[Name, Expression] = Field(default_factory=dict, json_schema_extra=NAMES)
    routines: dict[Name, Address] = Field(default_factory=dict, json_schema_extra=NAMES)
    joystick: Joystick = "none"
    actions: Annotated[dict[str, KeyList], Field(min_length=1, json_schema_extra=LABELS)]
    allow: dict[str, Expression] = Field(default_factory=dict, json_schema_extra=LABELS)
    reward: Reward
    evaluation: Evaluation | None = None
    win: Expression | None = None
    loss: Expression | None = None
    limits: Limits = Field(default_factory=Limits)
    presets: Presets = Field(default_factory=Presets)
    cells: list[Expression] = Field(default_factory=list)
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
        return self.lives or self._if_a_value("lives")

    @property
    def score_variable(self) -> str | None:
        """The name of the variable that holds the score."""
        return self.score or self._if_a_value("score")

    @property
    def start_names(self) -> tuple[str, ...]:
        """The names of the states in which episodes may begin, by index; the first is the default one."""
        return DEFAULT_START, *self.starts

    @property
    def start_weights(self) -> list[float]:
        """How often each of `start_names` is drawn, in proportion."""
        default = 1.0 if self.default_weight is None else self.default_weight
        return [default, *(start.weight for start in self.starts.values())]

    @property
    def noop_action(self) -> int:
        """The index of the first action that holds nothing."""
        return next(index for index, keys in enumerate(self.actions.values()) if not keys)

    @model_validator(mode="after")
    def _program_is_known(self) -> Self:
        if self.verified and self.program.sha256 == []:
            raise LocatedError(
                "an empty list does for verified: false alone: who has verified it can say of which program",
                ("program", "sha256"),
            )
        return self

    @model_validator(mode="after")
    def _parts_agree(self) -> Self:
        check_unique(self.variables, self.derived, self.routines)
        names = self.formulas().names
        vocabulary = Vocabulary(self.variables, self.derived, self.routines, self.joystick, names)
        for field in ("lives", "score"):
            given = getattr(self, field)
            if given is not None:
                vocabulary.require_value(given, (field,))
        for label, pair in self.shares.items():
            for index, name in enumerate(pair):
                vocabulary.require_value(name, ("shares", label, index))
        for name, kind in self.reset.randomize.items():
            vocabulary.check_randomized(name, kind)
        check_actions(self.actions, vocabulary, self.allow)
        vocabulary.check_script(self.start, ("start",))
        check_starts(self.starts, self.default_weight, vocabulary)
        for index, text in enumerate(self.cells):
            vocabulary.check_number(text, ("cells", index))
        return self

    def script_of(self, start: str) -> tuple[Script, tuple[str, ...]]:
        """The steps that make one of `start_names`, and the way to them."""
        if start == DEFAULT_START:
            return self.start, ("start",)
        return self.starts[start].start, ("starts", start, "start")

    def files(self) -> Iterator[tuple[tuple[int | str, ...], str]]:
        """The files that starts need, beside the program: the way to where each is named, and its name."""
        for name, start in self.starts.items():
            if start.snapshot is not None:
                yield ("starts", name, "snapshot"), start.snapshot
        for name in self.start_names:
            script, loc = self.script_of(name)
            for index, step in enumerate(script):
                if step.load is not None:
                    yield (*loc, index, "load", "file"), step.load.file

    def formulas(self) -> Formulas:
        """Compiles all expressions."""
        evaluation, stall = self.evaluation, self.limits.stall
        texts = Texts(
            derived=self.derived,
            training=self.reward,
            evaluation=None if evaluation is None else evaluation.reward,
            win=self.win,
            loss=self.loss,
            stall=None if stall is None else stall.value,
            allow=self.allow,
        )
        return compile_formulas(texts, names_of(self.variables, self.routines))

    def _if_a_value(self, name: str) -> str | None:
        known = name in self.derived or (name in self.variables and not self.variables[name].is_table)
        return name if known else None
