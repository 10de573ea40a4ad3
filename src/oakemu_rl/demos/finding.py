# SPDX-License-Identifier: GPL-3.0-or-later
"""Which file is meant by what a user calls a recording."""

from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path

from oakemu_rl.errors import UserError, nearest
from oakemu_rl.games.catalogue import find_id, shipped_files

__all__ = ["SUFFIX", "find_demo", "shipped_demos"]

SUFFIX = ".demo"


def shipped_demos() -> dict[str, Traversable]:
    """The recordings that ship with the package, by the id of their game."""
    folder = resources.files("oakemu_rl.games") / "recordings"
    entries = {entry.name.removesuffix(SUFFIX): entry for entry in folder.iterdir() if entry.name.endswith(SUFFIX)}
    games = {entry.name.removesuffix(".yaml"): game_id for game_id, entry in shipped_files().items()}
    return {games[name]: entry for name, entry in sorted(entries.items()) if name in games}


def find_demo(given: str | Path) -> Path | Traversable:
    """The file of a recording.

    Args:
        given: Its path, or the name or id of a game of which a recording ships with the package.

    Raises:
        UserError: It is neither; the message names the nearest.
    """
    path = Path(given)
    if path.suffix == SUFFIX or path.is_file():
        return path
    shipped = shipped_demos()
    try:
        return shipped[find_id(str(given), shipped)]
    except UserError:
        names = [entry.name.removesuffix(SUFFIX) for entry in shipped.values()]
        raise UserError(
            f"there is no recording {str(given)!r}{nearest(str(given), names)}; give a file ({SUFFIX}), or the name "
            f"of a game of which one ships: {', '.join(names)}"
        ) from None
