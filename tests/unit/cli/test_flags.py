# SPDX-License-Identifier: GPL-3.0-or-later
from pathlib import Path
from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, ConfigDict, Field

from oakemu_rl.cli.arguments import given_flags, parse_flags
from oakemu_rl.errors import UserError


class _Inner(BaseModel):
    """Inner settings."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    rate: Annotated[float, Field(ge=0)] | tuple[float, float] = Field(0.5, description="A rate.")
    points: float | tuple[float, float] | tuple[tuple[float, float], ...] = Field(0.5, description="Numbers or points.")
    layers: list[tuple[int, int]] = Field(default=[(1, 2)], description="Pairs.")
    widths: list[int] = Field(default=[3], description="Numbers.")


class _Settings(BaseModel):
    """Some settings."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    name: str = Field("x", description="A name.", json_schema_extra={"positional": True, "metavar": "NAME"})
    count: int = Field(5, gt=0, description="A count.", json_schema_extra={"aliases": ["-n", "--number"]})
    limit: float | None = Field(None, description="A limit.")
    kind: Literal["red", "green"] = Field("red", description="A kind.")
    on: bool = Field(default=True, description="Whether.")
    folder: Path | None = Field(None, description="A folder.")
    inner: _Inner = _Inner()


def _given(line: str) -> dict[str, Any]:
    return given_flags(_Settings, line.split(), prog="prog verb", defaults=_Settings())


def _parse(line: str) -> _Settings:
    return parse_flags(_Settings, line.split(), prog="prog verb")


def test_only_what_was_given_is_given_even_if_it_is_the_default() -> None:
    assert _given("") == {}
    assert _given("x --count 5 --on --kind red") == {"name": "x", "count": "5", "on": True, "kind": "red"}
    assert _given("--inner.rate 0.5") == {"inner": {"rate": "0.5"}}


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("--count 7", {"count": 7}),
        ("--count=7", {"count": 7}),
        ("-n 7", {"count": 7}),
        ("--number 7", {"count": 7}),
        ("foo", {"name": "foo"}),
        ("--limit 1e-3", {"limit": 1e-3}),
        ("--limit -2", {"limit": -2.0}),
        ("--limit None", {"limit": None}),
        ("--no-on", {"on": False}),
        ("--folder a/b", {"folder": Path("a/b")}),
    ],
)
def test_values(line: str, expected: dict[str, Any]) -> None:
    assert _parse(line) == _Settings(**expected)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("--inner.rate 0.25", {"rate": 0.25}),
        ("--inner.rate 0.25 1", {"rate": (0.25, 1.0)}),
        ("--inner.rate 0.25,1", {"rate": (0.25, 1.0)}),
        ("--inner.rate [0.25,1]", {"rate": (0.25, 1.0)}),
        ("--inner.points 0.25 1", {"points": (0.25, 1.0)}),
        ("--inner.points [[0,1],[1,2]]", {"points": ((0.0, 1.0), (1.0, 2.0))}),
        ("--inner.layers 1 2 3 4", {"layers": [(1, 2), (3, 4)]}),
        ("--inner.layers [[1,2],[3,4]]", {"layers": [(1, 2), (3, 4)]}),
        ("--inner.widths 8", {"widths": [8]}),
        ("--inner.widths 8 9", {"widths": [8, 9]}),
        ("--inner.widths []", {"widths": []}),
    ],
)
def test_nested_values_and_lists(line: str, expected: dict[str, Any]) -> None:
    assert _parse(line).inner == _Inner(**expected)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("--count -5", "--count: must be greater than 0, not '-5'"),
        ("--count five", "--count: must be a whole number, not 'five'"),
        ("--coutn 5", "unknown flag --coutn (did you mean '--count'?)"),
        ("--rate 1", "unknown flag --rate (did you mean '--inner.rate'?)"),
        ("--inner.rate -1", "--inner.rate: must be greater than or equal to 0, not '-1'"),
        ("foo --inner.widths 3 x", "--inner.widths: must be a whole number, not 'x'"),
        ("--inner.widths x", "--inner.widths: must be a whole number, not 'x'"),
        ("--kind blue", "--kind: must be 'red' or 'green', not 'blue'"),
        ("--kind gren", "did you mean 'green'"),
        ("--count", "--count"),
        ("a b", "b"),
        ("-z", "-z"),
    ],
)
def test_a_mistake_is_one_line_that_names_the_flag(line: str, said: str) -> None:
    with pytest.raises(UserError) as caught:
        _parse(line)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)
    assert "│" not in str(caught.value)


def test_help_shows_every_flag_with_its_text_and_the_given_defaults(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        given_flags(_Settings, ["--help"], prog="prog verb", defaults=_Settings(count=77))
    assert stop.value.code == 0
    shown = capsys.readouterr().out
    for text in ("prog verb", "NAME", "--count", "A count.", "77", "--inner.rate", "A rate.", "--on, --no-on"):
        assert text in shown, text
