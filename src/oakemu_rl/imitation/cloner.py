# SPDX-License-Identifier: GPL-3.0-or-later
"""Gradient steps towards recorded actions."""

import math
from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from oakemu_rl.imitation.configuration import CloningConfiguration
from oakemu_rl.imitation.dataset import CloningBatch
from oakemu_rl.ppo import MixedPrecision, NonFiniteError, PPOModel
from oakemu_rl.ppo.finite import first_non_finite
from oakemu_rl.ppo.precision import autocast, check_precision

__all__ = ["Cloner"]


class Cloner:
    """Behaviour cloning of a policy: cross-entropy against what was done (Pomerleau, 1991).

    With weights ``w`` of the actions and smoothing ``e`` over ``A`` actions, the loss of a step in which ``a`` was done
    is ``(1 - e) w[a] (-log p[a]) + (e / A) sum_i w[i] (-log p[i])``; a batch's is the sum over its steps by the sum of
    their weights. The optimiser is Adam, apart from PPO's, over all of the network but its value head.

    Args:
        model: Changed in place.
        configuration: Learning rate, clip and smoothing.
        class_weights: What each action's steps count for, (actions,); None counts all alike.
        mixed_precision: As PPO computes.

    Attributes:
        device: The network's.

    Raises:
        UserError: The device cannot compute in that precision.
    """

    def __init__(
        self,
        model: PPOModel,
        configuration: CloningConfiguration,
        *,
        class_weights: Tensor | None = None,
        mixed_precision: MixedPrecision = "off",
    ) -> None:
        self._model = model
        self._configuration = configuration
        self.device = next(model.parameters()).device
        check_precision(mixed_precision, self.device)
        self._mixed_precision = mixed_precision
        self._class_weights = None if class_weights is None else class_weights.to(self.device)
        self._parameters = [
            parameter for name, parameter in model.named_parameters() if not name.startswith("value_head.")
        ]
        self._optimizer = torch.optim.Adam(
            self._parameters, lr=configuration.lr, fused=self.device.type in ("cpu", "cuda")
        )
        # As for PPO: float16 gradients underflow without scaling.
        self._scaler = torch.amp.GradScaler(self.device.type, enabled=mixed_precision == "float16")

    def step(self, batch: CloningBatch, weight: float = 1.0) -> dict[str, float]:
        """Takes one gradient step.

        Args:
            batch: The recorded steps.
            weight: Factor of the learning rate.

        Returns:
            Of the batch, before the step: loss, accuracy (the part whose most probable action is the recorded one) and
            grad_norm (before clipping).

        Raises:
            NonFiniteError: The loss or the gradient is NaN or infinite; the step was not made.
        """
        config = self._configuration
        for group in self._optimizer.param_groups:
            group["lr"] = config.lr * weight
        logits = self.logits(batch)
        loss = self.loss(logits, batch.actions)
        self._optimizer.zero_grad(set_to_none=True)
        self._scaler.scale(loss).backward()  # type: ignore[no-untyped-call]  # torch's backward has no annotations
        self._scaler.unscale_(self._optimizer)
        grad_norm = nn.utils.get_total_norm([p.grad for p in self._parameters if p.grad is not None])
        accuracy = (logits.detach().argmax(dim=-1) == batch.actions).float().mean()
        figures = torch.stack((loss.detach(), accuracy, grad_norm)).tolist()  # one transfer for all
        overflown = self._scaler.is_enabled() and not math.isfinite(figures[2])
        if not math.isfinite(figures[0]) or not (math.isfinite(figures[2]) or overflown):
            name = first_non_finite((name, parameter.grad) for name, parameter in self._model.named_parameters())
            raise NonFiniteError("loss" if name is None else f"gradient of {name}", "a gradient step of cloning")
        if config.grad_clip is not None and not overflown:
            nn.utils.clip_grads_with_norm_(self._parameters, config.grad_clip, grad_norm)
        self._scaler.step(self._optimizer)
        self._scaler.update()
        self._optimizer.zero_grad(set_to_none=True)
        return {"loss": figures[0], "accuracy": figures[1], "grad_norm": 0.0 if overflown else figures[2]}

    def logits(self, batch: CloningBatch) -> Tensor:
        """What the network gives for a batch, (M, actions) float32."""
        with autocast(self._mixed_precision, self.device):
            return self._model.get_logits(batch.observations, batch.sequences).float()

    def loss(self, logits: Tensor, actions: Tensor) -> Tensor:
        """The loss of logits (M, actions) for recorded actions (M,)."""
        smoothing = self._configuration.label_smoothing
        return cross_entropy(logits, actions, weight=self._class_weights, label_smoothing=smoothing)

    def state_dict(self) -> dict[str, Any]:
        """Everything but the weights, as plain values and tensors."""
        return {"optimizer": self._optimizer.state_dict(), "scaler": self._scaler.state_dict()}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Takes up where `state_dict` stood."""
        self._optimizer.load_state_dict(state["optimizer"])
        self._scaler.load_state_dict(state["scaler"])
