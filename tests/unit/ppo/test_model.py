# SPDX-License-Identifier: GPL-3.0-or-later
import math
from collections.abc import Callable
from typing import Any

import pytest
import torch
from pydantic import ValidationError
from torch import nn

from oakemu_rl.ppo import PPOModel, PPOModelConfiguration

SMALL = PPOModelConfiguration(conv_filters=[(4, 4, 2), (8, 3, 2)], fcnet_hiddens=[16])
VECTOR = PPOModelConfiguration(conv_filters=[], fcnet_hiddens=[8])


def image_model(**changes: Any) -> PPOModel:  # fields of several types
    return PPOModel((2, 20, 24), 3, SMALL.model_copy(update=changes))


def images(batch: int = 5) -> torch.Tensor:
    return torch.randint(0, 256, (batch, 2, 20, 24), dtype=torch.uint8)


def test_shapes_of_the_default_network() -> None:
    model = PPOModel((4, 84, 84), 6)
    logits, values = model(torch.zeros(2, 4, 84, 84, dtype=torch.uint8))
    assert (tuple(logits.shape), tuple(values.shape)) == ((2, 6), (2, 1))
    convolutions = [layer for layer in model.conv if isinstance(layer, nn.Conv2d)]
    assert [(c.out_channels, c.kernel_size[0], c.stride[0]) for c in convolutions] == [
        (32, 8, 4),
        (64, 4, 2),
        (64, 3, 1),
    ]
    assert [layer.out_features for layer in model.fc if isinstance(layer, nn.Linear)] == [512]
    assert (model.policy_head.in_features, model.policy_head.out_features) == (512, 6)
    assert (model.value_head.in_features, model.value_head.out_features) == (512, 1)
    assert model.action_shape == 6


def test_the_network_is_the_composition_of_its_public_parts() -> None:
    model, x = image_model(), images()
    features = model.fc(model.conv(x.float() / 255))
    logits, values = model(x)
    torch.testing.assert_close(logits, model.policy_head(features))
    torch.testing.assert_close(values, model.value_head(features))


def test_the_four_readings_agree() -> None:
    model, x = image_model(), images()
    logits, values = model(x)
    bundle = model.get_action_bundle(x)
    torch.testing.assert_close(model.get_logits(x), logits)
    torch.testing.assert_close(model.get_value(x), values[:, 0])
    torch.testing.assert_close(bundle.values, values[:, 0])
    distribution = torch.distributions.Categorical(logits=logits)
    torch.testing.assert_close(bundle.log_probs, distribution.log_prob(bundle.actions))
    torch.testing.assert_close(bundle.entropy, distribution.entropy())
    assert bundle.actions.dtype == torch.int64
    assert all(tuple(each.shape) == (5,) for each in vars(bundle).values())


def test_given_actions_are_scored() -> None:
    model, x = image_model(), images(3)
    given = torch.tensor([2, 0, 1])
    bundle = model.get_action_bundle(x, given)
    assert torch.equal(bundle.actions, given)
    expected = model.get_logits(x).log_softmax(dim=-1)[range(3), given]
    torch.testing.assert_close(bundle.log_probs, expected)


def test_a_mask_for_all_and_a_mask_for_each_row_agree() -> None:
    model, x = image_model(), images(64)
    mask = torch.tensor([False, True, False])
    for given in (mask, mask.expand(64, 3)):
        bundle = model.get_action_bundle(x, action_mask=given)
        assert (bundle.actions == 1).all()
        assert (bundle.log_probs == 0).all()
        assert (bundle.entropy == 0).all()
    forbidden = model.get_action_bundle(x, torch.zeros(64, dtype=torch.int64), mask)
    assert (forbidden.log_probs == -math.inf).all()


def test_a_mask_that_allows_nothing_is_refused() -> None:
    model = image_model()
    with pytest.raises(ValueError, match="allows none"):
        model.get_action_bundle(images(2), action_mask=torch.zeros(3, dtype=torch.bool))
    with pytest.raises(ValueError, match="row 1"):
        model.get_action_bundle(images(2), action_mask=torch.tensor([[True] * 3, [False] * 3]))


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_masks_hold_in_half_precision(dtype: torch.dtype) -> None:
    model = image_model().to(dtype)
    mask = torch.tensor([True, False, False])
    with torch.no_grad():
        model.policy_head.bias.copy_(torch.tensor([-6e4, 6e4, 6e4]))
        bundle = model.get_action_bundle(images(100), action_mask=mask)
    assert (bundle.actions == 0).all()
    assert (bundle.entropy == 0).all()
    assert bundle.log_probs.dtype == torch.float32


def test_masks_hold_under_autocast() -> None:
    model = image_model()
    with torch.no_grad(), torch.autocast("cpu", dtype=torch.bfloat16):
        bundle = model.get_action_bundle(images(100), action_mask=torch.tensor([False, False, True]))
    assert (bundle.actions == 2).all()


@pytest.mark.parametrize(
    ("dtype", "numbers", "expected"),
    [
        (torch.uint8, [0, 51, 255], [0.0, 0.2, 1.0]),
        (torch.int8, [-128, 127, -77], [0.0, 1.0, 0.2]),
        (torch.int16, [-32768, 32767, -19661], [0.0, 1.0, 0.2]),
        (torch.uint16, [0, 65535, 13107], [0.0, 1.0, 0.2]),
        (torch.int32, [-(2**31), 2**31 - 1, 0], [0.0, 1.0, 0.5]),
        (torch.int64, [-(2**63), 2**63 - 1, 0], [0.0, 1.0, 0.5]),
        (torch.bool, [False, True, True], [0.0, 1.0, 1.0]),
        (torch.float32, [-3.0, 0.5, 255.0], [-3.0, 0.5, 255.0]),
        (torch.float64, [-3.0, 0.5, 255.0], [-3.0, 0.5, 255.0]),
        (torch.float16, [-3.0, 0.5, 255.0], [-3.0, 0.5, 255.0]),
    ],
)
def test_observations_are_scaled_by_the_range_of_their_dtype(
    dtype: torch.dtype, numbers: list[float], expected: list[float]
) -> None:
    model = PPOModel((3,), 2, VECTOR)
    x = torch.tensor([numbers], dtype=dtype)
    kept = x.clone()
    torch.testing.assert_close(model.get_value(x), model.get_value(torch.tensor([expected])))
    assert torch.equal(x, kept)


def test_float_images_are_not_changed_in_place() -> None:
    model, x = image_model(), torch.rand(2, 2, 20, 24)
    kept = x.clone()
    model(x)
    assert torch.equal(x, kept)


def test_detached_features_train_the_value_head_only() -> None:
    model, x = image_model(), images()
    model.get_value(x, detach_features=True).sum().backward()
    reached = {name for name, parameter in model.named_parameters() if parameter.grad is not None}
    assert reached == {"value_head.weight", "value_head.bias"}
    torch.testing.assert_close(model.get_value(x, detach_features=True), model.get_value(x))


def test_values_train_trunk_and_value_head_but_no_policy() -> None:
    model = image_model()
    model.get_value(images()).sum().backward()
    without = {name for name, parameter in model.named_parameters() if parameter.grad is None}
    assert without == {"policy_head.weight", "policy_head.bias"}


def test_logits_compute_no_value_and_values_no_policy(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_: torch.Tensor) -> torch.Tensor:
        raise AssertionError("this head is not wanted")

    model = image_model()
    monkeypatch.setattr(model.value_head, "forward", refuse)
    model.get_logits(images())
    monkeypatch.undo()
    monkeypatch.setattr(model.policy_head, "forward", refuse)
    model.get_value(images())


def test_orthogonal_weights_have_the_gains_of_the_contract() -> None:
    model = image_model()
    gains = [(model.policy_head, 0.01), (model.value_head, 1.0)]
    gains += [(layer, math.sqrt(2)) for layer in (*model.conv, *model.fc) if isinstance(layer, (nn.Conv2d, nn.Linear))]
    assert len(gains) == 5
    for layer, gain in gains:
        weight = layer.weight.detach().flatten(1)
        short = weight @ weight.T if weight.shape[0] <= weight.shape[1] else weight.T @ weight
        torch.testing.assert_close(short, gain**2 * torch.eye(len(short)), atol=1e-5, rtol=0)
        assert not layer.bias.any()


def test_without_orthogonal_initialisation_weights_are_torchs() -> None:
    torch.manual_seed(1)
    model = PPOModel((3,), 2, VECTOR.model_copy(update={"orthogonal_init": False}))
    torch.manual_seed(1)
    plain = nn.Linear(3, 8)
    assert torch.equal(model.fc[0].weight, plain.weight)


@pytest.mark.parametrize(
    ("name", "function"),
    [
        ("relu", torch.relu),
        ("leaky_relu", nn.functional.leaky_relu),
        ("elu", nn.functional.elu),
        ("gelu", nn.functional.gelu),
        ("silu", nn.functional.silu),
        ("tanh", torch.tanh),
        ("sigmoid", torch.sigmoid),
    ],
)
def test_every_activation_is_the_function_of_its_name(
    name: str, function: Callable[[torch.Tensor], torch.Tensor]
) -> None:
    model, x = image_model(conv_activation=name, fcnet_activation=name), images()
    features = x.float() / 255
    for layer in model.conv:
        if isinstance(layer, nn.Conv2d):
            features = function(layer(features))
    features = function(model.fc[0](features.permute(0, 2, 3, 1).flatten(1)))
    values = model.get_value(x)
    torch.testing.assert_close(values, model.value_head(features).squeeze(-1))
    values.sum().backward()
    assert torch.isfinite(nn.utils.parameters_to_vector(p.grad for p in model.conv.parameters())).all()


def test_lists_may_be_empty() -> None:
    model = PPOModel((5,), 2, PPOModelConfiguration(conv_filters=[], fcnet_hiddens=[]))
    logits, values = model(torch.rand(3, 5))
    assert (tuple(logits.shape), tuple(values.shape)) == ((3, 2), (3, 1))
    assert model.policy_head.in_features == 5
    assert PPOModel((2, 3, 4), 2, VECTOR).fc[0].in_features == 24
    assert PPOModel((2, 20, 24), 2, SMALL.model_copy(update={"fcnet_hiddens": []})).policy_head.in_features == 8 * 4 * 5


def test_a_batch_of_one_equals_its_row_of_a_larger_batch() -> None:
    model, x = image_model(), images(7)
    torch.testing.assert_close(model.get_logits(x[3:4]), model.get_logits(x)[3:4])


@pytest.mark.parametrize(
    ("shape", "actions", "config", "message"),
    [
        ((2, 20), 3, SMALL, r"\(channels, height, width\), got \(2, 20\)"),
        ((7,), 3, None, "conv_filters as an empty list"),
        ((2, 3, 24), 3, SMALL, r"conv_filters\[0\] \(4, 4, 2\): the kernel 4 is too large for its input of 3 x 24"),
        ((2, 6, 24), 3, SMALL, r"conv_filters\[1\] \(8, 3, 2\): the kernel 3 .* 2 x 11 .* at most 2 is allowed"),
        ((), 3, VECTOR, r"at least 1, got \(\)"),
        ((0,), 3, VECTOR, r"at least 1, got \(0,\)"),
        ((3,), 0, VECTOR, "at least 1, got 0"),
        ((3,), True, VECTOR, "got True"),
        ((3,), 2.0, VECTOR, r"got 2\.0"),
    ],
)
def test_a_network_that_cannot_be_built_is_refused(
    shape: tuple[int, ...], actions: int, config: PPOModelConfiguration | None, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        PPOModel(shape, actions, config)


@pytest.mark.parametrize(
    ("x", "message"),
    [
        (torch.zeros(2, 20, 24, dtype=torch.uint8), r"\(batch, 2, 20, 24\), got \(2, 20, 24\)"),
        (torch.zeros(1, 20, 24, 2, dtype=torch.uint8), r"got \(1, 20, 24, 2\)"),
        (torch.zeros(1, 2, 20, 24, dtype=torch.complex64), "complex64"),
        ([[0]], "got list"),
    ],
)
def test_observations_that_do_not_fit_are_refused(x: torch.Tensor, message: str) -> None:
    model = image_model()
    for method in (model, model.get_logits, model.get_value, model.get_action_bundle):
        with pytest.raises(ValueError, match=message):
            method(x)


@pytest.mark.parametrize(
    ("action", "message"),
    [
        (torch.tensor([0]), r"shape \(2,\)"),
        (torch.tensor([[0], [1]]), r"shape \(2, 1\)"),
        (torch.tensor([0.0, 1.0]), "float32"),
        (torch.tensor([0, 3]), r"0\.\.2, got 0\.\.3"),
        (torch.tensor([-1, 1]), r"0\.\.2, got -1\.\.1"),
    ],
)
def test_actions_that_cannot_be_scored_are_refused(action: torch.Tensor, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        image_model().get_action_bundle(images(2), action)


@pytest.mark.parametrize(
    "changes",
    [
        {"conv_activation": "rellu"},
        {"fcnet_activation": "softmax"},
        {"conv_filters": [(4, 3)]},
        {"conv_filters": [(4, 0, 1)]},
        {"conv_filters": [(4, 3, 0)]},
        {"fcnet_hiddens": [0]},
        {"hiddens": [3]},
    ],
)
def test_a_configuration_that_cannot_be_meant_is_refused(changes: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        PPOModelConfiguration(**changes)


def test_the_defaults_of_the_contract() -> None:
    assert PPOModelConfiguration().model_dump() == {
        "network": "conv",
        "impala_channels": [16, 32, 32],
        "vector_hiddens": [64],
        "recurrent": "none",
        "recurrent_size": 128,
        "conv_filters": [(32, 8, 4), (64, 4, 2), (64, 3, 1)],
        "conv_padding": "valid",
        "conv_activation": "relu",
        "fcnet_hiddens": [512],
        "fcnet_activation": "relu",
        "orthogonal_init": True,
    }


def test_the_seed_decides_the_weights() -> None:
    def weights(seed: int) -> torch.Tensor:
        torch.manual_seed(seed)
        return nn.utils.parameters_to_vector(image_model().parameters())

    assert torch.equal(weights(1), weights(1))
    assert not torch.equal(weights(1), weights(2))


def test_weights_survive_a_state_dict_bit_for_bit() -> None:
    model, other, x = image_model(), image_model(), images()
    other.load_state_dict(model.state_dict())
    assert torch.equal(model.get_logits(x), other.get_logits(x))


def test_export_keeps_the_graph_free_of_the_batch() -> None:
    model = image_model().eval()
    batch = torch.export.Dim("batch", min=1, max=1024)
    program = torch.export.export(model, (images(2),), dynamic_shapes=({0: batch},))
    for size in (1, 3, 5):
        x = images(size)
        torch.testing.assert_close(program.module()(x), model(x))
