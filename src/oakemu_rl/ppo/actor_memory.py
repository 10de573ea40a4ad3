# SPDX-License-Identifier: GPL-3.0-or-later
"""What a recurrent policy remembers of the episodes that it is playing."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

__all__ = ["ActorMemory"]


class ActorMemory:
    """The state of each environment's episode, between the steps of an actor.

    Args:
        num_envs: N.
        state_size: S; 0 for a policy that remembers nothing.
        device: The model's.

    Attributes:
        states: (N, S), now.
        stored: Whether the last step went into the present rollout; said by the actor.
    """

    def __init__(self, num_envs: int, state_size: int, device: torch.device) -> None:
        self.states = torch.zeros(num_envs, state_size, device=device)
        self.stored = False
        self._resets = np.ones(num_envs, dtype=np.bool_)

    def begin_step(self, live: NDArray[np.bool_]) -> tuple[NDArray[np.bool_], NDArray[np.float32] | None]:
        """What a rollout must know to compute the states of this step again.

        Args:
            live: (N,), environments that take the step; the others only begin an episode.

        Returns:
            Where an episode begins with this step, (N,); and the states before it, (N, S), unless they follow from the
            step before, which is in the same rollout.
        """
        resets = self._resets.copy()
        self._resets[live] = False
        return resets, None if self.stored else self.states.cpu().numpy().copy()

    def update(self, env_ids: NDArray[np.integer[Any]], states: Tensor) -> None:
        """Takes the states (B, S) of environments (B,) after their step."""
        self.states[torch.from_numpy(env_ids)] = states

    def forget(self, env_ids: NDArray[np.integer[Any]]) -> None:
        """Begins new episodes in environments (B,)."""
        if len(env_ids):  # which most steps spare
            self.states[torch.from_numpy(env_ids)] = 0.0
            self._resets[env_ids] = True

    def state_dict(self) -> dict[str, Tensor]:
        """What it takes to go on."""
        return {"states": self.states.cpu().clone(), "resets": torch.from_numpy(self._resets.copy())}

    def load_state_dict(self, state: Mapping[str, Tensor]) -> None:
        """Takes up where `state_dict` stood."""
        self.states.copy_(state["states"])
        self._resets[:] = state["resets"].numpy()
