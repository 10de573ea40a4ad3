# SPDX-License-Identifier: GPL-3.0-or-later
"""What T steps of N environments were, filled in row by row."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from oakemu_rl.ppo.errors import RolloutBufferError
from oakemu_rl.ppo.layout import copy_observations, empty_observations
from oakemu_rl.ppo.sequence_record import SequenceRecord

__all__ = ["RolloutRows"]


class RolloutRows:
    """Time-major storage of what was seen, done and got.

    Arguments and attributes are those of `RolloutBuffer`, which learns from the rows.
    """

    def __init__(
        self,
        rollout_length: int,
        num_envs: int,
        observation_shape: tuple[int, ...],
        observation_dtype: np.dtype[Any] | type[np.generic],
        masked_actions: int | None = None,
        state_size: int = 0,
    ) -> None:
        if rollout_length < 1 or num_envs < 1:
            raise ValueError(f"rollout_length and num_envs must be at least 1, got {rollout_length} and {num_envs}")
        self.rollout_length = rollout_length
        self.num_envs = num_envs
        self.observation_shape = tuple(observation_shape)
        cells = (rollout_length, num_envs)
        self.observations = empty_observations(cells, self.observation_shape, observation_dtype)
        self.actions = np.zeros(cells, dtype=np.int64)
        self.log_probs = np.zeros(cells, dtype=np.float32)
        self.values = np.zeros(cells, dtype=np.float32)
        self.rewards = np.zeros(cells, dtype=np.float32)
        self.dones = np.zeros(cells, dtype=np.float32)
        self.trainable = np.zeros(cells, dtype=np.bool_)
        self.action_masks = None if masked_actions is None else np.ones((*cells, masked_actions), dtype=np.bool_)
        self._sequences = SequenceRecord(rollout_length, num_envs, state_size) if state_size else None
        self._step = 0

    @property
    def step(self) -> int:
        """Rows filled so far."""
        return self._step

    @property
    def is_full(self) -> bool:
        """Whether all rows are filled."""
        return self._step == self.rollout_length

    @property
    def total_size(self) -> int:
        """Cells, trainable or not: rollout_length times num_envs."""
        return self.rollout_length * self.num_envs

    @property
    def trainable_size(self) -> int:
        """Trainable cells among the rows filled so far."""
        return int(np.count_nonzero(self.trainable[: self._step]))

    @property
    def memory_bytes(self) -> int:
        """What the arrays occupy."""
        own = sum(array.nbytes for array in self.__dict__.values() if isinstance(array, np.ndarray))
        return own + (0 if self._sequences is None else self._sequences.memory_bytes)

    def reset(self) -> None:
        """Forgets all rows; the memory is kept."""
        self._step = 0
        if self._sequences is not None:
            self._sequences.clear()
        self.trainable.fill(False)  # noqa: FBT003  # numpy's fill takes the value by position only

    def add(
        self,
        observations: ArrayLike,
        actions: ArrayLike,
        log_probs: ArrayLike,
        values: ArrayLike,
        rewards: ArrayLike,
        dones: ArrayLike,
        trainable: ArrayLike | None = None,
        action_masks: ArrayLike | None = None,
        resets: ArrayLike | None = None,
        states: ArrayLike | None = None,
    ) -> None:
        r"""Copies one step of all environments into the next row.

        Args:
            observations: (N, \*observation_shape), before the step, of the buffer's dtype.
            actions: (N,) integers.
            log_probs: (N,).
            values: (N,), of `observations`.
            rewards: (N,). A step cut short by a time limit brings its bootstrap, gamma times the value of the true last
                observation, in its reward.
            dones: (N,), whether the step ended an episode, by termination or truncation.
            trainable: (N,) bool; None for all.
            action_masks: (N, actions) bool, if and only if the buffer keeps them.
            resets: (N,) bool, of a recurrent network: where an episode begins with this row.
            states: (N, state_size), of a recurrent network: before this row; needed for the first, and where steps were
                left out before it.

        Raises:
            RolloutBufferError: The buffer is full.
            ValueError: A wrong shape or dtype; nothing has been written then.
        """
        if self.is_full:
            raise RolloutBufferError(f"the rollout buffer is full ({self.rollout_length} rows): reset it before adding")
        row = {
            "observations": np.asarray(observations),
            "actions": np.asarray(actions),
            "log_probs": np.asarray(log_probs),
            "values": np.asarray(values),
            "rewards": np.asarray(rewards),
            "dones": np.asarray(dones),
            "trainable": np.ones(self.num_envs, np.bool_) if trainable is None else np.asarray(trainable),
        }
        if (action_masks is None) != (self.action_masks is None):
            raise ValueError("action_masks belong to a rollout buffer with masked_actions, and only to such a one")
        if action_masks is not None:
            row["action_masks"] = np.asarray(action_masks)
        for name, given in row.items():
            self._check(name, given)
        if self._sequences is not None:
            self._sequences.add(self._step, resets, states)
        copy_observations(self.observations[self._step], row.pop("observations"))
        for name, given in row.items():
            getattr(self, name)[self._step] = given
        self._step += 1

    def _check(self, name: str, given: NDArray[Any]) -> None:
        array = getattr(self, name)
        if given.shape != array.shape[1:]:
            raise ValueError(f"{name} must have the shape {array.shape[1:]}, got {given.shape}")
        exact = name == "observations"
        if given.dtype != array.dtype if exact else not np.can_cast(given.dtype, array.dtype, "same_kind"):
            # dones come as booleans or floats, rewards as any real number.
            raise ValueError(f"{name} must be {array.dtype}, got {given.dtype}")

    def _require_full(self, what: str) -> None:
        if not self.is_full:
            raise RolloutBufferError(
                f"{what} needs a full rollout buffer: {self._step} of {self.rollout_length} rows are filled"
            )
