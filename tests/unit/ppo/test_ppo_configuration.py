# SPDX-License-Identifier: GPL-3.0-or-later
from typing import Any

import pytest
import tyro
import yaml
from pydantic import BaseModel, ValidationError

from oakemu_rl.ppo import PPOConfiguration, PPOModelConfiguration, schedule_value
from oakemu_rl.ppo.schedule import highest_value


def test_the_defaults_of_the_contract() -> None:
    assert PPOConfiguration().model_dump() == {
        "lr": 2.5e-4,
        "gamma": 0.99,
        "gae_lambda": 0.95,
        "rollout_length": 128,
        "ppo_epochs": 4,
        "num_minibatches": 4,
        "clip_coef": 0.2,
        "entropy_coef": 0.01,
        "value_loss_coef": 0.5,
        "grad_clip": 0.5,
        "normalize_advantages": True,
        "value_clip": None,
        "max_kl": None,
        "mixed_precision": "off",
        "torch_compile": False,
    }


@pytest.mark.parametrize("model", [PPOConfiguration, PPOModelConfiguration])
def test_every_field_explains_itself(model: type[BaseModel]) -> None:
    assert all(field.description for field in model.model_fields.values())


@pytest.mark.parametrize(
    "changes",
    [
        {"lr": 0.0},
        {"lr": -1e-3},
        {"lr": float("nan")},
        {"lr": float("inf")},
        {"lr": [0.0, 1e-3]},
        {"lr": [1e-3, -1e-3]},
        {"lr": [1e-3, 0.0, 0.0]},
        {"lr": [1e-3, 0.0, 1.5]},
        {"lr": [1e-3]},
        {"lr": {"start": 1e-3}},
        {"lr": {"start": 1e-3, "end": 0, "unitl": 1}},
        {"lr": "fast"},
        {"lr": [[0, 0.0], [1, 1e-3]]},
        {"lr": [[0, 1e-3], [0, 1e-4]]},
        {"lr": [[0.5, 1e-3], [0.2, 1e-4]]},
        {"lr": [[0, 1e-3], [1.5, 1e-4]]},
        {"lr": [[-0.5, 1e-3], [1, 1e-4]]},
        {"lr": [[0, 1e-3, 5]]},
        {"lr": []},
        {"lr": ["0:fast", "1:0"]},
        {"lr": ["0:1e-3", "1e-4"]},
        {"clip_coef": [0.0, 0.1]},
        {"gamma": 1.01},
        {"gamma": -0.1},
        {"gamma": float("nan")},
        {"gae_lambda": 2},
        {"rollout_length": 0},
        {"rollout_length": 1.5},
        {"ppo_epochs": 0},
        {"num_minibatches": 0},
        {"clip_coef": 0},
        {"clip_coef": float("inf")},
        {"entropy_coef": -0.1},
        {"value_loss_coef": -1},
        {"grad_clip": 0},
        {"value_clip": 0},
        {"max_kl": -1},
        {"mixed_precision": "fp8"},
        {"mixed_precision": True},
        {"learning_rate": 1e-3},
    ],
)
def test_what_cannot_be_meant_is_refused(changes: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        PPOConfiguration(**changes)


def test_a_configuration_does_not_change() -> None:
    with pytest.raises(ValidationError, match="frozen"):
        PPOConfiguration().gamma = 0.5  # type: ignore[misc]  # the point of the test


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("lr: 1.0e-3", 1e-3),
        ("lr: [1.0e-3, 0]", (1e-3, 0.0)),
        ("lr: {start: 1.0e-3, end: 0}", (1e-3, 0.0)),
        ("lr: {until: 0.5, start: 1.0e-3, end: 1.0e-4}", (1e-3, 1e-4, 0.5)),
        ("lr: [[0, 1.0e-3], [0.5, 5.0e-4], [1, 0]]", ((0.0, 1e-3), (0.5, 5e-4), (1.0, 0.0))),
        ("lr: [[0.25, 1.0e-3]]", ((0.25, 1e-3),)),
        ("lr: [0:1e-3, 0.5:1e-4]", ((0.0, 1e-3), (0.5, 1e-4))),
    ],
)
def test_schedules_in_yaml(text: str, expected: object) -> None:
    configuration = PPOConfiguration(**yaml.safe_load(text))
    assert configuration.lr == expected
    assert PPOConfiguration.model_validate(
        yaml.safe_load(yaml.safe_dump(configuration.model_dump(mode="json")))
    ).lr == (expected)


@pytest.mark.parametrize(
    ("flags", "expected"),
    [
        ([], {}),
        (["--lr", "1e-3"], {"lr": 1e-3}),
        (["--lr", "1e-3", "0"], {"lr": (1e-3, 0.0)}),
        (["--entropy-coef", "0.02", "0.0", "0.5"], {"entropy_coef": (0.02, 0.0, 0.5)}),
        (["--max-kl", "0.02", "--grad-clip", "None"], {"max_kl": 0.02, "grad_clip": None}),
        (["--mixed-precision", "bfloat16", "--torch-compile"], {"mixed_precision": "bfloat16", "torch_compile": True}),
    ],
)
def test_flags_of_the_command_line(flags: list[str], expected: dict[str, Any]) -> None:
    assert tyro.cli(PPOConfiguration, args=flags) == PPOConfiguration(**expected)


def test_the_network_on_the_command_line() -> None:
    flags = [
        "--conv-filters",
        "16",
        "4",
        "2",
        "32",
        "3",
        "2",
        "--fcnet-hiddens",
        "128",
        "64",
        "--conv-activation",
        "elu",
    ]
    assert tyro.cli(PPOModelConfiguration, args=flags) == PPOModelConfiguration(
        conv_filters=[(16, 4, 2), (32, 3, 2)], fcnet_hiddens=[128, 64], conv_activation="elu"
    )


def test_yaml_reads_a_bare_off_as_false() -> None:
    configuration = PPOConfiguration(**yaml.safe_load("{mixed_precision: off, torch_compile: off}"))
    assert configuration == PPOConfiguration()


@pytest.mark.parametrize(
    ("schedule", "progress", "expected"),
    [
        (3.0, 0.0, 3.0),
        (3.0, 1.0, 3.0),
        ((4.0, 2.0), 0.0, 4.0),
        ((4.0, 2.0), 0.25, 3.5),
        ((4.0, 2.0), 1.0, 2.0),
        ((4.0, 2.0), 1.5, 2.0),
        ((0.0, 2.0, 0.5), 0.25, 1.0),
        ((0.0, 2.0, 0.5), 0.75, 2.0),
        (((0.2, 4.0), (0.6, 2.0), (0.8, 8.0)), 0.0, 4.0),
        (((0.2, 4.0), (0.6, 2.0), (0.8, 8.0)), 0.2, 4.0),
        (((0.2, 4.0), (0.6, 2.0), (0.8, 8.0)), 0.5, 2.5),
        (((0.2, 4.0), (0.6, 2.0), (0.8, 8.0)), 0.6, 2.0),
        (((0.2, 4.0), (0.6, 2.0), (0.8, 8.0)), 0.7, 5.0),
        (((0.2, 4.0), (0.6, 2.0), (0.8, 8.0)), 1.0, 8.0),
    ],
)
def test_values_of_schedules(schedule: Any, progress: float, expected: float) -> None:
    assert schedule_value(schedule, progress) == pytest.approx(expected)


@pytest.mark.parametrize("progress", [-0.1, float("nan")])
def test_a_progress_that_cannot_be_meant_is_refused(progress: float) -> None:
    with pytest.raises(ValueError, match="progress"):
        schedule_value(1.0, progress)


@pytest.mark.parametrize(
    ("schedule", "highest"),
    [(0.5, 0.5), ((0.0, 2.0), 2.0), ((3.0, 1.0, 0.5), 3.0), (((0.0, 0.0), (0.3, 4.0), (1.0, 1.0)), 4.0)],
)
def test_the_highest_value_of_a_schedule(schedule: object, highest: float) -> None:
    assert highest_value(schedule) == highest
