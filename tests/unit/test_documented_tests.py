# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests and files that the documentation names exist."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "docs" / name for name in ("field-reports.md", "ppo.md")]

_LEARNING = "B01 B02 B04 B05 B06 B08 B10 B12"
_ENVIRONMENTS = "B14 B15 B17 B18 B20 B21 B25 B26 B28 B29 B30 B32 B33 B34"
_THE_REST = "B35 B37 B38 B39 B41 B43 B44 B45"
REPORTS = f"{_LEARNING} {_ENVIRONMENTS} {_THE_REST}".split()


def rows(page: Path) -> list[list[str]]:
    """The cells of all table rows of a page."""
    lines = [line for line in page.read_text(encoding="utf-8").splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def named(text: str) -> list[str]:
    return re.findall(r"`([^`]+::[^`]+)`", text)


@cache
def defined_in(path: Path) -> set[str]:
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".cpp":
        return set(re.findall(r"^void (\w+)\(Check& check\)", text, re.MULTILINE))
    functions = (node.name for node in ast.walk(ast.parse(text)) if isinstance(node, ast.FunctionDef))
    return {name for name in functions if name.startswith("test_")}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_test_that_is_named_exists(page: Path) -> None:
    names = named(page.read_text(encoding="utf-8"))
    assert len(names) > 30
    for name in names:
        file, _, test = name.partition("::")
        assert (ROOT / "tests" / file).is_file(), name
        assert test in defined_in(ROOT / "tests" / file), name


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_source_file_that_is_named_exists(page: Path) -> None:
    for file in re.findall(r"`([a-z0-9_/]+\.(?:py|cpp|hpp|yaml))`", page.read_text(encoding="utf-8")):
        assert (ROOT / "src" / "oakemu_rl" / file).is_file() or (ROOT / file).is_file(), file


def test_every_report_has_a_verdict_and_tests_or_a_reason_to_wait() -> None:
    reports = [row for row in rows(PAGES[0]) if re.fullmatch(r"B\d\d", row[0])]
    assert [row[0] for row in reports] == REPORTS
    for report, _, tests, verdict in reports:
        assert verdict.startswith("holds") if named(tests) else verdict.startswith("waits: "), report


def test_every_detail_of_ppo_is_told_with_its_file_and_its_tests() -> None:
    details = [row for row in rows(PAGES[1]) if re.fullmatch(r"A?\d+", row[0])]
    assert [row[0] for row in details] == [*map(str, range(1, 38)), "A1", "A2", "A3", "A4"]
    for number, _, what, where, tests in details:
        assert what, number
        assert bool(where) == bool(named(tests)), number
        assert where or "not here" in what, number
