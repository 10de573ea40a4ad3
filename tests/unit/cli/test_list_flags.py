# SPDX-License-Identifier: GPL-3.0-or-later
"""Where a list flag ends, and the game begins."""

from pathlib import Path
from typing import Literal

import pytest
from pydantic import BaseModel, ConfigDict, Field

from oakemu_rl.cli.arguments import parse_flags
from oakemu_rl.errors import UserError

_Kind = Literal["ram", "ink"]


class _Settings(BaseModel):
    """Settings with lists."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    game: str = Field("x", description="A game.", json_schema_extra={"positional": True, "metavar": "GAME"})
    demos: tuple[Path, ...] = Field((), description="Files.", json_schema_extra={"suffix": ".demo"})
    widths: list[int] = Field(default=[3], description="Numbers.")
    weight: float | tuple[str, ...] | tuple[tuple[float, float], ...] = Field(0.5, description="Numbers or points.")
    kinds: _Kind | tuple[_Kind, ...] | None = Field(None, description="Words.")
    cell: list[str] = Field(default_factory=list, description="Texts.", json_schema_extra={"repeated": True})
    fast: bool = Field(default=False, description="Whether.")
    count: int = Field(5, description="A count.")


class _Several(BaseModel):
    """Any number of files."""

    files: list[str] = Field(
        default_factory=list, description="Files.", json_schema_extra={"positional": True, "repeated": True}
    )
    widths: list[int] = Field(default=[3], description="Numbers.")


def _parse(line: str) -> _Settings:
    return parse_flags(_Settings, line.split(), prog="prog verb")


@pytest.mark.parametrize(
    "line",
    [
        "caverns --demos a.demo b.demo --widths 3 4 --kinds ram ink",
        "--demos a.demo b.demo caverns --widths 3 4 --kinds ram ink",
        "--demos a.demo b.demo --widths 3 4 caverns --kinds ram ink",
        "--demos a.demo b.demo --widths 3 4 --kinds ram ink caverns",
        "--widths=[3,4] --demos a.demo b.demo --kinds ram ink caverns",
        "--demos a.demo b.demo --widths 3 4 --kinds ram ink -- caverns",
    ],
)
def test_the_game_may_stand_after_any_list(line: str) -> None:
    expected = _Settings(game="caverns", demos=(Path("a.demo"), Path("b.demo")), widths=[3, 4], kinds=("ram", "ink"))
    assert _parse(line) == expected


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("--demos caverns", _Settings(demos=(Path("caverns"),))),  # a list keeps its first word
        ("acorns --demos a.demo caverns", _Settings(game="acorns", demos=(Path("a.demo"), Path("caverns")))),
        (
            "--demos a.demo caverns --fast acorns",
            _Settings(game="acorns", demos=(Path("a.demo"), Path("caverns")), fast=True),
        ),
        ("--demos a.demo caverns --count 3", _Settings(game="caverns", demos=(Path("a.demo"),), count=3)),
        ("--demos a.demo caverns acorns", _Settings(game="acorns", demos=(Path("a.demo"), Path("caverns")))),
        ("--cell room acorns --cell x", _Settings(game="acorns", cell=["room", "x"])),
        ("--widths -3 -4 acorns", _Settings(game="acorns", widths=[-3, -4])),
    ],
)
def test_only_words_that_cannot_be_values_move_and_only_where_there_is_room(line: str, expected: _Settings) -> None:
    assert _parse(line) == expected


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("--kinds ram inkk", "--kinds"),  # nearly a word of the list: no game
        ("--widths x", "--widths: must be a whole number, not 'x'"),
        ("--widths 3 x acorns", "--widths: must be a whole number, not 'x'"),
    ],
)
def test_a_wrong_value_is_still_told_as_one(line: str, said: str) -> None:
    with pytest.raises(UserError) as caught:
        _parse(line)
    assert said in str(caught.value)


def test_several_files_may_stand_after_a_list() -> None:
    parsed = parse_flags(_Several, "a --widths 3 4 b c".split(), prog="prog verb")  # noqa: SIM905  # a command line
    assert parsed == _Several(files=["b", "c", "a"], widths=[3, 4])
