# SPDX-License-Identifier: GPL-3.0-or-later
"""From a file to a definition that works: what is written, shown and kept, and what is never overwritten."""

import gzip
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "games"))
from small_game import DEFINITION, tape, write_game

from oakemu_rl.cli import play
from oakemu_rl.cli.main import main
from oakemu_rl.emulator.window import NoDisplayError, Window
from oakemu_rl.games import load_game
from oakemu_rl.games.library import Library


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("OAKEMU_RL_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("COLUMNS", "200")
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "SDL_VIDEODRIVER", "SDL_VIDEO_DRIVER"):
        monkeypatch.delenv(name, raising=False)
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    (tmp_path / "work" / "tiny.tap").write_bytes(tape())
    return tmp_path / "work"


def games(capsys: pytest.CaptureFixture[str], *args: str) -> tuple[int, str, str]:
    code = main(["games", *args])
    output = capsys.readouterr()
    return code, output.out, output.err


def test_it_is_accepted_as_it_is(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = games(capsys, "new", "tiny.tap")
    assert code == 0
    assert "written to tiny.yaml" in out
    assert "next: oakemu-rl games search tiny.yaml" in out
    assert "the start is shown in tiny.png" in out
    assert (folder / "tiny.png").read_bytes().startswith(b"\x89PNG")
    code, out, _ = games(capsys, "check", "tiny.yaml")
    assert code == 0
    assert "ZXSpectrum/Tiny-v0" in out
    assert out.rstrip().endswith("none")


def test_the_program_is_found_wherever_the_definition_goes(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert games(capsys, "new", "tiny.tap", "--out", "there/mine.yaml", "--id", "ZXSpectrum/Mine-v2")[0] == 0
    (folder / "tiny.tap").unlink()
    game = load_game(folder / "there" / "mine.yaml")
    assert (game.id, game.program) == ("ZXSpectrum/Mine-v2", tape())


def test_nothing_is_overwritten(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "tiny.yaml").write_text("precious")
    code, out, err = games(capsys, "new", "tiny.tap")
    assert (code, out) == (2, "")
    assert "tiny.yaml exists; --force replaces it" in err
    (folder / "tiny.yaml").unlink()
    (folder / "tiny.png").write_text("precious")
    assert games(capsys, "new", "tiny.tap")[0] == 2
    assert (folder / "tiny.png").read_text() == "precious"
    assert games(capsys, "new", "tiny.tap", "--force")[0] == 0
    assert (folder / "tiny.png").read_text(errors="replace") != "precious"


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("new",), "name a tape or a snapshot"),
        (("new", "none.tap"), "none.tap: No such file"),
        (("new", "tiny.tap", "--id", "Tiny"), "must be ZXSpectrum/Name-vN"),
        (("new", "tiny.tap", "--id", "ZXSpectrum/Acorns-v0"), "is a game already"),
        (("new", "tiny.tap", "--out", "tiny.txt"), "ends in .yaml"),
        (("new", "tiny.tap", "--froce"), "did you mean '--force'"),
        (("add", "tiny.tap"), "oakemu-rl games new tiny.tap begins a definition"),
        (("add", "none.yaml"), "none.yaml: cannot be read"),
    ],
)
def test_mistakes_are_one_line_and_leave_nothing(
    args: tuple[str, ...], said: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, err = games(capsys, *args)
    assert (code, out) == (2, "")
    assert said in err
    assert err.count("\n") == 1
    assert [path.name for path in folder.iterdir()] == ["tiny.tap"]
    assert not Library().folder.exists()


def test_with_a_display_the_start_is_played(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Window, "check_display", lambda _: None)
    shown: list[list[str]] = []
    monkeypatch.setattr(play, "run", lambda args: shown.append(args) or 0)
    assert main(["games", "new", "tiny.tap"]) == 0
    assert shown == [["tiny.yaml", "--from-start-state"]]
    assert not (folder / "tiny.png").exists()
    assert main(["games", "new", "tiny.tap", "--force", "--no-window"]) == 0
    assert len(shown) == 1
    assert (folder / "tiny.png").exists()


def test_a_window_that_cannot_be_opened_is_no_mistake(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_window(_: list[str]) -> int:
        raise NoDisplayError("a window cannot be opened")

    monkeypatch.setattr(Window, "check_display", lambda _: None)
    monkeypatch.setattr(play, "run", no_window)
    assert main(["games", "new", "tiny.tap"]) == 0
    assert (folder / "tiny.png").exists()


def test_a_definition_of_ones_own_is_kept_with_its_program(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_game(folder)
    code, out, _ = games(capsys, "add", "small.yaml")
    assert code == 0
    assert "next: oakemu-rl games lint small" in out
    for path in folder.iterdir():
        path.unlink()
    assert load_game("small").program == tape()
    assert "ready" in next(line for line in games(capsys, "list")[1].splitlines() if "Small-v0" in line)


def test_added_again_a_definition_takes_the_place_of_the_old_one(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_game(folder)
    (Library().folder / "definitions").mkdir(parents=True)
    (Library().folder / "definitions" / "old name.yaml").write_text(DEFINITION.replace("title: Small", "title: Old"))
    assert games(capsys, "add", "small.yaml")[0] == 0
    assert [path.name for path in Library().definitions] == ["old name.yaml"]
    assert load_game("small").definition.title == "Small"


def test_what_does_not_work_in_the_library_leaves_it_as_it_was(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_game(folder)
    assert games(capsys, "add", "small.yaml")[0] == 0
    before = Library().definitions[0].read_bytes()
    (folder / "child.yaml").write_text("extends: small.yaml\nid: ZXSpectrum/Small-v0\ntitle: Child\n")
    code, _, err = games(capsys, "add", "child.yaml")
    assert code == 2
    assert "child.yaml works where it is, but not in" in err
    assert [path.read_bytes() for path in Library().definitions] == [before]


def test_programs_of_the_same_name_do_not_get_mixed_up(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_game(folder)
    assert games(capsys, "add", "small.yaml")[0] == 0
    (folder / "small.tap").write_bytes(gzip.compress(tape()))
    (folder / "other.yaml").write_text(DEFINITION.replace("Small-v0", "Other-v0"))
    code, _, err = games(capsys, "add", "other.yaml")
    assert code == 2
    assert "small.tap exists and is another file" in err
    assert load_game("small").program == tape()


def test_a_new_definition_is_known_by_name_once_it_is_added(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert games(capsys, "new", "tiny.tap")[0] == 0
    assert games(capsys, "add", "tiny.yaml")[0] == 0
    assert load_game("tiny").id == "ZXSpectrum/Tiny-v0"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (DEFINITION.replace("Small-v0", "Acorns-v0"), "is the id of a game that ships"),
        (DEFINITION.replace("until: {routine: main_loop", "until: {routine: unused"), "was not reached"),
        (DEFINITION.replace("reward:", "rewrad:"), "did you mean 'reward'?"),
    ],
)
def test_a_definition_that_does_not_work_is_not_kept(
    text: str, said: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_game(folder, text)
    code, _, err = games(capsys, "add", "small.yaml")
    assert code == 2
    assert said in err
    assert Library().definitions == []


def test_a_definition_is_checked_to_its_start(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_game(folder)
    code, out, _ = games(capsys, "check", "small.yaml")
    assert code == 0
    assert "at 0x8011" in out
    assert "score 0, lives 5, rounds " in out
    write_game(folder, DEFINITION.replace("until: {routine: main_loop", "until: {routine: unused"))
    code, _, err = games(capsys, "check", "small.yaml")
    assert code == 2
    assert "unused at 0x8000 was not reached" in err
