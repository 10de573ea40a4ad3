# SPDX-License-Identifier: GPL-3.0-or-later
"""A part of a rollout, ready for the learner."""

from collections.abc import Mapping
from dataclasses import dataclass

from torch import Tensor

from oakemu_rl.ppo.recurrent_core import Sequences

__all__ = ["RolloutMinibatch"]


@dataclass(frozen=True)
class RolloutMinibatch:
    r"""M trainable cells of a rollout, in random order, on the learner's device.

    Attributes:
        observations: (M, \*observation_shape), the environments' dtype; of several parts, by name.
        actions: (M,) int64.
        log_probs: (M,) float32, under the policy that acted; of a lagging rollout, that from which the update began.
        values: (M,) float32, likewise.
        advantages: (M,) float32.
        returns: (M,) float32, the targets of the values.
        cells: (M,) int64, on the CPU: where in the rollout each stands, its row times `num_envs` plus its environment.
        num_envs: Environments of the rollout.
        action_masks: (M, actions) bool, what was allowed when the policy acted; None where everything always is.
        sequences: Of a recurrent network: how its observations, which are then those of whole environments, trainable
            or not, follow each other, and which of them are the M.
        weights: Of a lagging rollout, (M,) float32: probability ratios of the policy of `log_probs` to the one that
            acted.
    """

    observations: Tensor | Mapping[str, Tensor]
    actions: Tensor
    log_probs: Tensor
    values: Tensor
    advantages: Tensor
    returns: Tensor
    cells: Tensor
    num_envs: int
    action_masks: Tensor | None = None
    sequences: Sequences | None = None
    weights: Tensor | None = None
