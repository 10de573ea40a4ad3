# SPDX-License-Identifier: GPL-3.0-or-later
"""Explorations from Python. Right values: the counting game's own figures, and recordings played again."""

from pathlib import Path

import numpy as np
import pytest
from counting_game import DEFINITION, write_game

from oakemu_rl.demos import replay
from oakemu_rl.errors import UserError
from oakemu_rl.exploration import CellTable, ExplorationSettings, Explorer, best_cells
from oakemu_rl.games import Game, load_game
from oakemu_rl.games.identity import fingerprint
from oakemu_rl.games.place_cells import with_cells

SMALL = {"trips": 16, "trip_steps": 10, "repeat": 0.5}


@pytest.fixture(scope="module")
def game(tmp_path_factory: pytest.TempPathFactory) -> Game:
    """The counting game: a step of two frames may score 2, the first one 1; from 30 on it is won."""
    return load_game(write_game(tmp_path_factory.mktemp("counting"), DEFINITION + "cells: [score // 4, lives]\n"))


def test_the_best_ways_are_recordings(game: Game) -> None:
    explorer = Explorer(game, ExplorationSettings(seed=5, **SMALL))
    assert explorer.cell_texts == ("score // 4", "lives")
    explorer.explore(60)
    table = explorer.cells()
    # Of four scores the highest is the best return: 3, 7, 11, ...; at 31 the game is over.
    whole = table.keys[:, 1] == 3
    assert sorted(table.keys[whole, 0].tolist()) == list(range(8))
    assert table.returns[whole].tolist() == [min(4.0 * key + 3, 29.0) for key in table.keys[whole, 0]]
    assert (table.steps[whole] == (table.returns[whole] + 1) / 2).all()
    assert table.seen.sum() >= explorer.num_trips == 60 * 16
    assert explorer.best_win == (31.0, 16)
    assert (explorer.num_frames, explorer.num_cells) == (2 * explorer.num_steps, len(table.steps))
    assert explorer.num_wins > 0
    assert explorer.nbytes > 0
    won = explorer.winning_demo()
    assert (won.source, won.outcome, won.episode_return, won.steps, won.seed) == ("explorer", "win", 31.0, 16, 5)
    cell = best_cells(table, 3)[0]
    demo = explorer.demo(cell)
    assert (demo.outcome, demo.episode_return) == ("running", float(table.returns.max()))
    assert demo.actions is not None
    assert demo.actions.tolist() == explorer.way_to(cell).tolist()
    for each in (won, demo):
        machine = replay(each, game)
        assert game.read(machine.memory)["score"] == each.episode_return


def test_with_one_life_no_way_loses_one(game: Game) -> None:
    for one_life in (False, True):
        explorer = Explorer(game, ExplorationSettings(seed=5, **SMALL), episodic_life=one_life)
        explorer.explore(20)
        lives = set(explorer.cells().keys[:, 1].tolist())
        assert lives == ({3} if one_life else {1, 2, 3})
        assert explorer.best_win == (31.0, 16)


def test_threads_and_looks_do_not_matter(game: Game) -> None:
    tables = []
    for threads in (1, 3):
        explorer = Explorer(game, ExplorationSettings(cells=["frames // 8", "score"], num_threads=threads, **SMALL))
        explorer.explore(10)
        tables.append(explorer.cells())
    for one, other in zip(vars(tables[0]).values(), vars(tables[1]).values(), strict=True):
        assert np.array_equal(one, other)


def test_pictures_are_cells_where_nothing_is_said(counting: Path) -> None:
    explorer = Explorer(counting, ExplorationSettings(**SMALL))
    assert explorer.cell_texts == ()
    explorer.explore(5)
    table = explorer.cells()
    assert table.keys.shape == (explorer.num_cells, 11)  # 11 by 8 pixels, eight to a number
    assert explorer.num_cells > 1  # the counter at the top left


def test_the_shortest_way_to_each_of_the_highest_returns() -> None:
    returns, steps = np.array([0.0, 3.0, 5.0, 5.0, 3.0, 0.0, -1.0]), np.array([0, 9, 30, 20, 8, 4, 1])
    table = CellTable(np.zeros((7, 1), np.int64), returns, steps, np.ones(7, np.int64))
    assert best_cells(table, 5) == [3, 4]
    assert best_cells(table, 1) == [3]
    assert best_cells(table, 0) == []


def test_nothing_is_recorded_of_nothing(game: Game) -> None:
    explorer = Explorer(game, ExplorationSettings(**SMALL))
    with pytest.raises(UserError, match="no trip has won yet"):
        explorer.winning_demo()
    with pytest.raises(UserError, match="empty"):
        explorer.demo(0)
    with pytest.raises(IndexError):
        explorer.demo(1)
    with pytest.raises(IndexError):
        explorer.way_to(-1)


@pytest.mark.parametrize(
    ("settings", "options", "told"),
    [
        ({"cells": ["scor"]}, {}, r"^cell 'scor': unknown variable 'scor' \(did you mean 'score'\?\)"),
        ({"cells": ["score +"]}, {}, r"^cell 'score \+': "),
        ({"start": "defualt"}, {}, r"^there is no start state 'defualt' \(did you mean 'default'\?\)"),
        ({"trips": 0}, {}, r"^trips must be a whole number from 1 to 1000000, not 0"),
        ({"trip_steps": 0}, {}, r"^trip_steps must be"),
        ({"num_threads": 0}, {}, r"^num_threads must be"),
        ({"seed": -1}, {}, r"^seed must be"),
        ({"repeat": 1.0}, {}, r"^repeat must be a number from 0 to below 1, not 1.0"),
        ({"repeat": "often"}, {}, r"^repeat must be a number from 0 to below 1, not 'often'"),
        ({}, {"frameskip": (1, 3)}, r"frameskip is 1 to 3, but ways need steps of one length; give a number"),
        ({}, {"noop_max": 3}, r"^noop_max is not for an exploration, which begins right at the start state"),
        ({}, {"obs_type": "rgb"}, r"^obs_type is not for an exploration, which sees nothing but its cells"),
        ({}, {"frameskipp": 3}, r"^unknown option 'frameskipp'"),
    ],
)
def test_what_cannot_be_is_refused(game: Game, settings: dict, options: dict, told: str) -> None:
    with pytest.raises(UserError, match=told):
        Explorer(game, ExplorationSettings(**settings), **options)


def test_cells_make_no_other_game(game: Game, counting: Path) -> None:
    assert fingerprint(game) == fingerprint(load_game(counting))
    richer, names = with_cells(game, ["score", "delta(score)"])
    assert richer.variable_names[-2:] == names
    assert set(richer.variable_names[:-2]) == set(game.variable_names)


def test_a_cell_of_a_definition_that_cannot_be_is_told_with_its_place(tmp_path: Path) -> None:
    path = write_game(tmp_path, DEFINITION + "cells: [lives, scor]\n")
    with pytest.raises(UserError, match=r"counting\.yaml:\d+:\d+: cells.*: unknown variable 'scor'"):
        load_game(path)
