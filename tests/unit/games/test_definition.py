# SPDX-License-Identifier: GPL-3.0-or-later
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from oakemu_rl.errors import UserError
from oakemu_rl.games import Definition, load_definition
from oakemu_rl.yaml_source import parse_yaml, validate

# The example of the design, with one setting a line so that messages about lines can be checked.
EXAMPLE = """\
id: ZXSpectrum/Acorns-v0
title: Acorns
machine: 48k
program: {bundled: acorns.tap}
start:
  - wait: {frames: 100}
  - press: {keys: [space], frames: 5}
  - until: {routine: main_loop, at_most_frames: 500}
reset: {noops: [0, 30], randomize: {seed: u16}}
area: [0, 16, 256, 176]
variables:
  score: {at: 0x8400, type: bcd4}
  lives: {at: 0x8404, type: u8}
  seed: {at: 0x8410, type: u16le}
routines: {main_loop: 0x8100, caught: 0x8233}
joystick: none
actions: {stay: [], left: [o], right: [p], fire: [space], left_fire: [o, space]}
reward: delta(score)
win: score >= 100
loss: lives == 0
limits: {steps: 4500}
presets: {frameskip: 4, size: [64, 44], colour: grey, stack: 2}
"""


def read(text: str) -> Definition:
    return validate(Definition, parse_yaml(text, name="g.yaml"))


def with_line(start: str, replacement: str) -> str:
    """The example with the line that starts so replaced."""
    lines = EXAMPLE.splitlines()
    index = next(index for index, line in enumerate(lines) if line.startswith(start))
    return "\n".join([*lines[:index], *replacement.splitlines(), *lines[index + 1 :]]) + "\n"


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


# Which line of the example is replaced, by what, and how the message about it begins.
BAD = r"""
id: => id: Acorns
    1:5: id: must be ZXSpectrum/Name-vN, as in ZXSpectrum/Acorns-v0, not 'Acorns'
id: => id: ZXSpectrum/Acorns-v01
    1:5: id: must be
id: => idd: ZXSpectrum/Acorns-v0
    1:1: unknown key 'idd' (did you mean 'id'?); allowed are extends, id, title,
id: =>
    1:1: the key 'id' is missing
title: => title: 1942
    2:8: title: must be a text (in quotes if it looks like a number), not 1942
title: => title: ''
    2:8: title: string should have at least 1 character
machine: => machine: plus3
    3:10: machine: the machine 'plus3' is not emulated; 48k, 128k and plus2 are
machine: => machine: 48
    3:10: machine: must be '48k', '128k' or 'plus2', not 48
program: => program: {}
    4:10: program: give either bundled
program: => program: {bundled: a.tap, sha256: [x]}
    4:36: program.sha256.0: 'x' is not a SHA-256
program: => program: {bundled: a.tap, sha256: [HASH]}
    4:10: program: give either bundled
program: => program: {sha256: []}
    4:19: program.sha256: an empty list does for verified: false alone
program: => program: {bundled: ../a.tap}
    4:20: program.bundled: '../a.tap' is not the name of a file
program: => program: {bundled: /a.tap}
    4:20: program.bundled: '/a.tap' is not the name of a file
program: => program: {bundled: a.mp3}
    4:20: program.bundled: 'a.mp3' is not a program: its name ends with .tap, .tzx
program: => program: {bundled: a.tap, hint: x}
    4:27: program.hint: a hint is only of use with sha256
program: => program: acorns.tap
    4:10: program: must be a mapping (key: value), not 'acorns.tap'
  - wait =>   - wait: {frames: 0}
    6:20: start.0.wait.frames: must be greater than or equal to 1, not 0
  - wait =>   - wait: {frames: 1e9}
    6:20: start.0.wait.frames: must be a whole number, not 1000000000.0
  - wait =>   - wiat: {frames: 9}
    6:5: unknown key 'wiat' (did you mean 'wait'?)
  - wait =>   - {}
    6:5: start.0: a step is one of wait, press, until, set, load; this one has none
  - press =>   - {press: {keys: [a]}, wait: {frames: 1}}
    7:5: start.1: a step is one of
  - press =>   - press: {keys: [spcae]}
    7:20: start.1.press.keys.0: unknown key 'spcae' (did you mean 'space'
  - press =>   - press: {keys: []}
    7:19: start.1.press.keys: list should have at least 1 item
  - until =>   - until: {routine: man_loop}
    8:22: start.2.until.routine: unknown routine 'man_loop' (did you
  - until =>   - set: {livs: 3}
    8:11: start.2.set.livs: unknown variable 'livs' (did you mean 'lives'?)
  - until =>   - set: {lives: 256}
    8:18: start.2.set.lives: 256 is not within 0 to 255
  - until =>   - set: {lives: yes}
    8:18: start.2.set.lives: must be a whole number, not True
reset => reset: {noops: 30}
    9:16: reset.noops: must be a list, not 30
reset => reset: {noops: [30]}
    9:16: reset.noops: must be two numbers [fewest, most], not [30]
reset => reset: {noops: [30, 0]}
    9:16: reset.noops: the lowest comes first in [30, 0]
reset => reset: {noops: [-1, 0]}
    9:17: reset.noops.0: must be greater than or equal to 0, not -1
reset => reset: {randomize: {sede: u8}}
    9:21: reset.randomize.sede: unknown variable 'sede' (did you mean
reset => reset: {randomize: {seed: u24}}
    9:27: reset.randomize.seed: must be 'u8' or 'u16', not 'u24'
reset => reset: {randomize: {lives: u16}}
    9:28: reset.randomize.lives: 2 random byte(s) do not fit lives
reset => reset: {randomize: {score: u8}}
    9:28: reset.randomize.score: 1 random byte(s) do not fit score
area => area: [0, 16, 256, 177]
    10:7: area: [x, y, width, height] = [0, 16, 256, 177] is not a part
area => area: [1, 0, 256, 192]
    10:7: area: [x, y, width, height] = [1, 0, 256, 192] is not a part
area => area: [0, 0, 0, 1]
    10:7: area: [x, y, width, height] = [0, 0, 0, 1] is not a part
area => area: [-1, 0, 5, 5]
    10:7: area: [x, y, width, height]
area => area: [0, 16, 256]
    10:7: area: must be four numbers [x, y, width, height], not [0, 16, 256]
  score =>   score: {at: 0x3FFF, type: u8}
    12:15: variables.score.at: the address 0x3FFF is outside RAM
  score =>   score: {at: 0xFFFE, type: bcd4}
    12:15: variables.score.at: the 4 bytes of bcd4 at 0xFFFE
  score =>   score: {at: 0x8400, type: bcd}
    12:29: variables.score.type: unknown type 'bcd'
  score =>   score: {at: 0x8400}
    12:10: the key 'type' is missing in variables.score
  score =>   sc-ore: {at: 0x8400, type: u8}
    12:3: variables.sc-ore: 'sc-ore' is not a name
  score =>   min: {at: 0x8400, type: u8}
    12:3: variables.min: 'min' means something in expressions
  score =>   and: {at: 0x8400, type: u8}
    12:3: variables.and: 'and' means something in expressions
  score =>   lives: {at: 0x8400, type: u8}
    13:3: duplicate key 'lives' (first on line 12)
routines => routines: {main_loop: 0x100}
    15:23: routines.main_loop: the address 0x0100 is outside RAM
routines => routines: {main_loop: 0x8000, lives: 0x8000}
    15:31: routines.lives: the name 'lives' is a variable
joystick => joystick: kempton
    16:11: joystick: must be 'none', 'kempston', 'sinclair1', 'sinclair2' or
actions => actions: {}
    17:10: actions: dictionary should have at least 1 item
actions => actions: {left: [o]}
    17:10: actions: one action must hold nothing, as in stay: []
actions => actions: {stay: [], left: [oo]}
    17:28: actions.left.0: unknown key 'oo'
actions => actions: {stay: [], left: [left]}
    17:28: actions.left.0: 'left' is a direction of a joystick, and
actions => actions: {stay: [], left: [o, O]}
    17:31: actions.left.1: the key 'o' is listed twice
actions => actions: {stay: [], a: [o, p], b: [p, o]}
    17:35: actions.b: holds the same keys as the action 'a'
actions => actions: {stay: [], a: o}
    17:24: actions.a: must be a list, not 'o'
actions => actions: {stay: [], a: [10]}
    17:25: actions.a.0: must be a text
actions => actions: {stay: [], a: [yes]}
    17:25: actions.a.0: must be a text
actions => actions: {stay: [], 'a b': [o]}
    17:21: actions.a b: 'a b' is not a name
reward => reward: delta(scor)
    18:15: reward: unknown variable 'scor' (did you mean 'score'?)
reward => reward: 'delta(scor)'
    18:16: reward: unknown variable 'scor' (did you mean 'score'?)
reward => reward: called(cought)
    18:16: reward: unknown routine 'cought' (did you mean 'caught'?)
reward => reward: [1]
    18:9: reward: must be an expression, or several by name (part: expression), not [1]
reward =>
    1:1: the key 'reward' is missing
win => win: score
    19:6: win: 'score' is a number where a condition is needed; compare it, as in score > 0
loss => loss: lives = 0
    20:13: loss: write == to compare, at character 7 of 'lives = 0'
loss => loss: >\n  lives ==\n  nought
    20:7: loss: unknown variable 'nought'; there are lives, score, seed
limits => limits: {steps: 0}
    21:17: limits.steps: must be greater than or equal to 1, not 0
limits => limits: {stps: 1}
    21:10: unknown key 'stps' (did you mean 'steps'?); allowed are steps, frames
presets => presets: {frameskip: 0}
    22:22: presets.frameskip.0: must be greater than or equal to 1, not 0
presets => presets: {frameskip: [4, 2]}
    22:22: presets.frameskip: the lowest comes first in [4, 2]
presets => presets: {frameskip: [4]}
    22:22: presets.frameskip: must be a number of frames, or two
presets => presets: {size: [257, 3]}
    22:18: presets.size.0: must be less than or equal to 256, not 257
presets => presets: {colour: gray}
    22:19: presets.colour: must be 'grey', 'ink' or 'rgb', not 'gray' (did you
presets => presets: {stack: 0}
    22:18: presets.stack: must be greater than or equal to 1, not 0
presets => lives: livs
    22:8: lives: unknown variable 'livs' (did you mean 'lives'?)
presets => score: 3
    22:8: score: must be a text
presets => shares: {won: [score, livs]}
    22:23: shares.won.1: unknown variable 'livs' (did you mean 'lives'?)
presets => shares: {won: [score]}
    22:15: shares.won: must be two variables [succeeded, failed]
"""


def bad_rows() -> Iterator[tuple[str, str, str]]:
    lines = BAD.strip().splitlines()
    for change, message in zip(lines[::2], lines[1::2], strict=True):
        line, replacement = change.split(" => ") if not change.endswith(" =>") else (change[:-3], "")
        yield line, replacement.replace(r"\n", "\n").replace("HASH", "ab" * 32), f"g.yaml:{message.strip()}"


@pytest.mark.parametrize(("line", "replacement", "message"), list(bad_rows()))
def test_bad_definition(line: str, replacement: str, message: str) -> None:
    error = error_of(with_line(line, replacement))
    assert error[: len(message)] == message


def test_shipped_definitions_are_sound() -> None:
    files = sorted((Path(__file__).parents[3] / "src/oakemu_rl/games/definitions").glob("*.yaml"))
    assert files
    for file in files:
        load_definition(file)


WORDS = st.sampled_from(["score", "u8", "o", "at", "type", "keys", "wait", "steps", "delta(score)"])
NONSENSE = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=12), WORDS),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.one_of(st.text(max_size=8), WORDS), inner, max_size=3)
    ),
    max_leaves=8,
)


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
