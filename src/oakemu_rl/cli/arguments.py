# SPDX-License-Identifier: GPL-3.0-or-later
"""Command-line flags out of pydantic models.

tyro sees a twin of the model whose values are plain texts, and gives help and splits the line; the values are then
converted and checked by the model itself, so that flags and YAML obey the same rules and complain in the same words.
"""

import contextlib
import dataclasses
import io
import itertools
import typing
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Annotated, Any, TypeVar

import tyro
import yaml
from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo

from oakemu_rl._validation import describe_errors
from oakemu_rl.cli.flag_fields import (
    extra_of,
    flag_of,
    flags_in,
    is_switch,
    metavar_of,
    options_of,
    sequences_of,
    spellings_of,
    submodel_of,
)
from oakemu_rl.cli.list_flags import is_flag, positional_first
from oakemu_rl.errors import UserError, nearest

__all__ = ["given_flags", "parse_flags", "validate_flags"]

_Model = TypeVar("_Model", bound=BaseModel)


def parse_flags(model: type[_Model], args: Sequence[str], *, prog: str, description: str = "") -> _Model:
    """A model out of a verb's arguments.

    Raises:
        UserError: Something that cannot be used; one line.
        SystemExit: Help was asked for and printed (code 0).
    """
    defaults = model.model_construct()
    return validate_flags(model, given_flags(model, args, prog=prog, description=description, defaults=defaults))


def given_flags(
    model: type[BaseModel], args: Sequence[str], *, prog: str, description: str = "", defaults: BaseModel
) -> dict[str, Any]:
    """The settings that the arguments give, nested as in the model; what is absent was not given.

    Args:
        model: What the flags stand for.
        args: The arguments after the verb.
        prog: ``oakemu-rl <verb>``, for the help.
        description: Text at the head of the help; the model's docstring if empty.
        defaults: What the help shows as defaults.

    Raises:
        UserError: An unknown flag, a missing value or a word too many; one line.
        SystemExit: Help was asked for and printed (code 0).
    """
    _refuse_unknown(model, args, prog)
    args = positional_first(model, args)
    complaint = io.StringIO()
    try:
        with contextlib.redirect_stderr(complaint):
            parsed = tyro.cli(_twin(model, defaults), args=args, prog=prog, description=description or model.__doc__)
    except SystemExit as stop:
        if stop.code in (0, None):
            raise
        raise UserError(f"{_condensed(complaint.getvalue())} (see {prog} --help)") from stop
    return _given(model, parsed, set(_mentioned_flags(args)))


def validate_flags(model: type[_Model], values: Mapping[str, Any]) -> _Model:
    """A model out of values that flags gave or overrode.

    Raises:
        UserError: A value that the model does not take, by the name of its flag.
    """
    try:
        return model.model_validate(values)
    except ValidationError as error:
        complaint = next(describe_errors(error, model))
        field = _field_at(model, complaint.loc)
        names = [str(part) for part in complaint.loc[: field[1]]]
        message = complaint.message.removeprefix(".".join(str(part) for part in complaint.loc) + ": ")
        raise UserError(f"{_display(names, field[0])}: {message}") from error


def _field_at(model: type[BaseModel], loc: tuple[int | str, ...]) -> tuple[FieldInfo | None, int]:
    """The field that an error is about, and how many parts of its way are names of fields."""
    field: FieldInfo | None = None
    current: type[BaseModel] | None = model
    for depth, part in enumerate(loc):
        if current is None or part not in current.model_fields:
            return field, depth
        field = current.model_fields[str(part)]
        current = submodel_of(field)
    return field, len(loc)


def _display(names: Sequence[str], field: FieldInfo | None) -> str:
    if field is not None and extra_of(field, "positional"):
        return str(extra_of(field, "metavar") or names[-1].upper())
    return flag_of(names) if names else "arguments"


class _Default(str):
    """A text that stands for what was not given: tyro hands defaults through as they are."""


class _Defaults(tuple[str, ...]):
    """The same for several texts."""


def _twin(model: type[BaseModel], defaults: BaseModel) -> type[Any]:
    """A dataclass with the model's fields, as texts."""
    fields: list[Any] = []
    for name, field in model.model_fields.items():
        value = getattr(defaults, name, None)
        inner = submodel_of(field)
        if inner is not None:
            nested = _twin(inner, value if isinstance(value, inner) else inner.model_construct())
            fields.append((name, nested, dataclasses.field(default_factory=nested)))
            continue
        kind: Any = str
        default: Any = _Default(_shown(value))
        if is_switch(field):
            kind, default = bool, bool(value)
        elif extra_of(field, "repeated"):
            kind, default = tuple[str, ...], _Defaults()
            if not extra_of(field, "positional"):
                kind = tyro.conf.UseAppendAction[kind]  # type: ignore[misc]  # the type is known when the program runs
        elif sequences_of(field):
            kind, default = tuple[str, ...], _Defaults(_shown(value).split(" "))
        if extra_of(field, "positional"):
            kind = tyro.conf.Positional[kind]  # type: ignore[misc]  # the type is known when the program runs
        settings = tyro.conf.arg(
            help=field.description or "",
            aliases=extra_of(field, "aliases"),
            metavar=None if is_switch(field) else metavar_of(field),
        )
        fields.append((name, Annotated[kind, settings], dataclasses.field(default=default)))
    twin = dataclasses.make_dataclass(model.__name__, fields, frozen=True)
    twin.__doc__ = (model.__doc__ or "").split("\n\n")[0]
    return twin


def _shown(value: object) -> str:
    """A default as the help shows it and as a flag would take it."""
    if isinstance(value, (list, tuple)):
        return " ".join(_shown(item) for item in value) if value else "[]"
    return "None" if value is None else str(value)


def _given(
    model: type[BaseModel], parsed: object, mentioned: AbstractSet[str], prefix: tuple[str, ...] = ()
) -> dict[str, Any]:
    """The values that differ from "not given", converted as far as YAML goes."""
    values: dict[str, Any] = {}
    for name, field in model.model_fields.items():
        value = getattr(parsed, name)
        inner = submodel_of(field)
        if inner is not None:
            nested = _given(inner, value, mentioned, (*prefix, name))
            if nested:
                values[name] = nested
        elif isinstance(value, bool):
            if mentioned & spellings_of((*prefix, name), field):
                values[name] = value
        elif extra_of(field, "repeated"):
            if value:
                values[name] = list(value)
        elif not isinstance(value, (_Default, _Defaults)):
            values[name] = _read(field, value)
    return values


def _read(field: FieldInfo, given: str | tuple[str, ...]) -> object:
    """A flag's text as the value that the same text in YAML would be, if it can be that."""
    if isinstance(given, str):
        return None if given == "None" else given
    text = " ".join(given)
    if "," in text or "[" in text:
        text = text if text.lstrip().startswith(("[", "{")) else f"[{text}]"
        with contextlib.suppress(yaml.YAMLError):
            return yaml.safe_load(text)
    if len(given) == 1 and len(sequences_of(field)) < len(options_of(field.annotation)):
        return None if given[0] == "None" else given[0]
    items = [typing.get_args(option)[0] for option in sequences_of(field)]
    rows = [item for item in items if typing.get_origin(item) is tuple]
    # Where plain numbers are as welcome as rows of them, words are plain: `--lr 1e-3 0`.
    width = len(typing.get_args(rows[0])) if rows and len(rows) == len(items) else 0
    return [list(given[i : i + width]) for i in range(0, len(given), width)] if width else list(given)


def _mentioned_flags(args: Sequence[str]) -> list[str]:
    """The flags among the arguments, in the spelling with hyphens."""
    own = itertools.takewhile(lambda arg: arg != "--", args)
    heads = [arg.partition("=")[0] for arg in own if is_flag(arg)]
    return [head.replace("_", "-") for head in heads]


def _refuse_unknown(model: type[BaseModel], args: Sequence[str], prog: str) -> None:
    known = {"--help", "-h"}.union(*(spellings_of(names, field) for names, field in flags_in(model)))
    for flag in _mentioned_flags(args):
        if flag.startswith("--") and flag not in known:
            # `--learning-rate` for `--ppo.learning-rate`: the last part alone is what people remember.
            same_end = [each for each in sorted(known) if each.rpartition(".")[2] == flag.removeprefix("--")]
            near = f" (did you mean {same_end[0]!r}?)" if same_end else nearest(flag, sorted(known))
            raise UserError(f"unknown flag {flag}{near}; {prog} --help lists them")


def _condensed(box: str) -> str:
    """The message inside tyro's box, in one line."""
    words: list[str] = []
    for line in box.splitlines():
        text = line.strip().strip("│").strip()
        if text.startswith("╭"):
            continue
        if text.startswith(("─", "╰")):
            break
        words += text.split()
    message = " ".join(words)
    return f"{message[:1].lower()}{message[1:]}".rstrip(".")
