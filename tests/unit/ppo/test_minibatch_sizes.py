# SPDX-License-Identifier: GPL-3.0-or-later
"""Minibatches of rollouts of any size in which any cells teach."""

import numpy as np
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from oakemu_rl.ppo import RolloutBuffer


@settings(max_examples=150, deadline=None)
@given(rows=st.integers(1, 13), envs=st.integers(1, 7), teaching=st.floats(0.05, 1.0), data=st.data())
def test_any_number_of_minibatches_visits_every_teaching_cell_once(
    rows: int, envs: int, teaching: float, data: st.DataObject
) -> None:
    trainable = np.random.default_rng(rows * 7 + envs).random((rows, envs)) < teaching
    trainable[-1, 0] = True
    buffer = RolloutBuffer(rows, envs, (1,), np.float32)
    for t in range(rows):
        cells = np.arange(envs) + t * envs
        numbers = cells.astype(np.float32)
        buffer.add(numbers[:, None], cells, numbers, numbers, numbers, np.ones(envs), trainable[t])
    buffer.compute_gae(np.zeros(envs), np.ones(envs), 0.99, 0.95)
    parts = data.draw(st.integers(1, int(trainable.sum())), "minibatches")
    for _ in range(2):  # epochs
        minibatches = list(buffer.get_minibatches(parts, "cpu"))
        sizes = [len(minibatch.actions) for minibatch in minibatches]
        assert len(sizes) == parts
        assert max(sizes) - min(sizes) <= 1
        visited = torch.cat([minibatch.actions for minibatch in minibatches])
        assert sorted(visited.tolist()) == np.flatnonzero(trainable).tolist()
