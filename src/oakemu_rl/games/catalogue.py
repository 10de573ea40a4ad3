# SPDX-License-Identifier: GPL-3.0-or-later
"""The definition files that are known by the ids in them: those that ship with the package, and the user's."""

import re
from collections.abc import Iterable
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path

from oakemu_rl._validation import shorten
from oakemu_rl.errors import UserError, nearest
from oakemu_rl.games.library import Library

__all__ = [
    "YAML_SUFFIXES",
    "find_id",
    "name_and_version",
    "shipped_files",
    "shipped_programs",
    "unnamed_definitions",
    "users_files",
]

YAML_SUFFIXES = (".yaml", ".yml")
"""How the paths of definitions end; anything else is an id or a name."""

_PACKAGE = "oakemu_rl.games"


@cache
def shipped_files() -> dict[str, Traversable]:
    """The definitions that ship, by id. Only the line with the id is looked at, as importing Gymnasium asks for it."""
    folder = resources.files(_PACKAGE) / "definitions"
    found = {}
    for entry in sorted(folder.iterdir(), key=lambda entry: entry.name):
        if entry.name.endswith(".yaml"):
            game_id = _id_in(entry.read_text(encoding="utf-8"))
            if game_id is None:
                raise UserError(f"{entry.name}: the definition has no line with its id")
            found[game_id] = entry
    return found


def shipped_programs() -> Traversable:
    """The folder of the tapes that ship."""
    return resources.files(_PACKAGE) / "programs"


def users_files() -> dict[str, Path]:
    """The user's definitions by id. One without an id is told of when somebody asks for it by its path."""
    found = {}
    for path in Library().definitions:
        game_id = _read_id(path)
        if game_id is not None and game_id not in shipped_files():
            found[game_id] = path
    return found


def unnamed_definitions() -> list[Path]:
    """The user's definition files that no id leads to, as they have none or cannot be read."""
    named = set(users_files().values()) | {path for path in Library().definitions if _read_id(path) in shipped_files()}
    return [path for path in Library().definitions if path not in named]


def find_id(game: str, known: Iterable[str]) -> str:
    """The id that is meant by an id or a name, with or without a version, in any case, words joined in any way.

    Args:
        game: What was given.
        known: The ids to choose from.

    Raises:
        UserError: None is meant; the message names the nearest and all.
    """
    ids = sorted(known, key=name_and_version)
    wanted = game.strip().lower()
    for spelt in (str, _joined):  # as it is written first: only the second way leaves it open which of two is meant
        for game_id in reversed(ids):  # the highest version first
            if spelt(wanted) in map(spelt, _spellings(game_id)):
                return game_id
    guess = nearest(wanted, [spelling for game_id in ids for spelling in _spellings(game_id)])
    raise UserError(
        f"unknown game {shorten(game)}{guess}; there are {', '.join(ids) or 'none'}, "
        "or give the path of a definition file (.yaml)"
    )


def name_and_version(game_id: str) -> tuple[str, int]:
    """What ids are sorted by."""
    name, _, version = game_id.rpartition("-v")
    return name, int(version) if version.isdecimal() else -1


def _spellings(game_id: str) -> tuple[str, str, str]:
    lower = game_id.lower()
    with_version = lower.rpartition("/")[2]
    return lower, with_version, with_version.rpartition("-v")[0]


def _joined(spelling: str) -> str:
    """Without what people put between words: ``night_raid`` and ``Night Raid`` are NightRaid."""
    return spelling.translate(str.maketrans("", "", "_- "))


def _read_id(path: Path) -> str | None:
    try:
        return _id_in(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError):
        return None


def _id_in(text: str) -> str | None:
    match = re.search(r"""^id:\s*(["']?)([^\s"'#]+)\1\s*(?:#.*)?$""", text, re.MULTILINE)
    return None if match is None else match[2]
