# SPDX-License-Identifier: GPL-3.0-or-later
"""What the single and the vector environment have in common."""

import time
from pathlib import Path
from typing import Any

from gymnasium.error import ClosedEnvironmentError

from oakemu_rl.envs._core_envs import CoreEnvs
from oakemu_rl.envs._rendering import Renderer, metadata_of
from oakemu_rl.envs.options import EnvKeywords, EnvOptions
from oakemu_rl.games import Game, load_game

__all__ = ["CoreOwner"]


class CoreOwner:
    """Owns a `CoreEnvs` until it is closed, and knows since when its episodes have been running.

    Attributes:
        game: What is played.
        options: How it is seen and stepped.
        render_mode: As given.
        metadata: This instance's own, never the class's.
    """

    game: Game
    options: EnvOptions
    render_mode: str | None
    metadata: dict[str, Any]

    _core: CoreEnvs | None
    _began: Any  # seconds, one number or one an environment

    def _set_up(self, game: str | Path | Game, render_mode: str | None, options: EnvKeywords) -> None:
        """Checks what was given and makes all but the core's part. Raises UserError."""
        self.game = load_game(game)
        self.options = EnvOptions.resolve(self.game, options)
        self.metadata = metadata_of(self.options)
        self._core = None
        self._renderer = Renderer(render_mode, self.game.definition.title, self.options)
        self.render_mode = render_mode

    def get_action_meanings(self) -> list[str]:
        """The names of the actions, by number; of MultiBinary ones, the keys of the bits."""
        return self._open().actions.meanings

    def get_start_names(self) -> list[str]:
        """The names of the game's start states, by the number that ``info["start"]`` has where there are several."""
        return list(self.game.start_names)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_began": time.perf_counter() - self._began}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._began = time.perf_counter() - self._began

    def _open(self) -> CoreEnvs:
        if self._core is None:
            raise ClosedEnvironmentError(f"{self!r} is closed")
        return self._core

    def _shut(self) -> None:
        self._renderer.close()
        self._core = None
