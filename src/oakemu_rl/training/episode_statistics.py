# SPDX-License-Identifier: GPL-3.0-or-later
"""Figures over the last finished training episodes."""

from collections import Counter, deque
from collections.abc import Collection, Mapping, Sequence
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
    """The last 100 episodes that the policy played, and how many there were; and the last 100 under each label."""

    def __init__(self) -> None:
        self._recent: deque[EpisodeRecord] = deque(maxlen=EPISODES_IN_MEAN)
        self._labelled: dict[str, deque[EpisodeRecord]] = {}
        self.count = 0

    def add(self, episode: EpisodeRecord) -> None:
        """Counts one more episode in."""
        if episode.route.shows_policy:
            self._recent.append(episode)
            self.count += 1
        if episode.label:
            self._labelled.setdefault(episode.label, deque(maxlen=EPISODES_IN_MEAN)).append(episode)

    def metrics(self) -> dict[str, float]:
        """The ``rollout/`` tags; those of the policy are absent before its first episode has ended."""
        values = {} if not self._recent else {**_means(self._recent), "rollout/episodes": float(self.count)}
        if self._recent and _tell_how_they_end(self._recent):
            counts = Counter(dict.fromkeys(JUDGED_OUTCOMES, 0))
            counts.update(each.outcome for each in self._recent)
            shares = {f"rollout/{OUTCOME_SHARE}{name}": count / len(self._recent) for name, count in counts.items()}
            values |= shares
        for name in self._recent[-1].reward_parts if self._recent else ():
            total = sum(each.reward_parts.get(name, 0.0) for each in self._recent)
            values[f"rollout/{REWARD_PART}{name}"] = total / len(self._recent)
        for label, episodes in sorted(self._labelled.items()):
            values |= _means(episodes, f"{label}/")
        return values

    def state_dict(self) -> dict[str, Any]:
        """Everything as plain values."""
        labelled = {label: [_plain(each) for each in episodes] for label, episodes in self._labelled.items()}
        return {"count": self.count, "recent": [_plain(each) for each in self._recent], "labelled": labelled}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Takes over what `state_dict` gave."""
        self.count = int(state["count"])
        self._recent.clear()
        self._recent.extend(map(_record, state["recent"]))
        self._labelled = {
            label: deque(map(_record, episodes), EPISODES_IN_MEAN) for label, episodes in state["labelled"].items()
        }


def _means(episodes: Collection[EpisodeRecord], label: str = "") -> dict[str, float]:
    n = len(episodes)
    values = {
        f"rollout/{label}ep_rew_mean": sum(each.episode_return for each in episodes) / n,
        f"rollout/{label}ep_len_mean": sum(each.length for each in episodes) / n,
    }
    if _tell_how_they_end(episodes):
        values[f"rollout/{label}success_rate"] = sum(each.outcome is Outcome.WIN for each in episodes) / n
    return values


def _tell_how_they_end(episodes: Collection[EpisodeRecord]) -> bool:
    return any(each.outcome is not Outcome.TERMINATED for each in episodes)


def _plain(episode: EpisodeRecord) -> list[Any]:
    outcome, route, parts = str(episode.outcome), str(episode.route), dict(episode.reward_parts)
    return [episode.env_id, episode.episode_return, episode.length, outcome, route, parts, episode.label]


def _record(plain: Sequence[Any]) -> EpisodeRecord:
    env_id, total, length, outcome, route, *rest = plain  # older states know no parts, or no label
    return EpisodeRecord(int(env_id), float(total), int(length), Outcome(outcome), Route(route), *rest)
