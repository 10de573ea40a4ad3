# SPDX-License-Identifier: GPL-3.0-or-later
"""Whole definitions, played in the core: derived variables, named parts, masks, starts and stalls.

The figures come from Python's own evaluation of the expressions, and for reading RAM from `Game.read` as well.
"""

import json
from dataclasses import dataclass
from typing import Any

import numpy as np
from batch_game import make_arrays
from expression_machine import ROUTINE, VALUES, changing_machine, settings
from expression_texts import NAMES, conditions, numbers, python_value
from expression_texts import VALUES as WORDS
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from oakemu_rl._core import Batch, Outputs
from oakemu_rl.emulator import Spectrum
from oakemu_rl.games import Definition, Game
from oakemu_rl.yaml_source import parse_yaml, validate

DATA: dict[str, Any] = {
    "id": "ZXSpectrum/Made-v0",
    "title": "Made",
    "machine": "48k",
    "program": {"bundled": "acorns.tap"},
    "variables": {
        "words": {"at": VALUES, "type": "u16le", "count": 3},
        **{name: {"at": VALUES + 2 * index, "type": "u16le"} for index, name in enumerate(NAMES)},
    },
    "routines": {"unused": 0x9100, "death": ROUTINE},
    "actions": {"stay": [], "go": ["q"], "jump": ["w"]},
    "reward": 0,
}


ZERO = dict.fromkeys(NAMES, 0)


@dataclass(frozen=True, repr=False)
class Moment(Game):
    """A game that begins with machines of our own."""

    states: tuple[bytes, ...] = ()

    __hash__ = Game.__hash__

    def start_state(self, name: str = "default") -> bytes:
        return self.states[self.start_names.index(name)]


def game_of(changes: dict[str, Any], *states: bytes) -> Moment:
    definition = validate(Definition, parse_yaml(json.dumps({**DATA, **changes}), name="made.yaml"))
    return Moment(definition, b"", states=states)


class Play:
    """A batch of one, reset."""

    def __init__(self, game: Game, reward: Any = "training", **changes: Any) -> None:
        arguments = game.batch_arguments(reward=reward)
        common = {name: value for name, value in settings().items() if name not in arguments}
        self.batch = Batch(**{**common, **arguments, "stall_steps": game.stall_steps or 0, **changes})
        self.arrays = make_arrays(self.batch)
        self.outputs = Outputs(**self.arrays)
        self.game = game
        self.batch.seed(np.zeros(1, np.uint64))
        self.batch.reset(None, self.outputs)

    def step(self, action: int = 0) -> None:
        self.batch.step(np.array([action]), self.outputs)

    def variables(self) -> dict[str, int]:
        row = self.arrays["variables"][0].tolist()
        return {
            name: row[column] for name, column in zip(self.game.variable_names, self.game.variable_columns, strict=True)
        }

    def figure(self, name: str) -> Any:
        return self.arrays[name][0].tolist()


def rounded(value: float) -> int:
    return max(-(2**63), min(2**63 - 1, round(value)))


@hypothesis_settings(max_examples=60, deadline=None)
@given(
    numbers(2), numbers(2, (*NAMES, "first")), conditions(1, (*NAMES, "second")), numbers(2, ("first", "second")),
    numbers(1), WORDS, WORDS, st.integers(0, 2),
)  # fmt: skip
def test_the_core_gives_what_python_gives(
    first: str, second: str, mask: str, part: str, other: str, before: dict, after: dict, calls: int
) -> None:
    game = game_of(
        {
            "derived": {"first": first, "second": second},
            "allow": {"jump": mask},
            "reward": {"a": part, "b": other},
            "evaluation": {"reward": "second"},
        },
        changing_machine({name: before[name] for name in NAMES}, after, calls),
    )
    play = Play(game)

    def derive(then: dict, now: dict, count: int) -> dict:
        known = dict(now)
        past = dict(then)
        for name, text in (("first", first), ("second", second)):
            known[name] = rounded(python_value(text, past, known, count))
            past.setdefault(name, known[name])
        return known

    at_reset = derive(before, before, 0)
    assert play.variables() == at_reset == game.read(play.batch.ram(0))
    assert play.figure("action_masks") == [True, True, bool(python_value(mask, at_reset, at_reset, 0))]
    play.step()
    now = derive(at_reset, after, calls)
    assert play.variables() == now
    assert play.figure("action_masks") == [True, True, bool(python_value(mask, at_reset, now, calls))]
    parts = [python_value(text, at_reset, now, calls) for text in (part, other)]
    assert play.figure("reward_parts") == parts
    assert play.figure("rewards") == parts[0] + parts[1]
    judged = Play(game, "evaluation")
    judged.step()
    assert judged.figure("rewards") == now["second"]


def still(**values: int) -> bytes:
    """A machine in which nothing changes any more."""
    words = {name: values.get(name, 0) for name in NAMES}
    return changing_machine(words, words)


def test_parts_of_a_reward_are_added_up_and_then_clipped() -> None:
    game = game_of(
        {"reward": {"a": "5 * delta(score)", "b": "-2", "c": 0}}, changing_machine({**ZERO}, {**ZERO, "score": 1})
    )
    assert game.reward_part_names() == ("a", "b", "c")
    play = Play(game, reward_clipping=True)
    play.step()
    assert play.figure("reward_parts") == [5.0, -2.0, 0.0]
    assert play.figure("rewards") == 1.0


def test_a_reward_without_names_has_one_part() -> None:
    game = game_of({"reward": "3", "evaluation": {"reward": {"x": "1", "y": "2"}}}, still())
    assert game.reward_part_names() == ()
    assert game.reward_part_names("evaluation") == ("x", "y")
    play = Play(game)
    play.step()
    assert play.figure("reward_parts") == [3.0]


def test_a_masked_action_is_played_as_the_first_that_holds_nothing() -> None:
    game = game_of({"allow": {"jump": "lives > 1", "go": "lives == 1"}}, still(lives=1))
    assert game.has_masks
    assert not game_of({}, still()).has_masks
    play = Play(game)
    assert play.figure("action_masks") == [True, True, False]
    play.step(2)
    assert play.figure("actions_taken") == 0
    play.step(1)
    assert play.figure("actions_taken") == 1


def test_starts_are_drawn_by_their_weights() -> None:
    starts = {"rich": {"weight": 3, "after": "default"}, "never": {"weight": 0, "after": "default"}}
    game = game_of({"starts": starts}, still(score=1), still(score=2), still(score=3))
    assert game.batch_arguments()["start_weights"] == [1.0, 3.0, 0.0]
    play = Play(game)
    seen = []
    for _ in range(400):
        play.batch.reset(None, play.outputs)
        seen.append(play.variables()["score"])
        assert play.figure("start") == seen[-1] - 1
    assert set(seen) == {1, 2}
    assert 250 < seen.count(2) < 350  # 300 expected, 8.7 the deviation


def test_a_default_start_that_is_only_made_on_request() -> None:
    game = game_of({"starts": {"rich": {"after": "default"}}, "default_weight": 0}, still(score=1), still(score=2))
    play = Play(game)
    assert play.figure("start") == 1


def test_a_standstill_ends_an_episode() -> None:
    stall = {"value": "min(words) + first", "steps": 3}
    game = game_of({"derived": {"first": "lives // 2"}, "limits": {"stall": stall}}, still(lives=4))
    assert game.stall_steps == 3
    play = Play(game)
    ends = []
    for _ in range(3):
        play.step()
        ends.append(play.figure("truncated"))
    assert ends == [False, False, True]


def test_lives_may_be_derived() -> None:
    game = game_of(
        {"derived": {"left": "3 - lives"}, "lives": "left"},
        changing_machine({**ZERO, "lives": 1}, {**ZERO, "lives": 2}),
    )
    play = Play(game, episodic_life=True)
    play.step()
    assert play.figure("terminated")
    assert play.variables()["left"] == 1


def test_tables_are_not_reported_and_cost_a_column_where_they_are_used() -> None:
    game = game_of(
        {"derived": {"most": "max(words)"}, "reward": "delta(sum(words)) + sum(words)", "win": "words[1] > 9"}, still()
    )
    assert game.variable_names == ("score", "lives", "room", "most")
    assert game.variable_columns == (0, 1, 2, 6)  # three numbers taken from the table lie between
    assert game.num_variables == 7 == Play(game).batch.num_variables
    assert game.variable_limits["score"] == (0, 0xFFFF)
    assert game.variable_limits["most"] == (-(2**63), 2**63 - 1)


def test_limits_of_derived_conditions() -> None:
    game = game_of({"derived": {"safe": "lives > 1", "half": "lives / 2"}}, still(lives=5))
    assert game.variable_limits["safe"] == (0, 1)
    assert Play(game).variables() == {"score": 0, "lives": 5, "room": 0, "safe": 1, "half": 2}  # 2.5 to the even one


def test_every_type_is_read_alike() -> None:
    """What `Game.read` makes of random bytes, and what the core makes of them."""
    types = ["u8", "i8", "u16le", "u16be", "u24", "bool", "bcd1", "bcd4", "bcd9", "ascii1", "ascii6", "bits(2,5)"]
    variables: dict[str, Any] = {}
    derived = {}
    for index, kind in enumerate(types):
        variables[f"v{index}"] = {"at": 0xC000 + 20 * index, "type": kind}
        variables[f"t{index}"] = {"at": 0xC100, "type": kind, "count": 9, "stride": 1 + index}
        derived |= {f"{use}{index}": f"{use}(t{index})" for use in ("sum", "min", "max")}
        derived |= {f"c{index}": f"count(t{index}, 1)", f"i{index}": f"t{index}[8]"}
    spectrum = Spectrum()
    rng = np.random.default_rng(7)
    for _ in range(5):
        data = rng.choice(np.array([0, 1, 0x31, 0x99, 0x80, *rng.integers(0, 256, 5)], np.uint8), 0x400)
        spectrum.write_block(0xC000, data.tobytes())
        game = game_of({"variables": variables, "derived": derived}, spectrum.save_state())
        play = Play(game)
        assert play.variables() == game.read(spectrum.visible_ram())
