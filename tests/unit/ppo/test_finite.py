# SPDX-License-Identifier: GPL-3.0-or-later
"""The first NaN or infinity stops everything, with its name and place, before anything is learnt from it."""

from typing import Any

import numpy as np
import pytest
import torch
from gymnasium.vector import AutoresetMode
from numpy.typing import NDArray
from scripted_env import Episode, ScriptedVectorEnv, value_is_observation
from test_recurrent import finalize, make
from torch import nn

from oakemu_rl.ppo import (
    NonFiniteError,
    PPOActor,
    PPOConfiguration,
    PPOLearner,
    PPOModel,
    RolloutBuffer,
    RolloutFinalizer,
)

POISONS = pytest.mark.parametrize("poison", [np.nan, np.inf, -np.inf])


def buffer(rows: int, envs: int) -> RolloutBuffer:
    return RolloutBuffer(rows, envs, (1,), np.float32)


class PoisonedEnv(ScriptedVectorEnv):
    """Puts a number that is none into what environment 3 gives in step 37."""

    tensor, poison = "observation", np.nan

    def step(self, actions: NDArray[np.int64]) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        observations, rewards, terminated, truncated, infos = super().step(actions)
        if len(self.actions) == 37:
            if self.tensor == "last observation":
                infos["final_obs"][3] = np.array([self.poison], np.float32)
            else:
                (observations if self.tensor == "observation" else rewards)[3] = self.poison
        return observations, rewards, terminated, truncated, infos


@POISONS
@pytest.mark.parametrize("mode", list(AutoresetMode))
@pytest.mark.parametrize("tensor", ["observation", "reward"])
def test_nonsense_from_an_environment_stops_at_once(mode: AutoresetMode, tensor: str, poison: float) -> None:
    env = PoisonedEnv([[Episode((1.0,) * 100)]] * 4, mode)
    env.tensor, env.poison = tensor, poison
    actor = PPOActor(env, value_is_observation(), gamma=0.5, seed=0)
    with pytest.raises(NonFiniteError, match=f"^non-finite {tensor}, environment 3, step 37: training stops"):
        actor.collect(buffer(64, 4))
    assert len(env.actions) == 37


@POISONS
def test_nonsense_in_a_last_observation_stops_at_once(poison: float) -> None:
    limited = Episode((1.0,) * 37, terminated=False, truncated=True)
    env = PoisonedEnv([[Episode((1.0,) * 100)]] * 2 + [[limited]] * 2, AutoresetMode.SAME_STEP)
    env.tensor, env.poison = "last observation", poison
    with pytest.raises(NonFiniteError, match="non-finite last observation, environment 3, step 37"):
        PPOActor(env, value_is_observation(), gamma=0.5, seed=0).collect(buffer(64, 4))


def test_nonsense_in_a_first_observation_stops_at_once() -> None:
    class Poisoned(ScriptedVectorEnv):
        def reset(self, **arguments: Any) -> tuple[Any, dict[str, Any]]:
            observations, infos = super().reset(**arguments)
            observations[1] = np.nan
            return observations, infos

    env = Poisoned([[Episode((1.0,))]] * 2, AutoresetMode.SAME_STEP)
    with pytest.raises(NonFiniteError, match="non-finite observation, environment 1, step 0"):
        PPOActor(env, value_is_observation(), gamma=0.5, seed=0).reset()


@pytest.mark.parametrize(("head", "tensor"), [("policy_head", "action probability"), ("value_head", "value")])
def test_nonsense_from_the_network_stops_at_once(head: str, tensor: str) -> None:
    env, model = ScriptedVectorEnv([[Episode((1.0,))]], AutoresetMode.SAME_STEP), value_is_observation()
    actor = PPOActor(env, model, gamma=0.5, seed=0)
    with torch.no_grad():
        getattr(model, head).bias.fill_(torch.nan)
    with pytest.raises(NonFiniteError, match=f"{tensor}, environment 0, step 0"):
        actor.collect(buffer(1, 1))
    assert env.actions == []


def test_a_value_that_overflows_at_a_time_limit_is_named() -> None:
    limited = Episode((1.0,), terminated=False, truncated=True)
    env, model = ScriptedVectorEnv([[Episode((1.0,) * 9)], [limited]], AutoresetMode.SAME_STEP), value_is_observation()
    with torch.no_grad():
        model.value_head.weight.fill_(3e35)  # times 1000, the first observation, is within float32; times 1001 is not
        model.value_head.bias.fill_(4e37)
    actor = PPOActor(env, model, gamma=0.5, seed=0)
    with pytest.raises(NonFiniteError, match="value of the last observation, environment 1, step 1"):
        actor.collect(buffer(2, 2))


@POISONS
def test_a_value_after_the_last_row_is_named(poison: float) -> None:
    model = value_is_observation()
    rollout = rollout_of(model)
    shown = np.array([[0.1], [0.2], [poison], [0.4]], np.float32)
    with pytest.raises(NonFiniteError, match="non-finite value, environment 2, after the last row of the rollout"):
        RolloutFinalizer(model, gamma=0.9, gae_lambda=0.9).finalize(rollout, shown)


def rollout_of(model: PPOModel) -> RolloutBuffer:
    """Seven rows of four environments, in which the model has acted; observations 0.00, 0.01, ... 0.27."""
    rollout = buffer(7, 4)
    for t in range(7):
        observations = (np.arange(4, dtype=np.float32)[:, None] + 4 * t) / 100
        with torch.no_grad():
            bundle = model.get_action_bundle(torch.from_numpy(observations), torch.tensor([0, 1, 2, 0]))
        numbers = (bundle.log_probs.numpy(), bundle.values.numpy(), np.arange(4.0), np.ones(4))
        rollout.add(observations, bundle.actions.numpy(), *numbers)
    rollout.compute_gae(np.zeros(4), np.ones(4), 0.99, 0.95)
    return rollout


class NanFrom(torch.autograd.Function):
    """Passes a tensor on, and no gradient that is a number."""

    @staticmethod
    def forward(_: Any, x: torch.Tensor) -> torch.Tensor:
        return x.clone()

    @staticmethod
    def backward(_: Any, gradient: torch.Tensor) -> torch.Tensor:
        return torch.full_like(gradient, torch.nan)


def refusal(model: PPOModel, rollout: RolloutBuffer, **changes: Any) -> str:
    """What a learner says, whose weights stay as they were."""
    before = [parameter.detach().clone() for parameter in model.parameters()]
    with pytest.raises(NonFiniteError) as caught:
        PPOLearner(model, PPOConfiguration(**changes)).update(rollout, 0.0)
    assert all(torch.equal(*pair) for pair in zip(before, model.parameters(), strict=True))
    return str(caught.value).partition(": training stops")[0]


def spoil(head: nn.Linear, poison: float, output: int = 0) -> None:
    """Makes one output of a layer, for the observation 0.22 of environment 2 in row 5 alone, what is no number."""

    def poisoned(_: nn.Module, inputs: tuple[torch.Tensor], outputs: torch.Tensor) -> torch.Tensor:
        poisons = torch.where((inputs[0] - 0.22).abs() < 1e-3, poison, 0.0)
        return torch.cat([outputs[:, :output], outputs[:, output : output + 1] + poisons, outputs[:, output + 1 :]], 1)

    head.register_forward_hook(poisoned)


@pytest.mark.parametrize(
    ("head", "poison", "tensor"),
    [
        ("policy_head", torch.nan, "logit"),
        ("policy_head", torch.inf, "logit"),
        ("policy_head", -torch.inf, "logit"),  # which would only make its action impossible
        ("value_head", torch.nan, "value"),
        ("value_head", -torch.inf, "value"),
        ("value_head", 1e30, "value loss"),
    ],
)
def test_what_the_network_makes_of_a_cell_is_named_with_the_cell(head: str, poison: float, tensor: str) -> None:
    model = value_is_observation()
    rollout = rollout_of(model)
    spoil(getattr(model, head), poison, output=1 if head == "policy_head" else 0)
    where = "environment 2, row 5 of the rollout, epoch 0, minibatch 0"
    assert refusal(model, rollout, num_minibatches=1) == f"non-finite {tensor}, {where}"


def test_a_probability_ratio_that_overflows_is_named_with_its_cell() -> None:
    model = value_is_observation()
    rollout = rollout_of(model)
    rollout.log_probs[5, 2] = -1e3
    where = "environment 2, row 5 of the rollout, epoch 0, minibatch 0"
    assert refusal(model, rollout, num_minibatches=1) == f"non-finite probability ratio, {where}"


@pytest.mark.parametrize("num_minibatches", [1, 4])
def test_cells_of_sequences_are_named_as_well(num_minibatches: int) -> None:
    model, actor, rollout = make("lstm", AutoresetMode.NEXT_STEP)
    actor.collect(rollout)
    finalize(model, actor, rollout)
    rollout.log_probs[5, 3] = -1e3
    rollout.log_probs[6, 3] = -1e3
    with pytest.raises(NonFiniteError, match="non-finite probability ratio, environment 3, row 5 of the rollout"):
        PPOLearner(model, PPOConfiguration(num_minibatches=num_minibatches)).update(rollout, 0.0)


def test_a_gradient_is_named_by_its_weight() -> None:
    model = value_is_observation()
    rollout = rollout_of(model)
    model.value_head.register_forward_hook(lambda _, __, outputs: NanFrom.apply(outputs))
    assert refusal(model, rollout) == "non-finite gradient of value_head.weight, epoch 0, minibatch 0"


def test_a_weight_that_a_step_made_infinite_is_named() -> None:
    model = value_is_observation()
    learner = PPOLearner(model, PPOConfiguration(lr=1e39, ppo_epochs=1, num_minibatches=1))
    with pytest.raises(NonFiniteError, match=r"^non-finite weight policy_head\.weight, after gradient step 1"):
        learner.update(rollout_of(model), 0.0)


def test_large_numbers_that_are_finite_stop_nothing() -> None:
    model = value_is_observation()
    with torch.no_grad():  # the norm of the weights overflows, no weight does
        model.policy_head.bias.fill_(3e38)
    metrics = PPOLearner(model, PPOConfiguration(lr=1e-3)).update(rollout_of(value_is_observation()), 0.0)
    assert np.isfinite(list(metrics.values())).all()
