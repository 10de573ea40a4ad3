# SPDX-License-Identifier: GPL-3.0-or-later
"""The small groups of settings in a definition: reset, limits, evaluation, presets, and the area that is seen."""

from typing import Annotated, Literal

from pydantic import AfterValidator, BeforeValidator, Field, WithJsonSchema, field_serializer

from oakemu_rl._validation import shorten
from oakemu_rl.games._names import NAMES, Part, WholeNumber
from oakemu_rl.games.formulas import Expression, Reward

__all__ = ["Area", "Colour", "Evaluation", "Limits", "Presets", "Reset", "Stall", "list_of"]

DISPLAY_WIDTH = 256
DISPLAY_HEIGHT = 192

Colour = Literal["grey", "ink", "rgb", "attributes"]


def list_of(count: int, words: str) -> BeforeValidator:
    """Says how many numbers a list must have, in words."""

    def check(value: object) -> object:
        if isinstance(value, list | tuple) and len(value) != count:
            raise ValueError(f"must be {words}, not {shorten(value)}")
        return value

    return BeforeValidator(check)


def _ordered(value: tuple[int, int]) -> tuple[int, int]:
    if value[0] > value[1]:
        raise ValueError(f"the lowest comes first in {list(value)}")
    return value


def _within_display(value: tuple[int, int, int, int]) -> tuple[int, int, int, int]:
    x, y, width, height = value
    inside = min(x, y) >= 0 and x + width <= DISPLAY_WIDTH and y + height <= DISPLAY_HEIGHT
    if not (inside and width >= 1 and height >= 1):
        raise ValueError(
            f"[x, y, width, height] = {list(value)} is not a part of the display, "
            f"which is {DISPLAY_WIDTH} by {DISPLAY_HEIGHT} pixels"
        )
    return value


def _single(value: object) -> object:
    if isinstance(value, list) and len(value) == 2 and value[0] == value[1]:
        raise ValueError(f"the lowest comes first in {value}; write {shorten(value[0])} where it is always the same")
    return (value, value) if isinstance(value, int) else value


_MAX_SKIP = 1000
_SkipFrames = Annotated[WholeNumber, Field(ge=1, le=_MAX_SKIP)]
_NoopFrames = Annotated[WholeNumber, Field(ge=0, le=100_000)]
_Limit = Annotated[WholeNumber, Field(ge=1, le=10**12)]
_Pixels = Annotated[WholeNumber, Field(ge=1, le=256)]

_ONE_SKIP = {"type": "integer", "minimum": 1, "maximum": _MAX_SKIP}
_SKIP_SCHEMA = {"anyOf": [_ONE_SKIP, {"type": "array", "items": _ONE_SKIP, "minItems": 2, "maxItems": 2}]}

Area = Annotated[
    tuple[WholeNumber, WholeNumber, WholeNumber, WholeNumber],
    list_of(4, "four numbers [x, y, width, height]"),
    AfterValidator(_within_display),
]
"""A rectangle of the display in pixels: x, y, width, height."""


class Reset(Part):
    """What differs between the starts of episodes.

    Attributes:
        noops: Frames that run at first with the no-op action: the fewest and the most.
        randomize: Variables that get random bytes, and how many of them.
    """

    noops: Annotated[
        tuple[_NoopFrames, _NoopFrames],
        list_of(2, "two numbers [fewest, most]"),
        AfterValidator(_ordered),
    ] = (0, 0)
    randomize: dict[str, Literal["u8", "u16"]] = Field(default_factory=dict, json_schema_extra=NAMES)


class Stall(Part):
    """When an episode has come to a standstill: a value has not changed for so many steps.

    Attributes:
        value: An expression.
        steps: So many steps of the agent.
    """

    value: Expression
    steps: _Limit


class Limits(Part):
    """When an episode is cut off (truncated).

    Attributes:
        steps: After so many steps of the agent.
        frames: After so many frames of the machine.
        stall: When nothing moves any more.
    """

    steps: _Limit | None = None
    frames: _Limit | None = None
    stall: Stall | None = None


class Evaluation(Part):
    """What is different when an agent is judged.

    Attributes:
        reward: The reward of a step, as in training: an expression, or several by name.
    """

    reward: Reward


class Presets(Part):
    """How the game is usually seen and stepped; the arguments of an environment override it.

    Attributes:
        frameskip: Frames a step: a number, or the fewest and the most.
        size: Width and height of the observation in pixels.
        colour: ``grey``, ``ink`` (1-bit bitmap), ``rgb``, or ``attributes`` (ink and paper of each character cell, for
            which `size` does not count).
        stack: Observations that are stacked.
    """

    frameskip: Annotated[
        tuple[_SkipFrames, _SkipFrames],
        list_of(2, "a number of frames, or two numbers [fewest, most]"),
        BeforeValidator(_single),
        AfterValidator(_ordered),
        WithJsonSchema(_SKIP_SCHEMA),
    ] = (4, 4)
    size: Annotated[tuple[_Pixels, _Pixels], list_of(2, "two numbers [width, height]")] = (84, 84)
    colour: Colour = "grey"
    stack: Annotated[WholeNumber, Field(ge=1, le=64)] = 4

    @field_serializer("frameskip", when_used="json")
    def _as_written(self, value: tuple[int, int]) -> int | tuple[int, int]:
        return value[0] if value[0] == value[1] else value
