# SPDX-License-Identifier: GPL-3.0-or-later
"""The core's batch with its arrays: the one code path behind the single and the vector environment."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from oakemu_rl import _core
from oakemu_rl.emulator.saved_state import state_bytes
from oakemu_rl.envs._arrays import ArraySizes, StepArrays
from oakemu_rl.envs._info import Beginnings, Columns, InfoTable, with_ends_free
from oakemu_rl.envs._observer import Observation, Observer
from oakemu_rl.envs.actions import action_set
from oakemu_rl.envs.obs_types import PICTURES, kinds_of, picture_of
from oakemu_rl.envs.options import EnvOptions
from oakemu_rl.envs.seeding import stream_seed, stream_seeds
from oakemu_rl.errors import UserError
from oakemu_rl.games import Game

__all__ = ["DRAW_START", "CoreEnvs"]

DRAW_START = -1
"""Instead of the number of a start state: one is drawn."""


class CoreEnvs:
    """N environments of one game in the core, and the arrays that they write.

    It can be pickled: the copy goes on as the original would.

    Args:
        game: The game.
        options: How it is seen and stepped.
        num_envs: N.
        num_threads: Threads that step them.
        autoreset: ``"next_step"``, ``"same_step"`` or ``"disabled"``.

    Raises:
        UserError: The memory does not hold so many.
    """

    def __init__(self, game: Game, options: EnvOptions, *, num_envs: int, num_threads: int, autoreset: str) -> None:
        self.game = game
        self.options = options
        self.autoreset = autoreset
        self.num_envs = num_envs
        self._num_threads = num_threads
        self._info_table = InfoTable(game, options)
        self.actions = action_set(game, full=options.full_action_space, action_type=options.action_type)
        try:
            self._open()
            self._observer = Observer(game, options.obs_type, self._batch.observation_shape)
            self.arrays = StepArrays.allocate(self._sizes())
        except MemoryError as error:
            raise UserError(f"num_envs={num_envs} is more than the memory holds; take fewer") from error
        self._outputs = self.arrays.outputs()
        self.seeds = np.zeros(num_envs, np.uint64)
        self._seeded = np.zeros(num_envs, np.bool_)
        self._beginnings = Beginnings(np.zeros(num_envs, np.int64), np.zeros(num_envs, np.int64))

    def _open(self) -> None:
        options = self.options
        game = self.game.batch_arguments(reward=options.reward)
        game["actions"], game["noop_action"] = self.actions.table, self.actions.noop
        game["masks"] = self.actions.masks(game["masks"])
        picture = picture_of(options.obs_type)
        if picture is None:
            game["area"] = (0, 0, 1, 1)  # who looks at none needs no picture: the smallest one costs nothing
        self._batch = _core.Batch(
            **game,
            num_envs=self.num_envs,
            num_threads=self._num_threads,
            contention=options.contention,
            frameskip=options.frameskip,
            repeat_action_probability=options.repeat_action_probability,
            noops=options.noops,
            max_steps=options.max_steps,
            max_frames=options.max_frames,
            stall_steps=options.stall_steps,
            size=(1, 1) if picture is None else options.size,
            colour=PICTURES["ink" if picture is None else picture],
            stack=1 if picture is None else options.stack,
            maxpool=options.maxpool,
            episodic_life=options.episodic_life,
            reward_clipping=options.reward_clipping,
            autoreset=self.autoreset,
        )

    def _sizes(self) -> ArraySizes:
        return ArraySizes(
            num_envs=self.num_envs,
            picture=self._batch.observation_shape,
            variables=self._batch.num_variables,
            reward_parts=self._batch.num_rewards,
            actions=self._batch.num_actions,
            masked=self.game.has_masks,
            ram="ram" in kinds_of(self.options.obs_type),
            final=self.autoreset == "same_step",
        )

    def __getstate__(self) -> dict[str, Any]:
        state = self.__dict__.copy()
        del state["_batch"], state["_outputs"]
        state["_states"] = [self.get_state(i) for i in range(self.num_envs)]
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        states = state.pop("_states")
        self.__dict__.update(state)
        self._open()
        self._outputs = self.arrays.outputs()
        for i, each in enumerate(states):
            self._batch.set_state(i, each)

    @property
    def num_threads(self) -> int:
        """Threads in use."""
        return self._batch.num_threads

    @property
    def observation_space(self) -> spaces.Box | spaces.Dict:
        """The space of one environment's observations."""
        return self._observer.space

    def seed(self, seeds: Sequence[int | None], mask: npt.NDArray[np.bool_], spare: int | None) -> None:
        """Starts the streams of the environments in `mask` that have a seed.

        Args:
            seeds: What the user gave for each environment.
            mask: The environments that are about to be reset, (N,).
            spare: Gives streams to environments that never had a seed; None if there is no such environment.
        """
        fresh = mask & np.array([seed is not None for seed in seeds])
        for i in np.flatnonzero(fresh):
            given = seeds[int(i)]
            self.seeds[i] = stream_seed(0 if given is None else given)
        unseeded = mask & ~fresh & ~self._seeded
        if spare is not None and unseeded.any():
            self.seeds[unseeded] = stream_seeds(spare, self.num_envs)[unseeded]
            fresh |= unseeded
        self._batch.seed(self.seeds, fresh)
        self._seeded |= fresh

    @property
    def lacks_seeds(self) -> bool:
        """Whether some environment has never been given a seed."""
        return not self._seeded.all()

    def reset(
        self,
        mask: npt.NDArray[np.bool_],
        starts: npt.NDArray[np.int64] | None = None,
        machines: Sequence[bytes | None] = (),
    ) -> None:
        """Starts an episode in the environments in `mask` (N,); the other rows stay as they are.

        Args:
            mask: Which.
            starts: The numbers of their start states, (N,), or `DRAW_START`; None draws all.
            machines: Those that begin in a machine of their own, N or none; checked by `check_machines`.
        """
        self._batch.reset(mask, self._outputs, starts, machines)
        self._beginnings.note(self.arrays, mask)

    def check_machines(self, machines: Sequence[bytes | None]) -> None:
        """Checks what episodes are to begin in.

        Raises:
            UserError: One is no saved machine, damaged, or of another model than the game's.
        """
        try:
            self._batch.check_machines(machines)
        except ValueError as error:
            raise UserError(str(error)) from error

    def open_store(self) -> _core.SlotStore:
        """A store of states of environments like these."""
        return _core.SlotStore(self._batch)

    def open_explorer(self, **settings: Any) -> _core.Explorer:  # noqa: ANN401 - the core checks them
        """An exploration of what these environments play.

        Raises:
            UserError: A setting is not allowed.
        """
        try:
            return _core.Explorer(self._batch, **settings)
        except (TypeError, ValueError) as error:
            raise UserError(str(error).partition("\n")[0]) from error

    def store_state(self, store: _core.SlotStore, i: int) -> int:
        """Puts environment i into a store; returns its id there.

        Raises:
            UserError: The store is of another configuration.
        """
        try:
            return store.add(self._batch, i)
        except ValueError as error:
            raise UserError(str(error)) from error

    def step(self, actions: npt.NDArray[np.int64]) -> None:
        """Plays a step in every environment; actions (N,)."""
        self._batch.step(actions, self._outputs)

    def step_held(self, i: int, action: int, held: npt.NDArray[np.uint8]) -> None:
        """Plays a step in environment i in which each frame holds keys of its own, (F, 9)."""
        self._batch.step_held(i, action, held, self._outputs)

    def ended(self) -> npt.NDArray[np.bool_]:
        """The environments whose episode ended in the last step, (N,)."""
        return self.arrays.terminated | self.arrays.truncated

    def columns(self, *, copy: bool) -> Columns:
        """The figures of the last step."""
        return self._info_table.columns(self.arrays, self.seeds, self._masks(), copy=copy)

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """Which actions are allowed now, (N, A), a new array."""
        masks = self._masks()
        return np.ones((self.num_envs, self.actions.mask_width), np.bool_) if masks is None else masks.copy()

    def split_at_end(self, ended: npt.NDArray[np.bool_], *, copy: bool) -> tuple[Columns, Columns]:
        """The figures of the running and of the finished episodes, after a step in which some went on at once."""
        parts = self._info_table.split_at_end(self.arrays, self.seeds, ended, self._beginnings, copy=copy)
        self._beginnings.note_next(self.arrays, ended)
        return parts

    def observations(self, *, copy: bool) -> Observation:
        """The observations of the last step, (N, ...): an array, or a dictionary of arrays."""
        return self._observer.observe(self.arrays, copy=copy)

    def final_observation(self, i: int) -> Observation:
        """A copy of the last observation of environment i's finished episode (autoreset ``same_step``)."""
        return self._observer.final(self.arrays, i)

    def ram(self, i: int) -> npt.NDArray[np.uint8]:
        """A copy of environment i's RAM, (49152,)."""
        return self._batch.ram(i)

    def render(self, i: int) -> npt.NDArray[np.uint8]:
        """Environment i's picture with its border, (240, 320, 3)."""
        return self._batch.render(i)

    def machine_state(self, i: int) -> bytes:
        """Environment i's machine, as `oakemu_rl.emulator.Spectrum.load_state` takes it."""
        return self._batch.machine_state(i)

    def get_state(self, i: int) -> bytes:
        """All of environment i."""
        return self._batch.get_state(i)

    def set_state(self, i: int, state: bytes) -> None:
        """Puts back what `get_state` returned, and shows it in the arrays.

        Raises:
            UserError: The bytes are damaged, or of environments with another configuration.
        """
        try:
            self._batch.set_state(i, state_bytes(state))
        except ValueError as error:
            raise UserError(str(error)) from error
        mask = np.arange(self.num_envs) == i
        self._batch.observe(mask, self._outputs)
        self._beginnings.note(self.arrays, mask)

    def set_states(self, states: Mapping[int, bytes]) -> None:
        """`set_state` of environments by number: of all of them or, if one state is refused, of none.

        Raises:
            UserError: As `set_state`.
        """
        before: dict[int, bytes] = {}
        try:
            for i, state in states.items():
                kept = self.get_state(i)
                self.set_state(i, state)
                before[i] = kept
        except UserError:
            for i, kept in before.items():
                self.set_state(i, kept)
            raise

    def _masks(self) -> npt.NDArray[np.bool_] | None:
        masks = self.arrays.action_masks
        # Under same_step no episode is ever seen to have ended: the masks are those of the next one already.
        return masks if masks is None or self.autoreset == "same_step" else with_ends_free(masks, self.ended())
