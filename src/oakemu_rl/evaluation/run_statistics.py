# SPDX-License-Identifier: GPL-3.0-or-later
"""Figures over several training runs of one method: runs are what is drawn, episodes only tell how good each run is.

Source: Agarwal et al., 2021, "Deep Reinforcement Learning at the Edge of the Statistical Precipice".
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from oakemu_rl.evaluation.statistics import interquartile_mean

__all__ = ["RunComparison", "RunFigures", "compare_methods", "figures_of_runs"]

_RESAMPLES = 2_000
_TAILS = (0.025, 0.975)


@dataclass(frozen=True)
class RunFigures:
    """How good a method is.

    Attributes:
        iqm: Interquartile mean over all episodes of all runs.
        low: Lower end of its 95% bootstrap interval: runs are drawn, then episodes of each.
        high: Upper end of it.
    """

    iqm: float
    low: float
    high: float


@dataclass(frozen=True)
class RunComparison:
    """How one method differs from another.

    Attributes:
        difference: Interquartile mean of the first less that of the second.
        low: Lower end of the difference's 95% bootstrap interval: runs are drawn, then episodes of each.
        high: Upper end of it.
        better: Probability that a run of the first has a higher mean return than one of the second, equal ones counted
            half.
    """

    difference: float
    low: float
    high: float
    better: float

    @property
    def significant(self) -> bool:
        """Whether the interval leaves no room for there being no difference."""
        return self.low > 0.0 or self.high < 0.0


def figures_of_runs(returns: NDArray[np.float64], *, seed: int = 0) -> RunFigures:
    """The figures of one method.

    Args:
        returns: Of the episodes of each run, shape (runs, episodes).
        seed: Makes the interval repeatable.

    Raises:
        ValueError: There is no run, or no episode.
    """
    drawn = _iqm_of_draws(_checked(returns), np.random.default_rng(seed))
    low, high = np.quantile(drawn, _TAILS)
    return RunFigures(float(interquartile_mean(returns.ravel())), float(low), float(high))


def compare_methods(first: NDArray[np.float64], second: NDArray[np.float64], *, seed: int = 0) -> RunComparison:
    """Compares two methods by their runs.

    Args:
        first: Returns of the episodes of each run, shape (runs, episodes).
        second: Those of the other method; it may have another number of runs and episodes.
        seed: Makes the interval repeatable.

    Raises:
        ValueError: There is no run, or no episode.
    """
    rng = np.random.default_rng(seed)
    drawn = _iqm_of_draws(_checked(first), rng) - _iqm_of_draws(_checked(second), rng)
    low, high = np.quantile(drawn, _TAILS)
    means = first.mean(axis=1)[:, None] - second.mean(axis=1)[None, :]
    return RunComparison(
        difference=float(interquartile_mean(first.ravel()) - interquartile_mean(second.ravel())),
        low=float(low),
        high=float(high),
        better=float(((means > 0) + 0.5 * (means == 0)).mean()),
    )


def _checked(returns: NDArray[np.float64]) -> NDArray[np.float64]:
    if returns.ndim != 2 or returns.size == 0:
        raise ValueError(f"returns must be of shape (runs, episodes) with at least one of both, got {returns.shape}")
    return returns


def _iqm_of_draws(returns: NDArray[np.float64], rng: np.random.Generator) -> NDArray[np.float64]:
    """Interquartile means of resamples, (resamples,)."""
    runs, episodes = returns.shape
    chosen = rng.integers(runs, size=(_RESAMPLES, runs, 1))
    drawn = returns[chosen, rng.integers(episodes, size=(_RESAMPLES, runs, episodes))]
    return interquartile_mean(drawn.reshape(_RESAMPLES, -1))
