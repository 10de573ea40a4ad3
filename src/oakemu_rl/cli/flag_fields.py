# SPDX-License-Identifier: GPL-3.0-or-later
"""What the field of a model says about its flag.

A field's `json_schema_extra` may hold ``positional`` (bool), ``aliases`` (list of flags), ``metavar`` (text),
``repeated`` (bool: the flag takes one text and may be given many times, a positional many texts) and ``suffix`` (text:
how the values of a list end that are no names).
"""

import typing
from collections.abc import Iterator, Sequence
from types import NoneType, UnionType
from typing import Annotated, Any, Literal

from pydantic import BaseModel
from pydantic.fields import FieldInfo

__all__ = [
    "choices_of",
    "extra_of",
    "flag_of",
    "flags_in",
    "is_switch",
    "metavar_of",
    "options_of",
    "sequences_of",
    "spellings_of",
    "submodel_of",
]


def flag_of(names: Sequence[str]) -> str:
    """The flag of a field, by the names that lead to it: ``--ppo.grad-clip``."""
    return "--" + ".".join(names).replace("_", "-")


def extra_of(field: FieldInfo, key: str) -> Any:  # noqa: ANN401  # JSON may hold anything
    """What a field's `json_schema_extra` holds under a key; None if nothing."""
    extra = field.json_schema_extra
    return extra.get(key) if isinstance(extra, dict) else None


def submodel_of(field: FieldInfo) -> type[BaseModel] | None:
    """The model whose fields have flags of their own, if a field holds one."""
    annotation = field.annotation
    return annotation if isinstance(annotation, type) and issubclass(annotation, BaseModel) else None


def options_of(annotation: object) -> list[Any]:
    """The members of a union (through Annotated), without None."""
    origin = typing.get_origin(annotation)
    if origin is Annotated:
        return options_of(typing.get_args(annotation)[0])
    if origin is typing.Union or origin is UnionType:
        return [option for member in typing.get_args(annotation) for option in options_of(member)]
    return [] if annotation is NoneType else [annotation]


def sequences_of(field: FieldInfo) -> list[Any]:
    """The kinds of lists that a field may hold."""
    return [option for option in options_of(field.annotation) if typing.get_origin(option) in (list, tuple)]


def is_switch(field: FieldInfo) -> bool:
    """Whether a field's flag takes no value: ``--quiet``, ``--no-quiet``."""
    return options_of(field.annotation) == [bool]


def choices_of(field: FieldInfo) -> list[str]:
    """The only words that a field takes; none if it takes others."""
    options = options_of(field.annotation)
    literal = len(options) == 1 and typing.get_origin(options[0]) is Literal
    return [str(choice) for choice in typing.get_args(options[0])] if literal else []


def metavar_of(field: FieldInfo) -> str:
    """What stands for a field's value in the help."""
    given = extra_of(field, "metavar")
    if given:
        return str(given)
    choices = choices_of(field)
    if choices:
        return "{" + ",".join(choices) + "}"
    names = {int: "INT", float: "NUMBER", str: "TEXT"}
    words = [names.get(option, "PATH") for option in options_of(field.annotation) if isinstance(option, type)]
    words += ["VALUES" for option in sequences_of(field)]
    return "|".join(dict.fromkeys(words)) or "VALUE"


def spellings_of(names: tuple[str, ...], field: FieldInfo) -> set[str]:
    """Every form in which a field's flag may be written."""
    flag = flag_of(names)
    head, dot, last = flag.removeprefix("--").rpartition(".")
    inverse = {f"--{head}{dot}no-{last}"} if is_switch(field) else set()
    return {flag, *(extra_of(field, "aliases") or ()), *inverse}


def flags_in(model: type[BaseModel], prefix: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], FieldInfo]]:
    """The fields, also of models within, that flags stand for, each with the names that lead to it."""
    for name, field in model.model_fields.items():
        inner = submodel_of(field)
        if inner is not None:
            yield from flags_in(inner, (*prefix, name))
        elif not extra_of(field, "positional"):
            yield (*prefix, name), field
