# SPDX-License-Identifier: GPL-3.0-or-later
"""What the model decides for a batch of observations."""

from dataclasses import dataclass

from torch import Tensor

__all__ = ["PPOActionBundle"]


@dataclass(frozen=True)
class PPOActionBundle:
    """The actions for B observations, and what PPO must remember about each.

    Attributes:
        actions: Action indices, (B,) int64.
        log_probs: Logarithm of each action's probability when it was chosen, (B,) float32.
        entropy: Of each row's distribution, in nats, (B,) float32.
        values: Estimated discounted return from each observation, (B,) float32.
    """

    actions: Tensor
    log_probs: Tensor
    entropy: Tensor
    values: Tensor
