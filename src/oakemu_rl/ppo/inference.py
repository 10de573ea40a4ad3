# SPDX-License-Identifier: GPL-3.0-or-later
"""The model as the actor calls it: numpy in, no gradients."""

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from oakemu_rl.ppo.action_bundle import PPOActionBundle
from oakemu_rl.ppo.action_selection import select_actions
from oakemu_rl.ppo.configuration import MixedPrecision
from oakemu_rl.ppo.layout import tensors_of
from oakemu_rl.ppo.masking import check_action_mask, joined_masks
from oakemu_rl.ppo.model import PPOModel
from oakemu_rl.ppo.observation_parts import Observations, first_axis, map_observations
from oakemu_rl.ppo.precision import autocast, check_precision

__all__ = ["PolicyInference"]


class PolicyInference:
    """Actions and values without gradients.

    Args:
        model: Its weights are read at each call.
        mixed_precision: As the learner computes, so that both see the same probabilities.
        action_mask: (actions,) bool, True where allowed, for all environments alike; None allows all.

    Raises:
        ValueError: The mask does not fit.
    """

    def __init__(
        self,
        model: PPOModel,
        *,
        mixed_precision: MixedPrecision = "off",
        action_mask: torch.Tensor | None = None,
    ) -> None:
        self.model = model
        self.device = next(model.parameters()).device
        check_precision(mixed_precision, self.device)
        self._mixed_precision = mixed_precision
        if action_mask is not None:
            check_action_mask(action_mask, 1, model.action_shape)
            action_mask = action_mask.to(self.device)
        self._action_mask = action_mask

    @torch.inference_mode()
    def act(
        self,
        observations: Observations,
        generator: torch.Generator,
        action_masks: NDArray[np.bool_] | None = None,
        states: torch.Tensor | None = None,
    ) -> tuple[PPOActionBundle, torch.Tensor | None]:
        r"""Samples actions.

        Args:
            observations: (B, \*observation_shape); of several parts, an array of structures or a dictionary.
            generator: On the model's device.
            action_masks: (B, actions), True where allowed, for each observation; joined with the mask for all.
            states: Of a recurrent network, (B, state_size), on its device.

        Returns:
            The actions, and a recurrent network's states after the step, (B, state_size).

        Raises:
            ValueError: A mask does not fit, or the masks leave no action.
        """
        mask = self._action_mask
        if action_masks is not None:
            mask = joined_masks(mask, torch.from_numpy(action_masks).to(self.device))
            assert mask is not None  # noqa: S101  # for the type checker: one of both is given
            check_action_mask(mask, first_axis(observations), self.model.action_shape)
        with autocast(self._mixed_precision, self.device):
            logits, values, after = self._call(observations, states)
        return select_actions(logits, values, action_mask=mask, generator=generator), after

    @torch.inference_mode()
    def values(self, observations: Observations, states: torch.Tensor | None = None) -> NDArray[np.float32]:
        r"""Values (B,) of observations (B, \*observation_shape); a recurrent network's states are (B, state_size)."""
        with autocast(self._mixed_precision, self.device):
            if self.model.state_size:
                values = self._call(observations, states)[1]
            else:
                values = self.model.get_value(self._on_device(observations))
        return values.float().cpu().numpy()

    def _call(
        self, observations: Observations, states: torch.Tensor | None
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor | None]:
        if not self.model.state_size:
            return *self.model(self._on_device(observations)), None
        if states is None:
            raise ValueError("a recurrent network needs the states that its actor keeps")
        return self.model.step(self._on_device(observations), states)

    def _on_device(self, observations: Observations) -> Any:  # noqa: ANN401  # a tensor, or a dictionary of them
        return map_observations(lambda tensor: tensor.to(self.device), tensors_of(observations))
