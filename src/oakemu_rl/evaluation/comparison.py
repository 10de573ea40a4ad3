# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether one player is better than another: on the same episodes, with how much certainty."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from oakemu_rl.evaluation.result import EvaluationResult
from oakemu_rl.evaluation.statistics import bootstrap_interval

__all__ = ["Comparison", "compare_results", "compare_returns"]

_LEVEL = 0.95
_FLIPS = 10_000
_CHUNK = 1_000  # sign patterns drawn at once: bounds memory at 1,000 x episodes


@dataclass(frozen=True)
class Comparison:
    """How the returns of one player differ from another's, episode by episode of the same seeds.

    Attributes:
        episodes: How many were compared.
        difference: Mean of the first one's return less the second one's.
        low: Lower end of the 95% bootstrap interval of the difference; episodes are drawn, in pairs.
        high: Upper end of it.
        p_value: How often differences at least as large come about where neither is better: a permutation test that
            exchanges the two players in random episodes (two-sided).
        better: Share of the episodes in which the first one did better, equal ones counted half.
    """

    episodes: int
    difference: float
    low: float
    high: float
    p_value: float
    better: float

    @property
    def significant(self) -> bool:
        """Whether the difference is more than chance would give at the level of 95%."""
        return self.p_value < 1.0 - _LEVEL


def compare_results(first: EvaluationResult, second: EvaluationResult) -> Comparison:
    """Compares two evaluations of the same seeds.

    Raises:
        ValueError: Their episodes have other seeds.
    """
    seeds = [episode.seed for episode in first.episodes]
    if seeds != [episode.seed for episode in second.episodes]:
        raise ValueError("two evaluations are compared episode by episode, and these have other seeds")
    return compare_returns(
        [episode.episode_return for episode in first.episodes], [episode.episode_return for episode in second.episodes]
    )


def compare_returns(
    first: Sequence[float] | NDArray[np.float64], second: Sequence[float] | NDArray[np.float64], *, seed: int = 0
) -> Comparison:
    """Compares paired returns.

    Args:
        first: One return an episode, shape (n,).
        second: Those of the other player in the same episodes, shape (n,).
        seed: Makes interval and p-value repeatable.

    Raises:
        ValueError: There is no episode, or not as many of both.
    """
    one, other = (np.asarray(values, dtype=np.float64) for values in (first, second))
    if one.ndim != 1 or one.shape != other.shape or one.size == 0:
        raise ValueError(f"paired returns must be of one shape (n,) with n >= 1, got {one.shape} and {other.shape}")
    gains = one - other
    low, high = bootstrap_interval(gains, lambda drawn: np.asarray(drawn.mean(axis=-1)), level=_LEVEL, seed=seed)
    return Comparison(
        episodes=int(gains.size),
        difference=float(gains.mean()),
        low=low,
        high=high,
        p_value=_sign_flip_p_value(gains, seed),
        better=float(((gains > 0) + 0.5 * (gains == 0)).mean()),
    )


def _sign_flip_p_value(gains: NDArray[np.float64], seed: int) -> float:
    """Two-sided p-value of the mean under random signs; the sample itself counts as one, so that it is never 0."""
    rng = np.random.default_rng(seed)
    observed = abs(gains.mean())
    reached = 1
    for start in range(0, _FLIPS, _CHUNK):
        signs = rng.integers(0, 2, size=(min(_CHUNK, _FLIPS - start), gains.size), dtype=np.int8) * 2 - 1
        # A sum of the same numbers in another order may differ in the last bit: such a pattern counts as reached.
        reached += int((np.abs((signs * gains).mean(axis=-1)) >= observed * (1.0 - 1e-12)).sum())
    return reached / (_FLIPS + 1)
