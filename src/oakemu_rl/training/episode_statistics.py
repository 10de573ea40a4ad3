# SPDX-License-Identifier: GPL-3.0-or-later
"""Figures over the last finished training episodes."""

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

__all__ = ["EpisodeStatistics", "FinishedEpisode"]

_WINDOW = 100  # episodes, as in Stable-Baselines3's rollout/ep_rew_mean


@dataclass(frozen=True)
class FinishedEpisode:
    """One episode that ended during training.

    Attributes:
        env: The environment that played it.
        episode_return: Sum of the rewards.
        length: Agent steps.
        outcome: ``win``, ``loss``, ``truncated`` or ``life_lost``; empty where the environment does not say.
    """

    env: int
    episode_return: float
    length: int
    outcome: str = ""


class EpisodeStatistics:
    """The last 100 episodes, and how many there were in all."""

    def __init__(self) -> None:
        self._recent: deque[FinishedEpisode] = deque(maxlen=_WINDOW)
        self.count = 0

    def add(self, episode: FinishedEpisode) -> None:
        """Counts one more episode in."""
        self._recent.append(episode)
        self.count += 1

    def metrics(self) -> dict[str, float]:
        """The ``rollout/`` tags; empty before the first episode has ended."""
        if not self._recent:
            return {}
        n = len(self._recent)
        values = {
            "rollout/ep_rew_mean": sum(each.episode_return for each in self._recent) / n,
            "rollout/ep_len_mean": sum(each.length for each in self._recent) / n,
            "rollout/episodes": float(self.count),
        }
        if any(each.outcome for each in self._recent):
            values["rollout/success_rate"] = sum(each.outcome == "win" for each in self._recent) / n
        return values

    def state_dict(self) -> dict[str, Any]:
        """Everything as plain values."""
        recent = [[each.env, each.episode_return, each.length, each.outcome] for each in self._recent]
        return {"count": self.count, "recent": recent}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Takes over what `state_dict` gave."""
        self.count = int(state["count"])
        self._recent.clear()
        self._recent.extend(FinishedEpisode(int(e), float(r), int(n), str(o)) for e, r, n, o in state["recent"])
