# SPDX-License-Identifier: GPL-3.0-or-later
from typing import Any

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from oakemu_rl.ppo import NonFiniteError, RolloutBuffer, RolloutBufferError


def filled(rows: int, envs: int, trainable: NDArray[np.bool_] | None = None) -> RolloutBuffer:
    """Each cell's observation, action and return tell which cell it is."""
    buffer = RolloutBuffer(rows, envs, (2,), np.float32)
    for t in range(rows):
        cells = np.arange(envs) + t * envs
        buffer.add(
            np.stack([cells, -cells], axis=1).astype(np.float32),
            cells,
            -cells.astype(np.float32),
            np.zeros(envs, np.float32),
            cells.astype(np.float32),
            np.ones(envs, np.float32),
            None if trainable is None else trainable[t],
        )
    buffer.compute_gae(np.zeros(envs), np.ones(envs), 0.99, 0.95)
    return buffer


def row(envs: int = 2, **changes: Any) -> dict[str, Any]:  # wrong values of any kind are the point
    values: dict[str, Any] = {
        "observations": np.zeros((envs, 3), np.uint8),
        "actions": np.zeros(envs, np.int64),
        "log_probs": np.zeros(envs, np.float32),
        "values": np.zeros(envs, np.float32),
        "rewards": np.zeros(envs, np.float32),
        "dones": np.zeros(envs, np.float32),
    }
    return values | changes


@pytest.mark.parametrize(
    ("rows", "envs", "parts"), [(65, 1, 4), (13, 5, 2), (1, 7, 7), (1, 1, 1), (3, 3, 2), (8, 4, 5)]
)
def test_minibatches_visit_every_cell_once_in_nearly_equal_parts(rows: int, envs: int, parts: int) -> None:
    minibatches = list(filled(rows, envs).get_minibatches(parts, "cpu"))
    sizes = [len(minibatch.actions) for minibatch in minibatches]
    assert len(sizes) == parts
    assert max(sizes) - min(sizes) <= 1
    visited = torch.cat([minibatch.actions for minibatch in minibatches])
    assert sorted(visited.tolist()) == list(range(rows * envs))


def test_sixty_five_cells_in_two_minibatches_are_33_and_32() -> None:
    assert [len(each.actions) for each in filled(65, 1).get_minibatches(2, "cpu")] == [33, 32]


def test_the_fields_of_a_minibatch_belong_together() -> None:
    buffer = filled(6, 4)
    for minibatch in buffer.get_minibatches(5, "cpu"):
        cell = minibatch.actions.float()
        torch.testing.assert_close(minibatch.observations, torch.stack([cell, -cell], dim=1))
        torch.testing.assert_close(minibatch.log_probs, -cell)
        torch.testing.assert_close(minibatch.returns, cell)  # every step ends its episode, every value is 0
        torch.testing.assert_close(minibatch.advantages, cell)
        assert torch.equal(minibatch.cells, minibatch.actions)
        assert minibatch.num_envs == 4


def test_only_trainable_cells_are_visited() -> None:
    trainable = np.random.default_rng(0).random((9, 5)) < 0.4
    buffer = filled(9, 5, trainable)
    assert buffer.trainable_size == trainable.sum()
    assert buffer.total_size == 45
    visited = torch.cat([minibatch.actions for minibatch in buffer.get_minibatches(4, "cpu")])
    assert sorted(visited.tolist()) == np.flatnonzero(trainable).tolist()


def test_the_order_comes_from_the_generator_and_changes_between_epochs() -> None:
    buffer = filled(10, 3)

    def order(generator: torch.Generator) -> list[int]:
        minibatches = buffer.get_minibatches(3, "cpu", generator=generator)
        return torch.cat([minibatch.actions for minibatch in minibatches]).tolist()

    first, second = torch.Generator().manual_seed(5), torch.Generator().manual_seed(5)
    epochs = [order(first), order(first)]
    assert epochs == [order(second), order(second)]
    assert epochs[0] != epochs[1]


@pytest.mark.parametrize("poison", [np.nan, 1e30])
def test_untrainable_cells_leave_the_learner_untouched(poison: float) -> None:
    trainable = np.array([[True, True], [False, True], [True, True]])

    def learnt(value: float) -> list[NDArray[np.float32]]:
        buffer = RolloutBuffer(3, 2, (1,), np.float32)
        for t in range(3):
            numbers = np.where(trainable[t], np.float32(t + 1), np.float32(value))
            dones = np.array([t == 0, False])
            buffer.add(numbers[:, None], np.zeros(2, int), numbers, numbers, numbers, dones, trainable[t])
        buffer.compute_gae(np.ones(2), np.zeros(2), 0.99, 0.95)
        buffer.check_finite()
        (minibatch,) = buffer.get_minibatches(1, "cpu", generator=torch.Generator().manual_seed(0))
        return [getattr(minibatch, name).numpy() for name in ("observations", "log_probs", "advantages", "returns")]

    for ours, theirs in zip(learnt(poison), learnt(0.0), strict=True):
        assert len(ours) == 5
        np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize(("dones", "last_dones"), [(1.0, 0.0), (0.0, 1.0), (1.0, 1.0)])
def test_the_end_of_the_last_row_masks_its_bootstrap(dones: float, last_dones: float) -> None:
    buffer = RolloutBuffer(1, 1, (3,), np.uint8)
    buffer.add(**row(1, dones=np.array([dones]), rewards=np.array([2.0]), values=np.array([0.5])))
    buffer.compute_gae(np.array([100.0]), np.array([last_dones]), 0.99, 0.95)
    assert buffer.advantages[0, 0] == 1.5
    assert buffer.returns[0, 0] == 2.0


def test_the_last_row_bootstraps_where_nothing_ended() -> None:
    buffer = RolloutBuffer(1, 1, (3,), np.uint8)
    buffer.add(**row(1, rewards=np.array([2.0]), values=np.array([0.5])))
    buffer.compute_gae(np.array([100.0]), np.array([0.0]), 0.99, 0.95)
    assert buffer.returns[0, 0] == pytest.approx(2 + 99)


def test_counts_rows_and_memory() -> None:
    buffer = RolloutBuffer(3, 2, (3,), np.dtype(np.uint8))
    assert (buffer.step, buffer.is_full, buffer.total_size, buffer.trainable_size) == (0, False, 6, 0)
    for _ in range(3):
        buffer.add(**row())
    assert (buffer.step, buffer.is_full, buffer.trainable_size) == (3, True, 6)
    # 6 cells of: 3 uint8, int64, four float32, bool, and two float32 results.
    assert buffer.memory_bytes == 6 * (3 + 8 + 16 + 1 + 8)
    buffer.reset()
    assert (buffer.step, buffer.is_full, buffer.trainable_size) == (0, False, 0)


def test_stores_copies() -> None:
    buffer = RolloutBuffer(1, 2, (3,), np.uint8)
    given = row(trainable=np.array([True, False]), rewards=np.array([1.5, 2.5]))
    buffer.add(**given)
    given["observations"][:] = 9
    given["trainable"][:] = False
    assert buffer.observations.max() == 0
    assert buffer.trainable.tolist() == [[True, False]]
    assert buffer.rewards.tolist() == [[1.5, 2.5]]


def test_a_full_buffer_takes_no_more() -> None:
    buffer = RolloutBuffer(1, 2, (3,), np.uint8)
    buffer.add(**row())
    with pytest.raises(RolloutBufferError, match="full"):
        buffer.add(**row())


def test_an_unfilled_buffer_cannot_be_read() -> None:
    buffer = RolloutBuffer(2, 2, (3,), np.uint8)
    buffer.add(**row())
    with pytest.raises(RolloutBufferError, match="1 of 2"):
        buffer.compute_gae(np.zeros(2), np.zeros(2), 0.99, 0.95)
    with pytest.raises(RolloutBufferError, match="1 of 2"):
        buffer.get_minibatches(1, "cpu")


def test_minibatches_need_the_advantages_of_this_filling() -> None:
    buffer = RolloutBuffer(1, 2, (3,), np.uint8)
    buffer.add(**row())
    with pytest.raises(RolloutBufferError, match="compute_gae"):
        buffer.get_minibatches(1, "cpu")
    buffer.compute_gae(np.zeros(2), np.zeros(2), 0.99, 0.95)
    buffer.reset()
    buffer.add(**row())
    with pytest.raises(RolloutBufferError, match="compute_gae"):
        buffer.get_minibatches(1, "cpu")


@pytest.mark.parametrize("parts", [0, -1, 7])
def test_more_minibatches_than_cells_are_refused(parts: int) -> None:
    with pytest.raises(ValueError, match=r"1\.\.6"):
        filled(3, 2).get_minibatches(parts, "cpu")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("observations", np.zeros((2, 4), np.uint8)),
        ("observations", np.zeros((3, 3), np.uint8)),
        ("observations", np.zeros((2, 3), np.float32)),
        ("actions", np.zeros(3, np.int64)),
        ("actions", np.zeros(2, np.float32)),
        ("log_probs", np.zeros((2, 1), np.float32)),
        ("rewards", np.zeros(1, np.float32)),
        ("dones", np.float32(0)),
        ("trainable", np.ones(2, np.int64)),
    ],
)
def test_a_wrong_row_is_refused_and_leaves_no_trace(name: str, value: NDArray[Any]) -> None:
    buffer = RolloutBuffer(2, 2, (3,), np.uint8)
    with pytest.raises(ValueError, match=name):
        buffer.add(**row(**{name: value}))
    assert buffer.step == 0


@pytest.mark.parametrize(("rows", "envs"), [(0, 1), (1, 0), (-3, 2)])
def test_sizes_below_one_are_refused(rows: int, envs: int) -> None:
    with pytest.raises(ValueError, match="at least 1"):
        RolloutBuffer(rows, envs, (3,), np.uint8)


def test_a_wrong_bootstrap_is_refused() -> None:
    buffer = RolloutBuffer(1, 2, (3,), np.uint8)
    buffer.add(**row())
    with pytest.raises(ValueError, match="last_values"):
        buffer.compute_gae(np.zeros(3), np.zeros(2), 0.99, 0.95)
    with pytest.raises(ValueError, match="gamma"):
        buffer.compute_gae(np.zeros(2), np.zeros(2), 1.5, 0.95)


@pytest.mark.parametrize("name", ["observations", "log_probs", "values", "rewards"])
@pytest.mark.parametrize("poison", [np.nan, np.inf])
def test_a_non_finite_cell_is_named(name: str, poison: float) -> None:
    buffer = RolloutBuffer(3, 4, (2,), np.float32)
    for t in range(3):
        values = row(4, observations=np.zeros((4, 2), np.float32))
        if t == 1:
            values[name] = values[name].copy()
            values[name][2] = poison
        buffer.add(**values)
    with pytest.raises(NonFiniteError, match=f"{name}, environment 2, row 1"):
        buffer.check_finite()
