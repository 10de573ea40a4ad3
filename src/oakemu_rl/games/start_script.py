# SPDX-License-Identifier: GPL-3.0-or-later
"""The start script of a definition: what is done once, from the loaded tape to the first playable frame."""

from typing import Annotated, Self

from pydantic import Field, model_validator

from oakemu_rl.games._names import Frames, Part, WholeNumber
from oakemu_rl.games.keys import KeyList

__all__ = ["PressStep", "Step", "UntilStep", "WaitStep"]


class WaitStep(Part):
    """Lets the machine run with no key held."""

    frames: Frames


class PressStep(Part):
    """Holds keys down, then releases them."""

    keys: Annotated[KeyList, Field(min_length=1)]
    frames: Frames = 5


class UntilStep(Part):
    """Runs until a routine is about to be executed; an error if that does not happen in time."""

    routine: str
    at_most_frames: Frames = 500


class Step(Part):
    """One step: exactly one of its keys is given.

    Attributes:
        wait: Run for some frames.
        press: Hold keys for some frames.
        until: Run until a routine is reached.
        set: Put values into variables.
    """

    wait: WaitStep | None = None
    press: PressStep | None = None
    until: UntilStep | None = None
    set: dict[str, WholeNumber] | None = None

    @model_validator(mode="after")
    def _one_kind(self) -> Self:
        given = [name for name in type(self).model_fields if getattr(self, name) is not None]
        if len(given) != 1:
            raise ValueError(
                f"a step is one of wait, press, until, set; this one has {', '.join(given) or 'none of them'}"
            )
        return self

    def __str__(self) -> str:
        return str(self.model_dump(exclude_none=True)).replace("'", "")
