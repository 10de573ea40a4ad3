# SPDX-License-Identifier: GPL-3.0-or-later
"""What the single and the vector environment have in common."""

import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
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
    _began: npt.NDArray[np.float64]  # seconds, (N,)

    def _set_up(self, game: str | Path | Game, render_mode: str | None, options: EnvKeywords) -> None:
        """Checks what was given and makes all but the core's part and the clock. Raises UserError."""
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

    def _begin(
        self,
        seeds: Sequence[int | None],
        mask: npt.NDArray[np.bool_],
        starts: npt.NDArray[np.int64] | None,
        states: Mapping[int, bytes],
        machines: Sequence[bytes | None],
        spare: int | None,
    ) -> None:
        """Starts episodes, in states and machines that the core has not refused.

        Args:
            seeds: What the user gave for each environment.
            mask: The environments that are reset, (N,).
            starts: The numbers of their start states, as of `CoreEnvs.reset`.
            states: What some of them go on from instead, by environment.
            machines: What some of them begin in, as of `CoreEnvs.reset`.
            spare: For streams that never had a seed, as of `CoreEnvs.seed`.
        """
        core = self._open()
        core.seed(seeds, mask, spare)
        fresh = mask.copy()
        fresh[list(states)] = False
        if fresh.any():
            core.reset(fresh, starts, machines)
        for i, state in states.items():
            core.set_state(i, state)
        if states and any(seed is not None for seed in seeds):  # which come before the streams of the states
            core.seed(seeds, mask & ~fresh, None)
        self._began[mask] = time.perf_counter()
        self._show()

    def _draw(self) -> npt.NDArray[np.uint8] | None:
        """The picture of the first environment; None where a window shows it."""
        return self._renderer.render(lambda: self._open().render(0), self)

    def _show(self) -> None:
        """After each step: the window, if there is one."""
        if self.render_mode == "human":
            self._draw()

    def _shut(self) -> None:
        self._renderer.close()
        self._core = None
