# SPDX-License-Identifier: GPL-3.0-or-later
"""Figures over runs, against hand-computed ones and what is known of made-up methods."""

import numpy as np
import pytest

from oakemu_rl.evaluation import bootstrap_interval, compare_methods, figures_of_runs, interquartile_mean


def test_iqm_is_over_all_episodes_of_all_runs() -> None:
    returns = np.array([[0.0, 10.0], [20.0, 1000.0]])
    assert figures_of_runs(returns).iqm == 15  # a quarter is cut off at either end: 10 and 20 are left


def test_runs_that_differ_widen_the_interval_that_episodes_alone_would_give() -> None:
    rng = np.random.default_rng(0)
    returns = np.array([[10.0], [20.0], [30.0]]) + rng.normal(size=(3, 100))
    figures = figures_of_runs(returns)
    low, high = bootstrap_interval(returns.ravel(), lambda drawn: interquartile_mean(drawn))
    assert figures.high - figures.low > 1.5 * (high - low)
    assert figures.low < 12  # all three draws may be of the worst run: 1 in 27
    assert figures.high > 28


def test_equal_runs_have_an_interval_of_no_width() -> None:
    figures = figures_of_runs(np.full((4, 5), 3.0))
    assert (figures.iqm, figures.low, figures.high) == (3, 3, 3)


def test_methods_that_never_overlap_differ_for_certain() -> None:
    rng = np.random.default_rng(1)
    good, bad = rng.normal(50, 1, (3, 40)), rng.normal(10, 1, (5, 20))
    result = compare_methods(good, bad)
    assert result.significant
    assert result.better == 1
    assert result.low < 40 < result.high
    assert result.high - result.low < 2
    mirrored = compare_methods(bad, good)
    assert mirrored.significant
    assert (mirrored.difference, mirrored.better) == (-result.difference, 0)


def test_probability_of_improvement_counts_pairs_of_runs() -> None:
    result = compare_methods(np.array([[1.0], [3.0]]), np.array([[2.0], [3.0]]))
    assert result.better == (0 + 0 + 1 + 0.5) / 4


def test_one_lucky_run_of_three_is_no_proof() -> None:
    ordinary = np.full((3, 50), 10.0)
    lucky = np.array([[10.0] * 50, [10.0] * 50, [60.0] * 50])
    assert not compare_methods(lucky, ordinary).significant


@pytest.mark.parametrize("shape", [(0, 3), (3, 0), (3,)])
def test_what_is_no_table_of_runs_is_refused(shape: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match=r"shape \(runs, episodes\)"):
        figures_of_runs(np.zeros(shape))
