# SPDX-License-Identifier: GPL-3.0-or-later
"""T steps of N environments, from which one update learns."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray

from oakemu_rl.ppo.errors import NonFiniteError, RolloutBufferError
from oakemu_rl.ppo.gae import generalised_advantages
from oakemu_rl.ppo.layout import fields_of, pick_observations
from oakemu_rl.ppo.minibatch import RolloutMinibatch
from oakemu_rl.ppo.observation_parts import map_observations
from oakemu_rl.ppo.rollout_rows import RolloutRows

__all__ = ["RolloutBuffer"]


class RolloutBuffer(RolloutRows):
    """Time-major storage of a rollout.

    ``dones[t]`` belongs to the step taken at row t: it masks the bootstrap of row t. Cells that are not trainable are
    kept for the record only.

    Args:
        rollout_length: T, rows.
        num_envs: N, columns.
        observation_shape: Of one observation.
        observation_dtype: Of the observations.
        masked_actions: How many actions there are, if what is allowed differs from state to state; None keeps no masks.
        state_size: Numbers that a recurrent network remembers; minibatches are then of whole environments.
        lagging: Whether the weights will have changed between acting and learning.

    Attributes:
        observations: (T, N, ...), the given dtype; in memory, images lie channels last.
        actions: (T, N) int64.
        log_probs, values, rewards, dones: (T, N) float32.
        trainable: (T, N) bool.
        action_masks: (T, N, actions) bool, True where the policy might choose; None without `masked_actions`.
        advantages, returns: (T, N) float32, written by `compute_gae`.
        weights: (T, N) float32, of a lagging rollout: probability ratios of the policy of `log_probs` to the one that
            acted, 1 until `rebase`; None of others.

    Raises:
        ValueError: A size below 1.
    """

    def __init__(
        self,
        rollout_length: int,
        num_envs: int,
        observation_shape: tuple[int, ...],
        observation_dtype: np.dtype[Any] | type[np.generic],
        masked_actions: int | None = None,
        state_size: int = 0,
        *,
        lagging: bool = False,
    ) -> None:
        super().__init__(rollout_length, num_envs, observation_shape, observation_dtype, masked_actions, state_size)
        cells = (rollout_length, num_envs)
        self.advantages = np.zeros(cells, dtype=np.float32)
        self.returns = np.zeros(cells, dtype=np.float32)
        self.weights = np.ones(cells, dtype=np.float32) if lagging else None
        self._has_returns = False

    @property
    def max_minibatches(self) -> int:
        """How many minibatches there may be: as many as trainable cells; of sequences, as many as environments."""
        return len(self._trainable_env_ids()) if self._sequences is not None else self.trainable_size

    def reset(self) -> None:
        """Forgets all rows; the memory is kept."""
        super().reset()
        self._has_returns = False
        if self.weights is not None:
            self.weights.fill(1.0)

    def compute_gae(self, last_values: ArrayLike, last_dones: ArrayLike, gamma: float, gae_lambda: float) -> None:
        """Computes `advantages` and `returns` of a full buffer.

        Args:
            last_values: (N,), of the observations after the last row.
            last_dones: (N,), whether the last row ended its episode; joined with ``dones[-1]``, which says the same.
            gamma: Discount, in [0, 1].
            gae_lambda: In [0, 1].

        Raises:
            RolloutBufferError: The buffer is not full.
            ValueError: A wrong shape, or a number out of range.
        """
        self._require_full("compute_gae")
        if not (0.0 <= gamma <= 1.0 and 0.0 <= gae_lambda <= 1.0):
            raise ValueError(f"gamma and gae_lambda must lie in [0, 1], got {gamma} and {gae_lambda}")
        final_values, final_dones = np.asarray(last_values), np.asarray(last_dones)
        if final_values.shape != (self.num_envs,) or final_dones.shape != (self.num_envs,):
            raise ValueError(
                f"last_values and last_dones must have the shape ({self.num_envs},), "
                f"got {final_values.shape} and {final_dones.shape}"
            )
        dones = self.dones.astype(np.bool_)
        dones[-1] |= final_dones.astype(np.bool_)
        advantages = generalised_advantages(
            self.rewards,
            self.values,
            dones,
            final_values,
            gamma=gamma,
            gae_lambda=gae_lambda,
            trainable=self.trainable,
        )
        self.advantages[:] = advantages
        with np.errstate(invalid="ignore"):  # what cells that are not trainable hold is dropped, whatever it is
            self.returns[:] = np.where(self.trainable, advantages + self.values, 0.0)
        self._has_returns = True

    def rebase(self, cells: torch.Tensor, log_probs: torch.Tensor, values: torch.Tensor) -> None:
        """Takes cells of a lagging rollout for played by another policy; `weights` keep the way back to who did.

        Args:
            cells: (M,) int64, as a minibatch has them.
            log_probs: (M,) of the actions taken, under the other policy.
            values: (M,), under its weights.
        """
        assert self.weights is not None  # noqa: S101 - our own invariant: the learner asks first
        at, new = cells.numpy(), log_probs.cpu().numpy()
        old = self.log_probs.reshape(-1)
        self.weights.reshape(-1)[at] *= np.exp(new - old[at])
        old[at] = new
        self.values.reshape(-1)[at] = values.cpu().numpy()

    def check_finite(self) -> None:
        """Looks for NaN and infinity in what the learner would see.

        Raises:
            NonFiniteError: Naming the array, the row and the environment.
            RolloutBufferError: The buffer is not full.
        """
        self._require_full("check_finite")
        names = ["observations", "log_probs", "values", "rewards", "advantages", "returns"]
        names += [] if self.weights is None else ["weights"]
        for name, array in {**{name: getattr(self, name) for name in names}, **fields_of(self.observations)}.items():
            if not np.issubdtype(array.dtype, np.floating):
                continue
            bad = ~np.isfinite(array.reshape(*array.shape[:2], -1)).all(axis=-1) & self.trainable
            if bad.any():
                row, env_id = np.argwhere(bad)[0]
                raise NonFiniteError(name, f"environment {env_id}, row {row} of the rollout")

    def get_minibatches(
        self, num_minibatches: int, device: torch.device | str, *, generator: torch.Generator | None = None
    ) -> Iterator[RolloutMinibatch]:
        """Cuts the trainable cells, in random order, into minibatches that visit each once.

        Args:
            num_minibatches: Exactly so many; their sizes differ by at most one (of sequences: in environments).
            device: Where the minibatches are wanted.
            generator: Of the order, on the CPU; None for torch's global one.

        Raises:
            RolloutBufferError: The buffer is not full, or `compute_gae` has not been called since it was.
            ValueError: `num_minibatches` is above `max_minibatches` or below 1.
        """
        self._require_full("get_minibatches")
        if not self._has_returns:
            raise RolloutBufferError("call compute_gae before get_minibatches: there are no advantages yet")
        whole = self._sequences is not None
        parts = torch.from_numpy(self._trainable_env_ids() if whole else np.flatnonzero(self.trainable))
        if not 1 <= num_minibatches <= len(parts):
            what = "environments with trainable cells" if whole else "trainable cells"
            raise ValueError(
                f"num_minibatches must lie in 1..{len(parts)}, the number of {what}, got {num_minibatches}"
            )
        order = parts[torch.randperm(len(parts), generator=generator)]
        make = self._sequence_minibatch if whole else self._minibatch
        return (make(indices, device) for indices in torch.tensor_split(order, num_minibatches))

    def _trainable_env_ids(self) -> NDArray[np.int64]:
        return np.flatnonzero(self.trainable[: self._step].any(axis=0))

    def _sequence_minibatch(self, env_ids: torch.Tensor, device: torch.device | str) -> RolloutMinibatch:
        """All rows of some environments; taught by the trainable cells, reached through the others."""
        assert self._sequences is not None  # noqa: S101 - our own invariant: only then it is called
        every = (torch.arange(self.rollout_length)[:, None] * self.num_envs + env_ids).flatten()
        wanted = torch.from_numpy(self.trainable.reshape(-1))[every].nonzero().squeeze(-1)
        minibatch = self._minibatch(every[wanted], device, every)
        return replace(minibatch, sequences=self._sequences.sequences(env_ids.numpy(), wanted, device))

    def _minibatch(
        self, indices: torch.Tensor, device: torch.device | str, seen: torch.Tensor | None = None
    ) -> RolloutMinibatch:
        """The cells at `indices`, with the observations of those, or of the cells `seen`."""

        def pick(array: NDArray[Any]) -> torch.Tensor:
            return (
                torch.from_numpy(array.reshape(self.total_size, *array.shape[2:])).index_select(0, indices).to(device)
            )

        return RolloutMinibatch(
            observations=map_observations(
                lambda picked: picked.to(device),
                pick_observations(self.observations, indices if seen is None else seen),
            ),
            actions=pick(self.actions),
            log_probs=pick(self.log_probs),
            values=pick(self.values),
            advantages=pick(self.advantages),
            returns=pick(self.returns),
            cells=indices,
            num_envs=self.num_envs,
            action_masks=None if self.action_masks is None else pick(self.action_masks),
            weights=None if self.weights is None else pick(self.weights),
        )
