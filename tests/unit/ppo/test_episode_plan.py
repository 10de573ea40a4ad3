# SPDX-License-Identifier: GPL-3.0-or-later
import io
from typing import Any

import numpy as np
import pytest
import torch

from oakemu_rl.ppo import EpisodePlan, Route

ACTIONS = np.array([2, 0], dtype=np.int64)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"route": Route.REPLAY}, "replay actions belong to the route 'replay', and to no other; it is replay"),
        ({"route": Route.SILENT, "actions": ACTIONS}, "to no other; it is silent"),
        ({"route": Route.REPLAY, "actions": ACTIONS[None]}, r"a row of integers, not int64 \(1, 2\)"),
        ({"route": Route.REPLAY, "actions": ACTIONS / 2}, r"a row of integers, not float64 \(2,\)"),
        ({"route": Route.REPLAY, "actions": ACTIONS, "after_replay": Route.REPLAY}, "after_replay cannot be 'replay'"),
        ({"max_steps": -1}, "max_steps must be at least 0"),
        ({"timeout_reward": -1.0}, "got -1.0 with max_steps=0"),
        ({"max_steps": 3, "timeout_reward": float("nan")}, "got nan with max_steps=3"),
    ],
)
def test_what_does_not_go_together_is_refused(fields: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        EpisodePlan(**fields)


@pytest.mark.parametrize(
    "plan",
    [
        EpisodePlan(),
        EpisodePlan(
            Route.REPLAY, ACTIONS, Route.SILENT, start=b"\0state", max_steps=7, timeout_reward=-0.5, label="cave 3"
        ),
    ],
)
def test_a_plan_is_kept_in_a_checkpoint(plan: EpisodePlan) -> None:
    file = io.BytesIO()
    torch.save(plan.as_plain(), file)
    file.seek(0)
    other = EpisodePlan.of_plain(torch.load(file, weights_only=True))
    names = ("route", "after_replay", "start", "max_steps", "timeout_reward", "label")
    assert [getattr(other, name) for name in names] == [getattr(plan, name) for name in names]
    assert (other.actions is None) == (plan.actions is None)
    if plan.actions is not None:
        np.testing.assert_array_equal(other.actions, plan.actions)


def test_who_plays_when() -> None:
    replay = EpisodePlan(Route.REPLAY, ACTIONS, Route.RANDOM)
    assert [replay.player(step) for step in range(4)] == ["replay", "replay", "random", "random"]
    assert [EpisodePlan(Route.SILENT).player(step) for step in (0, 99)] == ["silent", "silent"]


@pytest.mark.parametrize(
    ("plan", "teaches"),
    [
        (EpisodePlan(), True),
        (EpisodePlan(Route.SILENT), False),
        (EpisodePlan(Route.RANDOM), False),
        (EpisodePlan(Route.REPLAY, ACTIONS), True),
        (EpisodePlan(Route.REPLAY, ACTIONS, Route.SILENT), False),
    ],
)
def test_which_plans_may_ever_teach(plan: EpisodePlan, teaches: bool) -> None:  # noqa: FBT001 - parametrized
    assert plan.ever_teaches is teaches
