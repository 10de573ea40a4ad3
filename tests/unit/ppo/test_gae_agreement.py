# SPDX-License-Identifier: GPL-3.0-or-later
"""Advantages and returns beside those of another library, on the same random rollouts."""

import numpy as np
import pytest
import torch
from gymnasium.spaces import Box, Discrete

from oakemu_rl.ppo import RolloutBuffer

buffers = pytest.importorskip("stable_baselines3.common.buffers")

ROWS, ENVS = 40, 5


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(("gamma", "gae_lambda"), [(0.99, 0.95), (0.9, 0.0), (0.5, 1.0), (1.0, 0.7)])
def test_another_library_comes_to_the_same(seed: int, gamma: float, gae_lambda: float) -> None:
    rng = np.random.default_rng(seed)
    rewards, values = rng.normal(size=(2, ROWS, ENVS)).astype(np.float32)
    dones, last_values = rng.random((ROWS, ENVS)) < 0.15, rng.normal(size=ENVS).astype(np.float32)
    dones[-1, :2] = [True, False]

    ours = RolloutBuffer(ROWS, ENVS, (1,), np.float32)
    for t in range(ROWS):
        numbers = (np.zeros(ENVS, np.int64), np.zeros(ENVS, np.float32), values[t], rewards[t], dones[t])
        ours.add(np.zeros((ENVS, 1), np.float32), *numbers)
    ours.compute_gae(last_values, dones[-1], gamma, gae_lambda)

    theirs = buffers.RolloutBuffer(
        ROWS, Box(0, 1, (1,)), Discrete(2), "cpu", gae_lambda=gae_lambda, gamma=gamma, n_envs=ENVS
    )
    theirs.rewards[:], theirs.values[:] = rewards, values
    theirs.episode_starts[1:] = dones[:-1]  # they note beginnings where we note ends
    theirs.compute_returns_and_advantage(torch.from_numpy(last_values), dones[-1])
    np.testing.assert_allclose(ours.advantages, theirs.advantages, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(ours.returns, theirs.returns, rtol=1e-4, atol=1e-5)
