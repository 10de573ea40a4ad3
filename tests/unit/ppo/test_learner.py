# SPDX-License-Identifier: GPL-3.0-or-later
import copy
import math
from typing import Any

import numpy as np
import pytest
import torch
from numpy.typing import NDArray
from torch import nn

from oakemu_rl.ppo import (
    NonFiniteError,
    PPOConfiguration,
    PPOLearner,
    PPOModel,
    PPOModelConfiguration,
    RolloutBuffer,
    RolloutBufferError,
)

IMAGE = (2, 12, 12)


def make_model(actions: int = 3) -> PPOModel:
    torch.manual_seed(0)
    return PPOModel(IMAGE, actions, PPOModelConfiguration(conv_filters=[(4, 4, 2)], fcnet_hiddens=[8]))


def make_rollout(
    rows: int, envs: int, *, seed: int = 0, trainable: NDArray[np.bool_] | None = None, model: PPOModel | None = None
) -> RolloutBuffer:
    """Random images; actions, probabilities and values as the model gives them; reward for action 1."""
    rng = np.random.default_rng(seed)
    generator = torch.Generator().manual_seed(seed)
    model = model or make_model()
    buffer = RolloutBuffer(rows, envs, IMAGE, np.uint8)
    for t in range(rows):
        observations = rng.integers(0, 256, (envs, *IMAGE), dtype=np.uint8)
        with torch.no_grad():
            actions = torch.randint(3, (envs,), generator=generator)
            bundle = model.get_action_bundle(torch.from_numpy(observations), actions)
        buffer.add(
            observations,
            actions.numpy(),
            bundle.log_probs.numpy(),
            bundle.values.numpy(),
            (actions == 1).numpy().astype(np.float32),
            rng.random(envs) < 0.1,
            None if trainable is None else trainable[t],
        )
    buffer.compute_gae(np.zeros(envs), np.zeros(envs), 0.9, 0.9)
    return buffer


def weights(model: nn.Module) -> torch.Tensor:
    return nn.utils.parameters_to_vector(model.parameters()).detach().clone()


def update(rollout: RolloutBuffer, progress: float = 0.0, **changes: Any) -> tuple[PPOModel, dict[str, float]]:
    model = make_model()
    return model, PPOLearner(model, PPOConfiguration(**changes), seed=1).update(rollout, progress)


def test_one_gradient_step_equals_the_formula() -> None:
    """A second implementation of one step: torch's own distribution, plain Adam, the loss written out."""
    rollout = make_rollout(8, 4)
    model, metrics = update(rollout, ppo_epochs=1, num_minibatches=1, lr=1e-2, entropy_coef=0.03, value_loss_coef=0.7)

    other = make_model()
    flat = {
        name: torch.from_numpy(getattr(rollout, name).reshape(32, *getattr(rollout, name).shape[2:]))
        for name in ("observations", "actions", "log_probs", "advantages", "returns")
    }
    optimizer = torch.optim.Adam(other.parameters(), lr=1e-2, eps=1e-5, foreach=False, fused=False)
    logits, values = other(flat["observations"])
    distribution = torch.distributions.Categorical(logits=logits)
    advantages = (flat["advantages"] - flat["advantages"].mean()) / flat["advantages"].std()
    ratio = (distribution.log_prob(flat["actions"]) - flat["log_probs"]).exp()
    policy = torch.max(-advantages * ratio, -advantages * ratio.clamp(0.8, 1.2)).mean()
    value = ((values[:, 0] - flat["returns"]) ** 2).mean()
    entropy = distribution.entropy().mean()
    loss = policy + 0.7 * value - 0.03 * entropy
    loss.backward()
    norm = torch.cat([p.grad.flatten() for p in other.parameters()]).norm()
    for parameter in other.parameters():
        parameter.grad *= min(1.0, 0.5 / (float(norm) + 1e-6))
    optimizer.step()

    torch.testing.assert_close(weights(model), weights(other), atol=1e-6, rtol=1e-4)
    expected = {"loss": loss, "policy_loss": policy, "value_loss": value, "entropy": entropy, "grad_norm": norm}
    for name, number in expected.items():
        assert metrics[name] == pytest.approx(float(number.detach()), rel=1e-4, abs=1e-6), name
    assert metrics["approx_kl"] == pytest.approx(0.0, abs=1e-6)
    assert metrics["clip_fraction"] == 0.0
    assert (metrics["lr"], metrics["entropy_coef"], metrics["n_updates"]) == (1e-2, 0.03, 1)


def test_learning_raises_the_rewarded_action() -> None:
    model = make_model()
    learner = PPOLearner(model, PPOConfiguration(lr=3e-3), seed=1)
    x = torch.randint(0, 256, (16, *IMAGE), dtype=torch.uint8)
    for seed in range(6):
        metrics = learner.update(make_rollout(16, 4, seed=seed, model=model), 0.0)
    assert (model.get_logits(x).argmax(dim=-1) == 1).all()
    assert metrics["n_updates"] == 6 * 16
    assert all(math.isfinite(value) for value in metrics.values())


def test_the_same_seed_repeats_bit_for_bit_whatever_the_global_generator() -> None:
    results = []
    for global_seed in (1, 2):
        model = make_model()
        torch.manual_seed(global_seed)
        PPOLearner(model, PPOConfiguration(), seed=1).update(make_rollout(16, 4), 0.0)
        results.append(weights(model))
    assert torch.equal(*results)
    other = make_model()
    PPOLearner(other, PPOConfiguration(), seed=2).update(make_rollout(16, 4), 0.0)
    assert not torch.equal(results[0], weights(other))


def test_a_saved_learner_goes_on_bit_for_bit(tmp_path: Any) -> None:
    model = make_model()
    learner = PPOLearner(model, PPOConfiguration(), seed=1)
    learner.update(make_rollout(8, 4), 0.0)
    torch.save({"model": model.state_dict(), "learner": learner.state_dict()}, tmp_path / "state.pt")
    straight = learner.update(make_rollout(8, 4, seed=1), 0.5)

    saved = torch.load(tmp_path / "state.pt", weights_only=True)
    other = make_model()
    resumed_learner = PPOLearner(other, PPOConfiguration(), seed=99)
    other.load_state_dict(saved["model"])
    resumed_learner.load_state_dict(saved["learner"])
    resumed = resumed_learner.update(make_rollout(8, 4, seed=1), 0.5)
    assert torch.equal(weights(model), weights(other))
    assert straight == resumed
    assert straight["n_updates"] == 32


def test_a_value_clip_holds_values_near_the_old_ones() -> None:
    rollout = make_rollout(8, 4)
    rollout.values += 3.0  # as if the weights that acted had said more: the held value lies above the present one
    free, clipped = update(rollout)[1]["value_loss"], update(rollout, value_clip=0.1)[1]["value_loss"]
    assert clipped > free
    assert update(rollout, value_clip=1e6)[1]["value_loss"] == pytest.approx(free)


def test_schedules_follow_the_progress() -> None:
    for progress, lr, entropy_coef in ((0.0, 1e-3, 0.1), (0.5, 5e-4, 0.0), (1.0, 0.0, 0.0)):
        model, metrics = update(make_rollout(4, 4), progress, lr=(1e-3, 0.0), entropy_coef=(0.1, 0.0, 0.5))
        assert metrics["lr"] == pytest.approx(lr)
        assert metrics["entropy_coef"] == pytest.approx(entropy_coef)
        assert torch.equal(weights(model), weights(make_model())) == (lr == 0.0)


def test_a_factor_scales_the_scheduled_learning_rate() -> None:
    learner = PPOLearner(make_model(), PPOConfiguration(lr=(0.02, 0.0)))
    assert learner.update(make_rollout(8, 4), 0.25, 0.1)["lr"] == pytest.approx(0.0015)
    assert learner.optimizer.param_groups[0]["lr"] == pytest.approx(0.0015)


def test_the_clip_follows_its_schedule() -> None:
    wide, narrow = (update(make_rollout(16, 4), lr=1e-2, clip_coef=clip) for clip in (0.3, 0.01))
    points = ((0.0, 0.3), (0.5, 0.01))
    at_first, later = (update(make_rollout(16, 4), progress, lr=1e-2, clip_coef=points) for progress in (0.0, 0.75))
    assert (at_first[1]["clip_coef"], later[1]["clip_coef"]) == (0.3, 0.01)
    assert torch.equal(weights(at_first[0]), weights(wide[0]))
    assert torch.equal(weights(later[0]), weights(narrow[0]))
    assert narrow[1]["clip_fraction"] > wide[1]["clip_fraction"]


@pytest.mark.parametrize(
    ("rows", "envs", "minibatches", "expected"),
    [(1, 1, 4, 1), (2, 1, 4, 1), (3, 1, 4, 1), (5, 1, 4, 2), (8, 1, 4, 4), (65, 1, 2, 2), (7, 1, 3, 3)],
)
def test_no_minibatch_of_one_cell_is_normalised(rows: int, envs: int, minibatches: int, expected: int) -> None:
    model, metrics = update(make_rollout(rows, envs), num_minibatches=minibatches)
    assert metrics["num_minibatches"] == expected
    assert metrics["n_updates"] == 4 * expected
    assert torch.isfinite(weights(model)).all()
    assert all(math.isfinite(value) for value in metrics.values())


def test_single_cells_are_legal_where_nothing_is_normalised() -> None:
    model, metrics = update(make_rollout(3, 1), num_minibatches=3, normalize_advantages=False)
    assert metrics["num_minibatches"] == 3
    assert torch.isfinite(weights(model)).all()


def test_untrainable_cells_do_not_move_the_weights() -> None:
    trainable = np.random.default_rng(3).random((8, 4)) < 0.5
    results = []
    for poison in (0.0, np.nan, 1e30):
        rollout = make_rollout(8, 4, trainable=trainable)
        for array in (rollout.log_probs, rollout.values, rollout.rewards):
            array[~trainable] = poison
        rollout.observations[~trainable] = 255 if poison else 0
        rollout.compute_gae(np.zeros(4), np.zeros(4), 0.9, 0.9)
        results.append(weights(update(rollout)[0]))
    assert torch.equal(results[0], results[1])
    assert torch.equal(results[0], results[2])


def test_an_update_ends_when_the_policy_has_moved_far_enough() -> None:
    model, metrics = update(make_rollout(16, 4), lr=1e-2, max_kl=1e-4)
    assert metrics["stopped_early"] == 1.0
    # The first step starts from the policy that acted; the second minibatch shows how far it went, and is not learnt.
    assert (metrics["n_updates"], metrics["epochs"]) == (1, 1)
    _, unlimited = update(make_rollout(16, 4), lr=1e-2)
    assert (unlimited["stopped_early"], unlimited["n_updates"], unlimited["epochs"]) == (0.0, 16, 4)
    assert not torch.equal(weights(model), weights(make_model()))


@pytest.mark.parametrize("name", ["log_probs", "values", "rewards"])
@pytest.mark.parametrize("poison", [np.nan, np.inf])
def test_nonsense_in_the_rollout_leaves_the_weights_alone(name: str, poison: float) -> None:
    rollout = make_rollout(8, 4)
    getattr(rollout, name)[5, 2] = poison
    rollout.compute_gae(np.zeros(4), np.zeros(4), 0.9, 0.9)
    model = make_model()
    with pytest.raises(NonFiniteError, match=f"{name}, environment 2, row 5"):
        PPOLearner(model, PPOConfiguration()).update(rollout, 0.0)
    assert torch.equal(weights(model), weights(make_model()))


def test_a_loss_that_overflows_is_named_and_leaves_the_weights_alone() -> None:
    model = make_model()
    with torch.no_grad():
        model.value_head.bias.fill_(1e30)  # its square is beyond float32
    before = weights(model)
    with pytest.raises(
        NonFiniteError, match=r"non-finite value loss, environment \d, row \d of the rollout, epoch 0, minibatch 0"
    ):
        PPOLearner(model, PPOConfiguration()).update(make_rollout(8, 4), 0.0)
    assert torch.equal(weights(model), before)


def test_an_unfinished_rollout_is_refused() -> None:
    buffer = RolloutBuffer(2, 1, IMAGE, np.uint8)
    with pytest.raises(RolloutBufferError, match="0 of 2"):
        PPOLearner(make_model(), PPOConfiguration()).update(buffer, 0.0)


def test_forbidden_actions_gain_nothing_and_lose_nothing() -> None:
    """With the actor's mask, the learner sees the actor's probabilities, and the forbidden logit has no gradient."""
    mask = torch.tensor([True, True, False])
    model = make_model()
    rollout = make_rollout(8, 4)
    rollout.actions %= 2
    with torch.no_grad():
        x = torch.from_numpy(rollout.observations.reshape(32, *IMAGE))
        scored = model.get_action_bundle(x, torch.from_numpy(rollout.actions.reshape(32)), mask)
    rollout.log_probs[:] = scored.log_probs.reshape(8, 4).numpy()
    before = copy.deepcopy(model.policy_head)
    learner = PPOLearner(model, PPOConfiguration(ppo_epochs=1, num_minibatches=1), action_mask=mask)
    metrics = learner.update(rollout, 0.0)
    assert metrics["approx_kl"] == pytest.approx(0.0, abs=1e-6)
    assert torch.equal(model.policy_head.weight[2], before.weight[2])
    assert not torch.equal(model.policy_head.weight[:2], before.weight[:2])


def test_explained_variance() -> None:
    rollout = make_rollout(8, 4)
    rollout.returns[:] = rollout.values
    assert update(rollout)[1]["explained_variance"] == pytest.approx(1.0)
    rollout.returns[:] = 3.0
    assert update(rollout)[1]["explained_variance"] == 0.0
    rollout.values[:] = 0.0
    rollout.returns[:] = np.arange(32).reshape(8, 4)
    assert update(rollout)[1]["explained_variance"] == pytest.approx(0.0)
    rollout.values[:] = rollout.returns * 0.5
    assert update(rollout)[1]["explained_variance"] == pytest.approx(0.75)


def norms_of_steps(rollout: RolloutBuffer, grad_clip: float | None) -> tuple[list[float], float]:
    """The norm of the gradient with which each step was made, and the norm that is reported."""
    learner = PPOLearner(make_model(), PPOConfiguration(grad_clip=grad_clip, ppo_epochs=1, num_minibatches=2), seed=1)
    norms: list[float] = []

    def note(*_: object) -> None:
        norms.append(float(torch.cat([p.grad.flatten() for p in learner.model.parameters()]).norm()))

    learner.optimizer.register_step_pre_hook(note)
    return norms, learner.update(rollout, 0.0)["grad_norm"]


def test_the_gradient_is_clipped_as_one_and_only_where_it_is_too_long() -> None:
    rollout = make_rollout(8, 4)
    free, reported = norms_of_steps(rollout, None)
    assert sum(free) / 2 == pytest.approx(reported)
    clipped, first_is_reported_unclipped = norms_of_steps(rollout, free[0] / 4)
    assert clipped == pytest.approx([free[0] / 4] * 2, rel=1e-4)
    assert first_is_reported_unclipped > free[0] / 2
    loose, _ = norms_of_steps(rollout, free[0] * 100)
    assert loose == pytest.approx(free)
