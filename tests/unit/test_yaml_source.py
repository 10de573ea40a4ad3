# SPDX-License-Identifier: GPL-3.0-or-later
import re
from pathlib import Path
from typing import Literal

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from oakemu_rl._validation import LocatedError
from oakemu_rl.errors import UserError
from oakemu_rl.yaml_source import load_yaml, parse_yaml, validate


class Inner(BaseModel):
    model_config = ConfigDict(extra="forbid")

    steps: int = Field(1, ge=1)
    rate: float = 0.5
    on: bool = True


class Outer(BaseModel):
    model_config = ConfigDict(extra="forbid")

    title: str
    kind: Literal["grey", "ink", "rgb"] = "grey"
    inner: Inner = Inner()
    table: dict[str, Inner] = {}
    rows: list[Inner] = []
    either: Inner | int = 0
    text: str = ""

    @field_validator("kind", mode="before")
    @classmethod
    def _no_sepia(cls, value: object) -> object:
        if value == "sepia":
            raise ValueError("sepia is not supported yet")
        return value

    @model_validator(mode="after")
    def _text_has_no_x(self) -> "Outer":
        if "x" in self.text:
            raise LocatedError("no x please", ("text",), offset=self.text.index("x"))
        if "forbidden" in self.table:
            raise LocatedError("not this one", ("table", "forbidden"), key=True)
        return self


def error_of(text: str) -> str:
    with pytest.raises(UserError) as caught:
        validate(Outer, parse_yaml(text, name="f.yaml"))
    return str(caught.value)


def test_data_and_positions() -> None:
    source = parse_yaml("a: 1\nb:\n  - {c: hello}\n  - 'x'\n", name="f.yaml")
    assert source.data == {"a": 1, "b": [{"c": "hello"}, "x"]}
    assert source.where() == "f.yaml:1:1"
    assert source.where(("a",)) == "f.yaml:1:4"
    assert source.where(("a",), key=True) == "f.yaml:1:1"
    assert source.where(("b", 0, "c")) == "f.yaml:3:9"
    assert source.where(("b", 0, "c"), key=True) == "f.yaml:3:6"
    assert source.where(("b", 0, "c"), offset=2) == "f.yaml:3:11"
    assert source.where(("b", 1), offset=0) == "f.yaml:4:6"  # behind the quote
    assert source.where(("b", 1, "added by a union")) == "f.yaml:4:5"


def test_where_in_a_text_with_escapes_is_its_beginning() -> None:
    source = parse_yaml('a: "x\\ty"\nb: |\n  one\n  two\n', name="f.yaml")
    assert source.where(("a",), offset=2) == "f.yaml:1:4"
    assert source.where(("b",), offset=2) == "f.yaml:2:4"


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1e-4", 1e-4),
        ("2.5e-4", 2.5e-4),
        ("-3E6", -3e6),
        (".5", 0.5),
        ("0x8400", 0x8400),
        ("1_000", 1000),
        ("true", True),
        ("~", None),
        ("'1'", "1"),
        ("e4", "e4"),
        ("2024-01-01", "2024-01-01"),
        ("[]", []),
        ("{}", {}),
        ("", None),
    ],
)
def test_scalars(text: str, value: object) -> None:
    data = parse_yaml(f"a: {text}", name="f").data
    assert data == {"a": value}
    assert isinstance(data, dict)
    assert type(data["a"]) is type(value)


def test_keys_are_text() -> None:
    assert parse_yaml("no: 1\n1: 2\n", name="f").data == {"no": 1, "1": 2}


def test_empty_text_is_none() -> None:
    source = parse_yaml("# nothing\n", name="f.yaml")
    assert source.data is None
    assert source.where(("a", 3)) == "f.yaml:1:1"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a: 1\nb: 2\na: 3", "f.yaml:3:1: duplicate key 'a' (first on line 1)"),
        ("x: {a: 1, a: 2}", "f.yaml:1:11: duplicate key 'a' (first on line 1)"),
        ("a: [1, 2", "f.yaml:1:9: not valid YAML: while parsing a flow sequence expected ',' or ']'"),
        ("a: &x 1\nb: *x", "anchors and aliases"),
        ("a: &x [*x]", "anchors and aliases"),
        ("a: !!python/name:os.system ''", "f.yaml:1:4: the tag '!!python/name:os.system' is not supported"),
        ("a: !!int ''", "f.yaml:1:4: the tag '!!int' is not supported"),
        ("a: !!set {b}", "f.yaml:1:4: the tag '!!set' is not supported"),
        ("a: !x [1]", "f.yaml:1:4: the tag '!x' is not supported"),
        ("? [a]\n: 1", "f.yaml:1:3: a key must be a plain word"),
        ("--- 1\n--- 2", "not valid YAML"),
        ("a: 1\nb: \x07", "f.yaml:2:4: not valid YAML: the character U+0007 is not allowed"),
        ("\t- a", "not valid YAML"),
        ("[" * 200 + "]" * 200, "nested too deeply"),
        ("a: 1\nb: " + "[" * 3000, "f.yaml:2:"),
        ("a: " + "9" * 5000, "is not a number"),
    ],
)
def test_unusable_text(text: str, message: str) -> None:
    with pytest.raises(UserError) as caught:
        parse_yaml(text, name="f.yaml")
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "f.yaml:1:1: must be a mapping (key: value), not None"),
        ("- 1", "f.yaml:1:1: must be a mapping (key: value), not [1]"),
        ("kind: ink", "f.yaml:1:1: the key 'title' is missing"),
        ("titel: x", "f.yaml:1:1: unknown key 'titel' (did you mean 'title'?); allowed are title, kind, inner,"),
        ("title: x\ninner: {stepz: 4}", "f.yaml:2:9: unknown key 'stepz' (did you mean 'steps'?); allowed are steps"),
        ("title: x\ntable:\n  a: {b: 1}", "f.yaml:3:7: unknown key 'b'; allowed are steps, rate, on"),
        ("title: x\nrows:\n- {}\n- {rat: 1}", "f.yaml:4:4: unknown key 'rat' (did you mean 'rate'?)"),
        ("title: 5", "f.yaml:1:8: title: must be a text (in quotes if it looks like a number), not 5"),
        ("title: x\ninner: {steps: 0}", "f.yaml:2:16: inner.steps: must be greater than or equal to 1, not 0"),
        ("title: x\ninner: {steps: many}", "f.yaml:2:16: inner.steps: must be a whole number, not 'many'"),
        ("title: x\ninner: {rate: []}", "f.yaml:2:15: inner.rate: must be a number, not []"),
        ("title: x\ninner: {on: 7}", "f.yaml:2:13: inner.on: must be true or false, not 7"),
        ("title: x\ninner: 3", "f.yaml:2:8: inner: must be a mapping (key: value), not 3"),
        ("title: x\nrows: 3", "f.yaml:2:7: rows: must be a list, not 3"),
        ("title: x\nkind: gray", "f.yaml:2:7: kind: must be 'grey', 'ink' or 'rgb', not 'gray' (did you mean 'grey'?)"),
        ("title: x\nkind: sepia", "f.yaml:2:7: kind: sepia is not supported yet"),
        ("title: x\ntext: 'oh x'", "f.yaml:2:11: text: no x please"),
        ("title: x\ntable:\n  ok: {}\n  forbidden: {}", "f.yaml:4:3: table.forbidden: not this one"),
        ("title: 1\ntext: 2", "f.yaml:1:8: title: must be a text (in quotes if it looks like a number), not 1 (and 1 "),
    ],
)  # fmt: skip
def test_bad_value(text: str, message: str) -> None:
    assert error_of(text).startswith(message)


def test_long_values_are_shortened() -> None:
    assert len(error_of(f"title: x\nkind: {'z' * 5000}")) < 200


def test_part_of_a_text() -> None:
    source = parse_yaml("presets:\n  first: {steps: 3}\n  second: {steps: 0}\n", name="f.yaml")
    assert validate(Inner, source, loc=("presets", "first")).steps == 3
    with pytest.raises(UserError, match=r"^f\.yaml:3:19: steps: must be greater"):
        validate(Inner, source, loc=("presets", "second"))


def test_load(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    path.write_text("title: Größe\n", encoding="utf-8")
    source = load_yaml(path)
    assert source.data == {"title": "Größe"}
    assert source.where() == f"{path}:1:1"


def test_unreadable_files(tmp_path: Path) -> None:
    latin = tmp_path / "latin.yaml"
    latin.write_bytes("text: é\n".encode() + "- Größe".encode("latin-1"))
    for path, message in [
        (latin, f"{latin}:2:5: not a UTF-8 text (byte 13 is 0xf6)"),
        (tmp_path / "none.yaml", "No such file"),
        (tmp_path, "cannot be read"),
        (Path("nul\0.yaml"), "is not a path"),
        (Path("x" * 5000), "cannot be read"),
    ]:
        with pytest.raises(UserError) as caught:
            load_yaml(path)
        assert message in str(caught.value)
        assert "\n" not in str(caught.value)


# What YAML 1.1 takes for a text and 1.2 for a number is written without quotes.
TEXT = st.text().filter(lambda text: not re.fullmatch(r"[-+.0-9]+[eE][-+]?[0-9]+", text))
PLAIN_DATA = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False), TEXT),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(st.text(), inner, max_size=4)),
    max_leaves=12,
)


@settings(deadline=None)
@given(PLAIN_DATA, st.sampled_from([True, False, None]))
def test_reads_what_yaml_writes(data: object, flow: bool | None) -> None:  # noqa: FBT001 - hypothesis passes it
    text = yaml.safe_dump(data, default_flow_style=flow)
    if "*id" in text or "!!" in text:
        return
    assert parse_yaml(text, name="f").data == data


@settings(max_examples=300, deadline=None)
@given(st.one_of(st.text(), st.text(alphabet="ab:-?[]{}&*!|>'\"#%@, \n\t01.x")))
def test_nonsense_never_gives_anything_but_a_user_error(text: str) -> None:
    try:
        validate(Outer, parse_yaml(text, name="f.yaml"))
    except UserError as error:
        message = str(error)
    else:
        raise AssertionError("a text without a title was accepted")
    assert "\n" not in message
    assert message.startswith("f.yaml:")


KEYS = st.sampled_from("abcd")
TREES = st.recursive(
    st.one_of(st.integers(0, 9), st.lists(st.integers(0, 9), max_size=2)),
    lambda inner: st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=12,
)
MAPPINGS = st.dictionaries(KEYS, TREES, max_size=4)


def merged(over: object, under: object) -> object:
    if not (isinstance(over, dict) and isinstance(under, dict)):
        return over
    return {
        key: merged(over[key], under[key]) if key in over and key in under else over.get(key, under.get(key))
        for key in [*under, *(key for key in over if key not in under)]
    }


def leaves(value: object, loc: tuple = ()) -> list[tuple]:
    if isinstance(value, dict | list):
        items = value.items() if isinstance(value, dict) else enumerate(value)
        return [leaf for key, item in items for leaf in leaves(item, (*loc, key))]
    return [loc]


@settings(max_examples=200, deadline=None)
@given(MAPPINGS, MAPPINGS)
def test_laid_over(over: dict, under: dict) -> None:
    texts = {"over": yaml.safe_dump(over), "under": yaml.safe_dump(under)}
    sources = {name: parse_yaml(text, name=name) for name, text in texts.items()}
    both = sources["over"].laid_over(sources["under"])
    assert both.name == "over"
    assert both.data == merged(over, under)
    assert list(both.data) == list(merged(sources["over"].data, sources["under"].data))
    for loc in leaves(both.data):
        file, line, column = both.position(loc)
        value = both.data
        for part in loc:
            value = value[part]
        assert texts[file].splitlines()[line - 1][column - 1 :].startswith(str(value))


def test_null_deletes_what_there_is() -> None:
    base = parse_yaml("a: {b: 1, c: 2}\nd: 3\n", name="base.yaml")
    assert parse_yaml("a: {b: null}\nd: ~\n", name="x").laid_over(base).data == {"a": {"c": 2}}
    with pytest.raises(UserError, match=r"^x:1:8: base\.yaml has no 'e' to delete$"):
        parse_yaml("a: {e: null}", name="x").laid_over(base)


def test_an_error_in_the_text_itself_comes_first() -> None:
    base = parse_yaml("title: 3\n", name="base.yaml")
    over = parse_yaml("\n\ninner: {steps: 0}\n", name="over.yaml")
    with pytest.raises(UserError, match=r"^over\.yaml:3:16: inner\.steps: .* \(and 1 more\)$"):
        validate(Outer, over.laid_over(base))
    with pytest.raises(UserError, match=r"^base\.yaml:1:8: title: must be a text"):
        validate(Outer, parse_yaml("inner: {steps: 2}", name="over.yaml").laid_over(base))
