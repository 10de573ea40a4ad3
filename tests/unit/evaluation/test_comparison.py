# SPDX-License-Identifier: GPL-3.0-or-later
"""Comparisons of players, against exact enumeration and hand-computed figures."""

import itertools

import numpy as np
import pytest

from oakemu_rl.evaluation import Comparison, EpisodeResult, EvaluationResult, compare_results, compare_returns


def _exact_p_value(gains: list[float]) -> float:
    """Share of all sign patterns whose mean is at least as far from 0, by enumeration."""
    patterns = [
        sum(sign * gain for sign, gain in zip(signs, gains, strict=True))
        for signs in itertools.product((-1, 1), repeat=len(gains))
    ]
    return sum(abs(total) >= abs(sum(gains)) - 1e-9 for total in patterns) / len(patterns)


def test_difference_and_share_are_those_of_pairs() -> None:
    result = compare_returns([3, 5, 1, 4], [1, 5, 2, 2])
    assert (result.episodes, result.difference) == (4, 0.75)  # gains 2, 0, -1, 2
    assert result.better == (1 + 0.5 + 0 + 1) / 4
    assert result.low <= 0.75 <= result.high


@pytest.mark.parametrize("gains", [[1, 1, 1, 1, 1, 1], [2, -1, 3, 4, -2, 1, 5], [0.5, 1.5, -0.25, 3, 2, 2, 1, 4]])
def test_p_value_is_that_of_all_sign_patterns(gains: list[float]) -> None:
    result = compare_returns(gains, np.zeros(len(gains)))
    assert result.p_value == pytest.approx(_exact_p_value(gains), abs=0.012)  # 10,000 patterns: 2.4 standard errors


def test_equal_players_do_not_differ() -> None:
    result = compare_returns([7.0] * 50, [7.0] * 50)
    assert result == Comparison(episodes=50, difference=0, low=0, high=0, p_value=1, better=0.5)
    assert not result.significant


def test_a_small_but_steady_gain_is_found_in_noise_that_both_share() -> None:
    rng = np.random.default_rng(1)
    noise = rng.normal(0, 100, 200)
    result = compare_returns(noise + rng.normal(1, 1, 200), noise)
    assert result.significant
    assert result.low > 0.5
    assert not compare_returns(rng.permutation(noise) + 1, noise).significant  # without pairs it drowns


def test_at_chance_few_comparisons_are_called_significant() -> None:
    rng = np.random.default_rng(2)
    found = sum(compare_returns(rng.normal(size=30), rng.normal(size=30), seed=i).significant for i in range(200))
    assert 2 <= found <= 20  # 5% of 200 are 10, give or take three standard deviations of 3.1


def test_pairs_must_be_pairs() -> None:
    with pytest.raises(ValueError, match=r"one shape \(n,\) with n >= 1, got \(2,\) and \(3,\)"):
        compare_returns([1, 2], [1, 2, 3])
    with pytest.raises(ValueError, match="n >= 1"):
        compare_returns([], [])


def test_evaluations_of_other_seeds_are_refused() -> None:
    def played(*seeds: int) -> EvaluationResult:
        return EvaluationResult(tuple(EpisodeResult(seed, float(seed), 1, "loss", {}) for seed in seeds))

    assert compare_results(played(1, 2), played(1, 2)).difference == 0
    with pytest.raises(ValueError, match="other seeds"):
        compare_results(played(1, 2), played(2, 1))
