# SPDX-License-Identifier: GPL-3.0-or-later
"""The episodes that an actor plays: from their plans to what they came to."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import torch
from gymnasium.vector import AutoresetMode
from numpy.typing import NDArray

from oakemu_rl.errors import UserError
from oakemu_rl.ppo.env_contract import ADVANCE, game_rewards
from oakemu_rl.ppo.episode_plan import EpisodeDirector, EpisodePlan
from oakemu_rl.ppo.episodes import EpisodeRecord, EpisodeTracker
from oakemu_rl.ppo.route import Route
from oakemu_rl.ppo.routing import Router, Rows
from oakemu_rl.ppo.seeding import derive_generator

__all__ = ["Ends", "EpisodeConductor"]

_RANDOM_STREAM, _START_STREAM = (1, 1), (1, 3)
_ROUNDING = 1e-6  # of the same rewards, added up in another order


class Ends(NamedTuple):
    """How episodes ended in a step, each (N,).

    Attributes:
        terminated: The game's own end.
        truncated: A time limit, the environment's or the plan's.
        rewards: What the learner sees: with the price of a time-out that is taken for an end.
        bootstrapped: Where the value of the true last observation stands for the rest.
    """

    terminated: NDArray[np.bool_]
    truncated: NDArray[np.bool_]
    rewards: NDArray[np.float64]
    bootstrapped: NDArray[np.bool_]


class EpisodeConductor:
    """Puts plans into force, one after another, and keeps account of the episodes.

    Args:
        num_envs: N.
        mode: How the environments start new episodes.
        allowed_actions: What may ever be played.
        seed: Of random actions, and of the streams of episodes that begin in a given state.
        director: Who makes the plans; None lets the policy play, or whom `set_route` says.

    Raises:
        UserError: The director wants to start episodes, which these environments do by themselves.
    """

    def __init__(
        self,
        num_envs: int,
        mode: AutoresetMode,
        allowed_actions: torch.Tensor,
        seed: int,
        director: EpisodeDirector | None,
    ) -> None:
        if director is not None and director.needs_starts and mode is not AutoresetMode.DISABLED:
            raise UserError(
                "episodes that begin in given states, or are cut off, need environments in autoreset mode DISABLED, "
                f"not {mode.name}"
            )
        self._mode = mode
        self._director = director
        self._router = Router(num_envs, allowed_actions, derive_generator(seed, *_RANDOM_STREAM))
        self._starts = derive_generator(seed, *_START_STREAM)
        self._tracker = EpisodeTracker(num_envs)
        self._routes = [Route.POLICY] * num_envs
        self._labels = [""] * num_envs
        self._goals = np.full(num_envs, np.inf)
        self.progress = 0.0

    @property
    def routes(self) -> tuple[Route, ...]:
        """Who plays in each environment."""
        return tuple(self._routes)

    @property
    def allowed_actions(self) -> NDArray[np.int64]:
        """What may ever be played, whatever the state."""
        return self._router.allowed_actions

    @property
    def ever_teaches(self) -> bool:
        """Whether some environment may come to follow the policy."""
        return self._director is not None or any(plan.ever_teaches for plan in self._router.plans)

    def set_route(self, env_id: int, route: Route | str, replay_actions: Sequence[int] | None = None) -> None:
        """Changes who plays in an environment, from the next step on and in all later episodes.

        Args:
            env_id: The environment.
            route: The new player.
            replay_actions: For a replay: its actions, from now and again from each episode's start.

        Raises:
            ValueError: The id or an action is out of range, `replay_actions` and the route do not go together, or a
                director says who plays.
        """
        if self._director is not None:
            raise ValueError("a director says who plays: set_route is for actors without one")
        actions = None if replay_actions is None else np.asarray(replay_actions, dtype=np.int64)
        self._put_into_force(env_id, EpisodePlan(Route(route), actions))

    def reset(self) -> None:
        """Forgets unfinished episodes, and begins new ones everywhere."""
        self._tracker.reset()
        self._begin(np.arange(len(self._routes)))

    def select(
        self,
        dead: NDArray[np.bool_],
        actions: NDArray[np.int64],
        action_masks: NDArray[np.bool_] | None,
    ) -> Rows:
        """Who plays in this step; see `Router.select`."""
        return self._router.select(dead, actions, action_masks)

    def ends(
        self,
        rewards: NDArray[Any],
        terminated: NDArray[np.bool_],
        truncated: NDArray[np.bool_],
        infos: Mapping[str, Any],
        *,
        dead: NDArray[np.bool_],
    ) -> Ends:
        """Joins the ends that the environments tell with those of the plans; an end of the game comes first."""
        seen = np.array(rewards, dtype=np.float64)
        timed_out, arrived = self._router.timed_out(dead), self._arrived(rewards, infos, dead)
        if timed_out is None and arrived is None:
            return Ends(terminated, truncated, seen, truncated & ~terminated)
        arrived = np.zeros_like(dead) if arrived is None else arrived
        timed_out = arrived if timed_out is None else timed_out & ~arrived
        truncated = truncated | ((timed_out | arrived) & ~terminated)
        bootstrapped = truncated & ~terminated
        for env_id in np.flatnonzero(timed_out & ~terminated & ~arrived):
            price = self._router.plans[env_id].timeout_reward
            if price is not None:
                # An end of the game has no state after it, for which shaping may have given something in advance.
                seen[env_id] += price - (infos[ADVANCE][env_id] if ADVANCE in infos else 0.0)
                bootstrapped[env_id] = False
        return Ends(terminated, truncated, seen, bootstrapped)

    def record(
        self, rewards: NDArray[Any], ends: Ends, infos: Mapping[str, Any], *, dead: NDArray[np.bool_]
    ) -> list[EpisodeRecord]:
        """Takes one step of all environments in, and plans what follows the episodes that it ended.

        Args:
            rewards: (N,) as the environments gave them.
            ends: Of the step.
            infos: Of the step.
            dead: (N,), rows in which an environment only started a new episode.

        Returns:
            The episodes that the step ended.
        """
        records = self._tracker.record(
            rewards,
            ends.terminated,
            ends.truncated,
            infos,
            dead=dead,
            routes=self._routes,
            labels=self._labels,
            started=self._router.started,
        )
        if self._director is not None:
            for record in records:
                self._director.ended(record.env_id, self._router.plans[record.env_id], record)
        self._begin(np.flatnonzero((ends.terminated | ends.truncated) & ~dead))
        return records

    def reset_arguments(self, env_ids: NDArray[np.integer[Any]]) -> dict[str, Any]:
        """What the environments must be told to begin the episodes of `env_ids`, as arguments of their ``reset``.

        A state holds its random stream, too. Each episode that a plan puts into its start gets a stream of its own,
        lest all that begin in one state meet the same chances. A new stream also begins a game anew, where it would go
        on after a lost life.
        """
        mask = np.zeros(len(self._routes), dtype=np.bool_)
        mask[env_ids] = True
        plans = [plan if mask[i] and plan.begins_anew else None for i, plan in enumerate(self._router.plans)]
        if all(plan is None for plan in plans):
            return {"options": {"reset_mask": mask}}
        drawn = torch.randint(2**31, (len(plans),), generator=self._starts).tolist()
        seeds = [None if plan is None else seed for plan, seed in zip(plans, drawn, strict=True)]
        states = [None if plan is None else plan.start for plan in plans]
        return {"seed": seeds, "options": {"reset_mask": mask, "states": states}}

    def figures(self) -> dict[str, float]:
        """The director's figures by tag."""
        return {} if self._director is None else dict(self._director.metrics())

    def state_dict(self) -> dict[str, Any]:
        """Plans in force, accounts and director, as plain values and tensors."""
        return {
            "router": self._router.state_dict(),
            "tracker": self._tracker.state_dict(),
            "starts": self._starts.get_state(),
            "director": None if self._director is None else self._director.state_dict(),
        }

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Takes up where `state_dict` stood.

        Raises:
            ValueError: It is of a run with a director, and this is one without, or the other way round.
        """
        director = state["director"]
        if (director is None) != (self._director is None):
            have, has = ("no director", "one") if director is None else ("a director", "none")
            raise ValueError(f"the saved actor has {have} of its episodes, this one has {has}")
        if self._director is not None:
            self._director.load_state_dict(director)
        self._starts.set_state(state["starts"])
        self._router.load_state_dict(state["router"])
        self._tracker.load_state_dict(state["tracker"])
        for env_id, plan in enumerate(self._router.plans):
            self._note_plan(env_id, plan)

    def _arrived(
        self, rewards: NDArray[Any], infos: Mapping[str, Any], dead: NDArray[np.bool_]
    ) -> NDArray[np.bool_] | None:
        """Where an episode has the return that its plan is out for, (N,); None if no plan in force is."""
        if not np.isfinite(self._goals).any():
            return None
        return (self._tracker.returns + game_rewards(rewards, infos) >= self._goals - _ROUNDING) & ~dead

    def _begin(self, env_ids: NDArray[np.integer[Any]]) -> None:
        for env_id in map(int, env_ids):
            director = self._director
            plan = self._router.plans[env_id] if director is None else director.plan(env_id, self.progress)
            self._put_into_force(env_id, plan)

    def _put_into_force(self, env_id: int, plan: EpisodePlan) -> None:
        if plan.needs_reset and self._mode is not AutoresetMode.DISABLED:
            raise ValueError(
                "a plan with a start or max_steps needs environments in autoreset mode DISABLED, not "
                f"{self._mode.name}; a director of such plans says needs_starts"
            )
        self._router.begin(env_id, plan)
        self._note_plan(env_id, plan)

    def _note_plan(self, env_id: int, plan: EpisodePlan) -> None:
        self._routes[env_id], self._labels[env_id] = plan.route, plan.label
        self._goals[env_id] = np.inf if plan.goal is None else plan.goal
