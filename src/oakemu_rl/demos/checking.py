# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether a recording is of a game, and whether a machine that plays it does what was recorded."""

import hashlib

import numpy as np
from numpy.typing import NDArray

from oakemu_rl.demos.demo import Demo
from oakemu_rl.errors import UserError
from oakemu_rl.games import Game
from oakemu_rl.games.identity import fingerprint

__all__ = ["check_game", "ram_hash"]


def ram_hash(ram: NDArray[np.uint8]) -> int:
    """64 bits of BLAKE2b of a machine's RAM (`Spectrum.memory`)."""
    return int.from_bytes(hashlib.blake2b(np.ascontiguousarray(ram).data, digest_size=8).digest(), "little")


def check_game(demo: Demo, game: Game) -> None:
    """Refuses a recording of another game.

    Raises:
        UserError: The game differs, or its definition or program does.
    """
    if demo.game_id != game.id:
        raise UserError(f"the recording is of {demo.game_id}, not of {game.id}")
    own = fingerprint(game)
    if demo.fingerprint != own:
        raise UserError(
            f"the recording is of another definition or program of {game.id} (fingerprint {demo.fingerprint}, "
            f"this one is {own})"
        )
