# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads definitions and finds their programs, in the package or in a folder of the user's."""

import hashlib
from collections.abc import Collection
from importlib.resources.abc import Traversable
from pathlib import Path

from oakemu_rl.emulator.container import unpack
from oakemu_rl.errors import UserError
from oakemu_rl.games.catalogue import shipped_programs
from oakemu_rl.games.definition import Definition
from oakemu_rl.games.game import Game
from oakemu_rl.games.inheritance import DefinitionText, read_shipped_text, read_text
from oakemu_rl.games.library import Library
from oakemu_rl.games.program_source import PROGRAM_SUFFIXES
from oakemu_rl.yaml_source import validate

__all__ = [
    "MissingProgramError",
    "hashes_of",
    "load_definition",
    "read_game",
    "read_shipped_definition",
    "read_shipped_game",
]

_MAX_PROGRAM_BYTES = 4 << 20  # a tape for a 48K machine has about 1% of this


class MissingProgramError(UserError):
    """The program of a game is the user's to bring, and has not been brought."""


def load_definition(path: str | Path) -> Definition:
    """Reads a definition file.

    Raises:
        UserError: It cannot be read or is not a definition; ``file:line:column: what is wrong``.
    """
    return validate(Definition, read_text(path).source)


def read_game(path: str | Path) -> Game:
    """Reads a definition file and its program, which lies beside it or ships with the package.

    Raises:
        UserError: As `load_definition`, or the program is not there.
    """
    return _game(read_text(path))


def read_shipped_definition(entry: Traversable) -> Definition:
    """Reads one of `catalogue.shipped_files` without looking for its program.

    Raises:
        UserError: As `load_definition`.
    """
    return validate(Definition, read_shipped_text(entry).source)


def read_shipped_game(entry: Traversable) -> Game:
    """Reads one of `catalogue.shipped_files`.

    Raises:
        UserError: As `read_game`.
    """
    return _game(read_shipped_text(entry))


def _game(text: DefinitionText) -> Game:
    definition = validate(Definition, text.source)
    files = {}
    for loc, name in definition.files():
        if name not in files:
            files[name] = _read_file(name, text.folders, text.source.where(loc), ".".join(map(str, loc)))
    return Game(definition, _find_program(definition, text), files=files, source=text.source)


def _find_program(definition: Definition, text: DefinitionText) -> bytes:
    source = definition.program
    origin = text.source.where(("program", "bundled"))
    if source.bundled is not None:
        return _read_file(source.bundled, text.folders, origin, "program.bundled")
    hashes = source.sha256 or []
    try:
        beside = (_find_by_hash(folder, hashes) for folder in text.folders)
        program = next(filter(None, beside), None) or Library().find(definition.id, hashes)
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


def _read_file(name: str, folders: tuple[Traversable, ...], origin: str, field: str) -> bytes:
    """A file that a definition names: it lies beside it, or ships with the package."""
    for entry in (folder / name for folder in (*folders, shipped_programs())):
        try:
            if entry.is_file():
                content = entry.read_bytes()
                break
        except OSError as error:
            raise UserError(f"{origin}: the program {name} cannot be read: {error.strerror or error}") from error
    else:
        places = " or ".join(dict.fromkeys(str(folder) for folder in folders))
        raise UserError(f"{origin}: {field}: there is no {name} in {places}")
    if len(content) > _MAX_PROGRAM_BYTES:
        raise UserError(
            f"{origin}: the program {name} has {len(content)} bytes, at most {_MAX_PROGRAM_BYTES} are allowed"
        )
    return content
