# SPDX-License-Identifier: GPL-3.0-or-later
"""One environment."""

import operator
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, SupportsIndex, Unpack

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from gymnasium.error import ClosedEnvironmentError

from oakemu_rl.envs._core_envs import CoreEnvs
from oakemu_rl.envs._rendering import METADATA, Renderer, metadata_of
from oakemu_rl.envs._reset_options import check_option_names
from oakemu_rl.envs.options import EnvKeywords, EnvOptions
from oakemu_rl.envs.seeding import checked_seed
from oakemu_rl.errors import UserError
from oakemu_rl.games import Game, load_game

__all__ = ["SpectrumEnv"]

_ALL = np.ones(1, np.bool_)
_CORE_MAX = 2**63 - 1  # the core counts in 64 bits and checks what fits into them


class SpectrumEnv(gymnasium.Env[npt.NDArray[np.uint8], np.int64]):
    r"""A ZX Spectrum game as a Gymnasium environment.

    Observations are uint8 pictures (stack, height, width), channels first, oldest frame first; rgb ones have three
    channels a frame; ``obs_type="ram"`` gives the RAM, (49152,). They are new arrays that never change afterwards.

    ``info`` has the same keys from the first reset on: every variable of the game by name, ``lives`` (if the game has
    them), ``frame_number`` (since the last seed), ``episode_frame_number``, ``episode_return`` (not clipped),
    ``episode_length`` (steps), ``outcome`` (``"running"``, ``"win"``, ``"loss"``, ``"truncated"``, ``"life_lost"``),
    ``is_success``, ``action_taken`` (after stickiness; -1 after a reset) and ``seeds`` (of the random stream).

    Args:
        game: An id, the path of a definition, or a `Game`.
        render_mode: None, ``"rgb_array"`` (240, 320, 3), or ``"human"`` (a window at the real machine's speed).
        **options: See `EnvKeywords`.

    Raises:
        UserError: The game is unknown or not usable, or an option is not allowed.
    """

    metadata = METADATA

    def __init__(
        self, game: str | Path | Game, *, render_mode: str | None = None, **options: Unpack[EnvKeywords]
    ) -> None:
        self.game = load_game(game)
        self.options = EnvOptions.resolve(self.game, options)
        self._core: CoreEnvs | None = CoreEnvs(self.game, self.options, num_envs=1, num_threads=1, autoreset="disabled")
        self.metadata = metadata_of(self.options)  # this instance's own, never the class's
        self._renderer = Renderer(render_mode, self.game.definition.title, self.options)
        self.render_mode = render_mode
        # Gymnasium's Box does not say which of its dtypes it has.
        self.observation_space = self._core.observation_space  # type: ignore[assignment]
        self.action_space = spaces.Discrete(len(self._core.actions.names))
        self._began = time.perf_counter()

    def reset(
        self, *, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[npt.NDArray[np.uint8], dict[str, Any]]:
        """Starts an episode.

        Args:
            seed: Starts the random stream of the environment; without one the stream goes on.
            options: ``state``: what `get_state` returned: the episode goes on from there instead (its random stream
                too, unless a seed is given). Options hold for this reset only.

        Raises:
            UserError: The seed is none, an option is unknown, or the state is not one of such an environment; then
                nothing has changed.
        """
        core = self._open()
        seed = None if seed is None else checked_seed(seed)
        state = check_option_names(options, "state").get("state")
        if state is not None:
            core.set_state(0, state)  # before anything else, since it may be refused
        super().reset(seed=seed)
        core.seed([seed], _ALL, self._spare_seed() if core.lacks_seeds else None)
        if state is None:
            core.reset(_ALL)
        else:
            core.set_state(0, state)
            if seed is not None:
                core.seed([seed], _ALL, None)
        self._began = time.perf_counter()
        self._show()
        return core.observations(copy=True)[0], self._info(core)

    def step(self, action: SupportsIndex) -> tuple[npt.NDArray[np.uint8], float, bool, bool, dict[str, Any]]:
        """Holds the keys of an action for the frames of a step.

        Args:
            action: Its number.

        Returns:
            Observation, reward, terminated, truncated, info.

        Raises:
            TypeError: It is not one whole number.
            ValueError: There is no such action.
            RuntimeError: The episode has ended; reset first.
        """
        core = self._open()
        core.step(np.array([_action_number(action)], np.int64))
        arrays = core.arrays
        terminated, truncated = bool(arrays.terminated[0]), bool(arrays.truncated[0])
        info = self._info(core)
        if self.options.episode_stats and (terminated or truncated):
            seconds = round(time.perf_counter() - self._began, 6)
            info["episode"] = {"r": info["episode_return"], "l": info["episode_length"], "t": seconds}
        self._show()
        return core.observations(copy=True)[0], float(arrays.rewards[0]), terminated, truncated, info

    def render(self) -> npt.NDArray[np.uint8] | None:
        """The picture with its border (240, 320, 3); None where a window shows it."""
        return self._renderer.render(lambda: self._open().render(0), self)

    def close(self) -> None:
        """Frees the machine and closes the window; more than once is fine."""
        self._renderer.close()
        self._core = None

    def get_action_meanings(self) -> list[str]:
        """The names of the actions, by number."""
        return list(self._open().actions.names)

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """Which actions are allowed, (A,): all of them."""
        return np.ones(len(self._open().actions.names), np.bool_)

    def get_ram(self) -> npt.NDArray[np.uint8]:
        """A copy of the RAM, addresses 0x4000 to 0xFFFF, (49152,)."""
        return self._open().ram(0)

    def machine_state(self) -> bytes:
        """The machine alone, as `oakemu_rl.emulator.Spectrum.load_state` takes it."""
        return self._open().machine_state(0)

    def get_state(self) -> bytes:
        """All that decides what comes next: machine, random stream, figures of the episode, stacked frames."""
        return self._open().get_state(0)

    def set_state(self, state: bytes) -> None:
        """Goes back to what `get_state` returned, in any environment with the same game and options.

        Raises:
            UserError: The bytes are damaged, or of another configuration; then nothing has changed.
        """
        self._open().set_state(0, state)

    clone_state = get_state
    restore_state = set_state

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_began": time.perf_counter() - self._began}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._began = time.perf_counter() - self._began

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.game.id!r})"

    def _open(self) -> CoreEnvs:
        if self._core is None:
            raise ClosedEnvironmentError(f"{self!r} is closed")
        return self._core

    def _spare_seed(self) -> int:
        """From Gymnasium's generator: its own seed, or a draw if the user put a generator of theirs there."""
        seed = self.np_random_seed
        return seed if seed >= 0 else int(self.np_random.integers(2**63))

    def _info(self, core: CoreEnvs) -> dict[str, Any]:
        # The seeds need all 64 bits, which a numpy scalar keeps when Gymnasium makes an array of it.
        return {key: column[0] if key == "seeds" else column[:1].tolist()[0] for key, column in core.columns().items()}

    def _show(self) -> None:
        if self.render_mode == "human":
            self.render()


def _action_number(action: object) -> int:
    try:
        number = operator.index(action)  # type: ignore[arg-type]  # what is none raises
    except TypeError as error:
        raise TypeError(f"an action must be one whole number, its index, not {action!r}") from error
    if not -_CORE_MAX <= number <= _CORE_MAX:
        raise UserError(f"there is no action {number}")
    return number
