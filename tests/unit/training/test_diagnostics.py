# SPDX-License-Identifier: GPL-3.0-or-later
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from toy_run import STEPS_PER_UPDATE, ToyRun, make_parts, new_run, pace

from oakemu_rl.ppo import PPOConfiguration, PPOLearner, PPOModel, PPOModelConfiguration, RolloutBuffer
from oakemu_rl.training.diagnostics import RATIO_BINS, effective_rank, look_at_update
from oakemu_rl.training.json_lines import read_json_lines
from oakemu_rl.training.safety import SafetySettings


def _rollout(model: PPOModel, *, rows: int = 16, off: float = 0.0, seed: int = 0) -> RolloutBuffer:
    """Random cells, scored by the model; the log-probabilities are off by so much."""
    shape, generator = model.observation_shape, torch.Generator().manual_seed(seed)
    buffer = RolloutBuffer(rows, 4, shape, np.dtype(np.uint8))
    for _ in range(rows):
        observations = torch.randint(0, 256, (4, *shape), generator=generator, dtype=torch.uint8)
        actions = torch.randint(0, model.action_shape, (4,), generator=generator)
        with torch.no_grad():
            bundle = model.get_action_bundle(observations, actions)
        rewards = torch.randn(4, generator=generator)
        log_probs = (bundle.log_probs - off).numpy()
        columns = (actions.numpy(), log_probs, bundle.values.numpy(), rewards.numpy(), np.zeros(4, np.float32))
        buffer.add(observations.numpy(), *columns)
    buffer.compute_gae(np.zeros(4, np.float32), np.zeros(4, np.float32), 0.99, 0.95)
    return buffer


def _model(activation: str = "relu", shape: tuple[int, ...] = (1, 8, 8)) -> PPOModel:
    torch.manual_seed(1)
    filters = [(10, 3, 2)] if len(shape) == 3 else []
    config = PPOModelConfiguration(
        conv_filters=filters,
        fcnet_hiddens=[8],
        conv_activation=activation,  # type: ignore[arg-type] # a text from the test
        fcnet_activation=activation,  # type: ignore[arg-type] # as above
    )
    return PPOModel(shape, 3, config)


def _figures(model: PPOModel, *, off: float = 0.0, **ppo: Any) -> dict[str, float]:
    learner = PPOLearner(model, PPOConfiguration(**{"ppo_epochs": 1, "num_minibatches": 2, "lr": 1e-9, **ppo}))
    with look_at_update(learner) as view:
        learner.update(_rollout(model, off=off), 0.0)
    return view.metrics(model)


def test_dead_units_and_channels_are_counted_layer_by_layer() -> None:
    model = _model()
    with torch.no_grad():
        model.conv[0].bias[:] = torch.tensor(3 * [-100.0] + 7 * [9.0])  # type: ignore[index] # a tensor
        model.fc[0].weight.abs_()[0] = 0.0  # type: ignore[operator] # a tensor
        model.fc[0].bias[:] = torch.tensor([-1.0] + 7 * [9.0])  # type: ignore[index] # a tensor
    figures = _figures(model)
    assert figures["diagnostics/dead/conv.0"] == pytest.approx(0.3)
    assert figures["diagnostics/dead/fc.0"] == pytest.approx(1 / 8)
    assert figures["diagnostics/dormant/conv.0"] == pytest.approx(0.3)


def test_a_unit_that_hardly_does_anything_is_dormant_and_not_dead() -> None:
    model = _model("tanh", shape=(6,))
    with torch.no_grad():
        model.fc[0].weight[:2] = 0.0  # type: ignore[index] # a tensor
        model.fc[0].bias[:2] = 1e-3  # type: ignore[index] # a tensor
    figures = _figures(model)
    assert figures["diagnostics/dead/fc.0"] == 0.0
    assert figures["diagnostics/dormant/fc.0"] == pytest.approx(2 / 8)


def test_a_unit_that_is_active_in_one_minibatch_only_is_not_dead() -> None:
    model = _model(shape=(1,))
    buffer = _rollout(model, rows=16)
    with torch.no_grad():
        model.fc[0].weight[:] = 1.0  # type: ignore[operator] # a tensor
        model.fc[0].bias[:] = -float(buffer.observations.max()) / 255 + 1e-4  # type: ignore[operator] # a tensor
    learner = PPOLearner(model, PPOConfiguration(ppo_epochs=1, num_minibatches=8, lr=1e-9))
    with look_at_update(learner) as view:
        learner.update(buffer, 0.0)
    assert view.metrics(model)["diagnostics/dead/fc.0"] == 0.0


def test_norms_are_those_of_the_layers() -> None:
    model = _model()
    figures = _figures(model, num_minibatches=1, grad_clip=1e-6)
    for layer in ("conv.0", "fc.0", "policy_head", "value_head"):
        module = model.get_submodule(layer)
        expected = math.sqrt(sum(float(each.detach().square().sum()) for each in module.parameters()))
        assert figures[f"diagnostics/weight_norm/{layer}"] == pytest.approx(expected, rel=1e-5)
    whole = math.sqrt(sum(value**2 for name, value in figures.items() if "/gradient_norm/" in name))
    learner = PPOLearner(model, PPOConfiguration(ppo_epochs=1, num_minibatches=1, lr=1e-9, grad_clip=1e-6))
    assert whole == pytest.approx(learner.update(_rollout(model), 0.0)["grad_norm"], rel=1e-4)


def test_each_gradient_step_gives_each_layer_one_norm() -> None:
    model = _model()
    learner = PPOLearner(model, PPOConfiguration(ppo_epochs=2, num_minibatches=3, lr=1e-3))
    with look_at_update(learner) as view:
        learner.update(_rollout(model), 0.0)
    assert {layer: len(norms) for layer, norms in view.gradients.items()} == dict.fromkeys(
        ("conv.0", "fc.0", "policy_head", "value_head"), 6
    )


@pytest.mark.parametrize(
    ("off", "name"),
    [(0.0, "0.9-1.1"), (-0.15, "0.8-0.9"), (math.log(3), "above 2"), (-5, "below 0.5"), (0.2, "1.1-1.25")],
)
def test_the_histogram_of_ratios(off: float, name: str) -> None:
    shares = {key.rpartition("/")[2]: value for key, value in _figures(_model(), off=off).items() if "/ratio/" in key}
    assert shares == {**dict.fromkeys(RATIO_BINS, 0.0), name: 1.0}


def test_effective_rank_is_that_of_known_matrices() -> None:
    generator = torch.Generator().manual_seed(0)
    left, right = (torch.randn(size, 5, generator=generator) for size in (200, 32))
    assert effective_rank(left @ right.T) == 5
    assert effective_rank(torch.eye(16)) == 16
    assert effective_rank(torch.zeros(20, 4)) == 0
    # By hand: 97 + 2 of 100 are 0.99, and so enough.
    assert effective_rank(torch.diag(torch.tensor([97.0, 2.0, 1.0]))) == 2
    assert effective_rank(torch.diag(torch.tensor([97.0, 1.9, 1.1]))) == 3


def test_effective_rank_agrees_with_singular_values() -> None:
    features = torch.randn(100, 24, generator=torch.Generator().manual_seed(3)) * torch.logspace(0, -4, 24)
    singular = torch.linalg.svdvals(features.double())
    expected = int(((singular.cumsum(0) / singular.sum()) < 0.99).sum()) + 1
    assert effective_rank(features) == expected


def test_what_is_learnt_is_not_touched_and_no_hook_stays() -> None:
    seen, plain = _model(), _model()
    for model, looked in ((seen, True), (plain, False)):
        learner = PPOLearner(model, PPOConfiguration(ppo_epochs=2, num_minibatches=2, lr=1e-2))
        if looked:
            with look_at_update(learner):
                learner.update(_rollout(model), 0.0)
            assert learner.on_log_ratio is None
        else:
            learner.update(_rollout(model), 0.0)
    for name, tensor in plain.state_dict().items():
        assert torch.equal(tensor, seen.state_dict()[name]), name
    for module in seen.modules():
        assert not module._forward_hooks
        assert not module._forward_pre_hooks


def _metrics(toy: ToyRun) -> list[dict[str, Any]]:
    return [dict(line) for line in read_json_lines(toy.run.metrics) if line["kind"] == "metrics"]


def test_a_run_looks_every_so_many_updates_and_learns_the_same(tmp_path: Path) -> None:
    plain = new_run(tmp_path / "plain", pace=pace(5))
    seen = new_run(tmp_path / "seen", pace=pace(5), safety=SafetySettings(diagnostics_every=2))
    plain.train()
    seen.train()
    lines = _metrics(seen)
    assert [line["step"] for line in lines if "diagnostics/effective_rank" in line] == [
        n * STEPS_PER_UPDATE for n in (1, 3, 5)
    ]
    assert {"diagnostics/dormant/fc.0", "diagnostics/weight_norm/value_head"} <= lines[0].keys()
    assert not any(key.startswith("diagnostics/") for line in _metrics(plain) for key in line)
    for name, tensor in plain.parts.trained.model.state_dict().items():
        assert torch.equal(tensor, seen.parts.trained.model.state_dict()[name]), name


def test_a_failing_update_leaves_no_hook_behind() -> None:
    parts = make_parts()
    learner = parts.trained.learner
    with pytest.raises(RuntimeError, match="full"), look_at_update(learner):
        learner.update(parts.rollout_buffer, 0.0)
    assert not any(module._forward_hooks for module in parts.trained.model.modules())
    assert learner.on_log_ratio is None
