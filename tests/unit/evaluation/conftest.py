# SPDX-License-Identifier: GPL-3.0-or-later
import pytest
import torch

from oakemu_rl.games import Game, load_game
from oakemu_rl.ppo import PPOModel, PPOModelConfiguration


@pytest.fixture(autouse=True)
def _one_thread() -> None:
    torch.set_num_threads(1)


@pytest.fixture(scope="session")
def acorns() -> Game:
    return load_game("acorns")


@pytest.fixture(scope="session")
def model() -> PPOModel:
    """A network of almost nothing, whose opinions differ from picture to picture."""
    torch.manual_seed(4)
    model = PPOModel((2, 44, 64), 3, PPOModelConfiguration(conv_filters=[(4, 8, 8)], fcnet_hiddens=[8]))
    with torch.no_grad():
        model.policy_head.weight.normal_(std=3.0)
        model.policy_head.bias.zero_()
    return model.eval()
