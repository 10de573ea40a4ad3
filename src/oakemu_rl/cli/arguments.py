# SPDX-License-Identifier: GPL-3.0-or-later
"""Command-line flags out of pydantic models.

tyro sees a twin of the model whose values are plain texts, and gives help and splits the line; the values are then
converted and checked by the model itself, so that flags and YAML obey the same rules and complain in the same words.

A field's `json_schema_extra` may hold ``positional`` (bool), ``aliases`` (list of flags), ``metavar`` (text) and
``repeated`` (bool: the flag takes one text and may be given many times, a positional many texts).
"""

import contextlib
import dataclasses
import io
import itertools
import typing
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, TypeVar

import tyro
import yaml
from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo

from oakemu_rl._validation import describe_errors
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
    complaint = io.StringIO()
    try:
        with contextlib.redirect_stderr(complaint):
            parsed = tyro.cli(
                _twin(model, defaults), args=list(args), prog=prog, description=description or model.__doc__
            )
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
        current = _submodel(field)
    return field, len(loc)


def _display(names: Sequence[str], field: FieldInfo | None) -> str:
    if field is not None and _extra(field, "positional"):
        return str(_extra(field, "metavar") or names[-1].upper())
    return _flag(names) if names else "arguments"


def _flag(names: Sequence[str]) -> str:
    return "--" + ".".join(names).replace("_", "-")


def _extra(field: FieldInfo, key: str) -> Any:  # noqa: ANN401  # JSON may hold anything
    extra = field.json_schema_extra
    return extra.get(key) if isinstance(extra, dict) else None


def _submodel(field: FieldInfo) -> type[BaseModel] | None:
    annotation = field.annotation
    return annotation if isinstance(annotation, type) and issubclass(annotation, BaseModel) else None


def _options(annotation: object) -> list[Any]:
    """The members of a union (through Annotated), without None."""
    origin = typing.get_origin(annotation)
    if origin is Annotated:
        return _options(typing.get_args(annotation)[0])
    if origin is typing.Union or origin is UnionType:
        return [option for member in typing.get_args(annotation) for option in _options(member)]
    return [] if annotation is NoneType else [annotation]


def _sequences(field: FieldInfo) -> list[Any]:
    return [option for option in _options(field.annotation) if typing.get_origin(option) in (list, tuple)]


def _is_flag(field: FieldInfo) -> bool:
    return _options(field.annotation) == [bool]


def _choices(field: FieldInfo) -> list[str]:
    options = _options(field.annotation)
    literal = len(options) == 1 and typing.get_origin(options[0]) is Literal
    return [str(choice) for choice in typing.get_args(options[0])] if literal else []


def _metavar(field: FieldInfo) -> str:
    given = _extra(field, "metavar")
    if given:
        return str(given)
    choices = _choices(field)
    if choices:
        return "{" + ",".join(choices) + "}"
    names = {int: "INT", float: "NUMBER", str: "TEXT"}
    words = [names.get(option, "PATH") for option in _options(field.annotation) if isinstance(option, type)]
    words += ["VALUES" for option in _sequences(field)]
    return "|".join(dict.fromkeys(words)) or "VALUE"


class _Default(str):
    """A text that stands for what was not given: tyro hands defaults through as they are."""


class _Defaults(tuple[str, ...]):
    """The same for several texts."""


def _twin(model: type[BaseModel], defaults: BaseModel) -> type[Any]:
    """A dataclass with the model's fields, as texts."""
    fields: list[Any] = []
    for name, field in model.model_fields.items():
        value = getattr(defaults, name, None)
        inner = _submodel(field)
        if inner is not None:
            nested = _twin(inner, value if isinstance(value, inner) else inner.model_construct())
            fields.append((name, nested, dataclasses.field(default_factory=nested)))
            continue
        kind: Any = str
        default: Any = _Default(_shown(value))
        if _is_flag(field):
            kind, default = bool, bool(value)
        elif _extra(field, "repeated"):
            kind, default = tuple[str, ...], _Defaults()
            if not _extra(field, "positional"):
                kind = tyro.conf.UseAppendAction[kind]  # type: ignore[misc]  # the type is known when the program runs
        elif _sequences(field):
            kind, default = tuple[str, ...], _Defaults(_shown(value).split(" "))
        if _extra(field, "positional"):
            kind = tyro.conf.Positional[kind]  # type: ignore[misc]  # the type is known when the program runs
        settings = tyro.conf.arg(
            help=field.description or "",
            aliases=_extra(field, "aliases"),
            metavar=None if _is_flag(field) else _metavar(field),
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
        inner = _submodel(field)
        if inner is not None:
            nested = _given(inner, value, mentioned, (*prefix, name))
            if nested:
                values[name] = nested
        elif isinstance(value, bool):
            if mentioned & _spellings((*prefix, name), field):
                values[name] = value
        elif _extra(field, "repeated"):
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
    if len(given) == 1 and len(_sequences(field)) < len(_options(field.annotation)):
        return None if given[0] == "None" else given[0]
    items = [typing.get_args(option)[0] for option in _sequences(field)]
    rows = [item for item in items if typing.get_origin(item) is tuple]
    # Where plain numbers are as welcome as rows of them, words are plain: `--lr 1e-3 0`.
    width = len(typing.get_args(rows[0])) if rows and len(rows) == len(items) else 0
    return [list(given[i : i + width]) for i in range(0, len(given), width)] if width else list(given)


def _spellings(names: tuple[str, ...], field: FieldInfo) -> set[str]:
    """Every form in which a field's flag may be written."""
    flag = _flag(names)
    head, dot, last = flag.removeprefix("--").rpartition(".")
    inverse = {f"--{head}{dot}no-{last}"} if _is_flag(field) else set()
    return {flag, *(_extra(field, "aliases") or ()), *inverse}


def _all_spellings(model: type[BaseModel], prefix: tuple[str, ...] = ()) -> Iterator[str]:
    for name, field in model.model_fields.items():
        inner = _submodel(field)
        if inner is not None:
            yield from _all_spellings(inner, (*prefix, name))
        elif not _extra(field, "positional"):
            yield from _spellings((*prefix, name), field)


def _mentioned_flags(args: Sequence[str]) -> list[str]:
    """The flags among the arguments, in the spelling with hyphens."""
    own = itertools.takewhile(lambda arg: arg != "--", args)
    heads = [arg.partition("=")[0] for arg in own if arg.startswith("-") and arg.lstrip("-")[:1].isalpha()]
    return [head.replace("_", "-") for head in heads]


def _refuse_unknown(model: type[BaseModel], args: Sequence[str], prog: str) -> None:
    known = {*_all_spellings(model), "--help", "-h"}
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
