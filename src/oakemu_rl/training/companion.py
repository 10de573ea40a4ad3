# SPDX-License-Identifier: GPL-3.0-or-later
"""What learns beside PPO."""

import math
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from oakemu_rl.errors import UserError
from oakemu_rl.ppo import RolloutBuffer

__all__ = ["Companion", "Companions"]


class Companion(Protocol):
    """Learns from something else than PPO does, in the same network, once an update.

    In each update PPO learns first, as far as `ppo_weight` lets it, and then `learn` is called.
    """

    def ppo_weight(self, progress: float) -> float:
        """What PPO's learning rate is multiplied by in this update: 1 leaves it alone, at 0 PPO does not learn.

        Args:
            progress: The part of the training that is over, in [0, 1].
        """
        ...

    def learn(self, rollout_buffer: RolloutBuffer | None, progress: float) -> Mapping[str, float]:
        """Makes gradient steps of its own, with an optimiser of its own.

        Args:
            rollout_buffer: What was played, full and with advantages; None if nothing was that teaches.
            progress: The part of the training that is over, in [0, 1].

        Returns:
            Figures by full tag, such as ``imitation/bc_loss``.

        Raises:
            NonFiniteError: Numbers are not finite.
        """
        ...

    def state_dict(self) -> dict[str, Any]:
        """Everything but the network's weights, as plain values and tensors."""
        ...

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Takes up where `state_dict` stood."""
        ...


class Companions:
    """Several companions as one; none leave PPO alone.

    Args:
        each: In the order in which they learn.
    """

    def __init__(self, each: Sequence[Companion] = ()) -> None:
        self._each = tuple(each)

    def ppo_weight(self, progress: float) -> float:
        """The product of what all of them say."""
        return math.prod(companion.ppo_weight(progress) for companion in self._each)

    def learn(self, rollout_buffer: RolloutBuffer | None, progress: float) -> dict[str, float]:
        """Lets each learn in turn; returns the figures of all."""
        figures: dict[str, float] = {}
        for companion in self._each:
            figures |= companion.learn(rollout_buffer, progress)
        return figures

    def state_dict(self) -> list[dict[str, Any]]:
        """The states of all."""
        return [companion.state_dict() for companion in self._each]

    def load_state_dict(self, states: Sequence[Mapping[str, Any]]) -> None:
        """Takes up where `state_dict` stood.

        Raises:
            UserError: There were more or fewer of them.
        """
        if len(states) != len(self._each):
            raise UserError(
                f"the checkpoint has {len(states)} parts that learn beside PPO, this run has {len(self._each)}"
            )
        for companion, state in zip(self._each, states, strict=True):
            companion.load_state_dict(state)
