# SPDX-License-Identifier: GPL-3.0-or-later
"""When a start may move further back."""

import pytest

from oakemu_rl.curricula import PlateauRule, ThresholdRule


@pytest.mark.parametrize(
    ("successes", "learnt"),
    [
        ([True], False),  # too few to say
        ([True] * 2, True),  # a third of 5, without a fault
        ([True, True, True, False], False),
        ([True, False, False, False, False], True),  # 1 of 5 is a fifth
        ([False] * 5, False),
        ([True] * 5 + [False] * 10, False),  # what was counts no more
        ([False] * 10 + [True, True] + [False] * 8, True),
        ([False] * 10 + [True] + [False] * 9, False),
    ],
)
def test_the_threshold_is_a_share_of_the_newest_episodes(successes: list[bool], *, learnt: bool) -> None:
    assert ThresholdRule(0.2, window=10, at_least=5).is_learnt(successes) is learnt


def test_a_window_below_the_least_number_is_enough_when_it_is_full() -> None:
    assert ThresholdRule(0.5, window=2, at_least=6).is_learnt([True, True])


@pytest.mark.parametrize(
    ("older", "newer", "learnt"),
    [
        (2, 6, False),  # still becoming better
        (6, 6, True),
        (6, 3, True),
        (0, 0, False),  # nothing was learnt at all
        (0, 9, True),  # mastered, however it came
    ],
)
def test_a_plateau_is_where_the_newer_half_is_no_better(older: int, newer: int, *, learnt: bool) -> None:
    rule = PlateauRule(window=20, margin=0.1, mastered=0.9)
    successes = [True] * older + [False] * (10 - older) + [True] * newer + [False] * (10 - newer)
    assert rule.is_learnt(successes) is learnt


def test_half_a_window_is_enough_only_for_what_is_mastered() -> None:
    rule = PlateauRule(window=20)
    assert rule.is_learnt([True] * 9 + [False])
    assert not rule.is_learnt([True] * 8 + [False] * 2)
    assert not rule.is_learnt([True] * 9)
