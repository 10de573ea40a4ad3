# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes games known to Gymnasium: ``gymnasium.make("ZXSpectrum/Acorns-v0")`` and ``gymnasium.make_vec``."""

from pathlib import Path

from gymnasium.envs.registration import register, registry

from oakemu_rl import games

__all__ = ["register_all", "register_game"]

# As text, so that worker processes of any start method can make the environments.
_ENTRY_POINT = "oakemu_rl.envs:SpectrumEnv"
_VECTOR_ENTRY_POINT = "oakemu_rl.envs:SpectrumVectorEnv"


def register_all() -> None:
    """Registers the games that ship with the package; again does nothing."""
    for game_id in games.list_games():
        _register(game_id, game_id)


def register_game(path: str | Path) -> str:
    """Registers a game of the user's, in this process.

    What Gymnasium makes of the id carries the path, so ``gymnasium.make_vec(..., vectorization_mode="async")`` works
    with any start method. A function that runs in a started process and makes environments by the id alone has to
    register the game there.

    Args:
        path: Its definition file.

    Returns:
        The environment's id.

    Raises:
        UserError: The definition or its program is not usable, or the id belongs to another game.
    """
    game = games.register_game(path)
    _register(game.id, str(Path(path).resolve()))
    return game.id


def _register(game_id: str, game: str) -> None:
    # No max_episode_steps here: the core truncates by the game's own limit, which wrapping it again could only blur.
    if game_id not in registry:
        register(
            game_id,
            entry_point=_ENTRY_POINT,
            vector_entry_point=_VECTOR_ENTRY_POINT,
            kwargs={"game": game},
        )
