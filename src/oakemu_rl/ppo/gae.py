# SPDX-License-Identifier: GPL-3.0-or-later
"""Generalised advantage estimation (Schulman et al., 2016)."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["generalised_advantages"]


def generalised_advantages(
    rewards: NDArray[Any],
    values: NDArray[Any],
    dones: NDArray[Any],
    last_values: NDArray[Any],
    *,
    gamma: float,
    gae_lambda: float,
    trainable: NDArray[np.bool_] | None = None,
) -> NDArray[np.float64]:
    """Advantages of T steps of N environments.

    With ``V[T] = last_values`` and ``A[T] = 0``::

        delta[t] = r[t] + gamma * (1 - done[t]) * V[t + 1] - V[t]
        A[t]     = delta[t] + gamma * lambda * (1 - done[t]) * A[t + 1]

    so ``done[t]``, which belongs to the step taken at t, lets nothing of the next episode through.

    Cells that are not trainable may hold anything and reach no other cell. Where a trainable cell is followed by one of
    them without an end, the value of what came next is unknown here, and the advantage is 0: it teaches nothing, rather
    than something wrong. (`PPOActor` writes no such chains: within a rollout, players change at ends only.)

    Args:
        rewards: (T, N).
        values: (T, N), estimated before each step.
        dones: (T, N), true where the step ended the episode.
        last_values: (N,), of the observations after the last step.
        gamma: Discount.
        gae_lambda: Weight of the further future.
        trainable: (T, N); None for all.

    Returns:
        (T, N); 0 in cells that are not trainable. The returns are these plus the values.
    """
    trains = np.ones(rewards.shape, dtype=np.bool_) if trainable is None else trainable
    ends = dones.astype(np.bool_)
    advantages = np.zeros(rewards.shape, dtype=np.float64)
    next_value, next_advantage = last_values.astype(np.float64), np.zeros(rewards.shape[1:], dtype=np.float64)
    next_known = np.ones(rewards.shape[1:], dtype=np.bool_)
    # What is masked may be NaN or infinite: it is dropped by `where`, not multiplied by 0.
    with np.errstate(invalid="ignore"):
        for t in reversed(range(len(rewards))):
            value_after = np.where(ends[t], 0.0, next_value)
            advantage_after = np.where(ends[t], 0.0, next_advantage)
            delta = rewards[t] + gamma * value_after - values[t]
            teaches = trains[t] & (ends[t] | next_known)
            advantages[t] = np.where(teaches, delta + gamma * gae_lambda * advantage_after, 0.0)
            next_value, next_advantage, next_known = values[t].astype(np.float64), advantages[t], trains[t]
    return advantages
