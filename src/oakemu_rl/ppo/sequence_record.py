# SPDX-License-Identifier: GPL-3.0-or-later
"""What a rollout keeps of the states of a recurrent network."""

from typing import Any

import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray

from oakemu_rl.ppo.recurrent_core import Sequences

__all__ = ["SequenceRecord"]


class SequenceRecord:
    """From where a rollout's states can be computed again: the first ones, and where they were reset.

    Args:
        rollout_length: T.
        num_envs: N.
        state_size: S.
    """

    def __init__(self, rollout_length: int, num_envs: int, state_size: int) -> None:
        self._resets = np.zeros((rollout_length, num_envs), dtype=np.bool_)
        self._shape = (num_envs, state_size)
        self._starts: dict[int, NDArray[np.float32]] = {}

    @property
    def memory_bytes(self) -> int:
        """What the arrays occupy."""
        return self._resets.nbytes + sum(states.nbytes for states in self._starts.values())

    def clear(self) -> None:
        """Forgets all rows."""
        self._starts.clear()

    def add(self, row: int, resets: ArrayLike | None, states: ArrayLike | None) -> None:
        """Takes in a row.

        Args:
            row: Its number.
            resets: (N,) bool, where an episode begins.
            states: (N, S) before the row; needed for row 0, and where steps lie between it and the row before.

        Raises:
            ValueError: A wrong shape, or states are missing.
        """
        given = None if resets is None else np.asarray(resets)
        if given is None or given.shape != self._shape[:1] or given.dtype != np.bool_:
            raise ValueError(f"a recurrent network's rows need resets, bool of shape {self._shape[:1]}, got {resets!r}")
        before = None if states is None else np.array(states, dtype=np.float32)
        if (before is None and row == 0) or (before is not None and before.shape != self._shape):
            shape = None if before is None else before.shape
            raise ValueError(f"row {row} needs states of shape {self._shape}, got {shape}")
        self._resets[row] = given
        if before is not None:
            self._starts[row] = before

    def sequences(self, env_ids: NDArray[Any], cells: torch.Tensor, device: torch.device | str) -> Sequences:
        """The whole rollout of some environments.

        Args:
            env_ids: E of them.
            cells: Of their T * E observations, those for which an answer is wanted.
            device: Where it is wanted.
        """
        resets = self._resets[:, env_ids]
        breaks = sorted({*self._starts, *np.flatnonzero(resets.any(axis=1)).tolist()})
        return Sequences(
            starts={row: torch.from_numpy(states[env_ids]).to(device) for row, states in self._starts.items()},
            resets=torch.from_numpy(resets).to(device),
            breaks=tuple(breaks),
            cells=cells.to(device),
        )
