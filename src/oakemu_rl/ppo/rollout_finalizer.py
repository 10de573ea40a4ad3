# SPDX-License-Identifier: GPL-3.0-or-later
"""The end of a rollout: what the episodes still running may yet bring."""

import numpy as np
from torch import Tensor

from oakemu_rl.ppo.configuration import MixedPrecision
from oakemu_rl.ppo.errors import NonFiniteError
from oakemu_rl.ppo.inference import PolicyInference
from oakemu_rl.ppo.model import PPOModel
from oakemu_rl.ppo.observation_parts import Observations
from oakemu_rl.ppo.rollout_buffer import RolloutBuffer

__all__ = ["RolloutFinalizer"]


class RolloutFinalizer:
    """Completes a full rollout buffer with bootstrap values, advantages and returns.

    Args:
        model: Values come from its present weights, which should be those that acted.
        gamma: Discount.
        gae_lambda: Of the advantage estimation.
        mixed_precision: As the actor computes.
    """

    def __init__(
        self, model: PPOModel, *, gamma: float, gae_lambda: float, mixed_precision: MixedPrecision = "off"
    ) -> None:
        self._inference = PolicyInference(model, mixed_precision=mixed_precision)
        self._gamma = gamma
        self._gae_lambda = gae_lambda

    def finalize(
        self, rollout_buffer: RolloutBuffer, last_observations: Observations, last_states: Tensor | None = None
    ) -> None:
        r"""Bootstraps from the observations after the last row and computes advantages and returns.

        Args:
            rollout_buffer: Full.
            last_observations: (N, \*observation_shape); rows whose episode ended with the last row do not matter.
            last_states: Of a recurrent network, (N, state_size): `PPOActor.states`.

        Raises:
            NonFiniteError: A value is NaN or infinite.
            RolloutBufferError: The buffer is not full.
        """
        last_values = self._inference.values(last_observations, last_states)
        if not np.isfinite(last_values).all():
            env_id = int(np.flatnonzero(~np.isfinite(last_values))[0])
            raise NonFiniteError("value", f"environment {env_id}, after the last row of the rollout")
        rollout_buffer.compute_gae(last_values, rollout_buffer.dones[-1], self._gamma, self._gae_lambda)
