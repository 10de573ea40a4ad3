# SPDX-License-Identifier: GPL-3.0-or-later
"""Advantages against numbers worked out by hand."""

import numpy as np
import pytest
from numpy.typing import NDArray

from oakemu_rl.ppo.gae import generalised_advantages


def column(*values: float) -> NDArray[np.float64]:
    return np.array(values, dtype=np.float64)[:, None]


def advantages(
    rewards: NDArray[np.float64],
    values: NDArray[np.float64],
    dones: NDArray[np.float64],
    last: float = 0.0,
    gae_lambda: float = 0.95,
    trainable: NDArray[np.bool_] | None = None,
    gamma: float = 0.99,
) -> list[float]:
    result = generalised_advantages(
        rewards, values, dones, np.array([last]), gamma=gamma, gae_lambda=gae_lambda, trainable=trainable
    )
    return [float(value) for value in result[:, 0]]


@pytest.mark.parametrize("gae_lambda", [0.0, 0.5, 0.95, 1.0])
def test_an_ending_episode_earns_nothing_of_the_next(gae_lambda: float) -> None:
    # The end belongs to t = 1: delta[1] = 1 - 5 = -4, where a shifted flag would give 1 + 0.99 * 100 - 5 = +95.
    got = advantages(column(1, 1, 1), column(5, 5, 100), column(0, 1, 0), last=0.0, gae_lambda=gae_lambda)
    delta_0 = 1 + 0.99 * 5 - 5
    assert got == pytest.approx([delta_0 + 0.99 * gae_lambda * -4.0, -4.0, 1 - 100])


def test_what_follows_an_end_changes_nothing_before_it() -> None:
    before = advantages(column(1, 1, 1), column(5, 5, 100), column(0, 1, 0))
    after = advantages(column(1, 1, -1e6), column(5, 5, 1e9), column(0, 1, 0), last=1e9)
    assert before[:2] == after[:2]


def test_lambda_zero_is_the_one_step_error() -> None:
    # r + 0.5 V' - V with gamma 0.5.
    got = advantages(column(1, 2, 3), column(4, 6, 8), column(0, 0, 0), last=10.0, gae_lambda=0.0, gamma=0.5)
    assert got == pytest.approx([1 + 3 - 4, 2 + 4 - 6, 3 + 5 - 8])


def test_lambda_one_is_the_discounted_return_minus_the_value() -> None:
    got = advantages(column(1, 2, 3), column(4, 6, 8), column(0, 0, 0), last=10.0, gae_lambda=1.0, gamma=0.5)
    returns = [1 + 0.5 * (2 + 0.5 * (3 + 0.5 * 10)), 2 + 0.5 * (3 + 0.5 * 10), 3 + 0.5 * 10]
    assert got == pytest.approx([returns[0] - 4, returns[1] - 6, returns[2] - 8])


def test_lambda_095_by_hand() -> None:
    got = advantages(column(1, 0), column(2, 3), column(0, 0), last=4.0)
    # delta[1] = 0 + 0.99 * 4 - 3 = 0.96; delta[0] = 1 + 0.99 * 3 - 2 = 1.97; 0.99 * 0.95 = 0.9405.
    assert got == pytest.approx([1.97 + 0.9405 * 0.96, 0.96])


def test_environments_do_not_mix() -> None:
    rng = np.random.default_rng(0)
    rewards, values = rng.normal(size=(6, 3)), rng.normal(size=(6, 3))
    dones, last = rng.random((6, 3)) < 0.3, rng.normal(size=3)
    together = generalised_advantages(rewards, values, dones, last, gamma=0.9, gae_lambda=0.8)
    for env in range(3):
        alone = generalised_advantages(
            rewards[:, [env]], values[:, [env]], dones[:, [env]], last[[env]], gamma=0.9, gae_lambda=0.8
        )
        np.testing.assert_allclose(together[:, [env]], alone)


def test_matches_the_definition_as_a_sum() -> None:
    rng = np.random.default_rng(1)
    rewards, values, last = rng.normal(size=10), rng.normal(size=10), float(rng.normal())
    dones = rng.random(10) < 0.25
    following = np.append(values[1:], last)
    deltas = rewards + 0.97 * following * ~dones - values
    expected = []
    for t in range(10):
        total, weight = 0.0, 1.0
        for later in range(t, 10):
            total += weight * deltas[later]
            weight *= 0.97 * 0.9
            if dones[later]:
                break
        expected.append(total)
    got = advantages(column(*rewards), column(*values), column(*dones), last, gae_lambda=0.9, gamma=0.97)
    assert got == pytest.approx(expected)


@pytest.mark.parametrize("poison", [np.nan, np.inf, -np.inf, 1e30])
def test_untrainable_cells_reach_no_other(poison: float) -> None:
    trainable = np.array([[True], [False], [True]])
    got = advantages(column(1, poison, 2), column(3, poison, 4), column(1, 0, 0), 5.0, trainable=trainable)
    assert got == pytest.approx([1 - 3, 0.0, 2 + 0.99 * 5 - 4])


def test_a_chain_broken_without_an_end_teaches_nothing_at_the_break() -> None:
    trainable = np.array([[True], [True], [False], [True]])
    got = advantages(column(1, 1, 1, 1), column(2, 3, 4, 5), column(0, 0, 0, 0), 6.0, trainable=trainable)
    assert got == pytest.approx([1 + 0.99 * 3 - 2, 0.0, 0.0, 1 + 0.99 * 6 - 5])
