# SPDX-License-Identifier: GPL-3.0-or-later
"""Recurrent networks: what is learnt from is what was played, step by step."""

from collections.abc import Iterator
from itertools import chain

import numpy as np
import pytest
import torch
from gymnasium.vector import AutoresetMode
from scripted_director import ScriptedDirector
from scripted_env import Episode, ScriptedVectorEnv
from torch import Tensor, nn

from oakemu_rl.errors import UserError
from oakemu_rl.ppo import (
    EpisodeDirector,
    EpisodePlan,
    PPOActor,
    PPOConfiguration,
    PPOLearner,
    PPOModel,
    PPOModelConfiguration,
    RolloutBuffer,
    RolloutFinalizer,
    RolloutMinibatch,
    Route,
)
from oakemu_rl.ppo.sequence_record import SequenceRecord

ALL_MODES = pytest.mark.parametrize("mode", list(AutoresetMode))
BOTH_KINDS = pytest.mark.parametrize("kind", ["gru", "lstm"])
SIZE = 5
# Episodes of 1 to 7 steps, some cut short: rollouts of 8 rows begin and end inside them.
SCRIPTS = [
    [Episode((1.0,) * 3), Episode((0.0,))],
    [Episode((0.5,) * 7, terminated=False, truncated=True)],
    [Episode((0.0, 1.0), terminated=False, truncated=True), Episode((2.0,) * 5)],
    [Episode((0.0,) * 99)],
]


def make_model(kind: str) -> PPOModel:
    configuration = {"conv_filters": [], "fcnet_hiddens": [], "recurrent": kind, "recurrent_size": SIZE}
    model = PPOModel((1,), 3, PPOModelConfiguration.model_validate(configuration))
    assert model.core is not None
    with torch.no_grad():
        model.core.layer.weight_ih_l0.mul_(1e-3)  # scripted observations go to some thousands
        model.policy_head.weight.mul_(100.0)
    return model


def make(
    kind: str, mode: AutoresetMode, director: EpisodeDirector | None = None
) -> tuple[PPOModel, PPOActor, RolloutBuffer]:
    model = make_model(kind)
    actor = PPOActor(ScriptedVectorEnv(SCRIPTS, mode), model, gamma=0.9, seed=3, director=director)
    return model, actor, RolloutBuffer(8, len(SCRIPTS), (1,), np.float32, state_size=model.state_size)


def finalize(model: PPOModel, actor: PPOActor, buffer: RolloutBuffer) -> None:
    RolloutFinalizer(model, gamma=0.9, gae_lambda=0.95).finalize(buffer, actor.observations, actor.states)


class Reference:
    """A GRU or LSTM cell of the model's weights, taken one step of one environment at a time."""

    def __init__(self, model: PPOModel) -> None:
        assert model.core is not None
        self.model, layer = model, model.core.layer
        lstm = isinstance(layer, nn.LSTM)
        self.cell = nn.LSTMCell(1, SIZE) if lstm else nn.GRUCell(1, SIZE)
        for name in ("weight_ih", "weight_hh", "bias_ih", "bias_hh"):
            delattr(self.cell, name)
            setattr(self.cell, name, getattr(layer, f"{name}_l0"))  # the same parameters: gradients reach the model
        self.lstm = lstm

    def zeros(self) -> tuple[Tensor, ...]:
        return tuple(torch.zeros(1, SIZE) for _ in range(2 if self.lstm else 1))

    def step(self, number: float, state: tuple[Tensor, ...]) -> tuple[Tensor, Tensor, tuple[Tensor, ...]]:
        """Logits (3,), value () and the state after one observation."""
        x = torch.tensor([[number]], dtype=torch.float32)
        after = self.cell(x, state) if self.lstm else (self.cell(x, state[0]),)
        return self.model.policy_head(after[0])[0], self.model.value_head(after[0])[0, 0], after


def episodes_of(buffer: RolloutBuffer, env_id: int) -> Iterator[tuple[int, float, bool]]:
    """Row, observation and whether an episode begins there, told by the observation's own number."""
    for row in range(buffer.rollout_length):
        number = float(buffer.observations[row, env_id, 0])
        yield row, number, number % 100 == 0


@BOTH_KINDS
@ALL_MODES
def test_acting_remembers_an_episode_and_nothing_of_the_one_before(kind: str, mode: AutoresetMode) -> None:
    model, actor, buffer = make(kind, mode)
    reference, states = Reference(model), {}
    for _ in range(3):
        actor.collect(buffer)
        for env_id in range(len(SCRIPTS)):
            for row, number, begins in episodes_of(buffer, env_id):
                state = reference.zeros() if begins else states[env_id]
                logits, value, states[env_id] = reference.step(number, state)
                if buffer.trainable[row, env_id]:  # a row in which an environment only begins has none
                    assert buffer.values[row, env_id] == pytest.approx(float(value.detach()), abs=1e-5)
                    chosen = logits.log_softmax(-1)[buffer.actions[row, env_id]]
                    assert buffer.log_probs[row, env_id] == pytest.approx(float(chosen.detach()), abs=1e-5)
    assert np.ptp(buffer.values) > 0.01


def sequence_loss(model: PPOModel, minibatch: RolloutMinibatch) -> Tensor:
    logits, values = model(minibatch.observations, minibatch.sequences)
    chosen = logits.log_softmax(-1).gather(1, minibatch.actions[:, None])[:, 0]
    return (chosen * minibatch.advantages).sum() + (values[:, 0] - minibatch.returns).square().sum()


@BOTH_KINDS
@ALL_MODES
def test_minibatches_give_the_loss_and_the_gradient_of_single_steps(kind: str, mode: AutoresetMode) -> None:
    model, actor, buffer = make(kind, mode)
    actor.collect(buffer)
    actor.collect(buffer)  # begins in the middle of episodes
    before = [state.clone() for state in _starts(buffer)]
    finalize(model, actor, buffer)
    with torch.no_grad():  # the weights move on, as they do within an update
        for parameter in model.parameters():
            parameter.add_(0.02 * torch.randn_like(parameter))
    reference = Reference(model)
    for minibatch in buffer.get_minibatches(2, "cpu", generator=torch.Generator().manual_seed(1)):
        model.zero_grad()
        loss = sequence_loss(model, minibatch)
        loss.backward()
        gradients = [parameter.grad.clone() for parameter in model.parameters() if parameter.grad is not None]

        model.zero_grad()
        expected = torch.zeros(())
        for env_id in {int(cell) % len(SCRIPTS) for cell in minibatch.cells}:
            state = tuple(before[env_id].split(SIZE)) if kind == "lstm" else (before[env_id],)
            state = tuple(part[None] for part in state)
            for row, number, begins in episodes_of(buffer, env_id):
                logits, value, state = reference.step(number, reference.zeros() if begins else state)
                if buffer.trainable[row, env_id]:
                    chosen = logits.log_softmax(-1)[buffer.actions[row, env_id]]
                    expected = expected + chosen * float(buffer.advantages[row, env_id])
                    expected = expected + (value - float(buffer.returns[row, env_id])).square()
        expected.backward()
        torch.testing.assert_close(loss, expected, rtol=1e-4, atol=1e-4)
        own = [parameter.grad for parameter in model.parameters() if parameter.grad is not None]
        assert len(gradients) == len(own) == 8
        for gradient, single in zip(gradients, own, strict=True):
            torch.testing.assert_close(gradient, single, rtol=1e-3, atol=1e-4)


def _starts(buffer: RolloutBuffer) -> Tensor:
    """The states (N, S) with which the rollout began."""
    sequences = buffer._sequences  # what a rollout keeps of states is seen through minibatches only
    assert sequences is not None
    return sequences.sequences(np.arange(buffer.num_envs), torch.zeros(0), "cpu").starts[0]


@BOTH_KINDS
@ALL_MODES
def test_what_is_learnt_from_is_what_was_played(kind: str, mode: AutoresetMode) -> None:
    """Whoever plays: steps of others are watched, and steps that a rollout leaves out are bridged."""
    model, actor, buffer = make(kind, mode)
    actor.set_route(0, Route.RANDOM)
    actor.set_route(1, Route.REPLAY, [0, 1, 2])
    actor.set_route(2, Route.REPLAY, [1])
    actor.set_route(3, Route.REPLAY, [2] * 5)
    skipped = 0
    for _ in range(5):
        skipped += actor.collect(buffer).env_steps - buffer.total_size
        finalize(model, actor, buffer)
        assert_learnt_as_played(model, buffer)
    if mode is not AutoresetMode.NEXT_STEP:  # there, steps in which environments only begin are not counted
        assert skipped > 0


def assert_learnt_as_played(model: PPOModel, buffer: RolloutBuffer) -> None:
    seen = set()
    for minibatch in buffer.get_minibatches(buffer.max_minibatches, "cpu"):
        logits, values = model(minibatch.observations, minibatch.sequences)
        torch.testing.assert_close(values[:, 0], minibatch.values, rtol=1e-4, atol=1e-5)
        chosen = logits.log_softmax(-1).gather(1, minibatch.actions[:, None])[:, 0]
        torch.testing.assert_close(chosen, minibatch.log_probs, rtol=1e-4, atol=1e-5)
        seen |= set(minibatch.cells.tolist())
    assert seen == set(np.flatnonzero(buffer.trainable).tolist())


@BOTH_KINDS
def test_plans_begin_without_a_memory(kind: str) -> None:
    """Where a plan begins, in whatever state, what was before is forgotten; a cut is valued with what it had seen."""
    replay = EpisodePlan(Route.REPLAY, np.array([0, 1, 2]), max_steps=6)
    plans = [
        [EpisodePlan(max_steps=2), EpisodePlan(Route.SILENT)],
        [EpisodePlan(start=b"3,2", max_steps=3)],
        [replay, EpisodePlan(Route.RANDOM, max_steps=1)],
        [EpisodePlan(start=b"0,90", max_steps=4, timeout_reward=-1.0), EpisodePlan(start=b"0,7")],
    ]
    director = ScriptedDirector(plans, needs_starts=True)
    model, actor, buffer = make(kind, AutoresetMode.DISABLED, director)
    actor.collect(buffer)
    reference = Reference(model)
    begun = [float(reference.step(number, reference.zeros())[1].detach()) for number in (0.0, 1302.0, 3090.0, 3007.0)]
    assert buffer.values[[0, 0, 0, 4], [0, 1, 3, 3]] == pytest.approx(begun, abs=1e-5)
    state = reference.zeros()
    for number in (1302.0, 1303.0, 1304.0, 1305.0):
        _, last, state = reference.step(number, state)
    assert buffer.rewards[2, 1] == pytest.approx(0.5 + 0.9 * float(last.detach()), abs=1e-5)
    for _ in range(5):
        finalize(model, actor, buffer)
        assert_learnt_as_played(model, buffer)
        actor.collect(buffer)


@BOTH_KINDS
def test_a_rollout_filled_up_with_what_teaches_nothing_is_learnt_as_it_was_played(kind: str) -> None:
    once, never = [EpisodePlan()] + [EpisodePlan(Route.RANDOM)] * 99, [EpisodePlan(Route.RANDOM)]
    model, actor, buffer = make(kind, AutoresetMode.SAME_STEP, ScriptedDirector([once, once, never, never]))
    # The longest of those that teach is over after 7 steps; 8 more are left out, and the last row is the one after.
    assert actor.collect(buffer).env_steps == (7 + 8 + 1) * 4
    assert not buffer.trainable[7].any()
    finalize(model, actor, buffer)
    assert_learnt_as_played(model, buffer)


@ALL_MODES
def test_a_time_limit_s_bootstrap_remembers_the_episode(mode: AutoresetMode) -> None:
    model, actor, buffer = make("gru", mode)
    actor.collect(buffer)
    reference = Reference(model)
    state = reference.zeros()
    for number in range(1000, 1008):
        _, value, state = reference.step(float(number), state)
    assert buffer.rewards[6, 1] == pytest.approx(0.5 + 0.9 * float(value.detach()), abs=1e-5)


def test_minibatches_are_of_whole_environments() -> None:
    model, actor, buffer = make("gru", AutoresetMode.SAME_STEP)
    actor.collect(buffer)
    finalize(model, actor, buffer)
    assert buffer.max_minibatches == 4
    minibatches = list(buffer.get_minibatches(3, "cpu", generator=torch.Generator().manual_seed(0)))
    owners = [sorted({int(cell) % 4 for cell in each.cells}) for each in minibatches]
    assert sorted(chain(*owners)) == [0, 1, 2, 3]
    assert [len(each.actions) for each in minibatches] == [16, 8, 8]
    with pytest.raises(ValueError, match=r"1\.\.4, the number of environments with trainable cells, got 5"):
        buffer.get_minibatches(5, "cpu")


def test_the_learner_makes_no_more_minibatches_than_environments() -> None:
    model, actor, buffer = make("lstm", AutoresetMode.SAME_STEP)
    actor.collect(buffer)
    finalize(model, actor, buffer)
    learner = PPOLearner(model, PPOConfiguration(num_minibatches=16, ppo_epochs=2))
    before = nn.utils.parameters_to_vector(model.parameters())
    metrics = learner.update(buffer, 0.0)
    assert (metrics["num_minibatches"], metrics["n_updates"]) == (4, 8)
    assert not torch.equal(before, nn.utils.parameters_to_vector(model.parameters()))


def test_the_first_gradient_step_finds_the_policy_where_it_was() -> None:
    model, actor, buffer = make("gru", AutoresetMode.NEXT_STEP)
    actor.collect(buffer)
    finalize(model, actor, buffer)
    metrics = PPOLearner(model, PPOConfiguration(num_minibatches=1, ppo_epochs=1)).update(buffer, 0.0)
    assert metrics["approx_kl"] == pytest.approx(0.0, abs=1e-6)
    assert metrics["clip_fraction"] == 0.0


@pytest.mark.parametrize("precision", ["bfloat16"])
def test_memory_is_exact_in_mixed_precision(precision: str) -> None:
    model = make_model("lstm")
    with torch.autocast("cpu", dtype=getattr(torch, precision)):
        logits, _, after = model.step(torch.ones(2, 1), torch.zeros(2, 2 * SIZE))
    assert (after.dtype, logits.shape) == (torch.float32, (2, 3))


def test_an_actor_goes_on_from_its_saved_state() -> None:
    model, first, buffer = make("gru", AutoresetMode.SAME_STEP)
    first.collect(buffer)
    second = PPOActor(ScriptedVectorEnv(SCRIPTS, AutoresetMode.SAME_STEP), model, gamma=0.9, seed=4)
    second.load_state_dict(first.state_dict())
    assert torch.equal(first.states, second.states)
    assert first.states[3].any()
    first.reset()
    assert not first.states.any()


def test_storage_of_states_is_that_of_one_row() -> None:
    _, actor, buffer = make("gru", AutoresetMode.SAME_STEP)
    plain = RolloutBuffer(8, 4, (1,), np.float32).memory_bytes
    actor.collect(buffer)
    assert buffer.memory_bytes == plain + 8 * 4 + 4 * SIZE * 4  # resets, and the states of the first row


def test_without_sequences_every_observation_is_the_first() -> None:
    model, x = make_model("lstm"), torch.tensor([[3.0], [400.0]])
    logits, values = model(x)
    expected, expected_values, _ = model.step(x, torch.zeros(2, 2 * SIZE))
    torch.testing.assert_close(logits, expected)
    torch.testing.assert_close(values[:, 0], expected_values)
    torch.testing.assert_close(model.get_logits(x), expected)
    torch.testing.assert_close(model.get_value(x), expected_values)


def test_gates_start_orthogonal() -> None:
    model = PPOModel((6,), 2, PPOModelConfiguration(conv_filters=[], recurrent="gru", recurrent_size=4))
    assert model.core is not None
    for gate in model.core.layer.weight_hh_l0.detach().split(4):
        torch.testing.assert_close(gate @ gate.T, torch.eye(4), atol=1e-5, rtol=0)
    assert not model.core.layer.bias_hh_l0.any()


def test_what_does_not_fit_is_refused() -> None:
    plain = PPOModel((1,), 3, PPOModelConfiguration(conv_filters=[]))
    with pytest.raises(ValueError, match="remembers nothing"):
        plain.step(torch.zeros(1, 1), torch.zeros(1, 0))
    model, actor, buffer = make("gru", AutoresetMode.SAME_STEP)
    actor.collect(buffer)
    with pytest.raises(ValueError, match="needs the states"):
        RolloutFinalizer(model, gamma=0.9, gae_lambda=0.95).finalize(buffer, actor.observations)
    with pytest.raises(UserError, match="torch_compile does not take recurrent networks"):
        PPOLearner(model, PPOConfiguration(torch_compile=True))
    record = SequenceRecord(4, 2, 3)
    with pytest.raises(ValueError, match=r"row 0 needs states of shape \(2, 3\), got None"):
        record.add(0, np.zeros(2, np.bool_), None)
    with pytest.raises(ValueError, match="need resets"):
        record.add(0, None, np.zeros((2, 3)))


@BOTH_KINDS
def test_logits_and_values_alone_are_those_of_sequences(kind: str) -> None:
    model, actor, buffer = make(kind, AutoresetMode.SAME_STEP)
    actor.collect(buffer)
    finalize(model, actor, buffer)
    (minibatch,) = buffer.get_minibatches(1, "cpu")
    logits, values = model(minibatch.observations, minibatch.sequences)
    assert torch.equal(model.get_logits(minibatch.observations, minibatch.sequences), logits)
    alone = model.get_value(minibatch.observations, detach_features=True, sequences=minibatch.sequences)
    assert torch.equal(alone, values.squeeze(-1))
    alone.sum().backward()
    assert {name.split(".")[0] for name, each in model.named_parameters() if each.grad is not None} == {"value_head"}
