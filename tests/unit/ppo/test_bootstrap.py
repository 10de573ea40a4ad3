# SPDX-License-Identifier: GPL-3.0-or-later
"""What a step is worth where an episode or a rollout ends, in every way in which environments start episodes."""

from typing import Any

import numpy as np
import pytest
from gymnasium.vector import AutoresetMode
from numpy.typing import NDArray
from scripted_env import Episode, ScriptedVectorEnv, value_is_observation

from oakemu_rl.ppo import PPOActor, RolloutBuffer, RolloutFinalizer

ALL_MODES = pytest.mark.parametrize("mode", list(AutoresetMode))
LIMITED = Episode((1.0, 2.0), terminated=False, truncated=True)
GAMMA = 0.5


def make(
    scripts: list[list[Episode]], mode: AutoresetMode = AutoresetMode.SAME_STEP, *, stacked: bool = False
) -> PPOActor:
    return PPOActor(ScriptedVectorEnv(scripts, mode, stacked=stacked), value_is_observation(), gamma=GAMMA, seed=0)


def buffer(rows: int, envs: int) -> RolloutBuffer:
    return RolloutBuffer(rows, envs, (1,), np.float32)


def returns(actor: PPOActor, rollout: RolloutBuffer, gae_lambda: float) -> list[float]:
    """Of the trainable cells of the first environment in the actor's next rollout."""
    actor.collect(rollout)
    RolloutFinalizer(value_is_observation(), gamma=GAMMA, gae_lambda=gae_lambda).finalize(rollout, actor.observations)
    values: list[float] = rollout.returns[rollout.trainable[:, 0], 0].tolist()
    return values


@pytest.mark.parametrize(
    ("mode", "stacked"),
    [(AutoresetMode.SAME_STEP, False), (AutoresetMode.SAME_STEP, True), (AutoresetMode.DISABLED, False)],
)
def test_a_time_limit_is_bootstrapped_from_the_true_last_observation(mode: AutoresetMode, *, stacked: bool) -> None:
    actor = make([[LIMITED]], mode, stacked=stacked)
    rollout = buffer(3, 1)
    actor.collect(rollout)
    # The last observation of the first episode is 2; the buffer's next one, 100, is of the next episode.
    assert rollout.observations[:, 0, 0].tolist() == [0.0, 1.0, 100.0]
    assert rollout.rewards[:, 0].tolist() == [1.0, 2.0 + 0.5 * 2, 1.0]
    assert rollout.dones[:, 0].tolist() == [0.0, 1.0, 0.0]
    assert rollout.trainable.all()


@ALL_MODES
@pytest.mark.parametrize("truncated", [False, True])
def test_termination_wins_and_earns_no_bootstrap(mode: AutoresetMode, *, truncated: bool) -> None:
    actor = make([[Episode((1.0, 2.0), terminated=True, truncated=truncated)]], mode)
    rollout = buffer(2, 1)
    actor.collect(rollout)
    assert rollout.rewards[:, 0].tolist() == [1.0, 2.0]
    assert rollout.dones[:, 0].tolist() == [0.0, 1.0]


def test_the_step_that_only_restarts_teaches_nothing() -> None:
    actor = make([[LIMITED], [Episode((5.0,) * 9)]], AutoresetMode.NEXT_STEP)
    rollout = buffer(4, 2)
    statistics = actor.collect(rollout)
    assert rollout.trainable[:, 0].tolist() == [True, True, False, True]
    assert rollout.observations[:, 0, 0].tolist() == [0.0, 1.0, 2.0, 100.0]
    assert rollout.rewards[:2, 0].tolist() == [1.0, 2.0 + 0.5 * 2]
    assert rollout.dones[:2, 0].tolist() == [0.0, 1.0]
    assert statistics.env_steps == 7
    assert statistics.trainable_cells == rollout.trainable_size == 7


def test_a_step_in_which_all_restart_takes_no_row() -> None:
    actor = make([[Episode((1.0,))], [Episode((2.0,))]], AutoresetMode.NEXT_STEP)
    rollout = buffer(3, 2)
    actor.collect(rollout)
    assert rollout.trainable.all()
    assert rollout.observations[:, 0, 0].tolist() == [0.0, 100.0, 200.0]


@ALL_MODES
@pytest.mark.parametrize("stop", [1, 2, 3, 4, 5])
def test_all_modes_give_the_targets_worked_out_by_hand(mode: AutoresetMode, stop: int) -> None:
    """A true end after 3 steps, then a time limit after 2, with rollouts cut at every place of it.

    With lambda 1 the return is the discounted sum of rewards up to the end, or to the cut, and then the value of what
    is shown there: the observation itself, which is 100 times the episode plus the step.
    """
    actor = make([[Episode((1.0, 2.0, 4.0)), Episode((3.0, 3.0), terminated=False, truncated=True)]], mode)
    rewards, ends = [1.0, 2.0, 4.0, 3.0, 3.0], [2, 4]
    shown_after = [1.0, 2.0, 0.0, 101.0, 102.0]  # 0 after the true end: nothing comes of it
    expected = []
    for t in range(5):
        value, weight = 0.0, 1.0
        for later in range(t, 5):
            value += weight * rewards[later]
            weight *= GAMMA
            if later in ends or later == stop - 1:
                value += weight * shown_after[later]
                break
        expected.append(value)
    # In NEXT_STEP a step that only restarts takes no row of its own where there is one environment.
    first, second = returns(actor, buffer(stop, 1), 1.0), returns(actor, buffer(6 - stop, 1), 1.0)
    assert [*first, *second][:5] == expected


@ALL_MODES
@pytest.mark.parametrize("gae_lambda", [0.0, 0.5])
def test_all_modes_estimate_advantages_by_hand(mode: AutoresetMode, gae_lambda: float) -> None:
    actor = make([[Episode((1.0, 2.0)), LIMITED]], mode)
    got = returns(actor, buffer(5, 1), gae_lambda)
    # Values are what is shown, 0, 1 | 100, 101 | 200, and after the limit 102, after the cut 201.
    deltas = [1 + 0.5 * 1 - 0, 2 - 1, 1 + 0.5 * 101 - 100, 2 + 0.5 * 102 - 101, 1 + 0.5 * 201 - 200]
    carried = [
        deltas[0] + 0.5 * gae_lambda * deltas[1],
        deltas[1],
        deltas[2] + 0.5 * gae_lambda * deltas[3],
        *deltas[3:],
    ]
    assert got == pytest.approx([delta + value for delta, value in zip(carried, [0, 1, 100, 101, 200], strict=True)])


def test_the_rollout_ends_with_the_value_of_what_is_shown_then() -> None:
    actor = make([[Episode((1.0,) * 9)]])
    rollout = buffer(2, 1)
    actor.collect(rollout)
    RolloutFinalizer(value_is_observation(), gamma=0.5, gae_lambda=1.0).finalize(rollout, actor.observations)
    # Shown afterwards: 2.
    assert rollout.returns[:, 0].tolist() == [1 + 0.5 * (1 + 0.5 * 2), 1 + 0.5 * 2]


def test_where_nothing_restarts_by_itself_the_actor_resets_what_has_ended_and_nothing_else() -> None:
    resets: list[Any] = []

    class Watched(ScriptedVectorEnv):
        def reset(
            self, *, seed: int | None = None, options: dict[str, Any] | None = None
        ) -> tuple[Any, dict[str, Any]]:
            resets.append((seed is None, None if options is None else options["reset_mask"].tolist()))
            return super().reset(seed=seed, options=options)

    env = Watched([[Episode((1.0,) * 9)], [Episode((1.0, 2.0))], [LIMITED]], AutoresetMode.DISABLED)
    rollout = buffer(3, 3)
    statistics = PPOActor(env, value_is_observation(), gamma=GAMMA, seed=0).collect(rollout)
    assert resets == [(False, None), (True, [False, True, True])]
    assert rollout.trainable.all()
    assert rollout.observations[:, :, 0].tolist() == [
        [0.0, 1000.0, 2000.0],
        [1.0, 1001.0, 2001.0],
        [2.0, 1100.0, 2100.0],
    ]
    assert (statistics.env_steps, len(statistics.episodes)) == (9, 2)


def test_a_restart_that_hides_the_last_observation_is_refused() -> None:
    class Silent(ScriptedVectorEnv):
        def step(self, actions: NDArray[np.int64]) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
            *rest, _ = super().step(actions)
            return *rest, {}

    env = Silent([[Episode((1.0,), terminated=False, truncated=True)]], AutoresetMode.SAME_STEP)
    with pytest.raises(ValueError, match="final_obs"):
        PPOActor(env, value_is_observation(), gamma=0.5, seed=0).collect(buffer(1, 1))
