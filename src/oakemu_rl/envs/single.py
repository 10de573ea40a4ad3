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

from oakemu_rl.envs._base import CoreOwner
from oakemu_rl.envs._core_envs import CoreEnvs
from oakemu_rl.envs._observer import first_of
from oakemu_rl.envs._rendering import METADATA
from oakemu_rl.envs._reset_options import check_option_names, given_machines, start_numbers
from oakemu_rl.envs.hand_keys import keys_to_action
from oakemu_rl.envs.options import EnvKeywords
from oakemu_rl.envs.seeding import checked_seed, spare_seed
from oakemu_rl.errors import UserError
from oakemu_rl.games import Game

__all__ = ["SpectrumEnv"]

_ALL = np.ones(1, np.bool_)
_CORE_MAX = 2**63 - 1  # the core counts in 64 bits and checks what fits into them


class SpectrumEnv(CoreOwner, gymnasium.Env[Any, Any]):
    r"""A ZX Spectrum game as a Gymnasium environment.

    Observations are uint8 pictures (stack, height, width), channels first, oldest frame first; rgb ones have three
    channels a frame, and of ``"attributes"`` there are an ink and a paper. ``"ram"`` gives the RAM, (49152,),
    ``"variables"`` a dictionary of (1,) int64, and a list of types one dictionary of all. They are new arrays that
    never change afterwards.

    ``info`` has the same keys from the first reset on: every variable of the game by name, ``lives`` (if the game has
    them), ``frame_number`` (since the last seed), ``episode_frame_number``, ``episode_return`` (not clipped),
    ``episode_length`` (steps), ``outcome`` (``"running"``, ``"win"``, ``"loss"``, ``"truncated"``, ``"life_lost"``),
    ``is_success``, ``action_taken`` (the number, after stickiness and masks; -1 after a reset) and ``seeds`` (of the
    random stream); ``reward/<part>`` for each named part of the game's reward; ``start``, the number of the start
    state, where there are several; and where the game forbids actions, ``action_mask`` (A,).

    Args:
        game: An id, the path of a definition, or a `Game`.
        render_mode: None, ``"rgb_array"`` (240, 320, 3), or ``"human"`` (a window at the real machine's speed).
        **options: See `EnvKeywords`.

    Raises:
        UserError: The game is unknown or not usable, or an option is not allowed.
    """

    metadata: dict[str, Any] = METADATA

    def __init__(
        self, game: str | Path | Game, *, render_mode: str | None = None, **options: Unpack[EnvKeywords]
    ) -> None:
        self._set_up(game, render_mode, options)
        self._core = CoreEnvs(self.game, self.options, num_envs=1, num_threads=1, autoreset="disabled")
        self.observation_space = self._core.observation_space
        self.action_space = self._core.actions.space
        self._began = np.full(1, time.perf_counter())

    def reset(self, *, seed: int | None = None, options: Mapping[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Starts an episode.

        Args:
            seed: Starts the random stream of the environment; without one the stream goes on.
            options: ``start``: the name of the start state (otherwise one is drawn). ``state``: what `get_state`
                returned: the episode goes on from there instead (its random stream too, unless a seed is given).
                ``machine``: what `oakemu_rl.emulator.Spectrum.save_state` or `machine_state` returned: a fresh episode
                begins in that machine as it is, without no-op frames and random bytes; ``info["start"]`` is -1 then.
                Options hold for this reset only.

        Raises:
            UserError: The seed is none, an option is unknown, there is no such start state, the state is not one of
                such an environment, or the machine is of another model; then nothing has changed.
        """
        core = self._open()
        seed = None if seed is None else checked_seed(seed)
        checked = check_option_names(options, "start", "state", "machine")
        state = checked.get("state")
        machines = given_machines({"machines": [checked.get("machine")]}, [state], _ALL)
        starts = start_numbers(checked, self.game.start_names, [state], machines)
        core.check_machines(machines)
        if state is not None:
            core.set_state(0, state)  # before anything else, since it may be refused
        super().reset(seed=seed)
        spare = spare_seed(self.np_random_seed, self.np_random) if core.lacks_seeds else None
        self._begin([seed], _ALL, starts, {} if state is None else {0: state}, machines, spare)
        return first_of(core.observations(copy=True)), self._info(core)

    def step(self, action: SupportsIndex | npt.NDArray[Any]) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Holds the keys of an action for the frames of a step.

        Args:
            action: Its number; with ``action_type="multibinary"``, a 1 or 0 for each key, (K,).

        Returns:
            Observation, reward, terminated, truncated, info.

        Raises:
            TypeError: It is not one whole number where it should be.
            ValueError: There is no such action.
            RuntimeError: The episode has ended; reset first.
        """
        core = self._open()
        number = _action_number(action) if core.actions.inputs is None else core.actions.numbers_of([action], 1)[0]
        core.step(np.array([number], np.int64))
        return self._result(core)

    def step_held(
        self, action: SupportsIndex, held: npt.NDArray[np.uint8]
    ) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Plays a step in which each frame holds keys of its own: what somebody did who does not act in steps.

        Nothing is left to chance, and no limit cuts the step short.

        Args:
            action: The number of the action that it is taken for.
            held: What is held in its frames, (F, 9): rows as of `oakemu_rl.games.Game.action_table`.

        Returns:
            As `step`.

        Raises:
            TypeError: The action is not one whole number.
            ValueError: There is no such action, or the keys have another form.
            RuntimeError: The episode has ended; reset first.
        """
        core = self._open()
        core.step_held(0, _action_number(action), held)
        return self._result(core)

    def _result(self, core: CoreEnvs) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """What a step returns."""
        arrays = core.arrays
        terminated, truncated = bool(arrays.terminated[0]), bool(arrays.truncated[0])
        info = self._info(core)
        if self.options.episode_stats and (terminated or truncated):
            seconds = round(time.perf_counter() - self._began.item(0), 6)
            info["episode"] = {"r": info["episode_return"], "l": info["episode_length"], "t": seconds}
        self._show()
        return first_of(core.observations(copy=True)), float(arrays.rewards[0]), terminated, truncated, info

    def render(self) -> npt.NDArray[np.uint8] | None:
        """The picture with its border (240, 320, 3); None where a window shows it."""
        return self._draw()

    def close(self) -> None:
        """Frees the machine and closes the window; more than once is fine."""
        self._shut()

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """Which actions are allowed now, (A,); of MultiBinary ones every bit may be off and on, (2 K,)."""
        masks: npt.NDArray[np.bool_] = self._open().action_masks()[0]
        return masks

    def get_keys_to_action(self) -> dict[tuple[int, ...], Any]:
        """What to press for each action, as SDL's codes: with them ``gymnasium.utils.play.play(env)`` plays it."""
        return keys_to_action(self.game, self._open().actions)

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

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.game.id!r})"

    def _info(self, core: CoreEnvs) -> dict[str, Any]:
        return {key: _plain(key, column) for key, column in core.columns(copy=False).items()}


def _plain(key: str, column: npt.NDArray[Any]) -> object:
    if column.ndim > 1:
        return column[0].copy()
    # The seeds need all 64 bits, which a numpy scalar keeps when Gymnasium makes an array of it.
    return column[0] if key == "seeds" else column.item(0)


def _action_number(action: object) -> int:
    try:
        number = operator.index(action)  # type: ignore[arg-type]  # what is none raises
    except TypeError as error:
        raise TypeError(f"an action must be one whole number, its index, not {action!r}") from error
    if not -_CORE_MAX <= number <= _CORE_MAX:
        raise UserError(f"there is no action {number}")
    return number
