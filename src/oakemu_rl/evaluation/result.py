# SPDX-License-Identifier: GPL-3.0-or-later
"""What whole episodes of fixed weights came to."""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from oakemu_rl.evaluation.statistics import Proportion, Summary, proportion, summarize

__all__ = ["EpisodeResult", "EvaluationResult"]


@dataclass(frozen=True)
class EpisodeResult:
    """One whole episode.

    Attributes:
        seed: What the environment was reset with; playing it again gives the same episode.
        episode_return: Sum of the rewards.
        length: Agent steps.
        outcome: ``win``, ``loss`` or ``truncated``.
        variables: The game's variables at the true end, by name.
        reward_parts: Sums of the parts of the rewards, by name, where the game names parts.
    """

    seed: int
    episode_return: float
    length: int
    outcome: str
    variables: Mapping[str, int]
    reward_parts: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class EvaluationResult:
    """A set of whole episodes, in the order of their seeds.

    Attributes:
        episodes: The episodes.
    """

    episodes: tuple[EpisodeResult, ...]

    @property
    def returns(self) -> Summary:
        """Figures of the episodes' returns."""
        return self._over(lambda episode: episode.episode_return)

    @property
    def lengths(self) -> Summary:
        """Figures of the episodes' lengths in agent steps."""
        return self._over(lambda episode: episode.length)

    def variable(self, name: str) -> Summary:
        """Figures of one game variable at the end of the episodes.

        Raises:
            KeyError: The game has no such variable.
        """
        return self._over(lambda episode: episode.variables[name])

    def reward_part(self, name: str) -> Summary:
        """Figures of one part of the episodes' returns.

        Raises:
            KeyError: The game's reward has no such part.
        """
        return self._over(lambda episode: episode.reward_parts[name])

    def share(self, hits: str, misses: str) -> Proportion:
        """How large a share of both counts together is hits, over all episodes.

        Args:
            hits: Variable that counts, by the end of an episode, what succeeded.
            misses: Variable that counts what did not.

        Raises:
            KeyError: The game has no such variable.
        """
        return proportion(
            [episode.variables[hits] for episode in self.episodes],
            [episode.variables[misses] for episode in self.episodes],
        )

    @property
    def variable_names(self) -> tuple[str, ...]:
        """Names of the game's variables."""
        return tuple(self.episodes[0].variables)

    @property
    def reward_part_names(self) -> tuple[str, ...]:
        """Names of the parts of the game's reward."""
        return tuple(self.episodes[0].reward_parts)

    @property
    def outcomes(self) -> dict[str, int]:
        """How many episodes ended in which way."""
        return dict(Counter(episode.outcome for episode in self.episodes))

    def as_dict(self) -> dict[str, Any]:
        """Everything as plain values, ready for JSON."""
        return {
            "return": asdict(self.returns),
            "length": asdict(self.lengths),
            "variables": {name: asdict(self.variable(name)) for name in self.variable_names},
            "reward_parts": {name: asdict(self.reward_part(name)) for name in self.reward_part_names},
            "outcomes": self.outcomes,
            "episodes": [
                {
                    **asdict(episode),
                    "variables": dict(episode.variables),
                    "reward_parts": dict(episode.reward_parts),
                }
                for episode in self.episodes
            ],
        }

    def _over(self, value: Callable[[EpisodeResult], float]) -> Summary:
        return summarize([value(episode) for episode in self.episodes])
