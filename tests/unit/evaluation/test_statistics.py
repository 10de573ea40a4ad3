# SPDX-License-Identifier: GPL-3.0-or-later
import math

import numpy as np
import pytest

from oakemu_rl.evaluation.statistics import bootstrap_interval, interquartile_mean, proportion, summarize


def mean(drawn):
    return drawn.mean(axis=-1)


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([7.0], 7.0),
        ([1.0, 3.0], 2.0),
        ([0.0, 1.0, 2.0, 1000.0], 1.5),  # one cut off at either end
        ([1000.0, 5.0, 4.0, 3.0, 2.0, 1.0, 0.0, -9.0], 2.5),  # two at either end, in any order: (1 + 2 + 3 + 4) / 4
        ([0.0, 0.0, 0.0, 6.0, 100.0], 2.0),  # floor(5 / 4) = 1
    ],
)
def test_interquartile_mean_drops_a_quarter_at_either_end(values, expected):
    assert interquartile_mean(values) == expected


def test_interquartile_mean_along_an_axis():
    assert interquartile_mean([[0.0, 1.0, 2.0, 9.0], [4.0, 4.0, 4.0, 4.0]]).tolist() == [1.5, 4.0]


def test_interval_of_a_constant_is_the_constant():
    assert bootstrap_interval([3.0] * 5, mean) == (3.0, 3.0)


def test_interval_of_the_mean_agrees_with_the_normal_one_on_a_large_sample():
    values = np.random.default_rng(1).normal(10.0, 2.0, size=400)
    half = 1.96 * values.std() / math.sqrt(400)
    low, high = bootstrap_interval(values, mean)
    assert low == pytest.approx(values.mean() - half, abs=0.03)
    assert high == pytest.approx(values.mean() + half, abs=0.03)


def test_interval_covers_about_as_often_as_it_says():
    rng = np.random.default_rng(2)
    covered = 0
    for _ in range(200):
        low, high = bootstrap_interval(rng.exponential(1.0, size=60), mean, resamples=1000)
        covered += low <= 1.0 <= high
    assert 175 <= covered <= 198  # 95% nominal, a little less for a skewed sample of 60


def test_interval_repeats_on_a_seed_and_needs_a_sample():
    assert bootstrap_interval([1.0, 2.0, 5.0], mean, seed=3) == bootstrap_interval([1.0, 2.0, 5.0], mean, seed=3)
    with pytest.raises(ValueError, match="n >= 1"):
        bootstrap_interval([], mean)


def test_summary_of_a_small_sample():
    summary = summarize([1.0, 2.0, 3.0, 10.0])
    assert (summary.count, summary.mean, summary.median, summary.iqm) == (4, 4.0, 2.5, 2.5)
    assert (summary.minimum, summary.maximum) == (1.0, 10.0)
    assert 1.0 <= summary.low < 4.0 < summary.high <= 10.0


def test_proportion_counts_events_and_draws_episodes():
    part = proportion([9, 0, 3], [1, 5, 2])
    assert (part.hits, part.total, part.share) == (12, 20, 0.6)
    # The worst draw is three times the second episode, the best three times the first.
    assert part.low == 0.0
    assert part.high == 0.9
    same = proportion([2] * 50, [2] * 50)
    assert (same.low, same.share, same.high) == (0.5, 0.5, 0.5)


def test_proportion_of_nothing():
    assert proportion([0, 0], [0, 0]).share == 0.0
    with pytest.raises(ValueError, match="n >= 1"):
        proportion([], [])
