# SPDX-License-Identifier: GPL-3.0-or-later
"""Who plays in each environment: the policy, chance, or a recording."""

from collections.abc import Sequence
from enum import StrEnum
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

__all__ = ["Route", "Router"]


class Route(StrEnum):
    """Who chooses an environment's actions; only the policy's choices are trainable."""

    POLICY = "policy"
    """The model samples."""
    RANDOM = "random"
    """Every allowed action is equally likely."""
    REPLAY = "replay"
    """Each episode begins with recorded actions; when they run out, the policy takes over until its end."""


class Router:
    """Keeps the route of each environment and chooses the actions that are not the policy's.

    Args:
        num_envs: N.
        allowed_actions: What random environments draw from.
        generator: Of random actions, on the CPU.
    """

    def __init__(self, num_envs: int, allowed_actions: torch.Tensor, generator: torch.Generator) -> None:
        self.routes = [Route.POLICY] * num_envs
        self._allowed = allowed_actions
        self._generator = generator
        self._replays: dict[int, NDArray[np.int64]] = {}
        self._positions = np.zeros(num_envs, dtype=np.int64)

    @property
    def allowed_actions(self) -> NDArray[np.int64]:
        """What may ever be played, whatever the state."""
        allowed: NDArray[np.int64] = self._allowed.numpy()
        return allowed

    def set_route(self, env_id: int, route: Route | str, replay_actions: Sequence[int] | None = None) -> None:
        """Changes who plays in an environment, from the next step on.

        Args:
            env_id: The environment.
            route: The new player.
            replay_actions: For a replay: its actions, from now and again from each episode's start.

        Raises:
            ValueError: The id or an action is out of range, or `replay_actions` and the route do not go together.
        """
        route = Route(route)
        if not 0 <= env_id < len(self.routes):
            raise ValueError(f"environment ids must lie in 0..{len(self.routes) - 1}, got {env_id}")
        if (route is Route.REPLAY) != (replay_actions is not None):
            raise ValueError(f"replay_actions belong to the route 'replay', and to no other; the route is {route!s}")
        self._replays.pop(env_id, None)
        if replay_actions is not None:
            actions = np.asarray(replay_actions, dtype=np.int64)
            illegal = ~np.isin(actions, self.allowed_actions)
            if illegal.any():
                at = int(np.flatnonzero(illegal)[0])
                raise ValueError(
                    f"replay action {actions[at]} at position {at} is not allowed; allowed are {self._allowed.tolist()}"
                )
            self._replays[env_id] = actions
        self._positions[env_id] = 0
        self.routes[env_id] = route

    def restart(self, env_ids: NDArray[np.integer[Any]]) -> None:
        """Winds the recordings of environments back, because new episodes begin."""
        self._positions[env_ids] = 0

    def policy_rows(
        self,
        dead: NDArray[np.bool_],
        actions: NDArray[np.int64],
        action_masks: NDArray[np.bool_] | None = None,
    ) -> NDArray[np.bool_]:
        """Says which rows the policy must play, and plays the others.

        Args:
            dead: (N,), environments that ignore this step's action (they start a new episode); action 0 is written.
            actions: (N,), receives the actions of all rows that are not the policy's.
            action_masks: (N, actions), what is allowed now; random actions keep to it, recorded ones are played as they
                are.

        Returns:
            (N,), True where the policy must choose.
        """
        policy = ~dead
        actions[dead] = 0
        for env_id, route in enumerate(self.routes):
            if route is Route.POLICY or dead[env_id]:
                continue
            if route is Route.RANDOM:
                actions[env_id] = self._random_action(None if action_masks is None else action_masks[env_id])
                policy[env_id] = False
            elif self._positions[env_id] < len(self._replays[env_id]):
                actions[env_id] = self._replays[env_id][self._positions[env_id]]
                self._positions[env_id] += 1
                policy[env_id] = False
        return policy

    def _random_action(self, mask: NDArray[np.bool_] | None) -> int:
        allowed = self._allowed if mask is None else self._allowed[torch.from_numpy(mask)[self._allowed]]
        return int(allowed[torch.randint(len(allowed), (1,), generator=self._generator)])

    def state_dict(self) -> dict[str, Any]:
        """Routes, recordings and where they stand, as plain values and tensors."""
        return {
            "routes": [str(route) for route in self.routes],
            "replays": {env_id: torch.from_numpy(actions.copy()) for env_id, actions in self._replays.items()},
            "positions": torch.from_numpy(self._positions.copy()),
            "generator": self._generator.get_state(),
        }

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Takes up where `state_dict` stood."""
        self.routes = [Route(route) for route in state["routes"]]
        self._replays = {int(env_id): actions.numpy().copy() for env_id, actions in state["replays"].items()}
        self._positions = state["positions"].numpy().copy()
        self._generator.set_state(state["generator"])
