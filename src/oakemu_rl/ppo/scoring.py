# SPDX-License-Identifier: GPL-3.0-or-later
"""What the network under training says of a minibatch."""

from collections.abc import Callable

import torch
from torch import Tensor

from oakemu_rl.errors import UserError
from oakemu_rl.ppo.action_bundle import PPOActionBundle
from oakemu_rl.ppo.action_selection import select_actions
from oakemu_rl.ppo.configuration import PPOConfiguration
from oakemu_rl.ppo.halves import HalvedNetwork
from oakemu_rl.ppo.masking import check_action_mask, joined_masks
from oakemu_rl.ppo.minibatch import RolloutMinibatch
from oakemu_rl.ppo.model import PPOModel
from oakemu_rl.ppo.precision import autocast, check_precision

__all__ = ["Scorer"]


class Scorer:
    """Calls the network in the configured precision, as it is, compiled, or in halves.

    Args:
        model: The network.
        configuration: Says in which precision, and whether it is compiled.
        action_mask: (actions,) bool, True where allowed; None if everything is.
        halves: Whether minibatches are computed in two halves at once.

    Raises:
        UserError: The device cannot compute in the configured precision, or the network cannot be compiled.
        ValueError: The network cannot be computed in halves.
    """

    def __init__(
        self, model: PPOModel, configuration: PPOConfiguration, action_mask: Tensor | None, *, halves: bool
    ) -> None:
        self._device = next(model.parameters()).device
        self._precision = configuration.mixed_precision
        check_precision(self._precision, self._device)
        if action_mask is not None:
            check_action_mask(action_mask, 1, model.action_shape)
            action_mask = action_mask.to(self._device)
        self._action_mask = action_mask
        self._compiled = configuration.torch_compile
        if self._compiled and model.state_size:
            raise UserError("torch_compile does not take recurrent networks, whose steps depend on where episodes end")
        self._forward: Callable[..., tuple[Tensor, Tensor]] = torch.compile(model) if self._compiled else model
        if halves and (model.state_size or self._compiled or self._device.type != "cpu"):
            raise ValueError("only a network on the CPU that is neither recurrent nor compiled is computed in halves")
        self._halves = HalvedNetwork(model, self._precision) if halves else None

    def score(self, minibatch: RolloutMinibatch, *, watched: bool) -> tuple[Tensor, PPOActionBundle]:
        """Logits (M, actions), and what the present weights say of the actions taken.

        Args:
            minibatch: M cells of a rollout.
            watched: Whether somebody may have hooks in the network, which are not made for two threads at once.
        """
        if self._halves is None:
            with autocast(self._precision, self._device):
                logits, values = self._call(minibatch)
        else:
            halves = self._halves.in_turn if watched else self._halves.forward
            logits, values = halves(minibatch.observations)
        mask = joined_masks(self._action_mask, minibatch.action_masks)
        return logits, select_actions(logits, values, action=minibatch.actions, action_mask=mask)

    def backward(self) -> None:
        """Once a loss has gone backward: takes its gradients on into those of the weights where halves held them up."""
        if self._halves is not None:
            self._halves.backward()

    def _call(self, minibatch: RolloutMinibatch) -> tuple[Tensor, Tensor]:
        if not self._compiled:
            return self._forward(minibatch.observations, minibatch.sequences)
        try:
            return self._forward(minibatch.observations)
        except RuntimeError as error:
            if "torch._inductor" in type(error).__module__ or "torch._dynamo" in type(error).__module__:
                reason = str(error).strip().splitlines()[0]
                raise UserError(f"torch_compile does not work on this machine, turn it off: {reason}") from error
            raise
