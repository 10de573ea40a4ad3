# SPDX-License-Identifier: GPL-3.0-or-later
"""The start scripts of a definition: what is done once, from the loaded program to the first playable frame."""

from typing import Annotated, Self

from pydantic import ConfigDict, Field, model_validator

from oakemu_rl.games._names import Frames, Part, WholeNumber
from oakemu_rl.games.formulas import Expression
from oakemu_rl.games.keys import KeyList
from oakemu_rl.games.program_source import FileName

__all__ = ["LoadStep", "PressStep", "Script", "Start", "Step", "UntilStep", "WaitStep"]


class WaitStep(Part):
    """Lets the machine run with no key held."""

    frames: Frames


class PressStep(Part):
    """Holds keys down, then releases them."""

    keys: Annotated[KeyList, Field(min_length=1)]
    frames: Frames = 5


class UntilStep(Part):
    """Runs until a routine is about to be executed or a condition holds; an error if that does not happen in time.

    Attributes:
        routine: The name of a routine.
        condition: A condition on variables, looked at after every frame.
        at_most_frames: How long to wait.
    """

    model_config = ConfigDict(json_schema_extra={"oneOf": [{"required": ["routine"]}, {"required": ["condition"]}]})

    routine: str | None = None
    condition: Expression | None = None
    at_most_frames: Frames = 500

    @model_validator(mode="after")
    def _one_goal(self) -> Self:
        if (self.routine is None) == (self.condition is None):
            raise ValueError("give either routine (the name of one) or condition (on variables)")
        return self


class LoadStep(Part):
    """Takes a file that lies beside the definition.

    Attributes:
        file: A snapshot, which the machine becomes, or a tape, which the running program loads.
    """

    file: FileName


class Step(Part):
    """One step: exactly one of its keys is given.

    Attributes:
        wait: Run for some frames.
        press: Hold keys for some frames.
        until: Run until a routine is reached or a condition holds.
        set: Put values into variables.
        load: Become a snapshot, or let the program load a tape.
    """

    model_config = ConfigDict(json_schema_extra={"minProperties": 1, "maxProperties": 1})

    wait: WaitStep | None = None
    press: PressStep | None = None
    until: UntilStep | None = None
    set: dict[str, WholeNumber] | None = None
    load: LoadStep | None = None

    @model_validator(mode="after")
    def _one_kind(self) -> Self:
        given = [name for name in type(self).model_fields if getattr(self, name) is not None]
        if len(given) != 1:
            kinds = ", ".join(type(self).model_fields)
            raise ValueError(f"a step is one of {kinds}; this one has {', '.join(given) or 'none of them'}")
        return self

    def __str__(self) -> str:
        return str(self.model_dump(exclude_none=True)).replace("'", "")


Script = list[Step]
"""Steps in the order in which they are done."""


class Start(Part):
    """A state in which episodes may begin, beside the default one.

    Attributes:
        weight: How often it is drawn, in proportion to the others; 0 is only on request.
        after: The start from which its steps go on: ``default``, or one that stands above it. By default they begin
            with the loaded program.
        snapshot: A snapshot that lies beside the definition, with which its steps begin instead.
        start: Its steps.
    """

    weight: Annotated[float, Field(ge=0, le=1e6, allow_inf_nan=False, strict=True)] = 1.0
    after: str | None = None
    snapshot: FileName | None = None
    start: Script = Field(default_factory=list)

    @model_validator(mode="after")
    def _begins_somewhere(self) -> Self:
        if self.after is not None and self.snapshot is not None:
            raise ValueError("give either after (the name of a start) or snapshot (a file), where its steps begin")
        if self.after is None and self.snapshot is None and not self.start:
            raise ValueError("give start (its steps), snapshot (a file) or after (the name of a start)")
        return self
