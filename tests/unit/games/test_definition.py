# SPDX-License-Identifier: GPL-3.0-or-later
import json
from pathlib import Path

import pytest
import yaml
from bad_definitions import bad_rows
from example_definition import EXAMPLE, NONSENSE, with_line
from hypothesis import given, settings
from hypothesis import strategies as st

from oakemu_rl.errors import UserError
from oakemu_rl.games import Definition, load_definition
from oakemu_rl.yaml_source import parse_yaml, validate


def read(text: str) -> Definition:
    return validate(Definition, parse_yaml(text, name="g.yaml"))


def error_of(text: str) -> str:
    with pytest.raises(UserError) as caught:
        read(text)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_example_of_the_design() -> None:
    definition = read(EXAMPLE)
    assert definition.id == "ZXSpectrum/Acorns-v0"
    assert definition.name == "Acorns"
    assert definition.program.bundled == "acorns.tap"
    assert definition.start[1].press is not None
    assert definition.start[1].press.keys == ["space"]
    assert definition.reset.noops == (0, 30)
    assert definition.reset.randomize == {"seed": "u16"}
    assert definition.area == (0, 16, 256, 176)
    assert list(definition.variables) == ["score", "lives", "seed"]
    assert definition.variables["score"].at == 0x8400
    assert definition.routines["caught"] == 0x8233
    assert definition.actions["left_fire"] == ["o", "space"]
    assert definition.noop_action == 0
    assert definition.limits.steps == 4500
    assert definition.limits.frames is None
    assert definition.presets.frameskip == (4, 4)
    assert definition.presets.size == (64, 44)
    assert (definition.lives_variable, definition.score_variable) == ("lives", "score")


def test_least_definition() -> None:
    definition = read(
        "id: ZXSpectrum/A-v10\ntitle: A\nmachine: 48k\nprogram: {bundled: a.tap}\n"
        "actions: {go: [q], stay: []}\nreward: 1\n"
    )
    assert definition.reward == "1"
    assert definition.noop_action == 1
    assert definition.area == (0, 0, 256, 192)
    assert (definition.win, definition.loss) == (None, None)
    assert definition.formulas().win == ()
    assert (definition.lives_variable, definition.score_variable) == (None, None)
    assert definition.presets.frameskip == (4, 4)
    assert definition.name == "A"


def test_definition_is_frozen() -> None:
    with pytest.raises(ValueError, match="frozen"):
        read(EXAMPLE).title = "Other"


def test_survives_json() -> None:
    definition = read(EXAMPLE)
    assert Definition.model_validate_json(definition.model_dump_json()) == definition


def test_keys_are_canonical() -> None:
    definition = read(with_line("actions", "actions: {no: [], a: [1, O], b: [Caps_Shift, return]}"))
    assert definition.actions == {"no": [], "a": ["1", "o"], "b": ["shift", "enter"]}


def test_directions_with_a_joystick() -> None:
    text = with_line("joystick", "joystick: kempston").replace("left: [o]", "left: [left, fire, o]")
    assert read(text).actions["left"] == ["left", "fire", "o"]


def test_named_lives_and_score() -> None:
    definition = read(EXAMPLE + "lives: seed\nscore: seed\n")
    assert (definition.lives_variable, definition.score_variable) == ("seed", "seed")


def test_shares() -> None:
    assert read(EXAMPLE + "shares: {saved: [score, lives]}\n").shares == {"saved": ("score", "lives")}


def test_help_for_people() -> None:
    definition = read(EXAMPLE + "description: |\n  Catch acorns.\ncontrols: {O: left, P: right}\n")
    assert definition.description == "Catch acorns.\n"
    assert definition.controls == {"O": "left", "P": "right"}


def test_expression_over_several_lines() -> None:
    definition = read(with_line("reward", "reward: >\n  delta(score)\n  - 5 * (delta(lives) < 0)"))
    assert definition.formulas().rewards["training"][""][-1][0] == "subtract"


def test_frameskip_range() -> None:
    assert read(with_line("presets", "presets: {frameskip: [2, 5]}")).presets.frameskip == (2, 5)


JOYSTICK_TWINS = with_line("joystick", "joystick: cursor").replace(
    "{stay: [], left: [o]", "{stay: [], a: [left], b: ['5']"
)


def test_a_direction_and_its_key_are_the_same_action() -> None:
    assert "actions.b: holds the same keys as the action 'a'" in error_of(JOYSTICK_TWINS)


def test_everything_that_is_new_has_its_place() -> None:
    definition = read(
        with_line("reward", "reward: {points: delta(score), hits: -delta(hits)}")
        + "derived: {hits: 3 - lives, safe: hits == 0}\nallow: {fire: safe}\nlives: hits\n"
        + "starts: {late: {weight: 0.5, after: default, start: [{wait: {frames: 9}}]}, end: {snapshot: end.z80}}\n"
        + "evaluation: {reward: delta(score)}\n"
    )
    formulas = definition.formulas()
    assert list(formulas.derived) == ["hits", "safe"]
    assert list(formulas.rewards["training"]) == ["points", "hits"]
    assert list(formulas.rewards["evaluation"]) == [""]
    assert formulas.allow["fire"] == (("variable", "safe"),)
    assert definition.start_names == ("default", "late", "end")
    assert definition.start_weights == [1.0, 0.5, 1.0]
    assert definition.lives_variable == "hits"
    assert list(definition.files()) == [(("starts", "end", "snapshot"), "end.z80")]
    assert Definition.model_validate_json(definition.model_dump_json()) == definition


def test_evaluation_rewards_as_training_does_by_default() -> None:
    rewards = read(EXAMPLE).formulas().rewards
    assert rewards["evaluation"] == rewards["training"] != {}


@pytest.mark.parametrize("frameskip", ["4", "[2, 5]"])
def test_a_frameskip_is_written_as_it_was_read(frameskip: str) -> None:
    presets = read(with_line("presets", f"presets: {{frameskip: {frameskip}}}")).presets
    assert json.loads(presets.model_dump_json())["frameskip"] == yaml.safe_load(frameskip)


@pytest.mark.parametrize(("line", "replacement", "message"), list(bad_rows()))
def test_bad_definition(line: str, replacement: str, message: str) -> None:
    error = error_of(with_line(line, replacement))
    assert error[: len(message)] == message


def test_shipped_definitions_are_sound() -> None:
    files = sorted((Path(__file__).parents[3] / "src/oakemu_rl/games/definitions").glob("*.yaml"))
    assert files
    for file in files:
        load_definition(file)


@settings(max_examples=200, deadline=None)
@given(st.sampled_from(sorted(Definition.model_fields)), NONSENSE)
def test_nonsense_in_any_key(key: str, value: object) -> None:
    data = {**yaml.safe_load(EXAMPLE), key: value}
    try:
        definition = validate(Definition, parse_yaml(json.dumps(data), name="g.yaml"))
        definition.formulas()
    except UserError as error:
        assert "\n" not in str(error)  # noqa: PT017 - some nonsense makes sense
        assert str(error).startswith("g.yaml:")  # noqa: PT017 - as above


@settings(max_examples=200, deadline=None)
@given(st.integers(0, len(EXAMPLE)), st.integers(0, 30), st.text(alphabet="ab01:-?[]{}&*!|>'\"#%@, \n\t.x", max_size=8))
def test_nonsense_anywhere_in_the_text(start: int, length: int, replacement: str) -> None:
    try:
        read(EXAMPLE[:start] + replacement + EXAMPLE[start + length :])
    except UserError as error:
        assert "\n" not in str(error)  # noqa: PT017 - some changes are harmless
        assert str(error).startswith("g.yaml:")  # noqa: PT017 - as above
