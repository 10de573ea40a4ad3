# SPDX-License-Identifier: GPL-3.0-or-later
"""docs/new-game.md as a new user follows it: every command of the page, on a tape that another compiler makes.

The game is in Boriel's BASIC, and its compiler decides where the variables lie: what the page finds by searching is
compared with the compiler's own list of addresses.
"""

import io
import json
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch

from oakemu_rl.cli.main import main
from oakemu_rl.emulator.container import open_content
from oakemu_rl.games import load_definition
from oakemu_rl.games.beginning import begin
from oakemu_rl.games.files import hashes_of
from oakemu_rl.games.matching import games_of_program
from oakemu_rl.games.probing import probe

PAGE = Path(__file__).parents[2] / "docs" / "new-game.md"
SOURCES = Path(__file__).parent / "plums"
PROMPT = "search> "

# The page trains for as long as people wait; here, whether it trains at all is what counts.
SHORTER = {
    "train": "--steps 4096 --num-envs 8 --num-threads 1 --torch-threads 1 --eval-every 0 --no-film --no-tensorboard",
    "evaluate": "--episodes 3 --num-threads 1 --json figures.json",
}


def compiled(name: str, folder: Path) -> tuple[Path, dict[str, int]]:
    """A tape, and where the compiler has put the variables."""
    compiler = Path(sys.executable).with_name("zxbc")
    source, tape, places = SOURCES / f"{name}.bas", folder / f"{name}.tap", folder / f"{name}.map"
    command = [compiler, "--output-format=tap", "--BASIC", "--autorun", "-o", tape, "-M", places, source]
    subprocess.run(command, check=True, capture_output=True)
    found = re.findall(r"^([0-9A-F]{4}): \._(\w+)$", places.read_text(), re.MULTILINE)
    return tape, {name: int(address, 16) for address, name in found}


@pytest.fixture(scope="module")
def addresses(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, int]]:
    return compiled("plums", tmp_path_factory.mktemp("plums"))


@pytest.fixture
def folder(addresses: tuple[Path, dict[str, int]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setenv("OAKEMU_RL_HOME", str(tmp_path / "home"))
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "SDL_VIDEODRIVER", "SDL_VIDEO_DRIVER"):
        monkeypatch.delenv(name, raising=False)
    work = tmp_path / "work"
    work.mkdir()
    (work / "plums.tap").write_bytes(addresses[0].read_bytes())
    monkeypatch.chdir(work)
    threads = torch.get_num_threads()
    yield work
    torch.set_num_threads(threads)


def blocks() -> list[tuple[str, str]]:
    """Language and text of every block of the page."""
    return re.findall(r"^```(\w+)\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)


def test_the_page_as_it_stands(
    folder: Path,
    addresses: tuple[Path, dict[str, int]],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    printed = ""
    for language, text in blocks():
        if language == "sh":
            for line in text.splitlines():
                printed += run(line, capsys)
        elif language == "yaml":
            fill_in(folder / "plums.yaml", text)
        elif text.startswith(PROMPT):
            printed += search(text, monkeypatch, capsys)
        else:
            said = {shape(line) for line in printed.splitlines()}
            assert {shape(line) for line in text.splitlines()} <= said
    definition = load_definition(folder / "plums.yaml")
    _, places = addresses
    assert {name: each.at for name, each in definition.variables.items()} == {
        name: places[name] for name in ("score", "lives")
    }
    assert (folder / "plums.png").exists()
    figures = json.loads((folder / "figures.json").read_text())
    assert figures["game"] == "ZXSpectrum/Plums-v0"
    assert len(figures["episodes"]) == 3


def run(line: str, capsys: pytest.CaptureFixture[str]) -> str:
    """Types a line of the page, and returns what it says."""
    words = shlex.split(line, comments=True)
    assert words[0] == "oakemu-rl"
    words += shlex.split(SHORTER.get(words[1], ""))
    code = main(words[1:])
    output = capsys.readouterr()
    assert code == (2 if "# not known" in line else 0), (line, output.err)
    return output.out


def search(session: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> str:
    commands = [line.removeprefix(PROMPT).partition("#")[0].strip() for line in session.splitlines()]
    monkeypatch.setattr(sys, "stdin", io.StringIO("\n".join(commands) + "\n"))
    code = main(["games", "search", "plums.yaml"])
    output = capsys.readouterr()
    assert code == 0, output.err
    return output.out


def fill_in(path: Path, lines: str) -> None:
    """Does what the page asks for: puts lines in place of the reward that is there."""
    text = path.read_text(encoding="utf-8")
    assert text.count("\nreward: 0\n") == 1
    path.write_text(text.replace("\nreward: 0\n", f"\n{lines}"), encoding="utf-8")


def shape(line: str) -> str:
    """A line without its spaces and numbers, which a slower machine may stop at others."""
    return re.sub(r"[0-9][0-9.,]*", "#", " ".join(line.split()))


def test_nobody_here_knows_the_tape(addresses: tuple[Path, dict[str, int]]) -> None:
    assert games_of_program(hashes_of(addresses[0].read_bytes(), "plums.tap")) == ()


def test_a_menu_that_moves_and_marks_its_lines_is_not_taken_for_the_game(tmp_path: Path) -> None:
    tape, places = compiled("dodge", tmp_path)
    beginning = begin(open_content(tape))
    assert [step.press.keys for step in beginning.steps if step.press is not None] == [["0"]]
    assert beginning.spectrum.peek(places["lives"]) == 5
    assert set(probe(beginning.spectrum).keys) == set("opqa")
