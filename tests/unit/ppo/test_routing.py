# SPDX-License-Identifier: GPL-3.0-or-later
import numpy as np
import pytest
import torch

from oakemu_rl.ppo import EpisodePlan, Route
from oakemu_rl.ppo.routing import Router


def make(*plans: EpisodePlan, allowed: tuple[int, ...] = (0, 1, 2), seed: int = 0) -> Router:
    router = Router(len(plans), torch.tensor(allowed), torch.Generator().manual_seed(seed))
    for env_id, plan in enumerate(plans):
        router.begin(env_id, plan)
    return router


def replay(*actions: int, then: Route = Route.POLICY, max_steps: int = 0) -> EpisodePlan:
    return EpisodePlan(Route.REPLAY, np.array(actions, dtype=np.int64), then, max_steps=max_steps)


def test_each_row_goes_where_its_plan_says_worked_out_by_hand() -> None:
    router = make(
        EpisodePlan(),
        EpisodePlan(Route.SILENT),
        EpisodePlan(Route.RANDOM),
        replay(2, 1),
        replay(1, then=Route.SILENT),
        replay(then=Route.RANDOM),
    )
    nobody = np.zeros(6, dtype=np.bool_)
    expected = [
        # who of the six is played by the model, who teaches, and the recorded actions of rows 3 and 4 (-1: none)
        ([1, 1, 0, 0, 0, 0], [1, 0, 0, 0, 0, 0], [2, 1]),
        ([1, 1, 0, 0, 1, 0], [1, 0, 0, 0, 0, 0], [1, -1]),
        ([1, 1, 0, 1, 1, 0], [1, 0, 0, 1, 0, 0], [-1, -1]),
        ([1, 1, 0, 1, 1, 0], [1, 0, 0, 1, 0, 0], [-1, -1]),
    ]
    for model, teaching, recorded in expected:
        actions = np.full(6, -1, dtype=np.int64)
        rows = router.select(nobody, actions)
        assert rows.model.tolist() == [bool(each) for each in model]
        assert rows.teaching.tolist() == [bool(each) for each in teaching]
        assert actions[[3, 4]].tolist() == recorded
        assert set(actions[[0, 1]]) == {-1}
        assert actions[[2, 5]].min() >= 0


def test_a_step_that_only_begins_an_episode_takes_no_recorded_action() -> None:
    router = make(replay(2, 1), EpisodePlan())
    actions = np.full(2, -1, dtype=np.int64)
    rows = router.select(np.array([True, False]), actions)
    assert (rows.model.tolist(), actions.tolist()) == ([False, True], [0, -1])
    assert [_next_action(router), _next_action(router)] == [2, 1]


def _next_action(router: Router) -> int:
    actions = np.full(2, -1, dtype=np.int64)
    router.select(np.zeros(2, dtype=np.bool_), actions)
    return int(actions[0])


def test_random_actions_are_equally_likely_among_what_each_state_allows() -> None:
    router = make(*[EpisodePlan(Route.RANDOM)] * 4, allowed=(0, 1, 3))
    masks = np.array([[1, 1, 1, 1], [0, 1, 1, 1], [1, 0, 0, 0], [0, 0, 1, 1]], dtype=np.bool_)
    counts = np.zeros((4, 4), dtype=np.int64)
    for _ in range(3000):
        actions = np.zeros(4, dtype=np.int64)
        router.select(np.zeros(4, dtype=np.bool_), actions, masks)
        counts[np.arange(4), actions] += 1
    shares = counts / 3000
    expected = np.array([[1 / 3, 1 / 3, 0, 1 / 3], [0, 1 / 2, 0, 1 / 2], [1, 0, 0, 0], [0, 0, 0, 1]])
    assert not shares[expected == 0].any()
    np.testing.assert_allclose(shares, expected, atol=0.04)  # four deviations of a share of 3000


def test_cuts_count_every_step_of_the_episode_whoever_takes_it() -> None:
    router = make(replay(0, 0, max_steps=3), EpisodePlan(max_steps=2), EpisodePlan(Route.SILENT))
    nobody = np.zeros(3, dtype=np.bool_)
    cut = []
    for _ in range(4):
        router.select(nobody, np.zeros(3, dtype=np.int64))
        timed_out = router.timed_out(nobody)
        assert timed_out is not None
        cut.append(timed_out.tolist())
        for env_id in np.flatnonzero(timed_out):
            router.begin(int(env_id), router.plans[env_id])
    assert cut == [[False] * 3, [False, True, False], [True, False, False], [False, True, False]]


def test_nobody_looks_for_cuts_where_no_plan_has_one() -> None:
    router = make(EpisodePlan(), replay(1))
    assert router.timed_out(np.zeros(2, dtype=np.bool_)) is None


def test_plans_and_where_they_stand_are_saved() -> None:
    plans = (replay(0, 1, 2, 0, 1), EpisodePlan(Route.RANDOM, max_steps=9))
    router, other = make(*plans), make(EpisodePlan(), EpisodePlan(), seed=5)
    for _ in range(2):
        _next_action(router)
    other.load_state_dict(router.state_dict())
    for step in range(7):
        ours, theirs = np.zeros((2, 2), dtype=np.int64)
        dead = np.zeros(2, dtype=np.bool_)
        rows, others = router.select(dead, ours), other.select(dead, theirs)
        assert (rows.model.tolist(), ours.tolist()) == (others.model.tolist(), theirs.tolist())
        cuts = [each.timed_out(dead) for each in (router, other)]
        assert [None if cut is None else cut.tolist() for cut in cuts] == [[False, step == 6]] * 2


@pytest.mark.parametrize("env_id", [-1, 2])
def test_environments_that_do_not_exist_are_refused(env_id: int) -> None:
    with pytest.raises(ValueError, match=rf"0\.\.1, got {env_id}"):
        make(EpisodePlan(), EpisodePlan()).begin(env_id, EpisodePlan())
