# SPDX-License-Identifier: GPL-3.0-or-later
"""What is said of wrong definitions and arrays: which setting, which row, what was given, what is allowed."""

from typing import Any

import numpy as np
import pytest
from batch_game import BatchGame, settings, table, variable
from batch_model import BELT

from oakemu_rl import _core

_ALWAYS = [("constant", 1.0)]
_KEYS = ("variable", 1.0)  # how programs name the game's second variable


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
