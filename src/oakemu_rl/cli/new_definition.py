# SPDX-License-Identifier: GPL-3.0-or-later
"""What the words that write a definition have in common."""

from collections.abc import Iterable
from pathlib import Path

from oakemu_rl.cli.files import check_writable
from oakemu_rl.errors import UserError
from oakemu_rl.games import list_games, schema_path
from oakemu_rl.games.definition import ID_PATTERN
from oakemu_rl.games.registry import YAML_SUFFIXES

__all__ = ["check_new", "file_of", "schema_line"]


def file_of(game_id: str) -> Path:
    """What to call the definition of a game: ``acorns.yaml`` for ``ZXSpectrum/Acorns-v0``."""
    name = game_id.rpartition("/")[2]
    return Path(f"{(name.rpartition('-v')[0] or name).lower()}.yaml")


def check_new(game_id: str, out: Path, targets: Iterable[Path], *, force: bool) -> None:
    """Sees to it that a definition can be written, before long work is done for it.

    Args:
        game_id: Its id.
        out: Its path.
        targets: All files that are about to be written.
        force: Whether they may exist.

    Raises:
        UserError: The id is none or taken, the name is none of a definition, a file exists or cannot be written.
    """
    if out.suffix.lower() not in YAML_SUFFIXES:
        raise UserError(f"--out: {out} is no name of a definition, which ends in .yaml")
    if not ID_PATTERN.fullmatch(game_id):
        raise UserError(f"--id: must be ZXSpectrum/Name-vN, as in ZXSpectrum/Acorns-v0, not {game_id!r}")
    if game_id in list_games():
        raise UserError(f"--id: {game_id} is a game already; take another name or version")
    for target in targets:
        if target.exists() and not force:
            raise UserError(f"{target} exists; --force replaces it, --out FILE.yaml writes to another place")
        check_writable(target)


def schema_line() -> str:
    """The comment by which editors find the JSON Schema of definitions, as the first line of one."""
    return f"# yaml-language-server: $schema={schema_path()}"
