# SPDX-License-Identifier: GPL-3.0-or-later
"""Everything that a batch computes, against a second implementation on random definitions and memories."""

from typing import Any

import numpy as np
from batch_game import ROUTINE, BatchGame
from batch_game import settings as plain_settings
from batch_model import BELT, Row, SlotModel, belt_start
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

_STARTS = [belt_start(seed) for seed in range(3)]
_HOOKS = [0x7000, ROUTINE]
_KINDS = ["u8", "i8", "u16le", "u16be", "u24", "bcd", "digits", "bits", "boolean"]
_CONSTANTS = st.one_of(
    st.sampled_from([0.0, 1.0, -1.0, 2.0, 0.5, 100.0, -3.0, 1e308, -1e308, 1e-308, 0.1]),
    st.integers(-300, 300).map(float),
)
_PAIRS = ["add", "subtract", "multiply", "minimum", "maximum", "logical_and", "logical_or"]
_PAIRS += ["less", "less_equal", "greater", "greater_equal", "equal", "not_equal"]
_DIVISIONS = ["divide", "floor_divide", "modulo"]
_Code = list[tuple[str, float]]


@st.composite
def _variables(draw: st.DrawFn) -> tuple[Any, ...]:
    kind = draw(st.sampled_from(_KINDS))
    num_bytes = draw(st.integers(1, {"bcd": 9, "digits": 18}.get(kind, 1)))
    low, high = sorted((draw(st.integers(0, 7)), draw(st.integers(0, 7))))
    address = BELT + draw(st.integers(0, 80))
    reduction = draw(st.sampled_from(["", "sum", "min", "max", "count"]))
    items, stride = (1, 0) if not reduction else (draw(st.integers(1, 40)), draw(st.integers(1, 5)))
    value = draw(st.sampled_from([0, 1, -1, 7, 255])) if reduction == "count" else 0
    return address, kind, num_bytes, low, high, items, stride, reduction, value


def _programs(variables: int, before: int) -> st.SearchStrategy[_Code]:
    """Expressions that name so many variables as they are, and as they were."""
    leaves = [_CONSTANTS.map(lambda value: [("constant", value)])]
    for op, count in (("variable", variables), ("before", before), ("called", len(_HOOKS))):
        if count:
            leaves.append(st.integers(0, count - 1).map(lambda index, op=op: [(op, float(index))]))
    divisors = _CONSTANTS.filter(bool).map(lambda value: [("constant", value)])

    def larger(part: st.SearchStrategy[_Code]) -> st.SearchStrategy[_Code]:
        def joined(*pieces: Any) -> _Code:
            *operands, op = pieces
            return [row for operand in operands for row in operand] + [(op, 0.0)]

        return st.one_of(
            st.builds(joined, part, st.sampled_from(["negate", "absolute", "logical_not"])),
            st.builds(joined, part, part, st.sampled_from(_PAIRS)),
            st.builds(joined, part, divisors, st.sampled_from(_DIVISIONS)),
            st.builds(joined, part, part, part, st.just("select")),
        )

    return st.recursive(st.one_of(leaves), larger, max_leaves=8)


@st.composite
def _definitions(draw: st.DrawFn) -> dict[str, Any]:
    """Settings with everything that a definition can ask for, at random."""
    plain = draw(st.lists(_variables(), max_size=5))
    num_derived = draw(st.integers(0, 3))
    total = len(plain) + num_derived
    derived = [draw(_programs(len(plain) + i, total)) for i in range(num_derived)]
    program = _programs(total, total)
    rare = program.map(lambda code: [*code, ("constant", 200.0), ("greater", 0.0)])
    lives = draw(st.integers(-1, total - 1))
    return plain_settings(
        start_states=_STARTS,
        start_weights=draw(st.sampled_from([[], [1.0, 1.0, 1.0], [0.0, 3.0, 0.5], [0.0, 0.0, 2.0]])),
        variables=plain,
        derived=derived,
        hooks=_HOOKS,
        rewards=draw(st.lists(program, max_size=3)),
        win=draw(st.one_of(st.just([]), rare)),
        loss=draw(st.one_of(st.just([]), rare)),
        masks=draw(st.one_of(st.just([]), st.lists(st.one_of(st.just([]), program), min_size=3, max_size=3))),
        noop_action=draw(st.integers(0, 2)),
        lives_variable=lives,
        episodic_life=lives >= 0 and draw(st.booleans()),
        reward_clipping=draw(st.booleans()),
        stall_value=draw(program),
        stall_steps=draw(st.integers(0, 3)),
        max_steps=draw(st.sampled_from([0, 7])),
        max_frames=draw(st.sampled_from([0, 15])),
        frameskip=draw(st.sampled_from([(1, 1), (2, 2), (1, 4)])),
        noops=draw(st.sampled_from([(0, 0), (0, 3)])),
        repeat_action_probability=draw(st.sampled_from([0.0, 0.5])),
        random_pokes=draw(st.sampled_from([[], [(BELT + 3, 4)]])),
        area=draw(st.sampled_from([(0, 0, 256, 192), (3, 9, 14, 7), (248, 184, 8, 8)])),
        stack=draw(st.integers(1, 3)),
        colour="attributes",
    )


def _check_row(game: BatchGame, env: int, wanted: Row, when: str) -> None:
    for name, value in wanted.items():
        np.testing.assert_array_equal(game[name][env], value, err_msg=f"{name} of environment {env}, {when}")
    assert np.isfinite(game["rewards"][env])
    assert np.isfinite(game["reward_parts"][env]).all()


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(definition=_definitions(), mode=st.sampled_from(["next_step", "same_step", "disabled"]), data=st.data())
def test_a_batch_does_what_the_model_does(definition: dict[str, Any], mode: str, data: st.DataObject) -> None:
    definition |= {"autoreset": mode}
    game = BatchGame(**(definition | {"num_envs": 2, "num_threads": 2}))
    models = [SlotModel(definition, seed) for seed in range(2)]
    starts = data.draw(st.sampled_from([None, [-1, 2], [1, -1]]))
    game.reset(starts=starts)
    for env, model in enumerate(models):
        _check_row(game, env, model.reset(-1 if starts is None else starts[env]), "after the reset")
    for number, action in enumerate(data.draw(st.lists(st.integers(0, 2), min_size=1, max_size=25))):
        if mode == "disabled":
            over = np.array([model.over for model in models])
            if over.any():
                game.reset(over)
            for env in np.flatnonzero(over):
                _check_row(game, env, models[env].reset(), f"after a reset before step {number}")
        if number % 4 == 3:  # the other environment goes on with what this one has
            game.batch.set_state(0, game.batch.get_state(1))
            models[0] = _twin(models[1], definition)
        chosen = [action, 2 - action]
        game.step(*chosen)
        for env, model in enumerate(models):
            _check_row(game, env, model.step(chosen[env]), f"step {number}")


def _twin(model: SlotModel, definition: dict[str, Any]) -> SlotModel:
    twin = SlotModel(definition, 0)
    machine, stream = twin.machine, twin.stream
    twin.__dict__.update(model.__dict__)
    twin.machine, twin.stream = machine, stream
    machine.restore(model.machine.save())
    stream.words = list(model.stream.words)
    return twin
