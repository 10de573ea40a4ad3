# SPDX-License-Identifier: GPL-3.0-or-later
"""The networks of the presets fit the pictures of the games that ship."""

import pytest

from oakemu_rl.games import load_game
from oakemu_rl.ppo.unseen import describe_unseen
from oakemu_rl.training.assembly import build_model
from oakemu_rl.training.configuration import PPOExperimentConfiguration
from oakemu_rl.training.configuration_file import preset_layer


@pytest.mark.parametrize(
    ("name", "unseen"),
    [
        ("acorns", None),
        ("nightraid", None),
        # What is published of these was learnt by networks that see a little less.
        ("forestride", "rows 28-29 of 30 and columns 60-63 of 64"),
        ("caverns", "columns 60-63 of 64"),
    ],
)
def test_the_network_of_a_preset_sees_the_whole_picture(name: str, unseen: str | None) -> None:
    definition = load_game(name).definition
    model = PPOExperimentConfiguration.model_validate(preset_layer(definition.id)).model
    width, height = definition.presets.size
    said = describe_unseen(build_model((definition.presets.stack, height, width), 5, model))
    assert said is None if unseen is None else unseen in (said or "")


@pytest.mark.parametrize("shape", [(2, 44, 64), (2, 30, 64), (4, 96, 128), (4, 68, 128), (4, 84, 84), (2, 24, 32)])
def test_the_network_for_any_game_sees_pictures_of_any_size(shape: tuple[int, int, int]) -> None:
    model = PPOExperimentConfiguration.model_validate(preset_layer("ZXSpectrum/Nothing-v0")).model
    assert describe_unseen(build_model(shape, 5, model)) is None
