# SPDX-License-Identifier: GPL-3.0-or-later
"""What the model decides for a batch of observations."""

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
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

    def rows(self, chosen: NDArray[np.bool_]) -> "PPOActionBundle":
        """The rows where `chosen`, (B,), is true."""
        ids = torch.from_numpy(np.flatnonzero(chosen)).to(self.actions.device)
        return PPOActionBundle(self.actions[ids], self.log_probs[ids], self.entropy[ids], self.values[ids])
