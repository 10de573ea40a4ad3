# SPDX-License-Identifier: GPL-3.0-or-later
"""As much of JSON Schema (2020-12) as the schema of definitions uses; a word that it does not know is an error."""

import re
from collections.abc import Callable, Iterator
from typing import Any

__all__ = ["problems"]

TYPES: dict[str, Callable[[Any], bool]] = {
    "object": lambda value: isinstance(value, dict),
    "array": lambda value: isinstance(value, list),
    "string": lambda value: isinstance(value, str),
    "integer": lambda value: isinstance(value, int) and not isinstance(value, bool),
    "number": lambda value: isinstance(value, int | float) and not isinstance(value, bool),
    "boolean": lambda value: isinstance(value, bool),
    "null": lambda value: value is None,
}
ANNOTATIONS = {"$schema", "$defs", "title", "description", "default", "then", "else"}
LIMITS: dict[str, tuple[str, Callable[[Any, Any], bool]]] = {
    "minimum": ("number", lambda value, limit: value >= limit),
    "maximum": ("number", lambda value, limit: value <= limit),
    "minLength": ("string", lambda value, limit: len(value) >= limit),
    "maxLength": ("string", lambda value, limit: len(value) <= limit),
    "minItems": ("array", lambda value, limit: len(value) >= limit),
    "maxItems": ("array", lambda value, limit: len(value) <= limit),
    "minProperties": ("object", lambda value, limit: len(value) >= limit),
    "maxProperties": ("object", lambda value, limit: len(value) <= limit),
    "pattern": ("string", lambda value, pattern: re.search(pattern, value) is not None),
    "required": ("object", lambda value, names: set(names) <= set(value)),
}


def problems(value: Any, schema: Any, whole: Any, path: str = "") -> Iterator[str]:
    """Where and why a value is not what a schema, a part of `whole`, describes."""
    if schema is False:
        yield f"{path}: not allowed"
        return
    for word, rule in schema.items() if schema is not True else ():
        if word in LIMITS:
            kind, holds = LIMITS[word]
            if TYPES[kind](value) and not holds(value, rule):
                yield f"{path}: {word} {rule}"
        elif word == "type":
            kinds = [rule] if isinstance(rule, str) else rule
            if not any(TYPES[each](value) for each in kinds):
                yield f"{path}: type {rule}"
        elif word == "enum":
            if value not in rule:
                yield f"{path}: enum"
        elif word not in ANNOTATIONS:
            yield from NESTED[word](value, rule, schema, whole, path)


def _ref(value: Any, rule: str, _: Any, whole: Any, path: str) -> Iterator[str]:
    yield from problems(value, whole["$defs"][rule.removeprefix("#/$defs/")], whole, path)


def _if(value: Any, rule: Any, schema: Any, whole: Any, path: str) -> Iterator[str]:
    branch = "else" if any(problems(value, rule, whole)) else "then"
    yield from problems(value, schema.get(branch, True), whole, path)


def _any_of(value: Any, rule: Any, _: Any, whole: Any, path: str) -> Iterator[str]:
    found = [list(problems(value, option, whole, path)) for option in rule]
    if all(found):
        yield min(found, key=len)[0]


def _one_of(value: Any, rule: Any, _: Any, whole: Any, path: str) -> Iterator[str]:
    if sum(not any(problems(value, option, whole)) for option in rule) != 1:
        yield f"{path}: oneOf"


def _properties(value: Any, rule: Any, _: Any, whole: Any, path: str) -> Iterator[str]:
    for name in value if isinstance(value, dict) else ():
        if name in rule:
            yield from problems(value[name], rule[name], whole, f"{path}.{name}")


def _additional(value: Any, rule: Any, schema: Any, whole: Any, path: str) -> Iterator[str]:
    for name in value if isinstance(value, dict) else ():
        if name not in schema.get("properties", {}):
            yield from problems(value[name], rule, whole, f"{path}.{name}")


def _names(value: Any, rule: Any, _: Any, whole: Any, path: str) -> Iterator[str]:
    for name in value if isinstance(value, dict) else ():
        yield from problems(name, rule, whole, f"{path}.{name}")


def _prefix(value: Any, rule: Any, _: Any, whole: Any, path: str) -> Iterator[str]:
    for index, (item, part) in enumerate(zip(value, rule, strict=False) if isinstance(value, list) else ()):
        yield from problems(item, part, whole, f"{path}.{index}")


def _items(value: Any, rule: Any, schema: Any, whole: Any, path: str) -> Iterator[str]:
    first = len(schema.get("prefixItems", ()))
    for index, item in enumerate(value[first:] if isinstance(value, list) else ()):
        yield from problems(item, rule, whole, f"{path}.{first + index}")


NESTED: dict[str, Callable[..., Iterator[str]]] = {
    "$ref": _ref,
    "if": _if,
    "anyOf": _any_of,
    "oneOf": _one_of,
    "properties": _properties,
    "additionalProperties": _additional,
    "propertyNames": _names,
    "prefixItems": _prefix,
    "items": _items,
}
