# SPDX-License-Identifier: GPL-3.0-or-later
from typing import Any

import numpy as np
import pytest
import torch

from oakemu_rl.ppo import PPOActionBundle, PPOActorStepBuffers, RolloutBuffer


def create(num_envs: int = 4) -> PPOActorStepBuffers:
    return PPOActorStepBuffers.create(num_envs=num_envs, observation_shape=(2, 3), observation_dtype=np.dtype(np.uint8))


def bundle(*actions: int, dtype: torch.dtype = torch.float32) -> PPOActionBundle:
    numbers = torch.tensor(actions, dtype=dtype)
    return PPOActionBundle(torch.tensor(actions, dtype=torch.int64), -numbers / 4, numbers, numbers * 10)


def test_created_buffers_are_empty_and_trainable() -> None:
    buffers = create(5)
    expected = {
        "observations": ((5, 2, 3), np.uint8),
        "actions": ((5,), np.int64),
        "log_probs": ((5,), np.float32),
        "values": ((5,), np.float32),
        "rewards": ((5,), np.float32),
        "dones": ((5,), np.float32),
    }
    for name, (shape, dtype) in expected.items():
        array = getattr(buffers, name)
        assert (array.shape, array.dtype) == (shape, dtype), name
        assert not array.any(), name
    assert buffers.trainable.dtype == np.bool_
    assert buffers.trainable.tolist() == [True] * 5
    assert buffers.stores_rollout_step


def test_a_bundle_goes_to_the_environments_named_and_to_no_other() -> None:
    buffers = create(4)
    buffers.actions[:] = 77
    buffers.trainable[:] = [True, False, True, False]
    buffers.record_action_bundle_for_env_ids(bundle(5, 6), env_ids=[3, 0], trainable=[True, False])
    assert buffers.actions.tolist() == [6, 77, 77, 5]
    assert buffers.log_probs.tolist() == [-1.5, 0.0, 0.0, -1.25]
    assert buffers.values.tolist() == [60.0, 0.0, 0.0, 50.0]
    assert buffers.trainable.tolist() == [False, False, True, True]


def test_numbers_arrive_exactly() -> None:
    buffers = create(2)
    log_probs = torch.tensor([-0.1, -1e-30]).log1p()
    values = torch.tensor([1 / 3, -123456.789])
    given = PPOActionBundle(torch.tensor([2**24 + 1, 2**31 - 1]), log_probs, values, values)
    buffers.record_action_bundle_for_env_ids(given, env_ids=[0, 1], trainable=[True, True])
    assert buffers.actions.tolist() == [2**24 + 1, 2**31 - 1]
    np.testing.assert_array_equal(buffers.log_probs, log_probs.numpy())
    np.testing.assert_array_equal(buffers.values, values.numpy())


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float64])
def test_other_float_types_are_converted(dtype: torch.dtype) -> None:
    buffers = create(2)
    given = bundle(1, 2, dtype=dtype)
    buffers.record_action_bundle_for_env_ids(given, env_ids=[1, 0], trainable=[True, True])
    assert buffers.values.tolist() == [20.0, 10.0]


def test_a_bundle_with_gradients_is_taken() -> None:
    buffers = create(1)
    value = torch.tensor([1.0], requires_grad=True) * 2
    given = PPOActionBundle(torch.tensor([1]), value, value, value)
    buffers.record_action_bundle_for_env_ids(given, env_ids=[0], trainable=[True])
    assert buffers.values.tolist() == [2.0]


@pytest.mark.parametrize("size", [1, 4])
def test_one_transfer_to_the_host_whatever_the_size(size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[str] = []
    for name in ("cpu", "numpy", "tolist", "item"):
        original = getattr(torch.Tensor, name)

        def counted(tensor: torch.Tensor, name: str = name, original: Any = original) -> object:  # a method
            calls.append(name)
            return original(tensor)

        monkeypatch.setattr(torch.Tensor, name, counted)
    create(4).record_action_bundle_for_env_ids(bundle(*range(size)), env_ids=list(range(size)), trainable=[True] * size)
    assert calls == ["cpu", "numpy"]


def test_no_environments_change_nothing() -> None:
    buffers = create(3)
    buffers.actions[:] = 7
    buffers.record_action_bundle_for_env_ids(bundle(), env_ids=[], trainable=[])
    assert buffers.actions.tolist() == [7, 7, 7]
    assert buffers.trainable.tolist() == [True] * 3


@pytest.mark.parametrize(
    ("env_ids", "trainable", "message"),
    [
        ([0], [True, True], r"env_ids \(1\), trainable \(2\) and the action bundle \(2\)"),
        ([0, 1], [True], r"env_ids \(2\), trainable \(1\) and the action bundle \(2\)"),
        ([0, 1, 2], [True] * 3, r"env_ids \(3\), trainable \(3\) and the action bundle \(2\)"),
        ([], [], r"env_ids \(0\), trainable \(0\) and the action bundle \(2\)"),
        ([0, 4], [True] * 2, r"0\.\.3, got 4"),
        ([-1, 0], [True] * 2, r"0\.\.3, got -1"),
        ([2, 2], [True] * 2, "environment 2 occurs more than once"),
    ],
)
def test_ids_that_cannot_be_meant_are_refused(env_ids: list[int], trainable: list[bool], message: str) -> None:
    buffers = create(4)
    with pytest.raises(ValueError, match=message):
        buffers.record_action_bundle_for_env_ids(bundle(5, 6), env_ids=env_ids, trainable=trainable)
    assert not buffers.actions.any()


@pytest.mark.parametrize("num_envs", [0, -1])
def test_no_environments_at_all_are_refused(num_envs: int) -> None:
    with pytest.raises(ValueError, match="at least 1"):
        create(num_envs)


def test_arrays_of_different_lengths_are_refused() -> None:
    good = create(2)
    arrays: dict[str, Any] = {name: getattr(good, name) for name in good.__dataclass_fields__}
    with pytest.raises(ValueError, match="one length"):
        PPOActorStepBuffers(**arrays | {"rewards": np.zeros(3, np.float32)})


def test_the_second_result_of_an_environment_counts() -> None:
    buffers = create(3)
    buffers.record_step_result(1, 5.0, done=True)
    buffers.record_step_result(1, -2.5, done=False)
    buffers.record_step_result(2, 1.0, done=True)
    assert buffers.rewards.tolist() == [0.0, -2.5, 1.0]
    assert buffers.dones.tolist() == [0.0, 0.0, 1.0]


@pytest.mark.parametrize("env_id", [-1, 3])
def test_a_result_for_no_environment_is_refused(env_id: int) -> None:
    with pytest.raises(ValueError, match=r"0\.\.2"):
        create(3).record_step_result(env_id, 1.0, done=False)


def test_resets_clear_their_own_arrays_only() -> None:
    buffers = create(2)
    buffers.record_action_bundle_for_env_ids(bundle(1, 2), env_ids=[0, 1], trainable=[True, True])
    buffers.record_step_result(0, 3.0, done=True)
    buffers.reset_action_selection()
    assert not buffers.trainable.any()
    assert not buffers.stores_rollout_step
    assert buffers.actions.tolist() == [1, 2]
    assert buffers.rewards.tolist() == [3.0, 0.0]
    buffers.reset_step_results()
    assert not buffers.rewards.any()
    assert not buffers.dones.any()
    assert buffers.actions.tolist() == [1, 2]


def test_a_row_without_a_recorded_action_cannot_teach() -> None:
    buffers = create(3)
    buffers.reset_action_selection()
    buffers.record_action_bundle_for_env_ids(bundle(1), env_ids=[1], trainable=[True])
    assert buffers.trainable.tolist() == [False, True, False]


def test_untrainable_rows_go_along_marked() -> None:
    buffers, rollout = create(3), RolloutBuffer(2, 3, (2, 3), np.uint8)
    buffers.observations[:] = 8
    buffers.record_action_bundle_for_env_ids(bundle(1, 2, 3), env_ids=[0, 1, 2], trainable=[True, False, True])
    buffers.record_step_result(1, 4.0, done=True)
    buffers.add_to_rollout_buffer(rollout)
    assert rollout.step == 1
    assert rollout.trainable[0].tolist() == [True, False, True]
    assert rollout.actions[0].tolist() == [1, 2, 3]
    assert rollout.rewards[0].tolist() == [0.0, 4.0, 0.0]
    assert rollout.dones[0].tolist() == [0.0, 1.0, 0.0]
    assert (rollout.observations[0] == 8).all()
    assert rollout.trainable_size == 2


def test_a_step_without_a_trainable_row_takes_no_row() -> None:
    buffers, rollout = create(2), RolloutBuffer(1, 2, (2, 3), np.uint8)
    buffers.record_action_bundle_for_env_ids(bundle(1, 2), env_ids=[0, 1], trainable=[False, False])
    buffers.add_to_rollout_buffer(rollout)
    assert rollout.step == 0
    assert not rollout.is_full
