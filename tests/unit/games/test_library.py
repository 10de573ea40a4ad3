# SPDX-License-Identifier: GPL-3.0-or-later
"""The user's own programs and definitions, and programs of every kind."""

import gzip
import hashlib
import zipfile
from pathlib import Path

import pytest
from small_game import DEFINITION, tape, write_game

from oakemu_rl.emulator import Spectrum, from_machine, load_tape, parse_tap, write_snapshot
from oakemu_rl.errors import UserError
from oakemu_rl.games import Game, find_definition, list_games, load_game, registry
from oakemu_rl.games.library import Library

UNVERIFIED = DEFINITION.replace("program: {bundled: small.tap}", "program: {sha256: []}\nverified: false")


@pytest.fixture(autouse=True)
def own_registry(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "_registered", {})


@pytest.fixture
def library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Library:
    monkeypatch.setenv("OAKEMU_RL_HOME", str(tmp_path / "home"))
    return Library()


def plain_game(tmp_path: Path) -> Game:
    """The game as its tape has it."""
    folder = tmp_path / "plain"
    folder.mkdir()
    return load_game(write_game(folder))


def define(library: Library, text: str, name: str = "small.yaml") -> Path:
    path = library.folder / "definitions" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def test_nothing_is_there_at_first(library: Library) -> None:
    assert library.programs() == []
    assert library.definitions == []
    assert library.find("ZXSpectrum/Small-v0", ["0" * 64]) is None
    assert not library.folder.exists()


def test_a_program_is_kept_for_its_game(library: Library) -> None:
    stored = library.add(b"one", name="one.tap", game="A")
    library.add(b"two", name="two.tap", game="A")
    library.add(b"one", name="1.tap", game="A")
    library.add(b"one", name="one.tap", game="B")
    assert stored.sha256 == hashlib.sha256(b"one").hexdigest()
    assert [(each.name, each.game) for each in library.programs()] == [
        ("two.tap", "A"),
        ("1.tap", "A"),
        ("one.tap", "B"),
    ]
    assert library.find("A", []) == b"one", "the last one that was added"
    assert library.find("A", [hashlib.sha256(b"two").hexdigest()]) == b"two"
    assert library.find("C", []) is None


@pytest.mark.parametrize("text", ["", "{}", "[1]", '[{"sha256": "x"}]', "\0"])
def test_a_damaged_index_is_told(library: Library, text: str) -> None:
    library.add(b"one", name="one.tap", game="A")
    index = library.folder / "programs" / "index.json"
    index.write_text(text)
    with pytest.raises(UserError, match=r"index\.json: the list of programs cannot be read"):
        library.programs()
    with pytest.raises(UserError, match=r"index\.json"):
        library.add(b"two", name="two.tap", game="A")
    assert index.read_text() == text


def test_a_users_definition_is_known_by_name(library: Library) -> None:
    define(library, UNVERIFIED)
    assert "ZXSpectrum/Small-v0" in list_games()
    assert find_definition("small").title == find_definition("ZXSpectrum/Small-v0").title
    with pytest.raises(
        UserError, match="a tape or a snapshot of it; give it once to oakemu-rl games add FILE --game Small"
    ):
        load_game("small")
    library.add(tape(), name="small.tap", game="ZXSpectrum/Small-v0")
    assert load_game("small").program == tape()


def test_a_users_definition_does_not_hide_a_shipped_one(library: Library) -> None:
    define(library, UNVERIFIED.replace("ZXSpectrum/Small-v0", "ZXSpectrum/Acorns-v0"))
    assert find_definition("acorns").program.bundled == "acorns.tap"


def test_a_file_without_an_id_is_passed_over(library: Library) -> None:
    define(library, "title: x\n", "a.yaml")
    define(library, UNVERIFIED, "b.yaml")
    assert load_game("acorns").id in list_games()
    assert "ZXSpectrum/Small-v0" in list_games()


def test_a_program_that_is_known_by_its_hash_is_found_packed(library: Library, tmp_path: Path) -> None:
    digest = hashlib.sha256(tape()).hexdigest()
    path = write_game(tmp_path, DEFINITION.replace("{bundled: small.tap}", f'{{sha256: ["{digest}"]}}'))
    (tmp_path / "small.tap").unlink()
    with zipfile.ZipFile(tmp_path / "game.zip", "w") as archive:
        archive.writestr("small.tap", tape())
    assert load_game(path).start_state() == plain_game(tmp_path).start_state()


@pytest.mark.parametrize("suffix", [".szx", ".z80", ".sna"])
def test_a_snapshot_is_a_program(tmp_path: Path, suffix: str) -> None:
    """Saved where the tape has just been loaded, it leads to the same start but for the moment within a frame."""
    spectrum = Spectrum()
    load_tape(spectrum, parse_tap(tape()))
    write_snapshot(from_machine(spectrum), tmp_path / f"small{suffix}")
    path = write_game(tmp_path, DEFINITION.replace("small.tap", f"small{suffix}"))
    rams = []
    for game in (load_game(path), plain_game(tmp_path)):
        machine = Spectrum()
        machine.load_state(game.start_state())
        rams.append({name: each.read(machine.memory) for name, each in game.definition.variables.items()})
    assert rams[0] == rams[1]


def test_a_packed_tape_is_a_program(tmp_path: Path) -> None:
    path = write_game(tmp_path, DEFINITION.replace("small.tap", "small.tap.gz"))
    (tmp_path / "small.tap.gz").write_bytes(gzip.compress(tape()))
    assert load_game(path).start_state() == plain_game(tmp_path).start_state()


def test_a_snapshot_of_another_machine_is_refused(tmp_path: Path) -> None:
    write_snapshot(from_machine(Spectrum("128k")), tmp_path / "small.szx")
    path = write_game(tmp_path, DEFINITION.replace("small.tap", "small.szx"))
    with pytest.raises(UserError, match="the snapshot is of a 128k machine, the definition says 48k"):
        load_game(path).start_state()
