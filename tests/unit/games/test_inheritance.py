# SPDX-License-Identifier: GPL-3.0-or-later
"""Definitions that extend others: what they mean together, and where a mistake in either of them is."""

from pathlib import Path

import pytest
from small_game import DEFINITION, write_game

from oakemu_rl.errors import UserError
from oakemu_rl.games import find_definition, load_definition, load_game
from oakemu_rl.games.library import Library

CHILD = "extends: small.yaml\nid: ZXSpectrum/Mine-v0\n"


def write(folder: Path, text: str, name: str = "mine.yaml") -> Path:
    write_game(folder)
    path = folder / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def error_of(path: Path) -> str:
    with pytest.raises(UserError) as caught:
        load_game(path).start_state()
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_what_is_not_said_is_the_others(tmp_path: Path) -> None:
    small, mine = load_game(write_game(tmp_path)), load_game(write(tmp_path, CHILD))
    assert mine.definition == small.definition.model_copy(update={"extends": "small.yaml", "id": "ZXSpectrum/Mine-v0"})
    assert mine.program == small.program
    assert mine.start_state() == small.start_state()


def test_mappings_are_merged_and_all_else_is_replaced(tmp_path: Path) -> None:
    text = CHILD + (
        "title: Mine\n"
        "variables: {score: {type: u8}, hits: {at: 0x9010, type: u8}}\n"
        "actions: {right: null, left: [a], up: [q]}\n"
        "reset: {noops: [1, 2], randomize: null}\n"
        "reward: delta(hits)\n"
        "loss: null\n"
        "start: [{wait: {frames: 1}}]\n"
    )
    definition = load_definition(write(tmp_path, text))
    assert definition.title == "Mine"
    assert {name: (each.at, each.type) for name, each in definition.variables.items()} == {
        "score": (0x9000, "u8"),
        "lives": (0x9002, "u8"),
        "rounds": (0x9003, "u8"),
        "hits": (0x9010, "u8"),
    }
    assert list(definition.variables) == ["score", "lives", "rounds", "hits"]
    assert list(definition.actions.items()) == [("left", ["a"]), ("stay", []), ("up", ["q"])]
    assert (definition.reset.noops, definition.reset.randomize) == ((1, 2), {})
    assert (definition.reward, definition.loss) == ("delta(hits)", None)
    assert len(definition.start) == 1


def test_a_game_by_its_name(tmp_path: Path) -> None:
    text = "extends: acorns\nid: ZXSpectrum/Hard-v0\nlimits: {steps: 9}\n"
    game = load_game(write(tmp_path, text))
    assert game.definition.limits.steps == 9
    assert game.definition.actions == load_game("acorns").definition.actions
    assert game.program == load_game("acorns").program
    assert game.start_state() == load_game("acorns").start_state()


def test_a_users_game_by_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OAKEMU_RL_HOME", str(tmp_path / "home"))
    folder = Library().folder / "definitions"
    folder.mkdir(parents=True)
    write_game(folder)
    (folder / "harder.yaml").write_text("extends: small\nid: 'ZXSpectrum/Harder-v0'  # by hand\ntitle: Harder\n")
    assert find_definition("harder").title == "Harder"
    assert load_game("harder").program == load_game("small").program


def test_files_lie_beside_whoever_names_them(tmp_path: Path) -> None:
    path = write(tmp_path, "extends: ../small.yaml\nid: ZXSpectrum/Mine-v0\n", "folder/mine.yaml")
    assert load_game(path).program == load_game(tmp_path / "small.yaml").program
    (tmp_path / "small.tap").unlink()
    assert error_of(path).endswith(
        f"small.yaml:4:20: program.bundled: there is no small.tap in {tmp_path}/folder or {tmp_path}/folder/.."
    )


def test_a_chain(tmp_path: Path) -> None:
    write(tmp_path, CHILD + "title: Middle\ndescription: from the middle\n")
    path = write(tmp_path, "extends: mine.yaml\nid: ZXSpectrum/Last-v0\ntitle: Last\n", "last.yaml")
    definition = load_definition(path)
    assert (definition.title, definition.description, definition.machine) == ("Last", "from the middle", "48k")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (CHILD + "variables: {score: {type: u99}}\n", "mine.yaml:3:27: variables.score.type: unknown type 'u99'"),
        (CHILD + "variables: {lives: null}\n", "small.yaml:18:7: loss: unknown variable 'lives'"),
        (CHILD + "variables: {score: {at: 0xFFFF}}\n", "mine.yaml:3:25: variables.score.at: the 2 bytes of u16le"),
        (CHILD + "routines: {scored: null}\n", "small.yaml:17:36: reward: unknown routine 'scored'"),
        (CHILD + "win: scor > 3\n", "mine.yaml:3:6: win: unknown variable 'scor' (did you mean 'score'?)"),
        (CHILD + "program: null\n", "mine.yaml:1:1: the key 'program' is missing"),
        (CHILD + "variabels: {}\n", "mine.yaml:3:1: unknown key 'variabels' (did you mean 'variables'?)"),
        (CHILD + "variables: {scor: null}\n", "3:19: small.yaml has no 'scor' to delete (did you mean 'score'?)"),
        (CHILD + "win: null\n", "mine.yaml:3:6: small.yaml has no 'win' to delete"),
        ("extends: small.yaml\n", "mine.yaml:1:10: extends: a definition that extends another one needs an id of its"),
        ("extends: 3\nid: x\n", "mine.yaml:1:10: extends: must be the name of a game or the path of a file, not 3"),
        ("extends: smal.yaml\nid: x\n", "mine.yaml:1:10: extends: there is no file "),
        ("extends: acrns\nid: x\n", "mine.yaml:1:10: extends: unknown game 'acrns' (did you mean 'acorns'?)"),
        ("extends: mine.yaml\nid: x\n", "extends: the definitions extend one another in a circle: mine.yaml -> "),
        ("extends: a.yaml\nid: x\n", "in a circle: mine.yaml -> a.yaml -> mine.yaml"),
        ("extends: broken.yaml\nid: x\n", "broken.yaml:1:5: not valid YAML"),
        ("extends: list.yaml\nid: ZXSpectrum/Mine-v0\n", "mine.yaml:1:1: the key 'title' is missing"),
    ],
)  # fmt: skip
def test_mistakes_are_where_they_are_made(tmp_path: Path, text: str, words: str) -> None:
    (tmp_path / "a.yaml").write_text("extends: mine.yaml\nid: y\n")
    (tmp_path / "broken.yaml").write_text("x: [")
    (tmp_path / "list.yaml").write_text("[1, 2]")
    assert words in error_of(write(tmp_path, text)).replace(f"{tmp_path}/", "")


def test_a_start_script_that_fails_says_where_it_stands(tmp_path: Path) -> None:
    path = write(tmp_path, CHILD + "routines: {main_loop: 0xF000}\n")
    assert error_of(path).startswith(f"{tmp_path}/small.yaml:8:12: start step 3: main_loop at 0xF000 was not reached")
    path = write(tmp_path, CHILD + "start:\n  - until: {routine: unused, at_most_frames: 1}\n")
    assert error_of(path).startswith(f"{tmp_path}/mine.yaml:4:12: start step 1: unused")


def test_the_text_alone_is_no_definition_of_its_own(tmp_path: Path) -> None:
    assert DEFINITION.count("extends") == 0
    definition = load_definition(write(tmp_path, CHILD))
    assert type(definition).model_validate_json(definition.model_dump_json()) == definition
