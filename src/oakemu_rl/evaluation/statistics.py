# SPDX-License-Identifier: GPL-3.0-or-later
"""Figures that sum up a set of episodes, and how far they can be trusted."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["Proportion", "Summary", "bootstrap_interval", "interquartile_mean", "proportion", "summarize"]

_CHUNK = 1_000  # resamples drawn at once: bounds memory at 1,000 x episodes


@dataclass(frozen=True)
class Summary:
    """One figure over all episodes.

    Attributes:
        count: Number of episodes.
        mean: Arithmetic mean.
        median: Middle value.
        iqm: Interquartile mean: the mean of the middle half, robust against a few outliers.
        low: Lower end of the 95% bootstrap interval of the mean.
        high: Upper end of it.
        minimum: Smallest value.
        maximum: Largest value.
    """

    count: int
    mean: float
    median: float
    iqm: float
    low: float
    high: float
    minimum: float
    maximum: float


@dataclass(frozen=True)
class Proportion:
    """A share of a whole, counted over all episodes together.

    Attributes:
        hits: What succeeded.
        total: What could have succeeded.
        share: hits / total, 0 if there was nothing.
        low: Lower end of the 95% bootstrap interval of the share; episodes are drawn, not single events, as the events
            of an episode hang together.
        high: Upper end of it.
    """

    hits: int
    total: int
    share: float
    low: float
    high: float


def interquartile_mean(values: Sequence[float] | NDArray[np.float64], axis: int = -1) -> NDArray[np.float64]:
    """Mean of what is left when floor(n / 4) values are cut off at either end.

    Args:
        values: Array with at least one value along ``axis``.
        axis: Axis that the mean is taken over.

    Returns:
        The means, ``values`` with ``axis`` removed.

    Source: Agarwal et al. 2021, "Deep Reinforcement Learning at the Edge of the Statistical Precipice".
    """
    ordered = np.moveaxis(np.sort(np.asarray(values, dtype=np.float64), axis=axis), axis, -1)
    cut = ordered.shape[-1] // 4
    return np.asarray(ordered[..., cut : ordered.shape[-1] - cut].mean(axis=-1))


def bootstrap_interval(
    values: Sequence[float] | NDArray[np.float64],
    statistic: Callable[[NDArray[np.float64]], NDArray[np.float64]],
    *,
    level: float = 0.95,
    resamples: int = 10_000,
    seed: int = 0,
) -> tuple[float, float]:
    """Percentile bootstrap interval of a statistic.

    Args:
        values: The sample, shape (n,).
        statistic: Maps (resamples, n) to (resamples,), taken over the last axis.
        level: Coverage, between 0 and 1.
        resamples: How many samples of size n are drawn with replacement.
        seed: Makes the interval repeatable.

    Returns:
        Lower and upper end.

    Raises:
        ValueError: The sample is empty.
    """
    sample = np.asarray(values, dtype=np.float64)
    if sample.ndim != 1 or sample.size == 0:
        raise ValueError(f"a bootstrap interval needs a sample of shape (n,) with n >= 1, got {sample.shape}")
    rng = np.random.default_rng(seed)
    drawn = [
        statistic(sample[rng.integers(sample.size, size=(min(_CHUNK, resamples - start), sample.size))])
        for start in range(0, resamples, _CHUNK)
    ]
    tail = (1.0 - level) / 2.0
    low, high = np.quantile(np.concatenate(drawn), [tail, 1.0 - tail])
    return float(low), float(high)


def summarize(values: Sequence[float] | NDArray[np.float64]) -> Summary:
    """All figures of one quantity over a set of episodes.

    Args:
        values: One value an episode, shape (n,).

    Raises:
        ValueError: There is no episode.
    """
    sample = np.asarray(values, dtype=np.float64)
    low, high = bootstrap_interval(sample, lambda drawn: np.asarray(drawn.mean(axis=-1)))
    return Summary(
        count=int(sample.size),
        mean=float(sample.mean()),
        median=float(np.median(sample)),
        iqm=float(interquartile_mean(sample)),
        low=low,
        high=high,
        minimum=float(sample.min()),
        maximum=float(sample.max()),
    )


def proportion(hits: Sequence[int], misses: Sequence[int]) -> Proportion:
    """The share of hits among hits and misses, and how far it can be trusted.

    Args:
        hits: Counts of each episode, shape (n,).
        misses: Counts of each episode, shape (n,).

    Raises:
        ValueError: There is no episode.
    """
    good = np.asarray(hits, dtype=np.float64)
    whole = good + np.asarray(misses, dtype=np.float64)

    def of_episodes(drawn: NDArray[np.float64]) -> NDArray[np.float64]:
        rows = drawn.astype(np.int64)
        return np.asarray(good[rows].sum(axis=-1) / np.maximum(whole[rows].sum(axis=-1), 1.0))

    low, high = bootstrap_interval(np.arange(good.size, dtype=np.float64), of_episodes)
    total = int(whole.sum())
    return Proportion(int(good.sum()), total, float(good.sum()) / max(total, 1), low, high)
