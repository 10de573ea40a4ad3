# SPDX-License-Identifier: GPL-3.0-or-later
import numpy as np
import pytest
import torch

from oakemu_rl.imitation import Focus, SliceSampler

OFFSETS = np.array([0, 10, 13, 33], dtype=np.int64)  # episodes of 10, 3 and 20 steps


def sampler(**changes: object) -> SliceSampler:
    arguments = {"length": 1, "count": 4, "generator": torch.Generator().manual_seed(3)} | changes
    return SliceSampler(OFFSETS, **arguments)  # type: ignore[arg-type]  # as the tests need it


def test_every_step_comes_once_before_any_comes_again() -> None:
    own = sampler(count=3)
    drawn = np.concatenate([own.draw().begins for _ in range(22)])
    assert sorted(drawn[:33]) == list(range(33))
    assert sorted(drawn[33:]) == list(range(33))
    assert drawn[:33].tolist() != drawn[33:].tolist()


@pytest.mark.parametrize("length", [2, 5, 12])
def test_slices_lie_in_one_episode_and_are_shorter_only_where_it_is(length: int) -> None:
    own = sampler(length=length, count=33)
    slices = own.draw()
    episodes = np.searchsorted(OFFSETS, slices.begins, side="right") - 1
    assert (slices.begins >= OFFSETS[episodes]).all()
    assert (slices.ends <= OFFSETS[episodes + 1]).all()
    assert (slices.ends - slices.begins == np.minimum(length, np.diff(OFFSETS)[episodes])).all()
    assert set(episodes) == {0, 1, 2}


def test_a_share_of_each_batch_comes_from_around_the_focus() -> None:
    own = sampler(count=8, focuses=[Focus(2, 4, 6), Focus(0, -5, 1)], focus_share=0.25)
    for _ in range(20):
        begins = own.draw().begins
        assert set(begins[6:]) <= {0, 13 + 4, 13 + 5}  # two of eight; what lies before an episode is left out
    drawn = np.concatenate([own.draw().begins[6:] for _ in range(50)])
    assert set(drawn) == {0, 17, 18}


def test_a_slice_around_a_focus_contains_it() -> None:
    own = sampler(length=6, count=5, focuses=[Focus(2, 19, 20)], focus_share=1.0)  # the last step of all
    slices = own.draw()
    assert (slices.begins == 27).all()
    assert (slices.ends == 33).all()


def test_a_focus_outside_of_its_episode_is_refused() -> None:
    with pytest.raises(ValueError, match="no step of recording 1 lies in 3 to 9"):
        sampler(focuses=[Focus(1, 3, 9)])


def test_it_goes_on_where_its_state_stood() -> None:
    first = sampler(focuses=[Focus(0, 0, 9)])
    first.draw()
    state = first.state_dict()
    expected = [first.draw().begins.tolist() for _ in range(12)]
    second = sampler(focuses=[Focus(0, 0, 9)], generator=torch.Generator().manual_seed(99))
    second.load_state_dict(state)
    assert [second.draw().begins.tolist() for _ in range(12)] == expected
