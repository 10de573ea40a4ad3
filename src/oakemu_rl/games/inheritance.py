# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads the text of a definition, laid over those of the definitions that it extends."""

from dataclasses import dataclass
from importlib.resources.abc import Traversable
from pathlib import Path

from oakemu_rl._validation import shorten
from oakemu_rl.errors import UserError
from oakemu_rl.games.catalogue import YAML_SUFFIXES, find_id, shipped_files, shipped_programs, users_files
from oakemu_rl.yaml_source import Source, load_yaml, parse_yaml

__all__ = ["DefinitionText", "read_shipped_text", "read_text"]


@dataclass(frozen=True)
class DefinitionText:
    """The text of a definition, with nothing left to be read.

    Attributes:
        source: The text; what came from an extended definition still knows in which file it stands.
        folders: Where files that it names may lie: beside it, then beside those that it extends.
    """

    source: Source
    folders: tuple[Traversable, ...]


def read_text(path: str | Path) -> DefinitionText:
    """Reads a definition file, and those that it extends.

    Raises:
        UserError: One of them cannot be read, or it extends what it must not; ``file:line:column: what is wrong``.
    """
    return _read_file(Path(path), str(path), ())


def read_shipped_text(entry: Traversable) -> DefinitionText:
    """As `read_text`, for one of `catalogue.shipped_files`."""
    return _read_shipped(entry, ())


def _read_file(path: Path, name: str, chain: tuple[str, ...]) -> DefinitionText:
    source = load_yaml(name)
    return _with_base(source, path.parent, path.parent, (*chain, str(path.resolve())))


def _read_shipped(entry: Traversable, chain: tuple[str, ...]) -> DefinitionText:
    source = parse_yaml(entry.read_text(encoding="utf-8"), name=entry.name)
    return _with_base(source, shipped_programs(), None, (*chain, entry.name))


def _with_base(source: Source, programs: Traversable, folder: Path | None, chain: tuple[str, ...]) -> DefinitionText:
    """Lays a text over the one that it extends, if any.

    Args:
        source: The text.
        programs: Where its programs lie.
        folder: Where paths of definitions begin; None for a definition that ships.
        chain: What has been read to get here, itself included.
    """
    data = source.data
    if not isinstance(data, dict) or data.get("extends") is None:
        return DefinitionText(source, (programs,))
    place = source.where(("extends",))
    given = data["extends"]
    if not isinstance(given, str):
        raise UserError(f"{place}: extends: must be the name of a game or the path of a file, not {shorten(given)}")
    if data.get("id") is None:
        raise UserError(f"{place}: extends: a definition that extends another one needs an id of its own")
    try:
        base = _read_base(given, folder, chain)
    except _BaseError as error:
        raise UserError(f"{place}: extends: {error}") from error
    return DefinitionText(source.laid_over(base.source), (programs, *base.folders))


class _BaseError(UserError):
    """What is wrong with the value of `extends` rather than with the file that it names."""


def _read_base(given: str, folder: Path | None, chain: tuple[str, ...]) -> DefinitionText:
    if given.lower().endswith(YAML_SUFFIXES) and folder is not None:
        path = folder / given
        if not path.is_file():
            raise _BaseError(f"there is no file {path}")
        _refuse_circle(chain, str(path.resolve()))
        return _read_file(path, str(path), chain)
    shipped, users = shipped_files(), users_files()
    try:
        game_id = find_id(given, [*shipped, *users])
    except UserError as error:
        raise _BaseError(str(error)) from error
    if game_id in users:
        _refuse_circle(chain, str(users[game_id].resolve()))
        return _read_file(users[game_id], str(users[game_id]), chain)
    _refuse_circle(chain, shipped[game_id].name)
    return _read_shipped(shipped[game_id], chain)


def _refuse_circle(chain: tuple[str, ...], following: str) -> None:
    if following in chain:
        names = [Path(name).name for name in (*chain[chain.index(following) :], following)]
        raise _BaseError(f"the definitions extend one another in a circle: {' -> '.join(names)}")
