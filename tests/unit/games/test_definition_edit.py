# SPDX-License-Identifier: GPL-3.0-or-later
"""Variables that are written into definition files, which keep everything else as it was."""

from pathlib import Path

import pytest

from oakemu_rl.errors import UserError
from oakemu_rl.games import load_definition
from oakemu_rl.games.definition_edit import add_variable, make_variable, variable_line

HEAD = """\
# mine, and nobody else's
id: ZXSpectrum/Mine-v0
title: "Mine"   # of course
machine: 48k
program: {bundled: acorns.tap}
"""
TAIL = """\

# the keys
actions: {stay: [], left: [o]}
reward: 0
"""
SCORE = make_variable(0x8400, "bcd4")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "mine.yaml"


def added(path: Path, text: str) -> list[tuple[int, str]]:
    """The lines that `add_variable` adds; all others must be as they were."""
    path.write_text(text)
    number = add_variable(path, "score", SCORE)
    lines, before = path.read_text().splitlines(), text.splitlines()
    new = [(index, line) for index, line in enumerate(lines, 1) if line not in before]
    assert [line for line in lines if line in before] == before
    assert new[-1][0] == number
    assert load_definition(path).variables["score"] == SCORE
    return new


def test_behind_the_last_variable_and_before_the_comment(path: Path) -> None:
    text = f"{HEAD}variables:\n    lives: {{at: 0x8404, type: u8}}  # five\n{TAIL}"
    assert added(path, text) == [(8, "    score: {at: 0x8400, type: bcd4}")]


def test_behind_a_variable_of_several_lines(path: Path) -> None:
    text = f"{HEAD}variables:\n  lives:\n    at: 0x8404\n    type: u8\n{TAIL}"
    assert added(path, text) == [(10, "  score: {at: 0x8400, type: bcd4}")]


def test_behind_a_variable_in_braces_over_two_lines(path: Path) -> None:
    text = f"{HEAD}variables:\n  lives: {{at: 0x8404,\n    type: u8}}\n{TAIL}"
    assert added(path, text) == [(9, "  score: {at: 0x8400, type: bcd4}")]


def test_where_there_is_none_yet(path: Path) -> None:
    last = (HEAD + TAIL).count("\n")
    assert added(path, HEAD + TAIL) == [(last + 1, "variables:"), (last + 2, "  score: {at: 0x8400, type: bcd4}")]


def test_at_the_end_of_a_file_without_a_last_newline(path: Path) -> None:
    text = f"{HEAD}{TAIL}variables:\n  lives: {{at: 0x8404, type: u8}}"
    assert added(path, text)[0][1] == "  score: {at: 0x8400, type: bcd4}"


@pytest.mark.parametrize("block", ["{lives: {at: 0x8404, type: u8}}", "{}", ""])
def test_what_is_not_written_one_a_line_is_left_to_its_author(path: Path, block: str) -> None:
    text = f"{HEAD}variables: {block}\n{TAIL}"
    path.write_text(text)
    with pytest.raises(UserError, match=r"mine.yaml:6: variables are not written one a line here; add it by hand"):
        add_variable(path, "score", SCORE)
    assert path.read_text() == text


def test_a_taken_name_is_refused_with_its_line(path: Path) -> None:
    path.write_text(f"{HEAD}variables:\n  lives: {{at: 0x8404, type: u8}}\n{TAIL}")
    with pytest.raises(UserError, match=r"mine.yaml:7: there is a variable 'lives' already"):
        add_variable(path, "lives", SCORE)


def test_a_definition_that_would_be_none_stays_as_it_was(path: Path) -> None:
    text = f"{HEAD}routines: {{score: 0x8100}}\n{TAIL}"
    path.write_text(text)
    with pytest.raises(UserError, match="the name 'score' is a variable already"):
        add_variable(path, "score", SCORE)
    assert path.read_text() == text


@pytest.mark.parametrize(
    ("address", "kind", "complaint"),
    [
        (0x3FFF, "u8", "outside RAM"),
        (0xFFFF, "u16le", "reach beyond RAM"),
        (0x8000, "u17", "unknown type 'u17'"),
    ],
)
def test_what_is_no_variable(address: int, kind: str, complaint: str) -> None:
    with pytest.raises(UserError, match=complaint):
        make_variable(address, kind)


@pytest.mark.parametrize("name", ["1st", "delta", "a b", ""])
def test_what_is_no_name(name: str) -> None:
    with pytest.raises(UserError):
        variable_line(name, SCORE)
