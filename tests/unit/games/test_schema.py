# SPDX-License-Identifier: GPL-3.0-or-later
"""The published JSON Schema, held against definitions that load and definitions that do not."""

import json
from pathlib import Path

import pytest
from example_definition import EXAMPLE, NONSENSE, with_line
from hypothesis import given, settings
from hypothesis import strategies as st
from json_schema import problems
from pydantic import BaseModel

from oakemu_rl.errors import UserError
from oakemu_rl.games import definition_schema, schema_path
from oakemu_rl.games._names import Part
from oakemu_rl.games.catalogue import shipped_files
from oakemu_rl.games.definition import Definition
from oakemu_rl.games.schema import schema_text
from oakemu_rl.yaml_source import parse_yaml, validate

SCHEMA = definition_schema()

FULL = """\
id: ZXSpectrum/Full-v1
title: Full
machine: 128k
program: {sha256: [], hint: somewhere}
verified: false
start:
  - until: {condition: lives == 3}
  - load: {file: level.tap}
starts:
  late: {weight: 0.5, after: default, start: [{set: {lives: 1}}]}
  later: {snapshot: later.z80}
default_weight: 2
reset: {noops: [0, 30], randomize: {seed: u16}}
variables:
  lives: {at: 0x8000, type: u8}
  seed: {at: 0x8010, type: u16le}
  bricks: {at: 0x9000, type: 'bits(0, 3)', count: 20, stride: 2}
derived: {left: 'count(bricks, 1)', playing: lives > 0, one: 1}
routines: {main: 0x8100}
joystick: sinclair2
actions: {stay: [], go: [right], both: [right, 1, Q, caps]}
allow: {go: playing}
reward: {bricks: -delta(left), alive: 0.01}
evaluation: {reward: -delta(left)}
win: left == 0
loss: not playing
limits: {steps: 10, frames: 40, stall: {value: left, steps: 5}}
presets: {frameskip: [2, 5], size: [16, 16], colour: ink, stack: 1}
shares: {bricks: [left, lives]}
"""


def complaints(text: str) -> list[str]:
    return list(problems(parse_yaml(text, name="g.yaml").data, SCHEMA, SCHEMA))


def test_the_published_file_is_current() -> None:
    assert schema_path().read_text(encoding="utf-8") == schema_text(), "run `make schema`"
    assert json.loads(schema_text()) == SCHEMA


@pytest.mark.parametrize("entry", shipped_files().values(), ids=lambda entry: entry.name)
def test_shipped_definitions_are_valid(entry: Path) -> None:
    assert complaints(entry.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize("text", [EXAMPLE, FULL, with_line("presets", "presets: {frameskip: 4}")])
def test_definitions_that_load_are_valid(text: str) -> None:
    assert complaints(text) == []


@pytest.mark.parametrize(
    ("line", "replacement", "words"),
    [
        ("id:", "id: Acorns", ".id: pattern"),
        ("id:", "", "required"),
        ("title:", "tilte: x\ntitle: y", ".tilte: not allowed"),
        ("machine:", "machine: plus3", ".machine: enum"),
        ("program:", "program: {bundled: a.tap, sha256: []}", ".program: oneOf"),
        ("program:", "program: {bundled: ../a.tap}", ".program.bundled: pattern"),
        ("  - wait", "  - wait: {frames: 0}", ".start.0.wait.frames: minimum 1"),
        ("  - wait", "  - {press: {keys: [a]}, wait: {frames: 1}}", ".start.0: maxProperties 1"),
        ("  - press", "  - press: {keys: [spcae]}", ".start.1.press.keys.0: enum"),
        ("  - until", "  - until: {at_most_frames: 3}", ".start.2.until: oneOf"),
        ("area:", "area: [0, 16, 256]", ".area: minItems 4"),
        ("  score:", "  score: {at: 0x3FFF, type: u8}", ".variables.score.at: minimum 16384"),
        ("  score:", "  score: {at: 0x8400, type: bcd}", ".variables.score.type: pattern"),
        ("  score:", "  sc-ore: {at: 0x8400, type: u8}", ".variables.sc-ore: pattern"),
        ("  score:", "  score: {at: 0x8400, type: u8, count: 257}", ".variables.score.count: maximum 256"),
        ("joystick:", "joystick: kempton", ".joystick: enum"),
        ("actions:", "actions: {stay: [], left: [oo]}", ".actions.left.0: enum"),
        ("actions:", "actions: {stay: [], 'a b': [o]}", ".actions.a b: pattern"),
        ("reward:", "reward: [1]", ".reward: type"),
        ("reward:", "reward: {}", ".reward: "),
        ("limits:", "limits: {stps: 1}", ".limits.stps: not allowed"),
        ("presets:", "presets: {frameskip: 0}", ".presets.frameskip: minimum 1"),
        ("presets:", "presets: {colour: gray}", ".presets.colour: enum"),
    ],
)
def test_what_an_editor_marks(line: str, replacement: str, words: str) -> None:
    assert any(words in complaint for complaint in complaints(with_line(line, replacement)))


def test_an_extended_definition_may_leave_out_and_delete() -> None:
    text = "extends: acorns\nid: ZXSpectrum/Mine-v0\nwin: null\nvariables: {score: {at: 0x9000}, lives: null}\n"
    assert complaints(text) == []
    assert complaints("extends: acorns\n") == [": required ['extends', 'id']"]
    assert complaints(text + "variabels: {}\n") == [".variabels: not allowed"]
    assert complaints(text + "machine: plus3\n") != []


@settings(max_examples=300, deadline=None)
@given(st.sampled_from(sorted(Definition.model_fields)), NONSENSE)
def test_what_loads_is_valid(key: str, value: object) -> None:
    text = json.dumps({**parse_yaml(EXAMPLE, name="g.yaml").data, key: value})
    try:
        validate(Definition, parse_yaml(text, name="g.yaml"))
    except UserError:
        return
    if key != "extends":  # which the loader of files takes away
        assert complaints(text) == []


def models(kind: type[BaseModel]) -> set[type[BaseModel]]:
    return {kind, *(inner for each in kind.__subclasses__() for inner in models(each))}


def test_every_key_is_described() -> None:
    described = {name: part for name, part in SCHEMA["$defs"].items() if not name.endswith("Extension")}
    ours = {kind.__name__ for kind in models(Part)} - {"Part"}
    assert ours == set(described)
    silent = {
        f"{name}.{key}"
        for name, part in described.items()
        for key, schema in part["properties"].items()
        if "description" not in schema
    }
    assert silent == {"WaitStep.frames", "PressStep.keys", "PressStep.frames"}


def test_it_names_every_key_and_allows_no_other() -> None:
    whole = SCHEMA["$defs"]["Definition"]
    assert set(whole["properties"]) == set(Definition.model_fields)
    assert set(whole["required"]) == {"id", "title", "machine", "program", "actions", "reward"}
    for part in SCHEMA["$defs"].values():
        assert part["additionalProperties"] is False
