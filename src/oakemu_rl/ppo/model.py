# SPDX-License-Identifier: GPL-3.0-or-later
"""The network: one trunk, a policy head and a value head."""

import math
from collections.abc import Mapping
from typing import TypeAlias

import torch
from torch import Tensor, nn

from oakemu_rl.errors import UserError
from oakemu_rl.ppo.action_bundle import PPOActionBundle
from oakemu_rl.ppo.action_selection import select_actions
from oakemu_rl.ppo.eyes import build_eyes, checked_form, checked_tensor
from oakemu_rl.ppo.impala import initialise_impala
from oakemu_rl.ppo.masking import check_action_mask
from oakemu_rl.ppo.model_configuration import PPOModelConfiguration
from oakemu_rl.ppo.number_scaling import number_features
from oakemu_rl.ppo.observation_parts import ObservationForm, ObservationParts
from oakemu_rl.ppo.recurrent_core import RecurrentCore, Sequences
from oakemu_rl.ppo.scaling import scale_observations
from oakemu_rl.ppo.trunk import build_fc, initialise_orthogonally

__all__ = ["PPOModel"]

_TRUNK_GAIN, _POLICY_GAIN, _VALUE_GAIN = math.sqrt(2.0), 0.01, 1.0

_Input: TypeAlias = Tensor | Mapping[str, Tensor]


class PPOModel(nn.Module):
    r"""A policy over discrete actions and a value, on features that both share.

    Where this page says that an observation is (B, \*observation_shape), one of several parts is a dictionary of
    tensors (B, \*shape of the part).

    Args:
        observation_shape: Of one observation: (channels, height, width), or any shape if there are no convolutions; or
            the parts of which one consists, the picture of which the convolutions see.
        action_shape: How many actions there are.
        model_config: The layers; None takes the defaults of `PPOModelConfiguration`.

    Attributes:
        observation_shape: As given.
        action_shape: As given.
        model_config: As given, or the defaults.
        conv: The convolutions, ending in a flattening: (B, features).
        vectors: The layers through which numbers beside a picture go: (B, features); none without them.
        fc: The fully connected layers behind these.
        core: What remembers, behind them; None unless the network is recurrent.
        state_size: Numbers that it remembers of an episode; 0 unless the network is recurrent.
        policy_head: Features to action logits.
        value_head: Features to one value.

    Raises:
        UserError: A size below 1, or convolutions that do not fit the observation.
    """

    def __init__(
        self,
        observation_shape: ObservationForm,
        action_shape: int,
        model_config: PPOModelConfiguration | None = None,
    ) -> None:
        super().__init__()
        self.observation_shape = checked_form(observation_shape)
        if isinstance(action_shape, bool) or not isinstance(action_shape, int) or action_shape < 1:
            raise UserError(f"action_shape is the number of actions, an int of at least 1, got {action_shape!r}")
        self.action_shape = action_shape
        self.model_config = config = PPOModelConfiguration() if model_config is None else model_config

        self.conv, self.vectors, features = build_eyes(self.observation_shape, config)
        self.fc, features = build_fc(features, config.fcnet_hiddens, config.fcnet_activation)
        self.core: RecurrentCore | None = None
        if config.recurrent != "none":
            self.core = RecurrentCore(config.recurrent, features, config.recurrent_size)
            features = self.core.size
        self.state_size = 0 if self.core is None else self.core.state_size
        self.policy_head = nn.Linear(features, action_shape)
        self.value_head = nn.Linear(features, 1)
        if config.orthogonal_init:
            (initialise_impala if config.network == "impala" else initialise_orthogonally)(self.conv, _TRUNK_GAIN)
            initialise_orthogonally(self.vectors, _TRUNK_GAIN)
            initialise_orthogonally(self.fc, _TRUNK_GAIN)
            if self.core is not None:
                initialise_orthogonally(self.core, 1.0)
            initialise_orthogonally(self.policy_head, _POLICY_GAIN)
            initialise_orthogonally(self.value_head, _VALUE_GAIN)

    def forward(self, x: _Input, sequences: Sequences | None = None) -> tuple[Tensor, Tensor]:
        r"""Action logits and values.

        A recurrent network takes each observation for the first of an episode, unless it is told how they follow each
        other.

        Args:
            x: (B, \*observation_shape) in the environment's own dtype; integers are scaled to [0, 1] in here.
            sequences: Of a recurrent network: how the B observations follow each other.

        Returns:
            Logits (B, actions) and values (B, 1); with `sequences`, of its M cells only.

        Raises:
            ValueError: Another shape or dtype.
        """
        features = self._features(x, sequences)
        return self.policy_head(features), self.value_head(features)

    def step(self, x: _Input, state: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        r"""A recurrent network's action logits, values and new states.

        Args:
            x: (B, \*observation_shape).
            state: (B, state_size), after the steps before; zeros where an episode begins.

        Returns:
            Logits (B, actions), values (B,), and the states (B, state_size) for the next step.

        Raises:
            ValueError: Another shape or dtype, or the network is not recurrent.
        """
        given, after = self._recurrent()(self._present(x)[None], state)
        return self.policy_head(given[0]), self.value_head(given[0]).squeeze(-1), after

    def get_action_bundle(
        self, x: _Input, action: Tensor | None = None, action_mask: Tensor | None = None
    ) -> PPOActionBundle:
        r"""Samples an action for each observation, or scores given ones.

        Samples come from torch's global generator of the model's device (`torch.manual_seed`); `PPOActor` draws from
        one of its own instead.

        Args:
            x: (B, \*observation_shape).
            action: (B,) integers in [0, actions): scored instead of sampled.
            action_mask: Boolean, (actions,) or (B, actions), True where allowed; None allows all.

        Raises:
            ValueError: A wrong shape or dtype, an action out of range, or a row in which nothing is allowed.
        """
        logits, values = self(x)
        if action is not None:
            action = self._checked_action(action, len(logits)).to(logits.device)
        if action_mask is not None:
            check_action_mask(action_mask, len(logits), self.action_shape)
            action_mask = action_mask.to(logits.device)
        return select_actions(logits, values, action=action, action_mask=action_mask)

    def get_logits(self, x: _Input, sequences: Sequences | None = None) -> Tensor:
        r"""Action logits (B, actions) of observations (B, \*observation_shape), without computing values.

        Args:
            x: The observations.
            sequences: As for `forward`.
        """
        logits: Tensor = self.policy_head(self._features(x, sequences))
        return logits

    def get_value(self, x: _Input, *, detach_features: bool = False, sequences: Sequences | None = None) -> Tensor:
        r"""Values (B,) of observations (B, \*observation_shape), without computing a policy.

        Args:
            x: The observations.
            detach_features: Let gradients reach the value head only.
            sequences: As for `forward`.
        """
        with torch.set_grad_enabled(torch.is_grad_enabled() and not detach_features):
            features = self._features(x, sequences)
        values: Tensor = self.value_head(features).squeeze(-1)
        return values

    def _features(self, x: _Input, sequences: Sequences | None = None) -> Tensor:
        """What the heads see of observations, which are each the first of an episode where nothing else is said."""
        present = self._present(x)
        if sequences is not None:
            return self._recurrent().unroll(present, sequences).index_select(0, sequences.cells)
        if self.core is None:
            return present
        given: Tensor = self.core(present[None], present.new_zeros(len(present), self.state_size))[0]
        return given[0]

    def _recurrent(self) -> RecurrentCore:
        if self.core is None:
            raise ValueError("this network remembers nothing: model_config.recurrent is 'none'")
        return self.core

    def _present(self, x: _Input) -> Tensor:
        """The features of observations, apart from anything remembered."""
        form, dtype = self.observation_shape, self.value_head.weight.dtype
        if not isinstance(form, ObservationParts):
            features: Tensor = self.fc(self.conv(scale_observations(checked_tensor(x, form, "observations"), dtype)))
            return features
        if not isinstance(x, Mapping) or set(x) != {part.name for part in form.parts}:
            found = f"those of {', '.join(x)}" if isinstance(x, Mapping) else type(x).__name__
            raise ValueError(f"observations must be a dictionary of {form}; got {found}")
        seen = []
        if form.picture is not None:
            picture = checked_tensor(x[form.picture.name], form.picture.shape, form.picture.name)
            seen.append(self.conv(scale_observations(picture, dtype)))
        if form.numbers:
            given = {part: checked_tensor(x[part.name], part.shape, part.name) for part in form.numbers}
            numbers = [number_features(tensor, part, dtype) for part, tensor in given.items()]
            seen.append(self.vectors(torch.cat(numbers, dim=1)))
        joined: Tensor = self.fc(torch.cat(seen, dim=1))
        return joined

    def _checked_action(self, action: Tensor, batch: int) -> Tensor:
        if tuple(action.shape) != (batch,) or action.is_floating_point() or action.is_complex():
            raise ValueError(
                f"actions must be integers of shape ({batch},), got {action.dtype} of shape {tuple(action.shape)}"
            )
        action = action.long()
        if batch and not 0 <= int(action.min()) <= int(action.max()) < self.action_shape:
            raise ValueError(
                f"actions must lie in 0..{self.action_shape - 1}, got {int(action.min())}..{int(action.max())}"
            )
        return action
