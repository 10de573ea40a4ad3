# SPDX-License-Identifier: GPL-3.0-or-later
"""Teaching the value head alone."""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from torch import nn

from oakemu_rl.imitation.configuration import ImitationConfiguration
from oakemu_rl.ppo import MixedPrecision, NonFiniteError, PPOModel, RolloutBuffer
from oakemu_rl.ppo.precision import autocast

__all__ = ["CriticCalibration"]


class CriticCalibration:
    """Fits the value head to a rollout's returns, while trunk and policy stay as they are.

    A critic that knows nothing would, through its advantages, have PPO undo what was cloned; and its first gradients,
    which are large, would turn the trunk over. The optimiser is Adam, apart from PPO's, over the value head.

    Args:
        model: Changed in place.
        configuration: Learning rate, clip, passes.
        num_minibatches: Parts into which a pass is cut, as PPO does.
        mixed_precision: As PPO computes.
        generator: Of the order in which cells are visited, on the CPU.
    """

    def __init__(
        self,
        model: PPOModel,
        configuration: ImitationConfiguration,
        *,
        num_minibatches: int,
        mixed_precision: MixedPrecision = "off",
        generator: torch.Generator,
    ) -> None:
        self._model = model
        self._configuration = configuration
        self._num_minibatches = num_minibatches
        self._device = next(model.parameters()).device
        self._mixed_precision = mixed_precision
        self._generator = generator
        self._head = list(model.value_head.parameters())
        self._optimizer = torch.optim.Adam(
            self._head, lr=configuration.critic_lr, fused=self._device.type in ("cpu", "cuda")
        )

    def learn(self, rollout_buffer: RolloutBuffer) -> dict[str, float]:
        """Goes through a rollout.

        Args:
            rollout_buffer: Full, with returns.

        Returns:
            Means over the gradient steps: critic_loss (a mean squared error) and critic_grad_norm (before clipping).

        Raises:
            NonFiniteError: The rollout, the loss or the gradient holds NaN or infinity; the step was not made.
        """
        rollout_buffer.check_finite()
        config = self._configuration
        parts = max(1, min(self._num_minibatches, rollout_buffer.trainable_size, rollout_buffer.max_minibatches))
        history = []
        for _ in range(config.critic_epochs):
            for minibatch in rollout_buffer.get_minibatches(parts, self._device, generator=self._generator):
                with autocast(self._mixed_precision, self._device):
                    values = self._model.get_value(
                        minibatch.observations, detach_features=True, sequences=minibatch.sequences
                    )
                loss = (values.float() - minibatch.returns).square().mean()
                self._optimizer.zero_grad(set_to_none=True)
                loss.backward()  # type: ignore[no-untyped-call]  # torch's backward has no annotations
                grad_norm = nn.utils.get_total_norm([p.grad for p in self._head if p.grad is not None])
                figures = torch.stack((loss.detach(), grad_norm)).tolist()
                if not all(map(math.isfinite, figures)):
                    raise NonFiniteError("loss or gradient", "a gradient step of the critic's calibration")
                if config.critic_grad_clip is not None:
                    nn.utils.clip_grads_with_norm_(self._head, config.critic_grad_clip, grad_norm)
                self._optimizer.step()
                history.append(figures)
        self._optimizer.zero_grad(set_to_none=True)
        loss_mean, norm_mean = np.asarray(history, dtype=np.float64).mean(axis=0).tolist()
        return {"critic_loss": loss_mean, "critic_grad_norm": norm_mean}

    def state_dict(self) -> dict[str, Any]:
        """Everything but the weights, as plain values and tensors."""
        return {"optimizer": self._optimizer.state_dict(), "generator": self._generator.get_state()}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Takes up where `state_dict` stood."""
        self._optimizer.load_state_dict(state["optimizer"])
        self._generator.set_state(state["generator"])
