# SPDX-License-Identifier: GPL-3.0-or-later
"""Action masks that differ from state to state, from the environment to the gradient."""

import math
from typing import Any

import numpy as np
import pytest
import torch
from gymnasium.vector import AutoresetMode
from numpy.typing import NDArray
from scripted_env import Episode, ScriptedVectorEnv, value_is_observation

from oakemu_rl.errors import UserError
from oakemu_rl.ppo import PPOActor, PPOConfiguration, PPOLearner, RolloutBuffer, RolloutFinalizer, Route
from oakemu_rl.ppo.env_contract import state_masks

ALL_MODES = pytest.mark.parametrize("mode", list(AutoresetMode))
SCRIPTS = [[Episode((1.0,) * 3), Episode((1.0, 0.0))]] * 3


class MaskingEnv(ScriptedVectorEnv):
    """Forbids the action whose number is the observation modulo 3."""

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        observations, infos = super().reset(seed=seed, options=options)
        masks = masks_of(observations)
        if options is not None:  # as Gymnasium's environments do: nothing is said of those that go on
            masks["_action_mask"] = options["reset_mask"]
            masks["action_mask"][~options["reset_mask"]] = False
        return observations, {**infos, **masks}

    def step(self, actions: NDArray[np.int64]) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        observations, *rest, infos = super().step(actions)
        return observations, *rest, {**infos, **masks_of(observations)}


def masks_of(observations: NDArray[np.float32]) -> dict[str, Any]:
    masks = np.arange(3) != observations.astype(np.int64) % 3
    return {"action_mask": masks, "_action_mask": np.ones(len(masks), np.bool_)}


def collected(mode: AutoresetMode, route: Route = Route.POLICY) -> tuple[PPOActor, RolloutBuffer]:
    actor = PPOActor(MaskingEnv(SCRIPTS, mode), value_is_observation(), gamma=0.5, seed=0, masked=True)
    actor.set_route(0, route)
    rollout = RolloutBuffer(100, 3, (1,), np.float32, masked_actions=3)
    actor.collect(rollout)
    return actor, rollout


@ALL_MODES
@pytest.mark.parametrize("route", [Route.POLICY, Route.RANDOM])
def test_no_state_sees_an_action_that_it_forbids(mode: AutoresetMode, route: Route) -> None:
    _, rollout = collected(mode, route)
    forbidden = rollout.observations[..., 0].astype(np.int64) % 3
    ignored = np.zeros_like(rollout.trainable)
    if mode is AutoresetMode.NEXT_STEP:  # the step after an end ignores its action
        ignored[1:] = rollout.dones[:-1] == 1.0
    assert (rollout.actions != forbidden)[~ignored].all()
    assert {(int(f), int(a)) for f, a in zip(forbidden[~ignored], rollout.actions[~ignored], strict=True)} == {
        (f, a) for f in range(3) for a in range(3) if f != a
    }


@ALL_MODES
def test_the_rollout_keeps_the_mask_under_which_the_policy_acted(mode: AutoresetMode) -> None:
    _, rollout = collected(mode)
    assert rollout.action_masks is not None
    assert np.array_equal(rollout.action_masks, np.arange(3) != rollout.observations.astype(np.int64) % 3)
    assert rollout.log_probs[rollout.trainable] == pytest.approx(math.log(1 / 2))


def test_the_learner_sees_the_probabilities_that_acted() -> None:
    actor, rollout = collected(AutoresetMode.SAME_STEP)
    model = value_is_observation()
    RolloutFinalizer(model, gamma=0.5, gae_lambda=0.9).finalize(rollout, actor.observations)
    learner = PPOLearner(model, PPOConfiguration(ppo_epochs=1, num_minibatches=1))
    metrics = learner.update(rollout, 0.0)
    assert metrics["approx_kl"] == pytest.approx(0.0, abs=1e-6)
    assert metrics["entropy"] == pytest.approx(math.log(2))


@pytest.mark.parametrize("mixed_precision", ["off", "bfloat16"])
def test_half_precision_forbids_the_same_and_learns(mixed_precision: Any) -> None:
    env, model = MaskingEnv(SCRIPTS, AutoresetMode.SAME_STEP), value_is_observation()
    with torch.no_grad():  # far beyond what either type tells apart from certainty
        model.policy_head.bias.copy_(torch.tensor([1e9, -1e9, 0.0]))
    actor = PPOActor(env, model, gamma=0.5, seed=0, masked=True, mixed_precision=mixed_precision)
    rollout = RolloutBuffer(40, 3, (1,), np.float32, masked_actions=3)
    actor.collect(rollout)
    assert (rollout.actions != rollout.observations[..., 0].astype(np.int64) % 3).all()
    rollout.values[:] = rollout.rewards[:] = 0.0
    rollout.rewards[::2] = 1.0
    rollout.compute_gae(np.zeros(3), np.zeros(3), 0.5, 0.9)
    with torch.no_grad():
        model.value_head.weight.zero_()
    metrics = PPOLearner(model, PPOConfiguration(mixed_precision=mixed_precision)).update(rollout, 0.0)
    assert all(math.isfinite(value) for value in metrics.values())
    assert metrics["entropy"] == 0.0


@pytest.mark.parametrize("mixed_precision", ["off", "bfloat16"])
def test_where_one_action_is_legal_the_policy_learns_nothing_and_nothing_blows_up(mixed_precision: Any) -> None:
    class Forced(ScriptedVectorEnv):
        def reset(self, **arguments: Any) -> tuple[Any, dict[str, Any]]:
            return super().reset(**arguments)[0], {"action_mask": np.eye(3, dtype=np.bool_)}

        def step(self, actions: NDArray[np.int64]) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
            *results, infos = super().step(actions)
            return *results, {**infos, "action_mask": np.eye(3, dtype=np.bool_)}

    env, model = Forced(SCRIPTS, AutoresetMode.SAME_STEP), value_is_observation()
    actor = PPOActor(env, model, gamma=0.5, seed=0, masked=True, mixed_precision=mixed_precision)
    rollout = RolloutBuffer(8, 3, (1,), np.float32, masked_actions=3)
    actor.collect(rollout)
    assert (rollout.actions == np.arange(3)).all()
    assert not rollout.log_probs.any()
    RolloutFinalizer(model, gamma=0.5, gae_lambda=0.9).finalize(rollout, actor.observations)
    before = model.policy_head.weight.clone(), model.value_head.weight.clone()
    metrics = PPOLearner(model, PPOConfiguration(mixed_precision=mixed_precision)).update(rollout, 0.0)
    assert (metrics["entropy"], metrics["approx_kl"], metrics["clip_fraction"]) == (0.0, 0.0, 0.0)
    assert torch.equal(model.policy_head.weight, before[0])
    assert not torch.equal(model.value_head.weight, before[1])


@pytest.mark.parametrize("route", [Route.POLICY, Route.RANDOM])
@pytest.mark.parametrize(("always", "step"), [(None, 2), ([True, False, True], 1)])
def test_a_state_in_which_nothing_is_allowed_is_one_line(route: Route, always: list[bool] | None, step: int) -> None:
    class Stuck(ScriptedVectorEnv):
        """In the second environment everything is allowed, then action 1 alone, then nothing."""

        def reset(self, **arguments: Any) -> tuple[Any, dict[str, Any]]:
            return super().reset(**arguments)[0], {"action_mask": np.ones((3, 3), np.bool_)}

        def step(self, actions: NDArray[np.int64]) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
            *results, infos = super().step(actions)
            masks = np.ones((3, 3), np.bool_)
            masks[1] = [False, len(self.actions) < 2, False]
            return *results, {**infos, "action_mask": masks}

    mask = None if always is None else torch.tensor(always)
    env = Stuck([[Episode((1.0,) * 9)]] * 3, AutoresetMode.SAME_STEP)
    actor = PPOActor(env, value_is_observation(), gamma=0.5, seed=0, action_mask=mask, masked=True)
    actor.set_route(1, route)
    with pytest.raises(UserError) as caught:
        actor.collect(RolloutBuffer(9, 3, (1,), np.float32, masked_actions=3))
    assert str(caught.value) == (
        f"environment 1, step {step}: the action mask allows none of the 3 actions; at least one must be allowed"
    )


def test_where_an_episode_is_over_nothing_has_to_be_allowed() -> None:
    class Over(ScriptedVectorEnv):
        def reset(self, **arguments: Any) -> tuple[Any, dict[str, Any]]:
            return super().reset(**arguments)[0], {"action_mask": np.ones((3, 3), np.bool_)}

        def step(self, actions: NDArray[np.int64]) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
            *results, terminated, truncated, infos = super().step(actions)
            return *results, terminated, truncated, {**infos, "action_mask": np.tile(~terminated[:, None], 3)}

    for mode in (AutoresetMode.NEXT_STEP, AutoresetMode.DISABLED):
        actor = PPOActor(Over(SCRIPTS, mode), value_is_observation(), gamma=0.5, seed=0, masked=True)
        actor.collect(RolloutBuffer(9, 3, (1,), np.float32, masked_actions=3))


def test_what_is_forbidden_always_and_now_is_joined() -> None:
    actor = PPOActor(
        MaskingEnv(SCRIPTS, AutoresetMode.SAME_STEP),
        value_is_observation(),
        gamma=0.5,
        seed=0,
        action_mask=torch.tensor([False, True, True]),
        masked=True,
    )
    rollout = RolloutBuffer(60, 3, (1,), np.float32, masked_actions=3)
    actor.collect(rollout)
    forbidden = rollout.observations[..., 0].astype(np.int64) % 3
    assert set(rollout.actions[forbidden == 1].tolist()) == {2}
    assert set(rollout.actions[forbidden == 0].tolist()) == {1, 2}


def test_masks_survive_saving() -> None:
    actor, _ = collected(AutoresetMode.SAME_STEP)
    other = PPOActor(
        MaskingEnv(SCRIPTS, AutoresetMode.SAME_STEP), value_is_observation(), gamma=0.5, seed=3, masked=True
    )
    other.load_state_dict(actor.state_dict())
    assert torch.equal(other.state_dict()["action_masks"], actor.state_dict()["action_masks"])


def test_an_environment_that_does_not_say_its_masks_is_refused() -> None:
    env = ScriptedVectorEnv(SCRIPTS, AutoresetMode.SAME_STEP)
    actor = PPOActor(env, value_is_observation(), gamma=0.5, seed=0, masked=True)
    with pytest.raises(UserError, match='their infos have no "action_mask"'):
        actor.reset()


@pytest.mark.parametrize(("masked_actions", "masks"), [(3, None), (None, np.ones((2, 3), np.bool_))])
def test_masks_belong_to_buffers_that_keep_them(masked_actions: int | None, masks: NDArray[np.bool_] | None) -> None:
    rollout = RolloutBuffer(2, 2, (1,), np.float32, masked_actions=masked_actions)
    zeros = np.zeros(2, np.float32)
    with pytest.raises(ValueError, match="action_masks belong to a rollout buffer with masked_actions"):
        rollout.add(zeros[:, None], np.zeros(2, np.int64), zeros, zeros, zeros, zeros, action_masks=masks)
    assert rollout.step == 0


def test_rows_that_infos_are_not_about_keep_their_masks() -> None:
    before = np.array([[True, False], [True, False]])
    infos = {"action_mask": np.array([[False, True], [False, False]]), "_action_mask": np.array([True, False])}
    joined = state_masks(infos, before)
    assert joined is not None
    assert joined.tolist() == [[False, True], [True, False]]
    assert state_masks({}) is None
