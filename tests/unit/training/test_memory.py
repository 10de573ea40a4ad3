# SPDX-License-Identifier: GPL-3.0-or-later
"""A run takes no more memory in its thousandth update than in its first ones."""

import gc
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch
from toy_run import STEPS_PER_UPDATE, new_run, pace

from oakemu_rl.ppo import RolloutBuffer
from oakemu_rl.training.records import Record


def _tensor_bytes() -> int:
    """What lies behind the tensors that Python knows, each storage once."""
    storages = {
        each.untyped_storage().data_ptr(): each.untyped_storage().nbytes()
        for each in gc.get_objects()
        if type(each) in (torch.Tensor, torch.nn.Parameter)  # not what an exporter left behind, which has no storage
    }
    return sum(storages.values())


_NOISE = 40 * 1024  # caches of the interpreter come and go; one rollout of the corridor takes 3 KB


class _Sampler:
    """Notes at two updates what Python, numpy and torch hold that they did not hold at an earlier one."""

    def __init__(self, leak: Callable[[], object]) -> None:
        self.samples: list[tuple[int, int]] = []
        self._leak = leak
        self._leaked: list[object] = []

    def write(self, record: Record) -> None:
        if record.kind != "metrics":
            return
        self._leaked.append(self._leak())
        update = record.values["time/iterations"]
        if update == 2:  # the first one imports more of torch than anything after it
            tracemalloc.start()
        elif update in (35, 75):  # by 35 the last hundred episodes are others, and old checkpoints go
            gc.collect()
            self.samples.append((tracemalloc.get_traced_memory()[0], _tensor_bytes()))


def _growth(folder: Path, leak: Callable[[], object]) -> tuple[int, int]:
    """Bytes that Python and numpy, and that tensors gain in forty updates."""
    sampler = _Sampler(leak)
    every = pace(75, eval_every=20 * STEPS_PER_UPDATE, checkpoint_every=6 * STEPS_PER_UPDATE)
    try:
        new_run(folder, pace=every, writers=[sampler]).train()
    finally:
        tracemalloc.stop()
    (before, tensors_before), (after, tensors_after) = sampler.samples
    return after - before, tensors_after - tensors_before


def test_memory_is_flat_over_a_run(tmp_path: Path) -> None:
    held, tensors = _growth(tmp_path / "run", lambda: None)
    assert held < _NOISE
    assert tensors == 0


def test_what_is_kept_of_every_rollout_would_be_seen(tmp_path: Path) -> None:
    held, tensors = _growth(tmp_path / "run", lambda: (np.zeros(2048, np.uint8), torch.zeros(1)))
    assert held > _NOISE
    assert tensors >= 40 * 4


@pytest.mark.parametrize(("shape", "masked_actions"), [((4, 84, 84), None), ((2, 44, 64), None), ((2, 44, 64), 9)])
def test_a_rollout_takes_what_its_numbers_take(shape: tuple[int, ...], masked_actions: int | None) -> None:
    rows, envs = 16, 8
    tracemalloc.start()
    buffer = RolloutBuffer(rows, envs, shape, np.uint8, masked_actions=masked_actions)
    masks = None if masked_actions is None else np.ones((envs, masked_actions), np.bool_)
    zeros = np.zeros(envs, np.float32)
    for _ in range(rows):
        buffer.add(np.zeros((envs, *shape), np.uint8), np.zeros(envs, np.int64), *[zeros] * 4, None, masks)
    buffer.compute_gae(zeros, zeros, 0.99, 0.95)
    for minibatch in buffer.get_minibatches(4, "cpu"):
        del minibatch
    gc.collect()
    taken = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    # A cell: its observation, the action as int64, six float32, one flag, and its mask.
    numbers = rows * envs * (int(np.prod(shape)) + 8 + 6 * 4 + 1 + (masked_actions or 0))
    assert numbers <= taken <= 1.1 * numbers
    assert numbers <= buffer.memory_bytes <= 1.1 * numbers
