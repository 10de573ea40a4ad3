# SPDX-License-Identifier: GPL-3.0-or-later
from pathlib import Path

import pytest

from oakemu_rl.errors import UserError
from oakemu_rl.training.configuration import PPOExperimentConfiguration
from oakemu_rl.training.configuration_file import (
    changed_settings,
    dump_configuration,
    load_layer,
    merge,
    preset_layer,
    refuse_changes,
)


def _write(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "run.yaml"
    path.write_text(text)
    return path


def test_a_layer_holds_only_what_was_given(tmp_path: Path) -> None:
    path = _write(tmp_path, "steps: 200k\ntime: 5m\nppo: {lr: [1e-3, 0], gamma: 0.9}\nenv:\n  frameskip: [2, 5]\n")
    assert load_layer(path) == {
        "steps": 200_000,
        "time": 300.0,
        "ppo": {"lr": (1e-3, 0.0), "gamma": 0.9},
        "env": {"frameskip": (2, 5)},
    }
    assert load_layer(_write(tmp_path, "")) == {}


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("steps: 10\nstpes: 5\n", 2, "did you mean 'steps'"),
        ("ppo:\n  gama: 0.9\n", 2, "did you mean 'gamma'"),
        ("seed: 1\nsteps: -5\n", 2, "greater than 0, not -5"),
        ("env:\n  frameskip: [5, 2]\n", 2, "the lowest must be below the highest"),
        ("env:\n  obs_type: gray\n", 2, "'grayscale'"),
        ("num_envs: 0\n", 1, "greater than 0"),
        ("time: 5x\n", 1, "90s, 5m or 1h30m"),
        ("steps: [\n", 2, "not valid YAML"),
        ("steps: 1\nsteps: 2\n", 2, "duplicate key"),
        ("- a\n", 1, "mapping"),
    ],
)
def test_a_mistake_is_one_line_with_file_and_line(tmp_path: Path, text: str, line: int, said: str) -> None:
    path = _write(tmp_path, text)
    with pytest.raises(UserError) as caught:
        load_layer(path)
    message = str(caught.value)
    assert message.startswith(f"{path}:{line}:")
    assert said in message
    assert "\n" not in message


def test_a_file_that_is_not_there_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="cannot be read"):
        load_layer(tmp_path / "no.yaml")


def test_later_layers_win_key_by_key() -> None:
    assert merge({"a": 1, "b": {"c": 2, "d": 3}}, {"b": {"c": 4}}, {"e": 5}) == {"a": 1, "b": {"c": 4, "d": 3}, "e": 5}


def test_what_is_saved_reads_back_equal(tmp_path: Path) -> None:
    layer = {
        "steps": 12345,
        "time": 60.5,
        "ppo": {"lr": (1e-3, 1e-5, 0.8)},
        "env": {"frameskip": (2, 5)},
        "seed": 2**62,
    }
    configuration = PPOExperimentConfiguration.model_validate(merge(preset_layer("ZXSpectrum/Acorns-v0"), layer))
    path = _write(tmp_path, dump_configuration(configuration))
    assert PPOExperimentConfiguration.model_validate(load_layer(path)) == configuration


def test_a_games_preset_lies_above_the_one_for_any_game() -> None:
    acorns = PPOExperimentConfiguration.model_validate(preset_layer("ZXSpectrum/Acorns-v0"))
    anything = PPOExperimentConfiguration.model_validate(preset_layer("ZXSpectrum/Nothing-v0"))
    assert (acorns.time, anything.time) == (300, None)
    assert (acorns.ppo.gamma, anything.ppo.gamma) == (0.9, 0.99)
    assert (
        acorns.model.fcnet_hiddens == anything.model.fcnet_hiddens != PPOExperimentConfiguration().model.fcnet_hiddens
    )
    assert acorns.model.conv_padding == anything.model.conv_padding == "same"
    assert acorns.model.conv_filters != anything.model.conv_filters
    assert preset_layer("../any-v0") == preset_layer("ZXSpectrum/Nothing-v0")


def test_a_resumed_run_may_be_longer_but_not_another_experiment() -> None:
    before = PPOExperimentConfiguration(steps=1000)
    longer = PPOExperimentConfiguration(steps=2000, num_threads=2)
    assert changed_settings(before, longer) == {"steps": (1000, 2000), "num_threads": (None, 2)}
    refuse_changes(before, longer)
    with pytest.raises(UserError, match="num_envs: the run has 32, 16 was given"):
        refuse_changes(before, PPOExperimentConfiguration(num_envs=16))
    other = PPOExperimentConfiguration.model_validate({"ppo": {"gamma": 0.5}})
    with pytest.raises(UserError, match=r"ppo\.gamma"):
        refuse_changes(before, other)


def test_every_setting_is_documented_and_none_can_be_changed() -> None:
    configuration = PPOExperimentConfiguration()
    for name, field in PPOExperimentConfiguration.model_fields.items():
        assert field.description or name in ("env", "ppo", "model"), name
    with pytest.raises(ValueError, match="frozen"):
        configuration.steps = 5  # type: ignore[misc] # the assignment is what is tested
