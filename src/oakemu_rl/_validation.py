# SPDX-License-Identifier: GPL-3.0-or-later
"""Pydantic's errors in plain words: what was given, what is allowed, the nearest match."""

import typing
from collections.abc import Iterator, Mapping
from types import UnionType
from typing import NamedTuple

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from oakemu_rl.errors import UserError, nearest

__all__ = ["Complaint", "LocatedError", "describe_errors", "shorten"]

_Location = tuple[int | str, ...]
_PLAIN_WORDS = {
    "int_type": "a whole number",
    "int_parsing": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "float_parsing": "a number",
    "bool_type": "true or false",
    "bool_parsing": "true or false",
    "string_type": "a text (in quotes if it looks like a number)",
    "model_type": "a mapping (key: value)",
    "model_attributes_type": "a mapping (key: value)",
    "dict_type": "a mapping (key: value)",
    "list_type": "a list",
    "tuple_type": "a list",
}


class Complaint(NamedTuple):
    """One error: where it is, in words, and whether the key (not its value) is at fault or a character of a text."""

    loc: _Location
    message: str
    about_key: bool = False
    offset: int | None = None


class LocatedError(UserError):
    """A validator's complaint about something further in than the value it was called for.

    Args:
        message: What is wrong, in one line.
        loc: The way from the validated value to the culprit.
        key: The culprit is the key rather than its value.
        offset: The character (from 0) of a text value at which it is wrong.
    """

    def __init__(
        self, message: str, loc: tuple[int | str, ...] = (), *, key: bool = False, offset: int | None = None
    ) -> None:
        super().__init__(message)
        self.loc = loc
        self.key = key
        self.offset = offset


def describe_errors(error: ValidationError, model: type[BaseModel]) -> Iterator[Complaint]:
    """Yields one complaint for each of pydantic's errors about `model`."""
    for details in error.errors(include_url=False):
        loc = details["loc"]
        cause = details.get("ctx", {}).get("error")
        if isinstance(cause, LocatedError):
            full = (*loc, *cause.loc)
            yield Complaint(full, _named(full, str(cause)), cause.key, cause.offset)
        elif details["type"] == "extra_forbidden":
            allowed = _keys_at(model, loc[:-1])
            message = f"unknown key {str(loc[-1])!r}{nearest(str(loc[-1]), allowed)}"
            yield Complaint(loc, message + (f"; allowed are {', '.join(allowed)}" if allowed else ""), about_key=True)
        elif details["type"] == "missing":
            parent = f" in {_dotted(loc[:-1])}" if len(loc) > 1 else ""
            yield Complaint(loc[:-1], f"the key {str(loc[-1])!r} is missing{parent}")
        else:
            yield Complaint(loc, _named(loc, _message(details)), about_key=loc[-1:] == ("[key]",))


def shorten(value: object, limit: int = 60) -> str:
    """The value as Python would print it, cut where it gets long."""
    text = repr(value)
    return text if len(text) <= limit else text[: limit - 3] + "..."


def _message(details: ErrorDetails) -> str:
    context = details.get("ctx", {})
    given = shorten(details["input"])
    if isinstance(context.get("error"), Exception):
        return str(context["error"])
    if details["type"] in _PLAIN_WORDS:
        return f"must be {_PLAIN_WORDS[details['type']]}, not {given}"
    if details["type"] in ("literal_error", "enum"):
        expected = str(context.get("expected", ""))
        words = [word.strip().strip("'") for word in expected.replace(" or ", ", ").split(",")]
        return f"must be {expected}, not {given}{nearest(str(details['input']), words)}"
    message = details["msg"]
    if message.startswith("Input should be "):
        return f"must be {message.removeprefix('Input should be ')}, not {given}"
    return f"{message[:1].lower()}{message[1:]}, not {given}"


def _named(loc: tuple[int | str, ...], message: str) -> str:
    return f"{_dotted(loc)}: {message}" if loc else message


def _dotted(loc: tuple[int | str, ...]) -> str:
    return ".".join(str(part) for part in loc if part != "[key]")


def _keys_at(model: type[BaseModel], loc: tuple[int | str, ...]) -> list[str]:
    """The keys that the models standing at `loc` know."""
    annotations: list[object] = [model]
    for part in loc:
        annotations = [inner for outer in annotations for inner in _step_into(outer, part)]
    options = [option for each in annotations for option in _options(each)]
    return [field.alias or name for option in options for name, field in _fields(option).items()]


def _step_into(annotation: object, part: int | str) -> Iterator[object]:
    for option in _options(annotation):
        field = next((field for name, field in _fields(option).items() if (field.alias or name) == part), None)
        if field is not None:
            yield field.annotation
            continue
        arguments = typing.get_args(option)
        origin = typing.get_origin(option)
        if isinstance(origin, type) and arguments:
            if issubclass(origin, Mapping):
                yield arguments[-1]
            elif isinstance(part, int):
                yield arguments[min(part, len(arguments) - 1)] if arguments[-1] is not ... else arguments[0]


def _options(annotation: object) -> Iterator[object]:
    """The members of a union, through Annotated; anything else is its only member."""
    origin = typing.get_origin(annotation)
    if origin is typing.Annotated:
        yield from _options(typing.get_args(annotation)[0])
    elif origin is typing.Union or origin is UnionType:
        for member in typing.get_args(annotation):
            yield from _options(member)
    else:
        yield annotation


def _fields(annotation: object) -> dict[str, typing.Any]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return dict(annotation.model_fields)
    return {}
