# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the values of a list end: ``--demos a.demo b.demo caverns`` gives two recordings and a game."""

import math
import re
import typing
from collections.abc import Iterator, Sequence
from typing import Literal

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from oakemu_rl.cli.flag_fields import extra_of, flags_in, is_switch, options_of, sequences_of, spellings_of
from oakemu_rl.errors import nearest

__all__ = ["is_flag", "positional_first"]

_SEPARATORS = re.compile(r"[][,: ]+")


def positional_first(model: type[BaseModel], args: Sequence[str]) -> list[str]:
    """The arguments with those words in front that stand after a list but cannot be values of it.

    Only as many words move as the model has room for, and each list keeps its first, so that a wrong value is told as
    one.
    """
    words = list(args)
    lists, plain = _read(model, words)
    moved: list[str] = []
    for field, first, end in reversed(lists):
        while end > first and plain + len(moved) < _room(model) and not _fits(words[end - 1], field):
            end -= 1
            moved.insert(0, words.pop(end))
    return [*moved, *words]


def is_flag(word: str) -> bool:
    """Whether a word is a flag rather than a value, such as a negative number."""
    return word.startswith("-") and word.lstrip("-")[:1].isalpha()


def _read(model: type[BaseModel], words: Sequence[str]) -> tuple[list[tuple[FieldInfo, int, int]], int]:
    """Each list's field, with where its second value stands and where it ends; and how many words belong to no flag."""
    fields = {spelling: field for names, field in flags_in(model) for spelling in spellings_of(names, field)}
    lists: list[tuple[FieldInfo, int, int]] = []
    plain = at = 0
    while at < len(words):
        if words[at] == "--":
            return lists, plain + len(words) - at - 1
        if not is_flag(words[at]):
            plain += 1
            at += 1
            continue
        name, given, _ = words[at].partition("=")
        field = fields.get(name.replace("_", "-"))
        most = 0 if given or field is None or is_switch(field) else math.inf if _is_list(field) else 1
        end = at + 1
        while end - at <= most and end < len(words) and words[end] != "--" and not is_flag(words[end]):
            end += 1
        if field is not None and most > 1:
            lists.append((field, at + 2, end))
        at = end
    return lists, plain


def _is_list(field: FieldInfo) -> bool:
    return bool(sequences_of(field)) and not extra_of(field, "repeated")


def _room(model: type[BaseModel]) -> float:
    """How many words a model takes that belong to no flag."""
    positional = [field for field in model.model_fields.values() if extra_of(field, "positional")]
    return math.inf if any(extra_of(field, "repeated") for field in positional) else len(positional)


def _fits(word: str, field: FieldInfo) -> bool:
    """Whether a word can be a value of a list; one that is nearly a choice counts as a slip of the finger."""
    suffix = extra_of(field, "suffix")
    if suffix:
        return word.endswith(suffix)
    kinds = set(_leaves(field.annotation))
    if kinds <= {int, float}:
        return all(_is_number(part) for part in _SEPARATORS.split(word) if part)
    choices = [str(kind) for kind in kinds]
    if all(isinstance(kind, str) for kind in kinds):
        return all(part in choices or nearest(part, choices) for part in _SEPARATORS.split(word) if part)
    return True


def _leaves(annotation: object) -> Iterator[object]:
    """The types and choices of which lists of a field are made."""
    for option in options_of(annotation):
        inner = [each for each in typing.get_args(option) if each is not ...]
        if typing.get_origin(option) is Literal:
            yield from inner
        elif inner:
            for each in inner:
                yield from _leaves(each)
        else:
            yield option


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return text == "None"
    return True
