# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads definitions and finds their programs, in the package or in a folder of the user's."""

import hashlib
from collections.abc import Collection
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path

from oakemu_rl.emulator.container import unpack
from oakemu_rl.errors import UserError
from oakemu_rl.games.definition import Definition
from oakemu_rl.games.game import Game
from oakemu_rl.games.library import Library
from oakemu_rl.games.program_source import PROGRAM_SUFFIXES
from oakemu_rl.yaml_source import Source, load_yaml, parse_yaml, validate

__all__ = [
    "MissingProgramError",
    "hashes_of",
    "load_definition",
    "read_game",
    "read_shipped_definition",
    "read_shipped_game",
    "shipped_definitions",
]

_PACKAGE = "oakemu_rl.games"
_MAX_PROGRAM_BYTES = 4 << 20  # a tape for a 48K machine has about 1% of this


class MissingProgramError(UserError):
    """The program of a game is the user's to bring, and has not been brought."""


def load_definition(path: str | Path) -> Definition:
    """Reads a definition file.

    Raises:
        UserError: It cannot be read or is not a definition; ``file:line:column: what is wrong``.
    """
    return validate(Definition, load_yaml(path))


def read_game(path: str | Path) -> Game:
    """Reads a definition file and its program, which lies beside it or ships with the package.

    Raises:
        UserError: As `load_definition`, or the program is not there.
    """
    return _game(load_yaml(path), Path(path).parent)


def shipped_definitions() -> list[Traversable]:
    """The definition files that ship with the package, by name."""
    folder = resources.files(_PACKAGE) / "definitions"
    return sorted((entry for entry in folder.iterdir() if entry.name.endswith(".yaml")), key=lambda entry: entry.name)


def read_shipped_definition(entry: Traversable) -> Definition:
    """Reads one of `shipped_definitions` without looking for its program.

    Raises:
        UserError: As `load_definition`.
    """
    return validate(Definition, parse_yaml(entry.read_text(encoding="utf-8"), name=entry.name))


def read_shipped_game(entry: Traversable) -> Game:
    """Reads one of `shipped_definitions`.

    Raises:
        UserError: As `read_game`.
    """
    source = parse_yaml(entry.read_text(encoding="utf-8"), name=entry.name)
    return _game(source, resources.files(_PACKAGE) / "programs")


def _game(source: Source, folder: Traversable) -> Game:
    definition = validate(Definition, source)
    return Game(definition, _find_program(definition, folder, source.where(("program", "bundled"))))


def _find_program(definition: Definition, folder: Traversable, origin: str) -> bytes:
    source = definition.program
    if source.bundled is not None:
        return _read_bundled(source.bundled, folder, origin)
    hashes = source.sha256 or []
    try:
        program = _find_by_hash(folder, hashes) or Library().find(definition.id, hashes)
    except OSError as error:
        raise UserError(f"{origin}: cannot look for the program: {error}") from error
    if program is not None:
        return program
    hint = f" ({' '.join(source.hint.split())})" if source.hint else ""
    which = f"a file with the SHA-256 {' or '.join(hashes)}" if hashes else "a tape or a snapshot of it"
    raise MissingProgramError(
        f"{origin}: the program of {definition.id} is a file that you bring{hint}: {which}; give it once to "
        f"oakemu-rl games add FILE --game {definition.name}"
    )


def _find_by_hash(folder: Traversable, hashes: Collection[str]) -> bytes | None:
    """The first file of the folder, by name, that is or holds what has one of these SHA-256."""
    if not hashes:
        return None
    candidates = [entry for entry in folder.iterdir() if entry.name.lower().endswith(PROGRAM_SUFFIXES)]
    for entry in sorted(candidates, key=lambda entry: entry.name):
        if entry.is_file():
            data = entry.read_bytes()
            if not set(hashes).isdisjoint(hashes_of(data, entry.name)):
                return data
    return None


def hashes_of(data: bytes, name: str) -> tuple[str, ...]:
    """The SHA-256 of a file, and of the program that is packed in it."""
    try:
        content = unpack(data, name).data
    except UserError:
        content = data  # no archive, or a broken one: it is what it is
    return tuple(dict.fromkeys(hashlib.sha256(each).hexdigest() for each in (data, content)))


def _read_bundled(name: str, folder: Traversable, origin: str) -> bytes:
    shipped = resources.files(_PACKAGE) / "programs"
    for entry in (folder / name, shipped / name):
        try:
            if entry.is_file():
                content = entry.read_bytes()
                break
        except OSError as error:
            raise UserError(f"{origin}: the program {name} cannot be read: {error.strerror or error}") from error
    else:
        raise UserError(f"{origin}: program.bundled: there is no {name} in {folder}")
    if len(content) > _MAX_PROGRAM_BYTES:
        raise UserError(
            f"{origin}: the program {name} has {len(content)} bytes, at most {_MAX_PROGRAM_BYTES} are allowed"
        )
    return content
