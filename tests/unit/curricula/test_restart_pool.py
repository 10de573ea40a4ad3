# SPDX-License-Identifier: GPL-3.0-or-later
"""States to begin again from: what is kept, what is drawn, what comes back from a checkpoint."""

from collections import Counter

import numpy as np
import pytest
import torch

from oakemu_rl.curricula import RestartPool
from oakemu_rl.curricula.restart_pool import draw_by_failure
from oakemu_rl.envs import SpectrumVectorEnv, StateBank


def generator(seed: int = 1) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def test_the_oldest_states_make_room() -> None:
    pool = RestartPool(capacity=2)
    for state in (b"a", b"b", b"c"):
        pool.add(4, state)
    drawn = {pool.draw_from(4, generator(seed)) for seed in range(30)}
    assert drawn == {b"b", b"c"}
    assert len(pool) == 2
    assert pool.buckets == (4,)


def test_results_age() -> None:
    pool = RestartPool(capacity=1, window=4)
    pool.add(0, b"a")
    assert pool.success(0) == 0.5  # nobody knows
    for success in (True, True, False, False, False):
        pool.note(0, success=success)
    assert pool.success(0) == 0.25


def test_what_is_failed_is_drawn_more_and_what_is_mastered_still_sometimes() -> None:
    pool = RestartPool(capacity=1, window=10)
    for bucket, success in ((1, True), (2, False)):
        pool.add(bucket, bytes([bucket]))
        pool.note(bucket, success=success)
    chance = generator()
    drawn = Counter(pool.draw(chance) for _ in range(2000))
    assert set(drawn) == {(1, b"\x01"), (2, b"\x02")}
    # Their weights are 0.1 and 1: an eleventh of 2000 is 182, four deviations are 51.
    assert abs(drawn[1, b"\x01"] - 182) < 51


def test_an_empty_pool_gives_nothing() -> None:
    with pytest.raises(ValueError, match="without states"):
        RestartPool(1).draw(generator())


@pytest.mark.parametrize(("capacity", "window"), [(0, 1), (1, 0)])
def test_a_pool_keeps_something(capacity: int, window: int) -> None:
    with pytest.raises(ValueError, match="at least one"):
        RestartPool(capacity, window)


def test_a_pool_comes_back_as_it_was() -> None:
    pool = RestartPool(capacity=3, window=5)
    for number in range(7):
        pool.add(number % 2, bytes([number]))
        pool.note(number % 2, success=number > 3)
    other = RestartPool(capacity=3, window=5)
    other.add(9, b"forgotten")
    other.load_state_dict(pool.state_dict())
    assert other.buckets == pool.buckets
    ours, theirs = generator(3), generator(3)
    assert [other.draw(ours) for _ in range(20)] == [pool.draw(theirs) for _ in range(20)]
    pool.add(0, b"new")
    other.add(0, b"new")
    assert [other.draw_from(0, ours) for _ in range(20)] == [pool.draw_from(0, theirs) for _ in range(20)]


def test_weights_are_rates_of_failure() -> None:
    chance = generator()
    drawn = Counter(draw_by_failure([0.25, 0.75], chance) for _ in range(2000))
    assert abs(drawn[0] - 1500) < 78  # four deviations


def test_what_ages_is_forgotten_by_whoever_keeps_the_states() -> None:
    env = SpectrumVectorEnv("acorns", 1, num_threads=1, autoreset_mode="disabled")
    env.reset(seed=1)
    bank = StateBank(env)
    pool, states = RestartPool(capacity=2, keeper=bank), []
    for number in range(7):
        env.step(np.array([number % 3]))
        states.append(env.get_state(0))
        pool.add(number % 2, states[-1])
    assert len(pool) == len(bank) == 4
    assert {pool.draw_from(0, generator(seed)) for seed in range(20)} == {states[4], states[6]}
    pool.load_state_dict(pool.state_dict())
    assert len(bank) == 4
    assert {pool.draw_from(1, generator(seed)) for seed in range(20)} == {states[3], states[5]}


def test_a_saved_pool_is_smaller_than_its_states() -> None:
    chance = torch.Generator().manual_seed(5)
    common = torch.randint(256, (50_000,), dtype=torch.uint8, generator=chance).numpy().tobytes()
    pool = RestartPool(capacity=40)
    for number in range(40):
        pool.add(0, bytes([number]) + common)
    # What the states share is there once, however little it can be packed by itself.
    assert pool.state_dict()["packed"].numel() < 2 * len(common)
