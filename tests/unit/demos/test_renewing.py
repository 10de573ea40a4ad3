# SPDX-License-Identifier: GPL-3.0-or-later
"""Recordings of an older definition as recordings of the present one."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from counting_game import DEFINITION, write_game
from demo_making import record

from oakemu_rl.demos import Demo, DesyncError, demo_steps, renew_demo, replay
from oakemu_rl.envs import SpectrumEnv
from oakemu_rl.errors import UserError
from oakemu_rl.games import Game, load_game

PLAIN = DEFINITION.replace("reset: {noops: [0, 3], randomize: {seed: u16}}\n", "")


def changed(folder: Path, *changes: tuple[str, str]) -> Game:
    text = PLAIN
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    return load_game(write_game(folder, text))


def test_the_definition_judges_anew(counted: Demo, tmp_path: Path) -> None:
    game = changed(tmp_path, ("reward: delta(score)", "reward: 2 * delta(score)"))
    renewed = renew_demo(counted, game)
    assert (renewed.outcome, renewed.episode_return, renewed.steps) == ("win", 2 * counted.episode_return, 34)
    assert renewed.markers == counted.markers
    assert renewed.start == counted.start
    assert (renewed.source, renewed.seed) == (counted.source, counted.seed)
    assert np.array_equal(renewed.checks, counted.checks)
    assert replay(renewed, game).frame
    assert demo_steps(renewed, game, {}).rewards.sum() == 60


def test_an_earlier_end_ends_it(counted: Demo, tmp_path: Path) -> None:
    game = changed(tmp_path, ("win: score >= 30", "win: score >= 8"))
    renewed = renew_demo(counted, game)
    assert renewed.outcome == "win"
    assert renewed.steps < 34
    assert game.read(replay(renewed, game).visible_ram())["score"] == 8


def test_actions_may_have_other_numbers_and_limits_do_not_count(counted: Demo, tmp_path: Path) -> None:
    game = changed(
        tmp_path,
        ("actions: {stay: [], score: [o], die: [p]}", "actions: {points: [o], wait: []}"),
        ("limits: {steps: 40}", "limits: {steps: 4}"),
    )
    renewed = renew_demo(counted, game)
    assert renewed.action_meanings == ("points", "wait")
    assert np.array_equal(renewed.actions == 0, counted.actions == 1)
    assert renewed.steps == 34


def test_chance_that_was_is_in_the_recording(game: Game, tmp_path: Path) -> None:
    demo = record(SpectrumEnv(game, repeat_action_probability=0.5, frameskip=(1, 4)), [0, 1] * 5)
    renewed = renew_demo(demo, changed(tmp_path, ("title: Counting", "title: Other")))
    assert np.array_equal(renewed.actions, demo.actions)
    assert renewed.settings["repeat_action_probability"] == 0


def test_what_cannot_be_renewed_is_refused(counted: Demo, tmp_path: Path) -> None:
    game = changed(tmp_path, ("score: [o], ", ""))
    with pytest.raises(UserError, match="plays score, which is none of the environment's actions: stay, die"):
        renew_demo(counted, game)
    with pytest.raises(UserError, match="it has keys, but no steps"):
        renew_demo(replace(counted, actions=None, step_frames=None), game)
    with pytest.raises(DesyncError, match="desyncs at frame 10"):
        renew_demo(replace(counted, checks=counted.checks + np.uint64(1)), load_game(write_game(tmp_path, PLAIN)))
