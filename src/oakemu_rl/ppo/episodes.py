# SPDX-License-Identifier: GPL-3.0-or-later
"""Finished episodes, as a rollout reports them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from oakemu_rl.ppo.env_contract import game_rewards, reward_parts
from oakemu_rl.ppo.route import Route

__all__ = ["EpisodeRecord", "EpisodeTracker", "Outcome"]


class Outcome(StrEnum):
    """How an episode ended."""

    WIN = "win"
    LOSS = "loss"
    TRUNCATED = "truncated"
    LIFE_LOST = "life_lost"
    TERMINATED = "terminated"
    """An environment that does not say whether it was won or lost."""


# The codes in which Spectrum environments report outcomes; 0 is an episode still running.
_OUTCOME_OF_CODE = {1: Outcome.WIN, 2: Outcome.LOSS, 3: Outcome.TRUNCATED, 4: Outcome.LIFE_LOST}


@dataclass(frozen=True)
class EpisodeRecord:
    """One finished episode.

    Attributes:
        env_id: Where it was played.
        episode_return: Sum of the game's own rewards, undiscounted.
        length: Its agent steps.
        outcome: How it ended.
        route: Who played it; a replay that ran out was ended by the policy and still counts as a replay.
        reward_parts: Sums of the parts of the rewards, by name, where the environment names parts.
        label: Its plan's; empty for most.
    """

    env_id: int
    episode_return: float
    length: int
    outcome: Outcome
    route: Route
    reward_parts: Mapping[str, float] = field(default_factory=dict)
    label: str = ""


class EpisodeTracker:
    """Adds up rewards and steps until episodes end.

    Where the environment keeps such statistics itself (``infos["episode"]``, as Gymnasium's recorder writes it), its
    figures are taken. Not so for episodes that began in a saved state, whose figures would count what was before it.

    Args:
        num_envs: N.
    """

    def __init__(self, num_envs: int) -> None:
        self._returns = np.zeros(num_envs, dtype=np.float64)
        self._lengths = np.zeros(num_envs, dtype=np.int64)
        self._parts: dict[str, NDArray[np.float64]] = {}

    @property
    def returns(self) -> NDArray[np.float64]:
        """Sums of the game's own rewards of the running episodes, (N,); not to be written to."""
        return self._returns

    def record(
        self,
        rewards: NDArray[Any],
        terminated: NDArray[np.bool_],
        truncated: NDArray[np.bool_],
        infos: Mapping[str, Any],
        *,
        dead: NDArray[np.bool_],
        routes: Sequence[Route],
        labels: Sequence[str],
        started: NDArray[np.bool_],
    ) -> list[EpisodeRecord]:
        """Takes one step of all environments in.

        Args:
            rewards: (N,) as the environments gave them.
            terminated: (N,).
            truncated: (N,).
            infos: Of the step.
            dead: (N,), rows in which an environment only started a new episode.
            routes: Who plays in each environment.
            labels: Of their plans.
            started: (N,), where the episode began in a saved state.

        Returns:
            The episodes that this step ended.
        """
        self._returns += np.where(dead, 0.0, game_rewards(rewards, infos))
        self._lengths += ~dead
        for name, part in reward_parts(infos).items():
            self._parts[name] = self._parts.get(name, 0.0) + np.where(dead, 0.0, part)
        ended = [int(env_id) for env_id in np.flatnonzero((terminated | truncated) & ~dead)]
        valid = infos.get("_episode") if "episode" in infos else None
        told = np.zeros_like(dead) if valid is None else np.asarray(valid, dtype=np.bool_) & ~started
        records = [
            EpisodeRecord(
                env_id=env_id,
                episode_return=float(infos["episode"]["r"][env_id] if told[env_id] else self._returns[env_id]),
                length=int(infos["episode"]["l"][env_id] if told[env_id] else self._lengths[env_id]),
                outcome=_outcome(infos, env_id, terminated=bool(terminated[env_id])),
                route=routes[env_id],
                reward_parts={name: float(sums[env_id]) for name, sums in self._parts.items()},
                label=labels[env_id],
            )
            for env_id in ended
        ]
        for sums in (self._returns, self._lengths, *self._parts.values()):
            sums[ended] = 0
        return records

    def reset(self) -> None:
        """Forgets unfinished episodes."""
        self._returns.fill(0.0)
        self._lengths.fill(0)
        self._parts.clear()

    def state_dict(self) -> dict[str, Any]:
        """The sums so far."""
        return {
            "returns": torch.from_numpy(self._returns.copy()),
            "lengths": torch.from_numpy(self._lengths.copy()),
            "parts": {name: torch.from_numpy(sums.copy()) for name, sums in self._parts.items()},
        }

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Takes up where `state_dict` stood."""
        self._returns[:] = state["returns"].numpy()
        self._lengths[:] = state["lengths"].numpy()
        self._parts = {name: sums.numpy().copy() for name, sums in state["parts"].items()}


def _outcome(infos: Mapping[str, Any], env_id: int, *, terminated: bool) -> Outcome:
    for source in (infos, infos.get("final_info")):
        if isinstance(source, Mapping) and "outcome" in source:
            given = source["outcome"][env_id]
            if isinstance(given, str) and given in set(Outcome):
                return Outcome(given)
            if not isinstance(given, str) and given is not None and int(given) in _OUTCOME_OF_CODE:
                return _OUTCOME_OF_CODE[int(given)]
    return Outcome.TERMINATED if terminated else Outcome.TRUNCATED
