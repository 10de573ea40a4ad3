# SPDX-License-Identifier: GPL-3.0-or-later
"""Figures over the last finished training episodes."""

from collections import Counter, deque
from collections.abc import Mapping
from typing import Any

from oakemu_rl.envs import REWARD_PART
from oakemu_rl.ppo import EpisodeRecord, Outcome, Route

__all__ = ["EPISODES_IN_MEAN", "JUDGED_OUTCOMES", "OUTCOME_SHARE", "EpisodeStatistics"]

EPISODES_IN_MEAN = 100
"""Episodes over which figures are taken, as in Stable-Baselines3's rollout/ep_rew_mean."""

OUTCOME_SHARE = "outcome/"
"""Begins the tags of the shares of outcomes, after ``rollout/`` or ``eval/``."""

JUDGED_OUTCOMES = (Outcome.WIN, Outcome.LOSS, Outcome.TRUNCATED)
"""Outcomes whose shares are told even while they are 0, of environments that say how episodes end."""


class EpisodeStatistics:
    """The last 100 episodes, and how many there were in all."""

    def __init__(self) -> None:
        self._recent: deque[EpisodeRecord] = deque(maxlen=EPISODES_IN_MEAN)
        self.count = 0

    def add(self, episode: EpisodeRecord) -> None:
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
        if any(each.outcome is not Outcome.TERMINATED for each in self._recent):
            values["rollout/success_rate"] = sum(each.outcome is Outcome.WIN for each in self._recent) / n
            counts = Counter(dict.fromkeys(JUDGED_OUTCOMES, 0))
            counts.update(each.outcome for each in self._recent)
            values |= {f"rollout/{OUTCOME_SHARE}{outcome}": count / n for outcome, count in counts.items()}
        for name in self._recent[-1].reward_parts:
            values[f"rollout/{REWARD_PART}{name}"] = sum(each.reward_parts.get(name, 0.0) for each in self._recent) / n
        return values

    def state_dict(self) -> dict[str, Any]:
        """Everything as plain values."""
        recent = [
            [each.env_id, each.episode_return, each.length, str(each.outcome), str(each.route), dict(each.reward_parts)]
            for each in self._recent
        ]
        return {"count": self.count, "recent": recent}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Takes over what `state_dict` gave."""
        self.count = int(state["count"])
        self._recent.clear()
        self._recent.extend(
            EpisodeRecord(int(env_id), float(total), int(length), Outcome(outcome), Route(route), *parts)
            for env_id, total, length, outcome, route, *parts in state["recent"]  # older states know no parts
        )
