# SPDX-License-Identifier: GPL-3.0-or-later
"""What definitions ask of a batch, worked out by hand: derived variables, reward parts, masks, starts, stalls."""

from typing import Any

import numpy as np
import pytest
from batch_game import FRAMES, KEYS, ROUTINE, BatchGame, settings, start_state, table, variable
from batch_model import BELT, belt_start
from numpy.testing import assert_array_equal

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


def _starts() -> list[bytes]:
    return [belt_start(seed, border=seed) for seed in range(4)]


def test_starts_are_drawn_by_weight() -> None:
    game = BatchGame(start_states=_starts(), start_weights=[0.0, 1.0, 3.0, 0.0], num_envs=2000)
    game.reset()
    drawn = np.bincount(game["start"], minlength=4).tolist()
    assert drawn[0] == drawn[3] == 0
    assert 1420 < drawn[2] < 1580  # 1500, within 4 sigma
    assert [game.batch.render(i)[0, 0].any() for i in range(4)] == [True] * 4  # no border is black


@pytest.mark.parametrize("weights", [[], [1.0] * 4, [0.25] * 4])
def test_equal_weights_are_none(weights: list[float]) -> None:
    one, other = (BatchGame(start_states=_starts(), start_weights=w, num_envs=400) for w in ([], weights))
    one.reset()
    other.reset()
    assert_array_equal(one["start"], other["start"])
    assert all(70 < count < 130 for count in np.bincount(one["start"]))


def test_a_single_choice_draws_nothing() -> None:
    """The stickiness of what follows is as with a single start state."""
    lone = BatchGame(start_states=[start_state()], repeat_action_probability=0.5, num_envs=50)
    certain = BatchGame(
        start_states=[*_starts(), start_state()],
        start_weights=[0, 0, 0, 0, 1e-3],
        repeat_action_probability=0.5,
        num_envs=50,
    )
    for game in (lone, certain):
        game.reset()
        game.step(1)
    assert_array_equal(lone["actions_taken"], certain["actions_taken"])
    assert certain["start"].tolist() == [4] * 50


def test_starts_are_chosen() -> None:
    game = BatchGame(start_states=_starts(), start_weights=[1.0, 1.0, 1.0, 0.0], num_envs=4)
    game.reset(starts=[3, 0, -1, 2])
    assert game["start"][[0, 1, 3]].tolist() == [3, 0, 2]
    assert game["start"][2] in (0, 1, 2)
    borders = [_core.Machine(bytes(16384)) for _ in range(4)]
    for i, machine in enumerate(borders):
        machine.restore(game.batch.machine_state(i))
    assert [machine.border for machine in borders] == game["start"].tolist()
    game.reset(np.array([False, True, False, False]), starts=[1, 1, 1, 1])
    assert game["start"][[0, 1, 3]].tolist() == [3, 1, 2]
    game.batch.set_state(0, game.batch.get_state(3))
    game.batch.observe(None, game.outputs)
    assert game["start"][0] == 2
    for starts in ([0, 0, 4, 0], [0, 0, -2, 0]):
        with pytest.raises(
            ValueError, match=rf"starts: {starts[2]} for environment 2; allowed are -1 \(draw\) and 0 to 3"
        ):
            game.reset(starts=starts)
    with pytest.raises(ValueError, match=r"starts: int64 \(3,\) given, wanted int64 \(4,\)"):
        game.reset(starts=[0, 0, 0])


def test_a_chosen_start_ends_a_game_that_would_go_on() -> None:
    """After a lost life a reset goes on, unless it is told where to begin."""
    falling = [variable(FRAMES), variable(KEYS)]
    changes: dict[str, Any] = {
        "variables": falling,
        "derived": [[("constant", 5.0), _KEYS, ("subtract", 0.0)]],
        "lives_variable": 2,
        "episodic_life": True,
    }
    game = BatchGame(**changes)
    for starts, frames in (([-1], 2), ([0], 0), (None, 2)):
        game.reset(starts=[0])
        game.step(0)
        game.step(1)
        assert game["outcome"].tolist() == [4]
        game.reset(starts=starts)
        assert game["variables"][0, 0] == frames


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


def test_ram_is_what_can_be_seen() -> None:
    game = BatchGame(num_envs=3, num_threads=2, autoreset="same_step", max_steps=2)
    game.reset()
    first = game["ram"].copy()
    game.step(0, 1, 2)
    for env in range(3):
        assert_array_equal(game["ram"][env], game.batch.ram(env))
    assert game["ram"][:, KEYS - 0x4000].tolist() == [0, 1, 2]
    game.step(0, 1, 2)
    assert_array_equal(game["ram"], first)
    assert game["final_ram"][:, KEYS - 0x4000].tolist() == [0, 2, 4]
    assert game["final_ram"][:, FRAMES - 0x4000].tolist() == [2, 2, 2]
    game["ram"][:] = 0
    game.batch.observe(None, game.outputs)
    assert_array_equal(game["ram"], first)


@pytest.mark.parametrize(
    ("area", "shape"),
    [((0, 0, 256, 192), (24, 32)), ((8, 16, 8, 8), (1, 1)), ((7, 15, 2, 2), (2, 2)), ((255, 191, 1, 1), (1, 1))],
)
def test_attributes_have_the_grid_of_the_cells(area: tuple[int, int, int, int], shape: tuple[int, int]) -> None:
    game = BatchGame(colour="attributes", area=area, size=(5, 7), stack=3)
    assert game.batch.observation_shape == (6, *shape)


def test_attributes_are_ink_and_paper_as_shown() -> None:
    machine = _core.Machine(bytes(16384))
    machine.restore(start_state())
    # Red on cyan; the same bright; the same flashing.
    machine.ram[0x1800:0x1803] = [0x2A, 0x6A, 0xAA]
    red, cyan, bright_red, bright_cyan = 61, 144, 76, 179
    game = BatchGame(
        start_states=[machine.save()], colour="attributes", area=(0, 0, 24, 8), stack=2, frameskip=(16, 16)
    )
    game.reset()
    calm = [[[red, bright_red, red]], [[cyan, bright_cyan, cyan]]]
    swapped = [[[red, bright_red, cyan]], [[cyan, bright_cyan, red]]]
    assert game["observations"][0].tolist() == calm + calm
    game.step(0)
    assert game["observations"][0].tolist() == calm + swapped
    game.step(0)
    assert game["observations"][0].tolist() == swapped + calm


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"derived": [_ALWAYS, [("variable", 3.0)]]}, r"derived: program 1: .* no variable 3; allowed are 0 to 2"),
        ({"derived": [[("variable", 2.0)]]}, r"derived: program 0: instruction 0 \(variable\): there is no variable 2"),
        ({"derived": [[("before", 3.0)]]}, r"derived: program 0: .*\(before\): there is no variable 3; .* 0 to 2"),
        ({"derived": [[]]}, "derived: program 0 is empty"),
        ({"rewards": [_ALWAYS, []]}, "rewards: program 1 is empty"),
        ({"rewards": [_ALWAYS, [("called", 0.0)]]}, "rewards: program 1: .* there is no hook 0; there are none"),
        ({"rewards": [[("constant", float("nan"))]]}, "rewards: program 0: .* the number is not finite"),
        (
            {"masks": [[], [("power", 1.0)], []]},
            "masks: program 1: instruction 0: 'power' is no operation; known: const",
        ),
        ({"masks": [[], []]}, r"masks: 2 program\(s\) given for 3 actions; wanted none or one for each"),
        ({"stall_value": [_KEYS], "stall_steps": -1}, r"stall_steps -1: wanted 0 \(never\) or more"),
        ({"stall_steps": 4}, "stall_steps 4: needs a stall_value"),
        ({"stall_value": [("add", 0.0)], "stall_steps": 4}, r"stall_value: instruction 0 \(add\): needs 2 value"),
        ({"start_weights": [1.0, 2.0]}, r"start_weights: 2 given for 1 start state\(s\)"),
        ({"start_weights": [0.0]}, "start_weights: all are 0"),
        ({"start_weights": [-1.0]}, "start_weights: item 0 is -1.0.*; a weight is a finite number of at least 0"),
        ({"start_weights": [float("inf")]}, "start_weights: item 0 is inf"),
        ({"start_weights": [float("nan")]}, "start_weights: item 0 is nan"),
        ({"colour": "attributes", "maxpool": True}, "maxpool: colour 'attributes' has no pixels to pool"),
        (
            {"variables": [table(BELT, "mean", 2)]},
            "variables: row 0: 'mean' is no reduction; known: '', sum, min, max, c",
        ),
        ({"variables": [table(BELT, "sum", 257)]}, "variables: row 0: .* a table has 1 to 256 items, not 257"),
        ({"variables": [table(BELT, "sum", 0)]}, "variables: row 0: .* a table has 1 to 256 items, not 0"),
        ({"variables": [table(BELT, "sum", 2, stride=0)]}, "variables: row 0: .* stride 0"),
        ({"variables": [table(BELT, "", 2)]}, "variables: row 0: .* without a reduction there is 1 item"),
        ({"variables": [table(0xFFFE, "sum", 3)]}, r"variables: row 0: .* its 3 byte\(s\) must lie in RAM"),
        ({"variables": [table(BELT, "sum", -1)]}, "variables: row 0: items is -1, allowed are 0 to 65535"),
        ({"variables": [table(0xFF00, "sum", 200, stride=65535)]}, "variables: row 0: .* must lie in RAM"),
        ({"lives_variable": 3, "derived": [_ALWAYS]}, "lives_variable 3: wanted -1 .none. or one of the 3 variables"),
    ],
)
def test_wrong_settings_are_named(change: dict[str, Any], reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        _core.Batch(**settings(**change))


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (
            {"variables": [variable(BELT), (BELT, "u8", 1, 0, 7)]},
            r"variables: row 1: wanted \(address, type, num_bytes, .*\), got \(37120, 'u8', 1, 0, 7\)",
        ),
        ({"variables": [BELT]}, "variables: row 0: wanted .*, got 37120"),
        ({"variables": "score"}, r"variables: wanted a list of \(address, .*, got 'score'"),
        ({"rewards": _ALWAYS}, r"rewards: program 0: instruction 0: wanted \(operation, operand\), got 'constant'"),
        ({"rewards": [[("constant", "1")]]}, r"rewards: program 0: instruction 0: wanted .*, got \('constant', '1'\)"),
        ({"masks": [[], None, []]}, r"masks: program 1: wanted a list of \(operation, operand\), got None"),
        ({"stall_value": 3}, r"stall_value: wanted a list of \(operation, operand\), got 3"),
        ({"start_weights": ["much"]}, r"start_weights: item 0: wanted number\(s\), got 'much'"),
        ({"hooks": [0x8000, 1.5]}, r"hooks: row 1: wanted address\(es\), got 1.5"),
        ({"random_pokes": [0x8000]}, r"random_pokes: row 0: wanted \(address, num_bytes\), got 32768"),
    ],
)
def test_settings_of_another_form_are_named(change: dict[str, Any], reason: str) -> None:
    with pytest.raises(TypeError, match=reason):
        _core.Batch(**settings(**change))


def test_too_many_of_something_are_a_mistake() -> None:
    for change, reason in (
        ({"variables": [variable(BELT)] * 10_001}, "variables: 10001 given, allowed are up to 10000"),
        (
            {"rewards": [_ALWAYS * 10_001]},
            "rewards: program 0: the expression has 10001 instructions; allowed are up to",
        ),
    ):
        with pytest.raises(ValueError, match=reason):
            _core.Batch(**settings(**change))


def test_wrong_arrays_are_named() -> None:
    game = BatchGame(num_envs=2, autoreset="same_step")
    arrays = game.arrays

    def refuse(reason: str, **change: Any) -> None:
        with pytest.raises(ValueError, match=reason):
            game.batch.reset(None, _core.Outputs(**(arrays | change)))

    refuse(r"reward_parts of shape \(2, 3\) given, the batch has \(2, 1\)", reward_parts=np.zeros((2, 3)))
    refuse(r"reward_parts: float32 \(2, 1\) given, wanted float64", reward_parts=np.zeros((2, 1), np.float32))
    refuse(r"action_masks of shape \(2, 4\) given, the batch has \(2, 3\)", action_masks=np.zeros((2, 4), np.bool_))
    refuse(r"ram: uint8 \(2, 49151\) given, wanted uint8 \(2, 49152\)", ram=np.zeros((2, 49151), np.uint8))
    refuse(r"start: int64 \(3,\) given", start=np.zeros(3, np.int64))
    lacking = _core.Outputs(**(arrays | {"final_ram": None}))
    game.reset()
    with pytest.raises(ValueError, match="'same_step' needs final_ram beside ram"):
        game.batch.step(np.zeros(2, np.int64), lacking)
