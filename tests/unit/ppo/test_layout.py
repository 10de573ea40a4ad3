# SPDX-License-Identifier: GPL-3.0-or-later
import numpy as np
import pytest
import torch

from oakemu_rl.ppo.layout import copy_observations, empty_observations, pick_observations

SHAPES = pytest.mark.parametrize("shape", [(7,), (4, 5), (1, 4, 5), (3, 4, 5), (2, 2, 2, 2)])


@SHAPES
def test_cells_come_back_as_they_went_in(shape: tuple[int, ...]) -> None:
    rng = np.random.default_rng(0)
    rows = rng.integers(0, 256, (5, 6, *shape), dtype=np.uint8)
    stored = empty_observations((5, 6), shape, np.uint8)
    step = empty_observations((6,), shape, np.uint8)
    for t in range(5):
        copy_observations(step, rows[t])
        copy_observations(stored[t], step)
    assert stored.shape == rows.shape
    np.testing.assert_array_equal(stored, rows)
    indices = torch.tensor([29, 0, 7, 7])
    picked = pick_observations(stored, indices)
    np.testing.assert_array_equal(picked.numpy(), rows.reshape(30, *shape)[indices.numpy()])


@SHAPES
def test_any_order_of_the_source_is_copied(shape: tuple[int, ...]) -> None:
    source = np.random.default_rng(0).normal(size=(*shape, 8))
    turned = np.moveaxis(source, -1, 0)
    target = empty_observations((8,), shape, np.float64)
    copy_observations(target, turned)
    np.testing.assert_array_equal(target, turned)


def test_images_lie_channels_last() -> None:
    stored = empty_observations((2, 3), (4, 5, 6), np.uint8)
    assert stored.strides[2:] == (1, 24, 4)
    picked = pick_observations(stored, torch.tensor([0, 5]))
    assert picked.is_contiguous(memory_format=torch.channels_last)
    assert not picked.is_contiguous()
