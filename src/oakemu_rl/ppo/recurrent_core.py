# SPDX-License-Identifier: GPL-3.0-or-later
"""The part of a network that remembers: a GRU or an LSTM between the features and the heads."""

import itertools
from collections.abc import Mapping
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from oakemu_rl.ppo.model_configuration import Recurrent

__all__ = ["RecurrentCore", "Sequences"]


@dataclass(frozen=True)
class Sequences:
    """What T steps in a row of E environments are, apart from their observations.

    The observations beside it are (T * E, ...): all environments of the first step, then all of the second, and so on.

    Attributes:
        starts: The states (E, S) with which rows begin: row 0, and each row before which steps are missing.
        resets: (T, E) bool, where the state is 0 because an episode begins.
        breaks: Every row that has either of these, ascending; on the CPU, so that none need be looked for.
        cells: (M,) int64, which of the T * E observations an answer is wanted for.
    """

    starts: Mapping[int, Tensor]
    resets: Tensor
    breaks: tuple[int, ...]
    cells: Tensor


class RecurrentCore(nn.Module):
    """A GRU (Cho et al., 2014) or an LSTM (Hochreiter and Schmidhuber, 1997) of one layer.

    The state of an environment is one row of S numbers: what it last gave, of an LSTM followed by its cell. An episode
    begins with zeros.

    Args:
        kind: ``gru`` or ``lstm``.
        features: Of the input.
        size: Of the output.

    Attributes:
        size: As given.
        state_size: S.
    """

    def __init__(self, kind: Recurrent, features: int, size: int) -> None:
        super().__init__()
        self.size = size
        self._cell = kind == "lstm"
        self.state_size = 2 * size if self._cell else size
        self.layer: nn.GRU | nn.LSTM = nn.LSTM(features, size) if self._cell else nn.GRU(features, size)

    def forward(self, features: Tensor, state: Tensor) -> tuple[Tensor, Tensor]:
        """Takes T steps without an end of an episode.

        Args:
            features: (T, E, features).
            state: (E, S), before the first step.

        Returns:
            What it gives, (T, E, size), and the state after the last step, (E, S).
        """
        # Recurrence adds its errors up, and torch has no half-precision layers of it on a CPU: it is always exact.
        with torch.autocast(features.device.type, enabled=False):
            features = features.to(next(self.layer.parameters()).dtype)
            state = state.to(features.dtype)[None]
            if not self._cell:
                given, last = self.layer(features, state.contiguous())
                return given, last[0]
            parts = tuple(part.contiguous() for part in torch.split(state, self.size, dim=-1))
            given, (hidden, cell) = self.layer(features, parts)
            return given, torch.cat((hidden[0], cell[0]), dim=-1)

    def unroll(self, features: Tensor, sequences: Sequences) -> Tensor:
        """Takes all steps of a rollout; gradients reach back through each episode to its start, or to the rollout's.

        Between two breaks no environment ends, and torch's layer takes the steps at once.

        Args:
            features: (T * E, features).
            sequences: How these hang together.

        Returns:
            (T * E, size).
        """
        steps = features.reshape(*sequences.resets.shape, -1)
        given: list[Tensor] = []
        state = sequences.starts[0]
        for begin, end in itertools.pairwise((*sequences.breaks, len(steps))):
            state = sequences.starts.get(begin, state).masked_fill(sequences.resets[begin][:, None], 0.0)
            segment, state = self(steps[begin:end], state)
            given.append(segment)
        return torch.cat(given).flatten(0, 1)
