# SPDX-License-Identifier: GPL-3.0-or-later
import hashlib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_game import DEFINITION, tape, write_game

from oakemu_rl.errors import UserError
from oakemu_rl.games import find_definition, list_games, load_definition, load_game, register_game, registry
from oakemu_rl.games.catalogue import find_id, shipped_files


@pytest.fixture(autouse=True)
def own_registry(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a test registers is gone after it."""
    monkeypatch.setattr(registry, "_registered", {})


def error_of(game: str | Path) -> str:
    with pytest.raises(UserError) as caught:
        load_game(game)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_our_games_ship() -> None:
    assert {"ZXSpectrum/Acorns-v0", "ZXSpectrum/Caverns-v0"} <= set(list_games())


@pytest.mark.parametrize(
    "name", ["acorns", "Acorns", "ACORNS", " acorns ", "acorns-v0", "ZXSpectrum/Acorns-v0", "zxspectrum/acorns-v0"]
)
def test_names_of_a_game(name: str) -> None:
    assert load_game(name).id == "ZXSpectrum/Acorns-v0"


def test_a_game_is_read_once_and_passed_through() -> None:
    game = load_game("acorns")
    assert load_game("Acorns") is game
    assert load_game(game) is game


def test_unknown_game() -> None:
    assert error_of("acrns") == (
        f"unknown game 'acrns' (did you mean 'acorns'?); there are {', '.join(list_games())}, "
        "or give the path of a definition file (.yaml)"
    )
    assert "did you mean" not in error_of("zzz")
    assert error_of("").startswith("unknown game ''; there are ZXSpectrum/Acorns-v0")
    assert "did you mean 'zxspectrum/acorns-v0'" in error_of("ZXSpectrum/Acorns-v1")


@given(st.text())
def test_nonsense_names(name: str) -> None:
    with pytest.raises(UserError):
        load_game("x" + name)


def test_path(tmp_path: Path) -> None:
    path = write_game(tmp_path)
    assert load_game(path).id == "ZXSpectrum/Small-v0"
    assert load_game(str(path)) == load_game(path)
    assert load_game(path).program == tape()
    assert load_definition(path) == load_game(path).definition


def test_missing_path(tmp_path: Path) -> None:
    assert "cannot be read: No such file" in error_of(tmp_path / "none.yaml")
    assert "cannot be read: No such file" in error_of("none.yml")


def test_bad_definition_says_where(tmp_path: Path) -> None:
    path = write_game(tmp_path, DEFINITION.replace("0x9000", "0x3000"))
    assert error_of(path) == (
        f"{path}:12:15: variables.score.at: the address 0x3000 is outside RAM, which is 0x4000 to 0xFFFF"
    )


def test_missing_program(tmp_path: Path) -> None:
    path = write_game(tmp_path)
    (tmp_path / "small.tap").unlink()
    assert error_of(path) == f"{path}:4:20: program.bundled: there is no small.tap in {tmp_path}"


def test_program_that_is_too_large(tmp_path: Path) -> None:
    path = write_game(tmp_path)
    with (tmp_path / "small.tap").open("wb") as file:
        file.truncate(5 << 20)
    assert "the program small.tap has 5242880 bytes, at most 4194304 are allowed" in error_of(path)


def test_a_users_definition_may_use_a_shipped_program(tmp_path: Path) -> None:
    path = write_game(tmp_path, DEFINITION.replace("small.tap", "acorns.tap"))
    assert load_game(path).program == load_game("acorns").program


def test_program_by_hash(tmp_path: Path) -> None:
    digest = hashlib.sha256(tape()).hexdigest()
    text = DEFINITION.replace("{bundled: small.tap}", f'{{sha256: ["{digest.upper()}"], hint: "on the\\nsite"}}')
    path = write_game(tmp_path, text)
    (tmp_path / "another.tap").write_bytes(b"x")
    assert load_game(path).program == tape()
    (tmp_path / "small.tap").unlink()
    assert error_of(path) == (
        f"{path}:4:10: the program of ZXSpectrum/Small-v0 is a file that you bring (on the site): "
        f"a file with the SHA-256 {digest}; give it once to oakemu-rl games add FILE --game Small"
    )


def test_register(tmp_path: Path) -> None:
    assert "ZXSpectrum/Small-v0" not in list_games()
    game = register_game(write_game(tmp_path))
    assert set(list_games()) == {*shipped_files(), "ZXSpectrum/Small-v0"}
    assert list(list_games()) == sorted(list_games())
    assert load_game("small") is game
    assert register_game(write_game(tmp_path)) == game  # the same once more is no harm


def test_register_what_belongs_to_another(tmp_path: Path) -> None:
    register_game(write_game(tmp_path))
    for text in (DEFINITION.replace("title: Small", "title: Other"), DEFINITION.replace("Small-v0", "Acorns-v0")):
        with pytest.raises(UserError, match="belongs to another game already"):
            register_game(write_game(tmp_path, text, "other.yaml"))
    assert load_game("small").definition.title == "Small"


def test_a_name_means_the_highest_version(tmp_path: Path) -> None:
    for version in (2, 10, 9):
        register_game(write_game(tmp_path, DEFINITION.replace("Small-v0", f"Small-v{version}"), f"v{version}.yaml"))
    assert load_game("small").id == "ZXSpectrum/Small-v10"
    assert load_game("small-v9").id == "ZXSpectrum/Small-v9"
    small = [game_id for game_id in list_games() if "Small" in game_id]
    assert small == [f"ZXSpectrum/Small-v{version}" for version in (2, 9, 10)]


@pytest.mark.parametrize("wrong", [None, 3, b"acorns"])
def test_what_is_no_game(wrong: Any) -> None:
    with pytest.raises(UserError, match=r"^a game is an id"):
        load_game(wrong)


@pytest.mark.parametrize("name", ["night_raid", "Night Raid", "night-raid", "night_raid-v0", "NIGHTRAID"])
def test_words_of_a_name_are_joined_in_any_way(name: str) -> None:
    assert find_definition(name).id == "ZXSpectrum/NightRaid-v0"


def test_a_name_as_it_is_written_comes_before_one_that_sounds_the_same() -> None:
    known = ["ZXSpectrum/Nightraid-v0", "ZXSpectrum/Night_Raid-v9"]
    assert find_id("nightraid", known) == "ZXSpectrum/Nightraid-v0"
    assert find_id("night_raid", known) == "ZXSpectrum/Night_Raid-v9"
