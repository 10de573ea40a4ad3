# SPDX-License-Identifier: GPL-3.0-or-later
"""YAML whose every error says file, line and column.

The text is composed into YAML's node tree, which knows where each key and value stands, and only then turned into plain
data. Scalars follow ``yaml.safe_load`` with two differences: ``1e-4`` is a number (as in YAML 1.2), and keys are always
text, so that an action may be called ``no`` or ``1``. Tags, aliases and duplicate keys are refused.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import yaml
from pydantic import BaseModel, ValidationError

from oakemu_rl._validation import Complaint, describe_errors
from oakemu_rl.errors import UserError, nearest

__all__ = ["Location", "Source", "load_yaml", "parse_yaml", "validate"]

Location = tuple[int | str, ...]
"""The way from the root to a value: keys of mappings and indices of sequences."""

_Model = TypeVar("_Model", bound=BaseModel)
_STANDARD = "tag:yaml.org,2002:"
_TEXT_TAGS = frozenset(_STANDARD + kind for kind in ("str", "timestamp", "merge", "value"))
_MAX_DEPTH = 50


class _Loader(yaml.SafeLoader):
    """The safe loader, with YAML 1.2's notion of a float."""


_Loader.add_implicit_resolver(
    _STANDARD + "float", re.compile(r"^[-+]?(?:\d+(?:\.\d*)?|\.\d+)[eE][-+]?\d+$"), list("-+.0123456789")
)


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a key or a value starts, counted from 1; `inner` is the column of a one-line scalar's first character."""

    file: str
    line: int
    column: int
    inner: int | None = None


@dataclass(frozen=True)
class Source:
    """A parsed YAML text.

    Attributes:
        name: What the text is called in messages (the path as it was given).
        data: Plain data: dict, list, str, int, float, bool, None.
    """

    name: str
    data: object
    _values: Mapping[Location, _Place]
    _keys: Mapping[Location, _Place]

    def where(self, loc: Location = (), *, key: bool = False, offset: int | None = None) -> str:
        """Where something stands in the text.

        Args:
            loc: The way to it. Parts that the text does not have (as pydantic adds for unions) are skipped.
            key: The key itself rather than its value.
            offset: Point at this character (from 0) of a text value, where that is possible.

        Returns:
            ``"file:line:column"``, both counted from 1.
        """
        return "{}:{}:{}".format(*self.position(loc, key=key, offset=offset))

    def position(self, loc: Location = (), *, key: bool = False, offset: int | None = None) -> tuple[str, int, int]:
        """As `where`, but file, line and column apart."""
        path: Location = ()
        for part in loc:
            if (*path, part) in self._values:
                path = (*path, part)
        place = self._keys[path] if key and path in self._keys else self._values[path]
        if offset is not None and place.inner is not None:
            return place.file, place.line, place.inner + offset
        return place.file, place.line, place.column

    def laid_over(self, base: "Source") -> "Source":
        """What this text says, and for the rest what `base` says; each value knows in which of them it stands.

        Mappings are merged key by key, the base's keys first; everything else is replaced. A key of the base is deleted
        by null.

        Raises:
            UserError: There is nothing to delete where this text says null.
        """
        values: dict[Location, _Place] = {}
        keys: dict[Location, _Place] = {}

        def keep(source: "Source", loc: Location) -> None:
            for kept, places in ((values, source._values), (keys, source._keys)):
                kept.update({at: place for at, place in places.items() if at[: len(loc)] == loc})

        def merge(over: object, under: object, loc: Location) -> object:
            if not (isinstance(over, dict) and isinstance(under, dict)):
                keep(self, loc)
                return over
            for name in over:
                if over[name] is None and name not in under:
                    guess = nearest(name, under)
                    raise UserError(f"{self.where((*loc, name))}: {base.name} has no {name!r} to delete{guess}")
            values[loc] = self._values[loc]
            merged: dict[str, object] = {}
            for name in dict.fromkeys((*under, *over)):
                at = (*loc, name)
                if name not in over:
                    keep(base, at)
                    merged[name] = under[name]
                elif over[name] is not None:
                    merged[name] = merge(over[name], under[name], at) if name in under else over[name]
                    keys[at] = self._keys[at]
                    if name not in under:
                        keep(self, at)
            return merged

        return Source(self.name, merge(self.data, base.data, ()), values, keys)


def load_yaml(path: str | Path) -> Source:
    """Reads and parses a YAML file.

    Raises:
        UserError: The file cannot be read or is not YAML as this module wants it; one line with the place.
    """
    try:
        text = Path(path).read_bytes().decode("utf-8")
    except UnicodeDecodeError as error:
        place = _place_after(error.object[: error.start].decode("utf-8"))
        what = f"byte {error.start} is {error.object[error.start]:#04x}"
        raise UserError(f"{path}{place}: not a UTF-8 text ({what})") from error
    except OSError as error:
        raise UserError(f"{path}: cannot be read: {error.strerror or error}") from error
    except ValueError as error:  # a path with a NUL character
        raise UserError(f"{str(path)!r} is not a path: {error}") from error
    return parse_yaml(text, name=str(path))


def parse_yaml(text: str, *, name: str) -> Source:
    """Parses a YAML text; `name` stands for the file in messages.

    Raises:
        UserError: The text is not YAML as this module wants it; one line with the place.
    """
    try:
        loader = _Loader(text)
        node = loader.get_single_node()
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = f":{mark.line + 1}:{mark.column + 1}" if mark else ""
        what = " ".join(str(part) for part in (error.context, error.problem) if part)
        raise UserError(f"{name}{place}: not valid YAML: {_one_line(what)}") from error
    except yaml.reader.ReaderError as error:
        place = _place_after(text[: error.position])
        raise UserError(
            f"{name}{place}: not valid YAML: the character U+{error.character:04X} is not allowed"
        ) from error
    except yaml.YAMLError as error:
        raise UserError(f"{name}: not valid YAML: {_one_line(str(error))}") from error
    except RecursionError as error:
        place = f":{loader.line + 1}:{loader.column + 1}"
        raise UserError(f"{name}{place}: nested too deeply (at most {_MAX_DEPTH} levels)") from error
    if node is None:
        return Source(name, None, {(): _Place(name, 1, 1)}, {})
    builder = _Builder(name, loader)
    data = builder.build(node, ())
    return Source(name, data, builder.values, builder.keys)


def validate(model: type[_Model], source: Source, *, loc: Location = ()) -> _Model:
    """Makes a pydantic model from a parsed text.

    Args:
        model: The model's class. Its validators may raise `oakemu_rl._validation.LocatedError` to point further in.
        source: What `load_yaml` returned.
        loc: The part of the text to use; the whole by default.

    Raises:
        UserError: ``file:line:column: what is wrong``; further errors are only counted.
    """
    data = source.data
    for part in loc:
        data = data[part]  # type: ignore[index]  # the caller names a part that exists
    try:
        return model.model_validate(data)
    except ValidationError as error:
        described = list(_placed(describe_errors(error, model), source, loc))
        described.sort(key=lambda item: item[0])
        more = f" (and {len(described) - 1} more)" if len(described) > 1 else ""
        raise UserError(_one_line(described[0][1]) + more) from error


def _placed(
    complaints: Iterable[Complaint], source: Source, loc: Location
) -> Iterator[tuple[tuple[bool, bool, int, int], str]]:
    for each in complaints:
        file, line, column = source.position((*loc, *each.loc), key=each.about_key, offset=each.offset)
        # A mistyped key also leaves its right name missing: the typing error is the one to show.
        order = (not each.about_key, file != source.name, line, column)
        yield order, f"{file}:{line}:{column}: {each.message}"


def _place_after(text: str) -> str:
    """Where the character after a text stands."""
    line_start = text.rfind("\n") + 1
    return f":{text.count(chr(10)) + 1}:{len(text) - line_start + 1}"


def _one_line(text: str) -> str:
    return " ".join(text.split())


class _Builder:
    """Turns nodes into data and notes where each stood."""

    def __init__(self, name: str, loader: _Loader) -> None:
        self._name = name
        self._loader = loader
        self.values: dict[Location, _Place] = {}
        self.keys: dict[Location, _Place] = {}
        self._seen: set[int] = set()

    def build(self, node: yaml.Node, loc: Location) -> object:
        if id(node) in self._seen:
            raise self._error(node, "anchors and aliases (&name, *name) are not supported; write the value out")
        if len(loc) > _MAX_DEPTH:
            raise self._error(node, f"nested too deeply (at most {_MAX_DEPTH} levels)")
        self._seen.add(id(node))
        self.values[loc] = _place(node, self._name)
        if isinstance(node, yaml.ScalarNode):
            return self._scalar(node)
        if isinstance(node, yaml.SequenceNode):
            self._check_tag(node, "seq")
            return [self.build(item, (*loc, index)) for index, item in enumerate(node.value)]
        self._check_tag(node, "map")
        return self._mapping(node, loc)

    def _mapping(self, node: yaml.Node, loc: Location) -> dict[str, object]:
        data: dict[str, object] = {}
        for key_node, value_node in node.value:
            if not isinstance(key_node, yaml.ScalarNode):
                raise self._error(key_node, "a key must be a plain word, not a list or mapping")
            self._scalar(key_node)
            key = str(key_node.value)
            if key in data:
                raise self._error(key_node, f"duplicate key {key!r} (first on line {self.keys[(*loc, key)].line})")
            self.keys[(*loc, key)] = _place(key_node, self._name)
            data[key] = self.build(value_node, (*loc, key))
        return data

    def _scalar(self, node: yaml.ScalarNode) -> object:
        text = str(node.value)
        plain = node.style is None
        implied = self._loader.resolve(yaml.ScalarNode, text, (plain, not plain))  # type: ignore[no-untyped-call]  # in the stubs
        if node.tag != implied:
            tag = node.tag.replace(_STANDARD, "!!")
            raise self._error(node, f"the tag {tag!r} is not supported; use quotes to make a text of a number")
        if node.tag in _TEXT_TAGS:
            return text
        try:
            return self._loader.construct_object(node)
        except ValueError as error:
            raise self._error(node, f"{text[:40]!r} is not a number: {error}") from error

    def _check_tag(self, node: yaml.Node, kind: str) -> None:
        if node.tag != _STANDARD + kind:
            raise self._error(node, f"the tag {node.tag.replace(_STANDARD, '!!')!r} is not supported")

    def _error(self, node: yaml.Node, message: str) -> UserError:
        return UserError(f"{self._name}:{node.start_mark.line + 1}:{node.start_mark.column + 1}: {_one_line(message)}")


def _place(node: yaml.Node, file: str) -> _Place:
    start, end = node.start_mark, node.end_mark
    inner = None
    if isinstance(node, yaml.ScalarNode) and start.line == end.line:
        quotes = 0 if node.style is None else 1
        if end.column - start.column == len(node.value) + 2 * quotes:  # no escapes inside
            inner = start.column + 1 + quotes
    return _Place(file, start.line + 1, start.column + 1, inner)
