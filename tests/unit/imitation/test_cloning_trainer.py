# SPDX-License-Identifier: GPL-3.0-or-later
import numpy as np
import pytest
import torch
from recorded import Recorded, dataset_of, model_of, shown

from oakemu_rl.imitation import (
    Cloner,
    CloningConfiguration,
    CloningDataset,
    CloningTrainer,
    Epoch,
    hold_out,
    judge,
    make_sampler,
)
from oakemu_rl.ppo import NonFiniteError, PPOModel

LESSON = [0, 1, 2, 3] * 10


def trainer(
    model: PPOModel, training: CloningDataset, validation: CloningDataset | None, *, lr: float = 1e-2, patience: int = 3
) -> tuple[CloningTrainer, Cloner]:
    configuration = CloningConfiguration(lr=lr, batch_size=8, slice_length=4)
    cloner = Cloner(model, configuration)
    sampler = make_sampler(training, configuration, (), torch.Generator().manual_seed(1))
    return CloningTrainer(model, cloner, training, validation, sampler, batches=5, patience=patience), cloner


@pytest.mark.parametrize(
    ("episodes", "share", "count"), [(1, 0.5, 0), (2, 0.1, 1), (10, 0.2, 2), (10, 0.0, 0), (3, 1.0, 2), (100, 0.1, 10)]
)
def test_whole_episodes_are_held_out(episodes: int, share: float, count: int) -> None:
    chosen = hold_out(episodes, share, torch.Generator().manual_seed(4))
    assert len(chosen) == count
    assert chosen == sorted(set(chosen))
    assert set(chosen) <= set(range(episodes))
    assert chosen == hold_out(episodes, share, torch.Generator().manual_seed(4))
    if count == 10:
        assert chosen != hold_out(episodes, share, torch.Generator().manual_seed(5))


@pytest.mark.parametrize("changes", [{}, {"recurrent": "gru", "recurrent_size": 8}])
def test_it_learns_and_says_how_far_it_is(changes: dict[str, object]) -> None:
    model = model_of(**changes)
    size = model.state_size
    own, cloner = trainer(model, dataset_of(shown(LESSON), state_size=size), dataset_of(shown([3, 2]), state_size=size))
    epochs = list(own.run(12))
    assert [epoch.index for epoch in epochs] == list(range(1, 13))
    assert epochs[0].training.steps == 40
    assert epochs[-1].validation is not None
    assert epochs[-1].validation.accuracy == 1.0
    assert epochs[-1].training.loss < epochs[0].training.loss
    assert all(0.0 < epoch.data_seconds < epoch.seconds for epoch in epochs)
    assert judge(cloner, dataset_of(shown(LESSON), state_size=size)).accuracy == 1.0


def test_it_ends_early_with_its_best_weights_where_what_was_held_out_gets_worse() -> None:
    model = model_of()
    # What was held out contradicts what is learnt: the first epoch is the best.
    contradiction = dataset_of(shown(LESSON, [1, 2, 3, 0] * 10))
    own, cloner = trainer(model, dataset_of(shown(LESSON)), contradiction, patience=3)
    epochs = list(own.run(50))
    assert [epoch.is_best for epoch in epochs] == [True, False, False, False]
    first = epochs[0].validation
    assert first is not None
    assert judge(cloner, contradiction).loss == pytest.approx(first.loss)


def test_without_anything_held_out_it_goes_on_to_its_end() -> None:
    own, _ = trainer(model_of(), dataset_of(shown(LESSON)), None, lr=1e-9, patience=1)
    epochs = list(own.run(6))
    assert len(epochs) == 6
    assert epochs[0].validation is None


def test_whoever_stops_it_has_the_best_weights() -> None:
    model = model_of()
    own, cloner = trainer(model, dataset_of(shown(LESSON)), None, lr=0.5)  # far too fast: it gets worse at times
    seen: list[Epoch] = []
    for epoch in own.run(30):
        seen.append(epoch)
        if len(seen) > 3 and not epoch.is_best:
            break
    assert not seen[-1].is_best
    best = min(epoch.training.loss for epoch in seen)
    assert judge(cloner, dataset_of(shown(LESSON))).loss == pytest.approx(best)


def test_batches_come_to_about_as_many_steps_for_every_network() -> None:
    configuration = CloningConfiguration(batch_size=9, slice_length=4)
    for state_size, begins in ((0, 9), (5, 2)):
        dataset = dataset_of(shown(LESSON), state_size=state_size)
        slices = make_sampler(dataset, configuration, (), torch.Generator()).draw()
        assert len(slices.begins) == begins
        assert set(np.asarray(slices.ends - slices.begins)) == {4 if state_size else 1}


def test_a_loss_that_is_not_finite_stops_it_with_the_last_good_weights() -> None:
    model = model_of()
    before = model.policy_head.weight.detach().clone()
    own, _ = trainer(
        model, dataset_of(shown(LESSON)), dataset_of(Recorded(np.full((2, 4), np.nan, np.float32), np.array([0])))
    )
    with pytest.raises(NonFiniteError, match="epoch 1 of cloning"):
        list(own.run(3))
    assert torch.equal(model.policy_head.weight, before)
