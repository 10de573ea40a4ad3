# SPDX-License-Identifier: GPL-3.0-or-later
"""Many environments of one game, stepped together."""

import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Unpack

import numpy as np
import numpy.typing as npt
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from oakemu_rl._processors import usable_processors
from oakemu_rl.envs._base import CoreOwner
from oakemu_rl.envs._core_envs import CoreEnvs
from oakemu_rl.envs._info import in_vector_form
from oakemu_rl.envs._rendering import METADATA
from oakemu_rl.envs._reset_options import (
    check_option_names,
    given_machines,
    reset_mask,
    start_numbers,
    start_states,
)
from oakemu_rl.envs.options import EnvKeywords, check_count, check_flag
from oakemu_rl.envs.seeding import each_seed, spare_seed
from oakemu_rl.errors import UserError
from oakemu_rl.games import Game

__all__ = ["SpectrumVectorEnv"]

_MAX_ENVS = 1_000_000
_MAX_THREADS = 4096
_MODE_NAMES = {
    AutoresetMode.NEXT_STEP: "next_step",
    AutoresetMode.SAME_STEP: "same_step",
    AutoresetMode.DISABLED: "disabled",
}

_StepResult = tuple[Any, npt.NDArray[np.float64], npt.NDArray[np.bool_], npt.NDArray[np.bool_], dict[str, Any]]


class SpectrumVectorEnv(CoreOwner, VectorEnv[Any, npt.NDArray[Any], npt.NDArray[Any]]):
    """N environments of one game on the core's thread pool.

    Environment i of ``reset(seed=s)`` does what a `SpectrumEnv` does after ``reset(seed=s + i)``, whatever the number
    of threads. ``info`` has the keys of `SpectrumEnv`, each an (N,) array with its mask ``_key``; in autoreset mode
    SAME_STEP, ``final_obs`` and ``final_info`` with their masks hold the ends of finished episodes, as in Gymnasium's
    ``SyncVectorEnv``. With ``episode_stats``, ``episode`` (``r``, ``l``, ``t``) and ``_episode`` say what they came to.

    Args:
        game: An id, the path of a definition, or a `Game`.
        num_envs: N.
        num_threads: Threads that step them; None is one for each processor that this process may use.
        autoreset_mode: When a finished environment starts its next episode.
        copy: Whether what is returned are new arrays. Without, observations, rewards, ends and figures are the core's
            own arrays, which the next step overwrites.
        render_mode: None, ``"rgb_array"`` (``render`` returns a picture for each environment) or ``"human"`` (a window
            shows environment 0).
        **options: See `EnvKeywords`.

    Raises:
        UserError: The game is unknown or not usable, or an option is not allowed.
    """

    metadata: dict[str, Any] = METADATA

    def __init__(
        self,
        game: str | Path | Game,
        num_envs: int = 1,
        *,
        num_threads: int | None = None,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        copy: bool = True,
        render_mode: str | None = None,
        **options: Unpack[EnvKeywords],
    ) -> None:
        self._set_up(game, render_mode, options)
        self.num_envs = check_count("num_envs", num_envs, 1, _MAX_ENVS)
        threads = usable_processors() if num_threads is None else num_threads
        self.autoreset_mode = _autoreset_mode(autoreset_mode)
        self.metadata["autoreset_mode"] = self.autoreset_mode
        self._core = CoreEnvs(
            self.game,
            self.options,
            num_envs=self.num_envs,
            num_threads=check_count("num_threads", threads, 1, _MAX_THREADS),
            autoreset=_MODE_NAMES[self.autoreset_mode],
        )
        self.single_observation_space = self._core.observation_space
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.single_action_space = self._core.actions.space
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self._copy = check_flag("copy", copy)
        self._everywhere = np.ones(self.num_envs, np.bool_)
        self._everywhere.flags.writeable = False
        self._ended = np.zeros(self.num_envs, np.bool_)
        self._began = np.full(self.num_envs, time.perf_counter())

    @property
    def num_threads(self) -> int:
        """Threads in use: never more than environments."""
        return self._open().num_threads

    def reset(  # Gymnasium's own vector environments take lists of seeds, too
        self,
        *,
        seed: int | Sequence[int | None] | None = None,
        options: Mapping[str, Any] | None = None,
    ) -> tuple[Any, dict[str, Any]]:
        """Starts episodes.

        Args:
            seed: Starts the random streams: one seed an environment, or the first one's, from which the others count
                on. Without, streams go on.
            options: ``reset_mask``: which environments, (N,) bool; the others stay as they are. ``start``: the name of
                the start state, or one or None (drawn) for each environment. ``states``: bytes of `get_state` or None
                for each environment: where given, the episode goes on from there instead. ``machines``: bytes of
                `machine_state` (or of `oakemu_rl.emulator.Spectrum.save_state`) or None for each environment: where
                given, a fresh episode begins in that machine as it is, without no-op frames and random bytes, and
                ``info["start"]`` is -1. Options hold for this reset only, not for autoresets.

        Raises:
            UserError: The seeds, an option, a state or a machine is not allowed; then nothing has changed.
        """
        core = self._open()
        checked = check_option_names(options, "reset_mask", "start", "states", "machines")
        mask, states = reset_mask(checked, self.num_envs), start_states(checked, self.num_envs)
        machines = given_machines(checked, states, mask)
        starts = start_numbers(checked, self.game.start_names, states, machines)
        seeds = each_seed(seed, self.num_envs)
        given = {i: state for i, state in enumerate(states) if state is not None and mask[i]}
        core.check_machines(machines)
        core.set_states(given)  # before anything else, since one may be refused
        super().reset(seed=seeds[0] if seed is not None else None)
        self._ended[mask] = False
        spare = spare_seed(self.np_random_seed, self.np_random) if core.lacks_seeds else None
        self._begin(seeds, mask, starts, given, machines, spare)
        return core.observations(copy=self._copy), in_vector_form(core.columns(copy=self._copy), mask)

    def step(self, actions: npt.NDArray[Any]) -> _StepResult:
        """Plays a step in every environment.

        Args:
            actions: Their numbers, (N,); with ``action_type="multibinary"``, a 1 or 0 for each key, (N, K).

        Returns:
            Observations (N, ...), rewards (N,) float64, terminated (N,), truncated (N,), infos.

        Raises:
            UserError: They have another form.
            ValueError: There is no such action.
            RuntimeError: The mode is DISABLED and an environment's episode has ended; reset it first.
        """
        core = self._open()
        core.step(self._checked_actions(core, actions))
        was_ended, self._ended = self._ended, core.ended()
        infos = self._infos(core)
        if self.options.episode_stats:
            self._add_episode_stats(core, was_ended, infos)
        self._show()
        rewards, terminated, truncated = core.arrays.rewards, core.arrays.terminated, core.arrays.truncated
        if self._copy:
            rewards, terminated, truncated = rewards.copy(), terminated.copy(), truncated.copy()
        return core.observations(copy=self._copy), rewards, terminated, truncated, infos

    def _infos(self, core: CoreEnvs) -> dict[str, Any]:
        ended = self._ended
        if self.autoreset_mode is not AutoresetMode.SAME_STEP or not ended.any():
            return in_vector_form(core.columns(copy=self._copy), self._everyone())
        running, final = core.split_at_end(ended, copy=self._copy)
        infos = in_vector_form(running, self._everyone())
        final_obs = np.full(self.num_envs, None, dtype=object)
        for i in np.flatnonzero(ended):
            final_obs[i] = core.final_observation(int(i))
        infos["final_obs"], infos["_final_obs"] = final_obs, ended.copy()
        infos["final_info"], infos["_final_info"] = in_vector_form(final, ended.copy()), ended.copy()
        return infos

    def _everyone(self) -> npt.NDArray[np.bool_]:
        return self._everywhere.copy() if self._copy else self._everywhere

    def _add_episode_stats(self, core: CoreEnvs, was_ended: npt.NDArray[np.bool_], infos: dict[str, Any]) -> None:
        now = time.perf_counter()
        ended, arrays = self._ended, core.arrays
        if self.autoreset_mode is AutoresetMode.NEXT_STEP:
            self._began[was_ended] = now
        if ended.any():
            infos["episode"] = {
                "r": np.where(ended, arrays.episode_return, 0.0),
                "l": np.where(ended, arrays.episode_length, 0),
                "t": np.where(ended, np.round(now - self._began, 6), 0.0),
            }
            infos["_episode"] = ended.copy()
            self._began[ended] = now

    def render(self) -> tuple[npt.NDArray[np.uint8], ...] | None:
        """A picture with its border (240, 320, 3) for each environment; None where a window shows one."""
        if self.render_mode == "rgb_array":
            core = self._open()
            return tuple(core.render(i) for i in range(self.num_envs))
        self._draw()
        return None

    def close_extras(self, **kwargs: object) -> None:  # noqa: ARG002 - Gymnasium hands through what close() was given
        """Frees the machines and closes the window."""
        self._shut()

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """Which actions are allowed now, (N, A); of MultiBinary ones every bit may be off and on, (N, 2 K)."""
        return self._open().action_masks()

    def get_ram(self, i: int) -> npt.NDArray[np.uint8]:
        """A copy of environment i's RAM, addresses 0x4000 to 0xFFFF, (49152,)."""
        return self._open().ram(i)

    def machine_state(self, i: int) -> bytes:
        """Environment i's machine alone, as `oakemu_rl.emulator.Spectrum.load_state` takes it."""
        return self._open().machine_state(i)

    def get_state(self, i: int) -> bytes:
        """All that decides what environment i does next; a `SpectrumEnv` with the same options takes it as well."""
        return self._open().get_state(i)

    def set_state(self, i: int, state: bytes) -> None:
        """Takes environment i back to what `get_state` returned.

        Raises:
            UserError: The bytes are damaged, or of another configuration; then nothing has changed.
        """
        self._open().set_state(i, state)
        self._ended[i] = False

    def get_states(self) -> list[bytes]:
        """`get_state` of every environment."""
        core = self._open()
        return [core.get_state(i) for i in range(self.num_envs)]

    def set_states(self, states: Sequence[bytes]) -> None:
        """`set_state` of every environment.

        Raises:
            UserError: Their number is wrong, or as `set_state`; then nothing has changed.
        """
        if len(states) != self.num_envs:
            raise UserError(f"{len(states)} states were given for {self.num_envs} environments")
        self._open().set_states(dict(enumerate(states)))
        self._ended[:] = False

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.game.id!r}, num_envs={self.num_envs})"

    def _checked_actions(self, core: CoreEnvs, actions: object) -> npt.NDArray[np.int64]:
        if core.actions.inputs is not None:
            return core.actions.numbers_of(actions, self.num_envs)
        given = np.asarray(actions)
        if given.shape != (self.num_envs,) or given.dtype.kind not in "iu":
            raise UserError(
                f"actions must be {self.num_envs} whole numbers, shape ({self.num_envs},), not {given.dtype} of shape "
                f"{given.shape}"
            )
        return np.ascontiguousarray(given, dtype=np.int64)


def _autoreset_mode(value: AutoresetMode | str) -> AutoresetMode:
    """From the mode, or its name as Gymnasium (``NextStep``) or the core (``next_step``) spells it."""
    for mode, name in _MODE_NAMES.items():
        if value in (mode, mode.value, mode.name, name):
            return mode
    raise UserError(f"autoreset_mode must be one of {', '.join(mode.name for mode in _MODE_NAMES)}, not {value!r}")
