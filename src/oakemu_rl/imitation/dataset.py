# SPDX-License-Identifier: GPL-3.0-or-later
"""Recorded steps as a network learns them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from oakemu_rl.errors import UserError
from oakemu_rl.imitation.sampler import Slices
from oakemu_rl.ppo.layout import copy_observations, empty_observations, pick_observations
from oakemu_rl.ppo.observation_parts import Observations, map_observations
from oakemu_rl.ppo.recurrent_core import Sequences

__all__ = ["CloningBatch", "CloningDataset", "RecordedEpisode"]


class RecordedEpisode(Protocol):
    r"""What somebody saw and did in an episode of S steps."""

    @property
    def observations(self) -> Observations:
        r"""At least S observations, (S or more, \*observation_shape); of several parts, by name."""
        ...

    @property
    def actions(self) -> NDArray[np.int64]:
        """The actions taken, (S,)."""
        ...


@dataclass(frozen=True)
class CloningBatch:
    r"""M recorded steps on the network's device.

    Attributes:
        observations: (M, \*observation_shape), the environments' dtype; of several parts, by name. Of a network that
            remembers, those of whole slices, of which `sequences` says which are the M.
        actions: What was done, (M,) int64.
        sequences: Of a network that remembers: how the observations follow each other.
    """

    observations: Tensor | Mapping[str, Tensor]
    actions: Tensor
    sequences: Sequences | None = None


class CloningDataset:
    r"""The steps of some recorded episodes, in one array.

    Args:
        episodes: At least one step altogether.
        observation_shape: As rollout buffers keep observations (`env_contract.storage_of`).
        observation_dtype: The same.
        num_actions: Actions are below it.
        state_size: What the network remembers, 0 for nothing: whether batches are slices.

    Attributes:
        num_actions: As given.
        offsets: Where episodes begin, and where the last one ends: (E + 1,) int64.
        actions: Of all steps, (S,) int64.

    Raises:
        UserError: An action is out of range, there are fewer observations than actions, or there is no step at all.
    """

    def __init__(
        self,
        episodes: Sequence[RecordedEpisode],
        *,
        observation_shape: tuple[int, ...],
        observation_dtype: np.dtype[Any],
        num_actions: int,
        state_size: int = 0,
    ) -> None:
        lengths = [len(episode.actions) for episode in episodes]
        if not sum(lengths):
            raise UserError("the recordings hold no step to learn from")
        self.num_actions = num_actions
        self.offsets: NDArray[np.int64] = np.concatenate(([0], np.cumsum(lengths))).astype(np.int64)
        self.actions: NDArray[np.int64] = np.concatenate([episode.actions for episode in episodes]).astype(np.int64)
        bad = np.flatnonzero((self.actions < 0) | (self.actions >= num_actions))
        if len(bad):
            episode = int(np.searchsorted(self.offsets, bad[0], side="right")) - 1
            raise UserError(
                f"recording {episode}, step {bad[0] - self.offsets[episode]}: there is no action "
                f"{self.actions[bad[0]]}; actions are 0 to {num_actions - 1}"
            )
        self._state_size = state_size
        self._labels = torch.from_numpy(self.actions)
        self._observations = empty_observations((len(self), 1), observation_shape, observation_dtype)
        for recorded, begin, end in zip(episodes, self.offsets[:-1], self.offsets[1:], strict=True):
            copy_observations(self._observations[begin:end, 0], _first(recorded.observations, end - begin))

    def __len__(self) -> int:
        return len(self.actions)

    @property
    def remembers(self) -> bool:
        """Whether it is for a network that remembers."""
        return self._state_size > 0

    @property
    def memory_bytes(self) -> int:
        """Bytes of its arrays."""
        return int(self._observations.nbytes + self.actions.nbytes + self.offsets.nbytes)

    def class_weights(self, exponent: float) -> Tensor:
        """What each action's steps count for, (actions,) float32: 1 on average over the recorded steps.

        Args:
            exponent: Weights go with the count of an action to the power of minus this: 0 counts every step alike, 1
                every action. An action that was never taken weighs as much as the rarest.
        """
        counts = np.bincount(self.actions, minlength=self.num_actions).astype(np.float64)
        weights = np.where(counts > 0, counts, counts[counts > 0].min()) ** -exponent
        return torch.from_numpy(weights * len(self) / (weights * counts).sum()).float()

    def batch(self, slices: Slices, device: torch.device | str) -> CloningBatch:
        """The steps of some slices: single ones for a network that remembers nothing, which may not be longer."""
        if not self.remembers:
            return self._gather(torch.from_numpy(slices.begins), device)
        steps = np.arange(int((slices.ends - slices.begins).max()))[:, None]
        every = np.minimum(slices.begins + steps, slices.ends - 1)  # short slices are filled with their last step
        real = (slices.begins + steps < slices.ends).ravel()
        indices = torch.from_numpy(every.ravel())
        cells = torch.from_numpy(np.flatnonzero(real))
        resets = np.zeros(every.shape, dtype=np.bool_)
        resets[0] = True
        sequences = Sequences(
            starts={0: torch.zeros(len(slices.begins), self._state_size, device=device)},
            resets=torch.from_numpy(resets).to(device),
            breaks=(0,),
            cells=cells.to(device),
        )
        return self._gather(indices, device, cells, sequences)

    def _gather(
        self,
        indices: Tensor,
        device: torch.device | str,
        cells: Tensor | None = None,
        sequences: Sequences | None = None,
    ) -> CloningBatch:
        picked = pick_observations(self._observations, indices)
        wanted = indices if cells is None else indices[cells]
        return CloningBatch(
            observations=map_observations(lambda tensor: tensor.to(device), picked),
            actions=self._labels[wanted].to(device),
            sequences=sequences,
        )


def _first(observations: Observations, count: int) -> Observations:
    first: Observations = map_observations(lambda array: array[:count], observations)
    return first
