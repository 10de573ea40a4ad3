# SPDX-License-Identifier: GPL-3.0-or-later
"""Which of the known games a file is the program of."""

import hashlib
from collections.abc import Collection
from importlib import resources

from oakemu_rl.games.definition import Definition
from oakemu_rl.games.files import shipped_definitions
from oakemu_rl.games.program_source import ProgramSource
from oakemu_rl.games.registry import list_games, load_game
from oakemu_rl.yaml_source import parse_yaml, validate

__all__ = ["games_of_program"]


def games_of_program(hashes: Collection[str]) -> tuple[str, ...]:
    """The ids of the known games whose program has one of these SHA-256.

    Args:
        hashes: In hexadecimal digits, lower case; of a packed file those of the file and of what is in it.

    Raises:
        UserError: A definition that ships with the package is not usable.
    """
    found = {}
    for entry in shipped_definitions():
        definition = validate(Definition, parse_yaml(entry.read_text(encoding="utf-8"), name=entry.name))
        found[definition.id] = _hashes(definition.program)
    for game_id in list_games():
        if game_id not in found:  # registered in this process
            found[game_id] = {hashlib.sha256(load_game(game_id).program).hexdigest()}
    return tuple(game_id for game_id, known in sorted(found.items()) if known.intersection(hashes))


def _hashes(source: ProgramSource) -> set[str]:
    if source.bundled is None:
        return set(source.sha256 or ())
    program = resources.files("oakemu_rl.games") / "programs" / source.bundled
    return {hashlib.sha256(program.read_bytes()).hexdigest()}
