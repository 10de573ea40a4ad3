# SPDX-License-Identifier: GPL-3.0-or-later
"""What a run takes of the recordings that it is given."""

from pathlib import Path

import numpy as np
import pytest

from oakemu_rl.demos import DemoRecorder, save_demo
from oakemu_rl.envs import EnvOptions
from oakemu_rl.errors import UserError
from oakemu_rl.games import Game, load_game
from oakemu_rl.training.configuration import EnvironmentOptions
from oakemu_rl.training.recordings import play_recordings


@pytest.fixture
def game() -> Game:
    return load_game("acorns")


@pytest.fixture
def recorded(game: Game, tmp_path: Path) -> Path:
    """A person who lets a key go in the middle of a step."""
    recorder = DemoRecorder(game, EnvOptions.resolve(game, {}), game.start_state(), source="rzx")
    for action in (0, 1, 2):
        recorder.add_step(action, 4)
    recorder.add_held_step(1, game.action_table[np.array([1, 1, 1, 0])])
    save_demo(tmp_path / "person.demo", recorder.finish())
    return tmp_path / "person.demo"


def test_recordings_are_played_as_the_run_sees_the_game(game: Game, recorded: Path) -> None:
    (steps,) = play_recordings([recorded], game, EnvironmentOptions(obs_type="variables"))
    assert steps.actions.tolist() == [0, 1, 2, 1]
    assert not steps.exact


def test_actions_that_alone_do_something_else_are_refused(game: Game, recorded: Path) -> None:
    with pytest.raises(UserError, match=r"person\.demo: the person's keys change within the agent's steps"):
        list(play_recordings([recorded], game, EnvironmentOptions(), exact=True))


def test_what_cannot_be_played_is_named(game: Game, recorded: Path) -> None:
    with pytest.raises(UserError, match=r"person\.demo: step 1 of the recording has 4 frames; .* frameskip is 3"):
        list(play_recordings([recorded], game, EnvironmentOptions(frameskip=3)))
    with pytest.raises(UserError, match=r"caverns: the recording is of ZXSpectrum/Caverns-v0"):
        list(play_recordings([Path("caverns")], game, EnvironmentOptions()))
