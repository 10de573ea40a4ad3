# SPDX-License-Identifier: GPL-3.0-or-later
"""What is kept of successful episodes, and drawn from them."""

from collections import Counter

import numpy as np
import pytest
import torch

from oakemu_rl.curricula import SuccessMemory
from oakemu_rl.ppo.layout import empty_observations

SHAPE = (2, 3, 4)
UINT8 = np.dtype(np.uint8)


def episode(first: int, length: int) -> tuple[np.ndarray, np.ndarray]:
    """Steps whose pictures are filled with their numbers, which are also their actions."""
    numbers = np.arange(first, first + length)
    observations = empty_observations((length,), SHAPE, UINT8)
    observations[:] = numbers[:, None, None, None]
    observations[:, 1, 2, 3] = 255 - numbers  # so that a wrong order of the axes shows
    return observations, numbers.astype(np.int64)


def drawn(memory: SuccessMemory, count: int, seed: int = 1) -> list[int]:
    batch = memory.draw(count, torch.Generator().manual_seed(seed), "cpu")
    assert batch is not None
    pictures = batch.observations
    assert isinstance(pictures, torch.Tensor)
    assert pictures.shape == (len(batch.actions), *SHAPE)
    assert (pictures[:, 0, 0, 0] == batch.actions).all()
    assert (pictures[:, 1, 2, 3] == 255 - batch.actions).all()
    return batch.actions.tolist()


def test_steps_come_back_with_what_was_done() -> None:
    memory = SuccessMemory(50, SHAPE, UINT8)
    memory.add(3, *episode(10, 5))
    assert set(drawn(memory, 100)) == {10, 11, 12, 13, 14}
    assert len(memory) == 5


def test_the_oldest_steps_make_room() -> None:
    memory = SuccessMemory(4, SHAPE, UINT8)
    memory.add(0, *episode(0, 3))
    memory.add(0, *episode(10, 3))
    assert set(drawn(memory, 100)) == {2, 10, 11, 12}
    memory.add(0, *episode(20, 9))  # of an episode that is too long its end is kept
    assert set(drawn(memory, 100)) == {25, 26, 27, 28}


def test_every_bucket_has_the_same_share() -> None:
    memory = SuccessMemory(50, SHAPE, UINT8)
    memory.add(0, *episode(0, 40))
    memory.add(1, *episode(100, 2))
    counts = Counter(action >= 100 for action in drawn(memory, 21))
    assert counts == {True: 10, False: 10}


def test_an_empty_memory_gives_nothing() -> None:
    assert SuccessMemory(4, SHAPE, UINT8).draw(8, torch.Generator(), "cpu") is None
    with pytest.raises(ValueError, match="at least one step"):
        SuccessMemory(0, SHAPE, UINT8)


def test_a_memory_comes_back_as_it_was() -> None:
    memory, other = SuccessMemory(4, SHAPE, UINT8), SuccessMemory(4, SHAPE, UINT8)
    memory.add(0, *episode(0, 3))
    memory.add(0, *episode(10, 3))
    memory.add(2, *episode(30, 1))
    other.add(7, *episode(50, 2))
    other.load_state_dict(memory.state_dict())
    assert drawn(other, 40, seed=5) == drawn(memory, 40, seed=5)
    for each in (memory, other):
        each.add(0, *episode(60, 1))  # takes the place of the same step
    assert drawn(other, 40, seed=6) == drawn(memory, 40, seed=6)


def test_a_memory_of_another_size_is_refused() -> None:
    memory = SuccessMemory(4, SHAPE, UINT8)
    memory.add(0, *episode(0, 4))
    memory.add(0, *episode(4, 4))
    with pytest.raises(ValueError, match="holds 4 steps of a bucket, this one 6"):
        SuccessMemory(6, SHAPE, UINT8).load_state_dict(memory.state_dict())


def test_observations_of_several_parts_are_kept_whole() -> None:
    parts = np.dtype([("ink", np.uint8, (3, 4, 1)), ("room", np.float32, (2,))])
    memory = SuccessMemory(4, (), parts)
    observations = np.zeros(2, parts)
    observations["ink"][:] = 9
    observations["room"][1] = (5.0, 6.0)
    memory.add(0, observations, np.array([1, 1]))
    other = SuccessMemory(4, (), parts)
    other.load_state_dict(memory.state_dict())
    batch = other.draw(30, torch.Generator().manual_seed(1), "cpu")
    assert batch is not None
    assert isinstance(batch.observations, dict)
    assert batch.observations["ink"].shape == (30, 1, 3, 4)
    assert {tuple(row) for row in batch.observations["room"].tolist()} == {(0.0, 0.0), (5.0, 6.0)}
