# SPDX-License-Identifier: GPL-3.0-or-later
"""What definitions ask of a batch, worked out by hand: derived variables, reward parts, masks, starts, stalls."""

import numpy as np
import pytest
from batch_game import ROUTINE, BatchGame, table
from batch_model import BELT, belt_start

from oakemu_rl import _core

_ALWAYS, _NEVER = [("constant", 1.0)], [("constant", 0.0)]
_FRAMES, _KEYS = ("variable", 0.0), ("variable", 1.0)  # how programs name the game's two variables
_KEYS_GAINED = [_KEYS, ("before", 1.0), ("subtract", 0.0)]


def _add(*terms: list[tuple[str, float]]) -> list[tuple[str, float]]:
    return [row for term in terms for row in term] + [("add", 0.0)] * (len(terms) - 1)


def test_parts_of_the_reward_are_added_up_and_never_clipped() -> None:
    parts = [[("constant", -0.25)], _KEYS_GAINED, [("called", 0.0), ("constant", 2.0), ("multiply", 0.0)]]
    game = BatchGame(num_envs=2, rewards=parts, hooks=[ROUTINE], frameskip=(3, 3), reward_clipping=True)
    game.reset()
    assert game["reward_parts"].tolist() == [[0.0, 0.0, 0.0]] * 2
    game.step(1, 2)
    assert game["reward_parts"].tolist() == [[-0.25, 3.0, 6.0], [-0.25, 6.0, 6.0]]
    assert game["rewards"].tolist() == [1.0, 1.0]
    assert game["episode_return"].tolist() == [8.75, 11.75]


def test_no_parts_are_no_reward() -> None:
    game = BatchGame(rewards=[])
    game.reset()
    game.step(1)
    assert game["rewards"].tolist() == game["episode_return"].tolist() == [0.0]
    assert game["reward_parts"].shape == (1, 0)


@pytest.mark.parametrize("mode", ["next_step", "same_step"])
def test_parts_at_an_end_are_those_of_the_last_step(mode: str) -> None:
    game = BatchGame(rewards=[_KEYS_GAINED, _ALWAYS], max_steps=2, autoreset=mode)
    game.reset()
    game.step(0)
    game.step(2)
    assert game["reward_parts"].tolist() == [[2.0, 1.0]]
    game.step(1)
    assert game["reward_parts"].tolist() == [[0.0, 0.0] if mode == "next_step" else [1.0, 1.0]]


def test_derived_variables_follow_the_others_and_one_another() -> None:
    half = [_KEYS, ("constant", 2.0), ("divide", 0.0), ("constant", 7.0), ("add", 0.0)]
    per_call = [("called", 0.0), ("constant", 10.0), ("multiply", 0.0)]
    change = [("variable", 2.0), ("before", 2.0), ("subtract", 0.0)]
    game = BatchGame(
        derived=[half, per_call, change], hooks=[ROUTINE], rewards=[[("variable", 4.0)], [("before", 2.0)]]
    )
    assert game.batch.num_variables == 5
    game.reset()
    assert game["variables"].tolist() == [[0, 0, 7, 0, 0]]  # nothing has changed at a start
    # 7 and a half, 8 and a half and 9 and a half become the even numbers next to them.
    for action, row, rewards in (
        (1, [1, 1, 8, 10, 1], [1.0, 7.0]),
        (2, [2, 3, 8, 10, 0], [0.0, 8.0]),
        (2, [3, 5, 10, 10, 2], [2.0, 8.0]),
    ):
        game.step(action)
        assert game["variables"].tolist() == [row]
        assert game["reward_parts"].tolist() == [rewards]


def test_a_derived_variable_remembers_itself() -> None:
    """The most keys in one step so far; the state carries it, since no memory of the machine does."""
    most = [("before", 2.0), *_KEYS_GAINED, ("maximum", 0.0)]
    game = BatchGame(derived=[most], num_envs=2, max_steps=5)
    game.reset()
    seen = []
    for action in (1, 2, 0, 1):
        game.step(action, 0)
        seen.append(game["variables"][0, 2])
    assert seen == [1, 2, 2, 2]
    game.batch.set_state(1, game.batch.get_state(0))
    game.batch.observe(None, game.outputs)
    assert game["variables"][:, 2].tolist() == [2, 2]
    game.step(0, 1)
    assert game["variables"][:, 2].tolist() == [2, 2]
    game.step(0, 0)  # both resets
    assert game["variables"][:, 2].tolist() == [0, 0]


@pytest.mark.parametrize(
    ("value", "whole"),
    [(0.5, 0), (1.5, 2), (-0.5, 0), (-2.5, -2), (2.4999, 2), (1e300, 2**63 - 1), (-1e300, -(2**63)), (2.0**62, 2**62)],
)
def test_derived_variables_are_rounded_as_python_does(value: float, whole: int) -> None:
    game = BatchGame(derived=[[("constant", value)]])
    game.reset()
    assert game["variables"].tolist() == [[0, 0, whole]]


def test_no_reward_is_infinite_or_no_number() -> None:
    huge = [("constant", 1e308), ("constant", 10.0), ("multiply", 0.0)]
    parts = [huge, huge, [*huge, *huge, ("subtract", 0.0)], [*huge, ("constant", 1e-300), ("floor_divide", 0.0)]]
    parts += [[*huge, ("constant", 3.0), ("modulo", 0.0)], [*huge, ("negate", 0.0), *huge, ("add", 0.0)]]
    game = BatchGame(rewards=parts)
    game.reset()
    for _ in range(3):
        game.step(0)
        largest = np.finfo(np.float64).max
        assert game["reward_parts"][0, :4].tolist() == [largest, largest, 0.0, largest]
        assert game["reward_parts"][0, 5] == 0.0
        assert np.isfinite(game["reward_parts"]).all()
        assert game["rewards"].tolist() == game["episode_return"].tolist() == [largest]


def test_masked_actions_are_played_as_the_no_op() -> None:
    early = [_FRAMES, ("constant", 2.0), ("less", 0.0)]
    game = BatchGame(masks=[_NEVER, early, []], num_envs=2)
    game.reset()
    assert game["action_masks"].tolist() == [[True, True, True]] * 2  # the no-op is, whatever its program says
    played = []
    for _ in range(4):
        game.step(1, 2)
        played.append((game["actions_taken"].tolist(), game["action_masks"][0].tolist()))
    assert played == [
        ([1, 2], [True, True, True]),
        ([1, 2], [True, False, True]),
        ([0, 2], [True, False, True]),
        ([0, 2], [True, False, True]),
    ]
    assert game["variables"].tolist() == [[4, 2], [4, 8]]


def test_masks_see_the_step_before_them() -> None:
    """Key A may be pressed after a step without it, and at a start, where nothing has changed."""
    idle = [*_KEYS_GAINED, ("constant", 0.0), ("equal", 0.0)]
    game = BatchGame(masks=[[], idle, [("called", 0.0)]], hooks=[ROUTINE])
    game.reset()
    assert game["action_masks"].tolist() == [[True, True, False]]
    taken = []
    for _ in range(4):
        game.step(1)
        taken.append(int(game["actions_taken"][0]))
    assert taken == [1, 0, 1, 0]
    assert game["action_masks"].tolist() == [[True, True, True]]


def test_a_sticky_action_that_is_masked_is_the_no_op() -> None:
    """Action 1 is allowed in the first step only; later it is neither chosen nor repeated."""
    early = [_FRAMES, ("constant", 1.0), ("less", 0.0)]
    game = BatchGame(masks=[[], early, []], repeat_action_probability=0.5, num_envs=64)
    game.reset()
    game.step(1)
    first = game["actions_taken"].copy()
    assert set(first.tolist()) == {0, 1}  # 0 where the reset's no-op was repeated
    game.step(2)
    repeated = game["actions_taken"] != 2
    assert 16 < repeated.sum() < 48
    assert set(game["actions_taken"][repeated].tolist()) == {0}
    assert game["variables"][repeated, 1].tolist() == first[repeated].tolist()


def test_without_masks_every_action_is_allowed() -> None:
    game = BatchGame(num_envs=2)
    game.reset()
    assert game["action_masks"].all()
    game["action_masks"][:] = False
    game.step(0)
    assert game["action_masks"].all()


@pytest.mark.parametrize("steps", [1, 2, 5])
@pytest.mark.parametrize("mode", ["next_step", "same_step", "disabled"])
def test_a_stalled_episode_is_truncated_at_exactly_the_step(steps: int, mode: str) -> None:
    game = BatchGame(stall_value=[_KEYS], stall_steps=steps, autoreset=mode)
    game.reset()
    for action in [*[0] * (steps - 1), 1, *[0] * (steps - 1), 2]:
        game.step(action)
        assert not game["truncated"][0]
    for still in range(1, steps + 1):
        game.step(0)
        assert game["truncated"][0] == (still == steps)
    assert game["outcome"].tolist() == [3]
    assert not game["terminated"].any()
    assert game["episode_length"].tolist() == [3 * steps]
    if mode == "disabled":
        game.reset()
    if mode == "next_step":
        game.step(0)
    for still in range(1, steps + 1):
        game.step(0)
        assert game["truncated"][0] == (still == steps)


def test_a_stall_is_carried_by_the_state() -> None:
    game = BatchGame(stall_value=[_KEYS], stall_steps=5, num_envs=2)
    game.reset()
    for _ in range(3):
        game.step(0, 1)
    game.batch.set_state(1, game.batch.get_state(0))
    game.step(0)
    assert game["truncated"].tolist() == [False, False]
    game.step(0)
    assert game["truncated"].tolist() == [True, True]


def test_a_win_beats_a_stall() -> None:
    won = [_FRAMES, ("constant", 2.0), ("equal", 0.0)]
    game = BatchGame(stall_value=_NEVER, stall_steps=2, win=won)
    game.reset()
    game.step(0)
    game.step(0)
    assert (game["outcome"][0], game["terminated"][0], game["truncated"][0]) == (1, True, False)


def test_tables_come_to_one_number() -> None:
    machine = _core.Machine(bytes(16384))
    machine.restore(belt_start(0))
    machine.ram[BELT - 0x4000 : BELT - 0x4000 + 8] = [3, 0, 250, 3, 3, 1, 0x12, 0x99]
    rows = [
        (table(BELT, "sum", 5), 259),
        (table(BELT, "min", 5, kind="i8"), -6),
        (table(BELT, "max", 5), 250),
        (table(BELT, "count", 5, value=3), 3),
        (table(BELT, "count", 5, value=-6, kind="i8"), 1),
        (table(BELT, "count", 3, value=3, stride=2), 1 + 1),
        (table(BELT, "sum", 3, kind="u16le", stride=2), 3 + 250 + 3 * 256 + 3 + 256),
        (table(BELT, "sum", 2, kind="u16le", stride=1), 3 + 250 * 256),
        (table(BELT + 6, "max", 1, kind="bcd", num_bytes=2), 1299),
        (table(0xFF00, "count", 256), 256),
    ]
    game = BatchGame(start_states=[machine.save()], variables=[row for row, _ in rows])
    game.reset()
    assert game["variables"].tolist() == [[value for _, value in rows]]
