# SPDX-License-Identifier: GPL-3.0-or-later
import pytest
from counting_game import DEFINITION, DIE, SCORE, STAY, write_game
from demo_making import record
from numpy.random import default_rng

from oakemu_rl.demos import Demo, load_demo
from oakemu_rl.envs import SpectrumEnv
from oakemu_rl.games import Game, load_game


@pytest.fixture(scope="session")
def game(tmp_path_factory: pytest.TempPathFactory) -> Game:
    """The counting game, without no-op frames and random bytes, so that its start is the recording's."""
    text = DEFINITION.replace("reset: {noops: [0, 3], randomize: {seed: u16}}\n", "")
    return load_game(write_game(tmp_path_factory.mktemp("counting"), text))


@pytest.fixture(scope="session")
def counted(game: Game) -> Demo:
    """34 steps of two frames, of which 15 score twice, so that the last one wins."""
    actions = [STAY] * 19 + [SCORE] * 15
    default_rng(1).shuffle(actions)
    while actions[-1] != SCORE:
        actions.insert(0, actions.pop())
    assert DIE not in actions
    env = SpectrumEnv(game)
    return record(env, actions)


@pytest.fixture(scope="session")
def caverns() -> Demo:
    """The recording that ships."""
    return load_demo("caverns")
