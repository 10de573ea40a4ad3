# SPDX-License-Identifier: GPL-3.0-or-later
"""Who plays in each environment: the policy, chance, or a recording."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from oakemu_rl.ppo.episode_plan import EpisodePlan
from oakemu_rl.ppo.route import Route

__all__ = ["Route", "Router", "Rows"]


class Rows(NamedTuple):
    """Which environments the model plays in a step.

    Attributes:
        model: (N,) bool, where the model must choose.
        teaching: (N,) bool, where it learns from its choice, too.
    """

    model: NDArray[np.bool_]
    teaching: NDArray[np.bool_]


class Router:
    """Keeps the plan of each environment's episode, and chooses the actions that are not the model's.

    Args:
        num_envs: N.
        allowed_actions: What random environments draw from.
        generator: Of random actions, on the CPU.

    Attributes:
        plans: In force, by environment.
        started: (N,) bool, where the episode began in a state that its plan gave.
    """

    def __init__(self, num_envs: int, allowed_actions: torch.Tensor, generator: torch.Generator) -> None:
        self.plans = [EpisodePlan()] * num_envs
        self.started = np.zeros(num_envs, dtype=np.bool_)
        self.allowed_actions: NDArray[np.int64] = allowed_actions.numpy()
        self._generator = generator
        self._steps = np.zeros(num_envs, dtype=np.int64)
        self._limits = np.zeros(num_envs, dtype=np.int64)
        self._directed = np.zeros(num_envs, dtype=np.bool_)  # where steps matter: all but the policy's plain episodes

    def begin(self, env_id: int, plan: EpisodePlan) -> None:
        """Puts a plan into force, from the next step on.

        Raises:
            ValueError: The id is out of range, or a recorded action is never allowed.
        """
        if not 0 <= env_id < len(self.plans):
            raise ValueError(f"environment ids must lie in 0..{len(self.plans) - 1}, got {env_id}")
        if plan.actions is not None and plan is not self.plans[env_id]:
            illegal = ~np.isin(plan.actions, self.allowed_actions)
            if illegal.any():
                at = int(np.flatnonzero(illegal)[0])
                raise ValueError(
                    f"replay action {plan.actions[at]} at position {at} is not allowed; allowed are "
                    f"{self.allowed_actions.tolist()}"
                )
        self.plans[env_id] = plan
        self.started[env_id] = plan.start is not None
        self._steps[env_id] = 0
        self._limits[env_id] = plan.max_steps
        self._directed[env_id] = plan.route is not Route.POLICY or plan.max_steps > 0

    def select(
        self,
        dead: NDArray[np.bool_],
        actions: NDArray[np.int64],
        action_masks: NDArray[np.bool_] | None = None,
    ) -> Rows:
        """Says which rows the model must play, plays the others, and counts the step.

        Args:
            dead: (N,), environments that ignore this step's action (they start a new episode); action 0 is written.
            actions: (N,), receives the actions of all rows that are not the model's.
            action_masks: (N, actions), what is allowed now; random actions keep to it, recorded ones are played as they
                are.
        """
        model = ~dead
        actions[dead] = 0
        directed = np.flatnonzero(self._directed & model)
        if len(directed) == 0:
            return Rows(model, model)
        teaching, random = model.copy(), []
        for env_id in directed:
            plan, step = self.plans[env_id], int(self._steps[env_id])
            player = plan.player(step)
            teaching[env_id] = player is Route.POLICY
            if player is Route.RANDOM:
                random.append(env_id)
            elif player is Route.REPLAY and plan.actions is not None:
                actions[env_id] = plan.actions[step]
                model[env_id] = False
        if random:
            actions[random] = self._random_actions(len(random), None if action_masks is None else action_masks[random])
            model[random] = False
        self._steps[directed] += 1
        return Rows(model, teaching)

    def _random_actions(self, count: int, masks: NDArray[np.bool_] | None) -> NDArray[np.int64]:
        """Actions (B,), each drawn from what is allowed always and, by the masks (B, actions), now."""
        allowed = self.allowed_actions
        now = np.ones((count, len(allowed)), dtype=np.bool_) if masks is None else masks[:, allowed]
        drawn = torch.rand(count, generator=self._generator, dtype=torch.float64).numpy()
        # The k-th allowed one, k from 1: below 1 even the largest number drawn stays within the count.
        kth = (drawn * now.sum(axis=1)).astype(np.int64) + 1
        chosen: NDArray[np.int64] = allowed[(now.cumsum(axis=1) == kth[:, None]).argmax(axis=1)]
        return chosen

    def timed_out(self, dead: NDArray[np.bool_]) -> NDArray[np.bool_] | None:
        """Where the plan cuts the episode off after this step, (N,); None if no plan in force ever does."""
        if not self._limits.any():
            return None
        return (self._limits > 0) & (self._steps >= self._limits) & ~dead

    def state_dict(self) -> dict[str, Any]:
        """Plans and where they stand, as plain values and tensors."""
        return {
            "plans": [plan.as_plain() for plan in self.plans],
            "steps": torch.from_numpy(self._steps.copy()),
            "generator": self._generator.get_state(),
        }

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Takes up where `state_dict` stood.

        Raises:
            ValueError: A plan in it is not allowed here.
        """
        for env_id, plan in enumerate(state["plans"]):
            self.begin(env_id, EpisodePlan.of_plain(plan))
        self._steps[:] = state["steps"].numpy()
        self._generator.set_state(state["generator"])
