# SPDX-License-Identifier: GPL-3.0-or-later
import multiprocessing
import pickle
from pathlib import Path

import numpy as np
import pytest
from expression_machine import make_outputs, settings
from small_game import DEFINITION, write_game

from oakemu_rl._core import Batch
from oakemu_rl.emulator import load_rom
from oakemu_rl.games import Game, load_game


@pytest.fixture
def game(tmp_path: Path) -> Game:
    return load_game(write_game(tmp_path))


def test_names(game: Game) -> None:
    assert game.id == "ZXSpectrum/Small-v0"
    assert game.action_names == ("left", "stay", "right")
    assert game.variable_names == ("score", "lives", "rounds")
    assert repr(game) == "Game('ZXSpectrum/Small-v0')"


def test_action_table(game: Game) -> None:
    expected = np.zeros((3, 9), dtype=np.uint8)
    expected[0, 5], expected[2, 5] = 0x02, 0x01  # half row p o i u y
    assert game.action_table.dtype == np.uint8
    np.testing.assert_array_equal(game.action_table, expected)
    assert not game.action_table.flags.writeable


def test_batch_arguments(game: Game) -> None:
    arguments = game.batch_arguments()
    assert arguments["rom"] == load_rom("48k")
    assert arguments["start_states"] == [game.start_state()]
    assert arguments["noop_action"] == 1
    assert arguments["random_pokes"] == [(0x9003, 1)]
    assert arguments["area"] == (0, 0, 256, 192)
    assert arguments["variables"] == [
        (0x9000, "u16le", 2, 0, 7, 1, 0, "", 0),
        (0x9002, "u8", 1, 0, 7, 1, 0, "", 0),
        (0x9003, "u8", 1, 0, 7, 1, 0, "", 0),
    ]
    assert arguments["lives_variable"] == 1
    assert arguments["win"] == []
    assert arguments["loss"] == [("variable", 1.0), ("constant", 0.0), ("equal", 0.0)]


def test_only_routines_that_are_asked_for_cost_a_hook(game: Game) -> None:
    arguments = game.batch_arguments()
    assert arguments["hooks"] == [0x8011, 0x8028]
    assert [row for row in arguments["rewards"][0] if row[0] == "called"] == [("called", 1.0), ("called", 0.0)]


def test_no_lives(tmp_path: Path) -> None:
    text = DEFINITION.replace("lives", "left").replace("{left: [o]", "{west: [o]")
    assert load_game(write_game(tmp_path, text)).batch_arguments()["lives_variable"] == -1


def test_the_core_plays_it(game: Game) -> None:
    arguments = game.batch_arguments()
    common = {name: value for name, value in settings().items() if name not in arguments}
    batch = Batch(**{**common, **arguments, "frameskip": (10, 10), "random_pokes": []})
    outputs, rewards = make_outputs(3)
    batch.seed(np.zeros(1, dtype=np.uint64))
    batch.reset(None, outputs)
    batch.step(np.array([1]), outputs)
    assert rewards[0] == pytest.approx(0.1, abs=0.011)  # ten loops, nothing held
    batch.step(np.array([0]), outputs)
    assert rewards[0] == pytest.approx(10 + 100 + 0.1, abs=11.02)  # ten loops with O held, or one fewer


def test_pickle_keeps_everything(game: Game) -> None:
    game.action_table  # noqa: B018 - fills what is kept
    copy = pickle.loads(pickle.dumps(game))  # noqa: S301 - our own bytes
    assert copy == game
    assert hash(copy) == hash(game)
    assert copy.start_state() == game.start_state()
    np.testing.assert_array_equal(copy.action_table, game.action_table)


def start_state_of(game: Game) -> bytes:
    return game.start_state()


def test_other_processes_make_the_same_start_state(game: Game) -> None:
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        assert pool.apply(start_state_of, (game,)) == game.start_state()


def test_equality(game: Game, tmp_path: Path) -> None:
    other = load_game(write_game(tmp_path, DEFINITION.replace("Small\n", "Other\n")))
    assert other != game
    assert load_game(write_game(tmp_path)) == game
