# SPDX-License-Identifier: GPL-3.0-or-later
"""Successes out of rollouts become what the policy does."""

import io
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
import torch

from oakemu_rl.curricula import SelfImitation, SuccessMemory
from oakemu_rl.curricula.episode_tap import EpisodeTap
from oakemu_rl.imitation import Cloner, CloningConfiguration
from oakemu_rl.ppo import PPOModel, PPOModelConfiguration, RolloutBuffer

ROWS, ENVS, ACTIONS = 4, 2, 3
FLOAT = np.dtype(np.float32)


def rollout(first: int, ends: dict[int, list[int]], untaught: Sequence[int] = ()) -> RolloutBuffer:
    """A rollout whose observation is the number of its step, negative in environment 1; the action is step % 3.

    In environment 0, the steps `untaught` are somebody else's.
    """
    buffer = RolloutBuffer(ROWS, ENVS, (1,), FLOAT)
    for row in range(ROWS):
        step = first + row
        observations = np.array([[step], [-step]], np.float32)
        dones = np.array([step in ends.get(env_id, []) for env_id in range(ENVS)], np.float32)
        actions = np.full(ENVS, step % ACTIONS)
        taught = np.array([step not in untaught, True])
        buffer.add(observations, actions, np.zeros(ENVS), np.zeros(ENVS), np.zeros(ENVS), dones, taught)
    return buffer


def taken(tap: EpisodeTap, buffer: RolloutBuffer) -> list[tuple[int, list[float], list[int]]]:
    return [(each.env_id, each.observations[:, 0].tolist(), each.actions.tolist()) for each in tap.take(buffer)]


def test_episodes_are_put_together_across_rollouts() -> None:
    tap = EpisodeTap(ENVS)
    buffer = rollout(0, {0: [1, 2], 1: []})
    assert taken(tap, buffer) == [(0, [0.0, 1.0], [0, 1]), (0, [2.0], [2])]
    buffer.observations[:] = 99.0  # the buffer is filled anew
    assert taken(tap, rollout(4, {})) == []
    assert taken(tap, rollout(8, {0: [8], 1: [11]})) == [
        (0, [3.0, 4.0, 5.0, 6.0, 7.0, 8.0], [0, 1, 2, 0, 1, 2]),
        (1, [-float(step) for step in range(12)], [step % 3 for step in range(12)]),
    ]


def test_what_others_play_is_left_out() -> None:
    tap = EpisodeTap(ENVS)
    # In environment 0 the policy plays to step 0, somebody else to 2, a recording to 4, and the policy on.
    assert taken(tap, rollout(0, {0: [0, 2]}, untaught=[1, 2, 3])) == [(0, [0.0], [0])]
    assert taken(tap, rollout(4, {0: [6], 1: [5]}, untaught=[4])) == [
        (0, [5.0, 6.0], [2, 0]),
        (1, [-float(step) for step in range(6)], [step % 3 for step in range(6)]),
    ]


def test_a_tap_comes_back_with_the_running_episodes() -> None:
    tap, other = EpisodeTap(ENVS), EpisodeTap(ENVS)
    tap.take(rollout(0, {0: [1]}))
    other.load_state_dict(tap.state_dict(), (1,), FLOAT)
    assert taken(other, rollout(4, {0: [5], 1: [4]})) == taken(tap, rollout(4, {0: [5], 1: [4]}))


def imitation(*, weight: Any = 1.0, steps: int = 3, seed: int = 0) -> tuple[SelfImitation, PPOModel]:
    torch.manual_seed(seed)
    model = PPOModel((1,), ACTIONS, PPOModelConfiguration(conv_filters=[], fcnet_hiddens=[8]))
    companion = SelfImitation(
        Cloner(model, CloningConfiguration(lr=0.05)),
        SuccessMemory(20, (1,), FLOAT),
        num_envs=ENVS,
        weight=weight,
        steps=steps,
        batch_size=6,
        generator=torch.Generator().manual_seed(1),
    )
    return companion, model


def probability(model: PPOModel, observation: float, action: int) -> float:
    with torch.no_grad():
        return float(model.get_logits(torch.tensor([[observation]])).softmax(dim=-1)[0, action])


def test_successes_become_more_probable_and_failures_are_left_alone() -> None:
    companion, model = imitation(steps=60)
    before = probability(model, 2.0, 2)
    companion.note(0, 0, success=True)  # steps 0 to 2 of environment 0
    companion.note(1, 0, success=False)
    figures = companion.learn(rollout(0, {0: [2], 1: [3]}), 0.0)
    assert figures["curriculum/imitated/memory"] == 3.0
    assert probability(model, 2.0, 2) > max(0.8, before)
    assert companion.ppo_weight(0.5) == 1.0


def test_results_belong_to_episodes_in_the_order_of_their_ends() -> None:
    companion, _ = imitation()
    for success in (False, True, False):
        companion.note(0, 0, success=success)
    companion.note(1, 1, success=True)
    companion.learn(rollout(0, {0: [0, 2]}), 0.0)
    assert companion.learn(None, 0.0)["curriculum/imitated/memory"] == 2.0
    assert companion.learn(rollout(4, {0: [4], 1: [6]}), 0.0)["curriculum/imitated/memory"] == 2.0 + 7.0


@pytest.mark.parametrize("weight", [0.0, ((0.0, 1.0), (0.5, 0.0))])
def test_nothing_is_kept_or_cloned_at_weight_0(weight: Any) -> None:
    companion, model = imitation(weight=weight)
    before = [parameter.clone() for parameter in model.parameters()]
    companion.note(0, 0, success=True)
    figures = companion.learn(rollout(0, {0: [3]}), 0.5)
    assert figures == {"curriculum/imitated/memory": 0.0}
    assert all(torch.equal(old, new) for old, new in zip(before, model.parameters(), strict=True))


def test_nothing_is_cloned_before_the_first_success() -> None:
    companion, _ = imitation()
    companion.note(0, 0, success=False)
    assert companion.learn(rollout(0, {0: [3]}), 0.0) == {"curriculum/imitated/memory": 0.0}


def test_a_restored_companion_goes_on_as_it_would_have() -> None:
    (companion, model), (other, twin) = imitation(), imitation(seed=5)
    companion.note(0, 0, success=True)
    companion.note(1, 1, success=True)  # its episode ends in the next rollout
    companion.learn(rollout(0, {0: [1]}), 0.0)
    saved = io.BytesIO()
    torch.save(companion.state_dict(), saved)
    saved.seek(0)
    other.load_state_dict(torch.load(saved, weights_only=True))
    twin.load_state_dict(model.state_dict())
    for each in (companion, other):
        each.note(0, 0, success=True)
    assert other.learn(rollout(4, {0: [6], 1: [5]}), 0.0) == companion.learn(rollout(4, {0: [6], 1: [5]}), 0.0)
    assert all(torch.equal(one, two) for one, two in zip(model.parameters(), twin.parameters(), strict=True))
