# SPDX-License-Identifier: GPL-3.0-or-later
import numpy as np
import pytest
import torch
from recorded import SYMBOLS, Recorded, dataset_of, model_of, shown

from oakemu_rl.errors import UserError
from oakemu_rl.imitation import CloningDataset, Slices
from oakemu_rl.ppo.observation_parts import ObservationPart, ObservationParts


def slices(*pairs: tuple[int, int]) -> Slices:
    begins, ends = np.array(pairs, dtype=np.int64).T
    return Slices(begins, ends)


def test_steps_stand_one_behind_the_other_without_the_last_observations() -> None:
    dataset = dataset_of(shown([1, 2, 3]), shown([2, 2]))
    assert dataset.offsets.tolist() == [0, 3, 5]
    batch = dataset.batch(slices((0, 1), (2, 3), (3, 4)), "cpu")
    assert batch.actions.tolist() == [1, 3, 2]
    assert isinstance(batch.observations, torch.Tensor)
    assert batch.observations.argmax(dim=1).tolist() == [1, 3, 2]
    assert batch.sequences is None


def test_pictures_arrive_as_they_were_recorded() -> None:
    pictures = np.random.default_rng(0).integers(0, 256, (6, 2, 3, 4), dtype=np.uint8)
    dataset = CloningDataset(
        [Recorded(pictures, np.zeros(5, np.int64))],
        observation_shape=(2, 3, 4),
        observation_dtype=np.dtype(np.uint8),
        num_actions=2,
    )
    batch = dataset.batch(slices((4, 5), (1, 2)), "cpu")
    assert isinstance(batch.observations, torch.Tensor)
    np.testing.assert_array_equal(batch.observations.numpy(), pictures[[4, 1]])
    assert batch.observations.is_contiguous(memory_format=torch.channels_last)  # as convolutions want them
    assert dataset.memory_bytes < 1.1 * (pictures[:5].nbytes + 5 * 8 + 16)


def test_observations_of_several_parts() -> None:
    parts = ObservationParts(
        (ObservationPart("picture", (1, 2, 2), "uint8", (0, 255)), ObservationPart("lives", (1,), "int64", (0, 9)))
    )
    seen = {"picture": np.arange(12, dtype=np.uint8).reshape(3, 1, 2, 2), "lives": np.array([[7], [8], [9]])}
    dataset = CloningDataset(
        [Recorded(seen, np.array([0, 1]))], observation_shape=(), observation_dtype=parts.dtype, num_actions=2
    )
    batch = dataset.batch(slices((1, 2)), "cpu")
    assert not isinstance(batch.observations, torch.Tensor)
    assert batch.observations["picture"].flatten().tolist() == [4, 5, 6, 7]
    assert batch.observations["lives"].tolist() == [[8]]


def test_slices_become_sequences_of_which_only_real_steps_count() -> None:
    model = model_of(recurrent="gru", recurrent_size=5)
    dataset = dataset_of(shown([1, 2, 3, 0]), shown([2, 1]), state_size=model.state_size)
    batch = dataset.batch(slices((1, 4), (4, 6)), "cpu")
    # Step by step: (2, of episode 0; 2, of episode 1), (3; 1), (0; nothing any more).
    assert batch.actions.tolist() == [2, 2, 3, 1, 0]
    logits = model.get_logits(batch.observations, batch.sequences)
    state = torch.zeros(1, model.state_size)
    expected = []
    for symbol in (2, 3, 0):
        given, _, state = model.step(torch.eye(SYMBOLS)[[symbol]], state)
        expected.append(given[0])
    torch.testing.assert_close(logits[[0, 2, 4]], torch.stack(expected))


@pytest.mark.parametrize(
    ("exponent", "weights"),
    # 6 steps: action 0 three times, 1 twice, 2 once, 3 never.
    [(0.0, [1.0, 1.0, 1.0, 1.0]), (1.0, [6 / 9, 1.0, 2.0, 2.0])],
)
def test_class_weights(exponent: float, weights: list[float]) -> None:
    dataset = dataset_of(shown([0, 0, 0, 1, 1, 2]))
    given = dataset.class_weights(exponent)
    np.testing.assert_allclose(given, weights, rtol=1e-6)
    assert float(given[torch.from_numpy(dataset.actions)].mean()) == pytest.approx(1.0)


def test_refusals() -> None:
    with pytest.raises(UserError, match="no step to learn from"):
        dataset_of(shown([]))
    with pytest.raises(UserError, match="recording 1, step 2: there is no action 4; actions are 0 to 3"):
        dataset_of(shown([1]), shown([0, 1, 2], [0, 1, 4]))
