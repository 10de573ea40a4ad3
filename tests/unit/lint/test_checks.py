# SPDX-License-Identifier: GPL-3.0-or-later
"""What each check says about figures made up by hand."""

from collections import Counter
from collections.abc import Iterable

import numpy as np
import pytest

from oakemu_rl.games import Definition, load_game
from oakemu_rl.lint import Finding
from oakemu_rl.lint.checks import (
    check_actions,
    check_determinism,
    check_digits,
    check_episodes,
    check_joystick,
    check_reward,
    check_variables,
)
from oakemu_rl.lint.digits import find_bad_digits
from oakemu_rl.lint.effects import ActionEffect
from oakemu_rl.lint.play import Played


def played(
    *, low: Iterable[int] = (0, 3), high: Iterable[int] = (90, 3), ends: Iterable[str] = ("loss",), **figures: object
) -> Played:
    endings = list(ends)
    about = {
        "steps": 1000,
        "frames": 4000,
        "seconds": 1.0,
        "rewarded": 10,
        "largest": 1.0,
        "smallest": 1.0,
        "returns": [1.0] * len(endings),
        "lengths": [100] * len(endings),
        "outcomes": Counter(endings),
    }
    return Played(("score", "lives"), np.array(list(low)), np.array(list(high)), **{**about, **figures})  # type: ignore[arg-type]


def definition(**changes: object) -> Definition:
    values = load_game("acorns").definition.model_dump(exclude_unset=True)
    return Definition.model_validate({**values, **changes})


def said(findings: Iterable[Finding]) -> list[tuple[str, str, str]]:
    return [(finding.level, finding.check, finding.text) for finding in findings]


def test_a_sound_game_is_not_complained_about() -> None:
    sound = played(high=(90, 5))
    assert said(check_reward([sound, sound])) == []
    assert said(check_variables([sound, sound])) == []
    assert said(check_episodes(definition(), [sound, sound])) == []


def test_no_reward_at_all() -> None:
    nothing = played(rewarded=0, largest=0.0, smallest=float("inf"))
    assert said(check_reward([nothing, nothing])) == [("error", "reward", "not one of 2,000 steps had a reward")]
    assert said(check_reward([nothing, played()])) == []  # holding a key was enough


@pytest.mark.parametrize(
    ("figures", "text"),
    [
        ({"largest": 250.0}, "a step is worth up to 250"),
        ({"largest": 0.005, "smallest": 0.001}, "no step is worth more than 0.005 (the smallest is 0.001)"),
        ({"ends": ["loss"] * 20, "zero_episodes": 19}, "19 of 20 random episodes had no reward at all"),
        ({"seen_parts": Counter({"eggs": 3, "deaths": 0})}, "the part deaths was always 0"),
    ],
)
def test_rewards_that_teach_badly(figures: dict[str, object], text: str) -> None:
    assert said(check_reward([played(**figures)])) == [("warning", "reward", text)]  # type: ignore[arg-type]


def test_variables_that_never_change_in_any_way_of_playing() -> None:
    assert said(check_variables([played(), played()])) == [("warning", "variables", "never changed: lives (3)")]
    assert said(check_variables([played(), played(low=(0, 2), high=(0, 2))])) == []


def test_digits_that_are_none() -> None:
    found = said(check_digits({"score": "0A 12"}))
    assert found == [("error", "variables", "score was 0A 12, which are no decimal digits")]


@pytest.mark.parametrize(
    ("kind", "data", "bad"),
    [
        ("bcd2", "12 99", None),
        ("bcd2", "12 9A", "12 9A"),
        ("bcd2", "A1 00", "A1 00"),
        ("ascii3", "31 02 20", None),
        ("ascii3", "31 3A 30", "31 3A 30"),
        ("u16le", "FF FF", None),
    ],
)
def test_which_bytes_are_digits(kind: str, data: str, bad: str | None) -> None:
    ram = np.zeros(49152, np.uint8)
    given = bytes.fromhex(data)
    ram[0x5000 : 0x5000 + len(given)] = list(given)
    variables = {"score": {"at": 0x9000, "type": kind}}
    changed = {"variables": variables, "reward": "0", "win": None, "loss": None, "reset": {}, "shares": {}, "cells": []}
    assert find_bad_digits(definition(**changed), [ram]) == ({} if bad is None else {"score": bad})


def test_episodes_that_never_end() -> None:
    endless = played(ends=())
    no_limits = definition(limits={})
    assert said(check_episodes(no_limits, [endless])) == [
        ("warning", "episodes", "neither win nor loss was true in 1,000 steps"),
        ("error", "episodes", "there is no limit, and no episode ended in 1,000 steps"),
    ]
    assert said(check_episodes(no_limits, [played()])) == [("warning", "episodes", "there is no limit")]
    unended = definition(win=None, loss=None)
    assert said(check_episodes(unended, [played(ends=("truncated",))])) == [
        ("warning", "episodes", "neither win nor loss is defined, so that only limits end an episode")
    ]


def test_episodes_that_end_at_once() -> None:
    at_once = ("episodes", "there are episodes of one step")
    assert said(check_episodes(definition(), [played(lengths=[1])])) == [("error", *at_once)]
    assert said(check_episodes(definition(), [played(ends=("loss", "loss"), lengths=[1, 9])])) == [
        ("warning", *at_once)
    ]


def test_actions_without_effect() -> None:
    good = ActionEffect("left", tried=20, different=20, visible=3)
    assert said(check_actions([good])) == []
    found = said(
        check_actions(
            [
                good,
                ActionEffect("jump", tried=20, different=0, visible=0),
                ActionEffect("fire", tried=20, different=9, visible=0),
                ActionEffect("open", tried=0, different=0, visible=0),
            ]
        )
    )
    assert [(level, text.split(":")[0]) for level, _, text in found] == [
        ("warning", "jump did nothing"),
        ("warning", "fire changed nothing that is seen, from any of 20 states"),
        ("warning", "open was never allowed"),
    ]
    assert said(check_actions([ActionEffect("jump", tried=20, different=0, visible=0)])) == [
        ("error", "actions", "no action did anything in 20 states")
    ]
    assert said(check_actions([]))[0][0] == "error"
    twin = ActionEffect("links", tried=20, different=20, visible=3, twin="left")
    assert said(check_actions([good, twin])) == [
        ("warning", "actions", "links does the same as left, from all of 20 states")
    ]


@pytest.mark.parametrize(
    ("joystick", "ports", "words"),
    [
        ("none", {0x7FFE: 9}, None),
        ("none", {0x7FFE: 9, 0x001F: 1}, "reads the Kempston port"),
        ("sinclair1", {0xFF1F: 1}, "joystick: sinclair1 attaches nothing"),
        ("kempston", {0x001F: 1}, None),
        ("kempston", {0x7FFE: 9}, "never read its port"),
        ("none", {0x007F: 2}, "Fuller"),
    ],
)
def test_joysticks(joystick: str, ports: dict[int, int], words: str | None) -> None:
    found = said(check_joystick(definition(joystick=joystick), ports))
    assert len(found) == (words is not None)
    assert words is None or words in found[0][2]


def test_determinism() -> None:
    same = ["a", "b"]
    assert said(check_determinism(same, same, same, ["c", "d"])) == []
    assert said(check_determinism(same, ["a", "x"], same, ["c", "d"])) == [
        ("error", "determinism", "the same seeds played otherwise a second time")
    ]
    assert said(check_determinism(same, same, ["b", "a"], ["c", "d"])) == [
        ("error", "determinism", "the same seeds played otherwise on another number of threads")
    ]
    assert said(check_determinism(same, same, same, ["c", "c"])) == [
        ("warning", "start", "2 seeds begin the same episode")
    ]
