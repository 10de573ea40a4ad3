# SPDX-License-Identifier: GPL-3.0-or-later
"""What the documentation tells people to type must work as it stands."""

import re
import shlex
from pathlib import Path

import pytest

from oakemu_rl.cli.main import VERBS

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def blocks(page: Path, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", page.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)


def every_block(language: str) -> list[object]:
    return [
        pytest.param(block, id=f"{page.stem}-{number}")
        for page in PAGES
        for number, block in enumerate(blocks(page, language))
    ]


@pytest.mark.parametrize("block", every_block("python"))
def test_python_runs(block):
    exec(compile(block, "documentation", "exec"), {})  # noqa: S102 - our own pages


@pytest.mark.parametrize("block", every_block("sh"))
def test_commands_name_verbs_and_targets_that_exist(block):
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    for line in block.replace("\\\n", " ").splitlines():
        words = shlex.split(line, comments=True)
        if words[:1] == ["make"]:
            assert words[1] in targets
        elif words:
            assert words[0] == "oakemu-rl"
            assert words[1] in VERBS


@pytest.mark.parametrize(
    "page", [*PAGES, *sorted((ROOT / "docs").glob("*/*.md")), ROOT / "CONTRIBUTING.md"], ids=lambda page: page.stem
)
def test_links_lead_somewhere(page):
    for target in re.findall(r"\]\((?!https?:)([^)#]+)", page.read_text(encoding="utf-8")):
        assert (page.parent / target).exists(), target
