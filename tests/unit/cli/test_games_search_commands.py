# SPDX-License-Identifier: GPL-3.0-or-later
"""`oakemu-rl games search`: its commands, where they come from, and what is said of mistakes."""

import io
import re
from pathlib import Path

import pytest
from search_lines import PROGRAMS, Search, last_byte, rows

from oakemu_rl.cli.main import main
from oakemu_rl.games import find_definition, load_definition


def test_quiet_drops_what_changes_by_itself(search: Search) -> None:
    lines = search("acorns", "run 5\nchanged\nlist 50\nquiet 20\nlist 50")
    quiet = next(number for number, line in enumerate(lines) if line.startswith("quiet 20:"))
    clock = f"0x{find_definition('acorns').variables['frames'].at:04X}"
    assert any(line.startswith(clock) for line in lines[:quiet])
    assert not any(line.startswith(clock) for line in lines[quiet:])


def test_undo_and_reset(search: Search) -> None:
    lines = search("acorns", "run 5\nchanged\nequals 12345678\nundo\nundo\nreset\nrun 5\nunchanged")
    assert lines[1] == "equals 12345678: nothing is left; undo takes the filter back"
    assert lines[2].startswith("taken back: equals 12345678; ")
    assert lines[3].startswith("taken back: changed; 8")
    assert lines[4].startswith("unchanged: ")


def test_screen_says_what_can_be_read(search: Search) -> None:
    assert search("acorns", "run 30\nscreen") == [
        "row  1 column  1: 0000",
        "row  1 column 11: 1",
        "row  1 column 27: 0000",
        "row 11 column 20: 1",
    ]


def test_restart_goes_back_to_the_beginning(search: Search) -> None:
    lines = search("acorns", "run 200\nrestart\nequals 5\nlist 1000")
    assert any(line.startswith(f"0x{last_byte('acorns', 'lives'):04X}") for line in rows(lines))


def test_do_runs_commands_after_those_of_the_script(search: Search) -> None:
    lines = search("acorns", "run 5\n", "--do", "changed", "--do", "undo")
    assert [line.partition(":")[0] for line in lines] == ["changed", "taken back"]


def test_commands_come_from_a_pipe_too(
    search: Search, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("run 5\nchanged\nquit\nnonsense\n"))
    assert main(["games", "search", "acorns"]) == 0
    assert capsys.readouterr().out.startswith("changed: ")
    monkeypatch.setattr("sys.stdin", io.StringIO("run 5\nnonsense\n"))
    assert main(["games", "search", "acorns"]) == 2
    assert "line 2: unknown command 'nonsense'" in capsys.readouterr().err


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_at_the_prompt_mistakes_are_told_and_the_search_goes_on(
    search: Search, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdin", Terminal("increse\nrun 5\nchanged\nhelp\n"))
    assert main(["games", "search", "acorns"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert "error: unknown command 'increse' (did you mean 'increased'?); help lists them" in lines[1]
    assert any("changed: " in line for line in lines)
    assert any(line.startswith("  equals N ") for line in lines)


@pytest.mark.parametrize(
    ("command", "complaint"),
    [
        ("increesed", "unknown command 'increesed' (did you mean 'increased'?); help lists them"),
        ("equals", "equals: one number is needed: equals N"),
        ("equals ten", "equals: 'ten' is no whole number: equals N"),
        ("increased 5", "increased: '5' is not understood: increased [by N]"),
        ("changed by 5", "changed takes no number; increased and decreased do"),
        ("run -1", "run: -1 is not within 1 to 1000000"),
        ("run 1 2", "run: '2' is too much: run [N]"),
        ("hold", "hold: name the keys: hold KEYS [N]"),
        ("hold spcae", "hold: unknown key 'spcae' (did you mean 'space'?)"),
        ("hold up", "hold: 'up' is a direction of a joystick, and the game has none"),
        ("snap twice", "snap takes nothing more, not 'twice'"),
        ("digits 1", "digits: give a row and a column, or neither"),
        ("digits 1 99", "digits: 99 is not within 0 to 31"),
        ("digits 9 9", "digits: no number can be read at row 9, column 9; there is 0000 at 1 1"),
        ("changed", "changed: there is nothing to compare with yet"),
        ("undo", "there is no filter to take back"),
        ("save score", "save: a name, an address and a type are needed: save NAME ADDRESS TYPE"),
        ("save score 0x8400 bcd99", "bcdN takes 1 to"),
        ("save score 0x8400 u9", "unknown type 'u9'"),
        ("save score 0x0010 u8", "outside RAM"),
        ("save 1st 0x8400 u8", "is not a name"),
    ],
)
def test_mistakes_are_one_line(
    search: Search, capsys: pytest.CaptureFixture[str], command: str, complaint: str
) -> None:
    assert main(["games", "search", "acorns", "--do", command]) == 2
    error = capsys.readouterr().err
    assert error.startswith(f"oakemu-rl: error: --do {command!r}: ")
    assert complaint in error
    assert error.count("\n") == 1


def test_mistakes_in_a_script_have_its_line(search: Search, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "bad.txt").write_text("# a comment\n\nrun 5\nhodl o 5\n")
    assert main(["games", "search", "acorns", "--script", "bad.txt"]) == 2
    assert "bad.txt:4: unknown command 'hodl' (did you mean 'hold'?)" in capsys.readouterr().err
    (tmp_path / "bad.txt").write_bytes(b"\xff\xfe\x00")
    assert main(["games", "search", "acorns", "--script", "bad.txt"]) == 2
    assert "bad.txt is no text" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("args", "complaint"),
    [
        ([], "name what to search"),
        (["acrons"], "did you mean"),
        (["missing.tap"], "missing.tap"),
        (["acorns", "--script", "missing.txt"], "missing.txt"),
        (["acorns", "--dou", "run"], "unknown flag --dou"),
    ],
)
def test_wrong_arguments(search: Search, capsys: pytest.CaptureFixture[str], args: list[str], complaint: str) -> None:
    assert main(["games", "search", *args]) == 2
    error = capsys.readouterr().err
    assert complaint in error
    assert error.count("\n") == 1


def test_save_prints_what_a_definition_needs(search: Search) -> None:
    assert search("acorns", "save points 0x8400 bcd4\nsave lifes $8404 u8") == [
        "variables:",
        "  points: {at: 0x8400, type: bcd4}",
        "variables:",
        "  lifes: {at: 0x8404, type: u8}",
    ]


def test_save_writes_into_a_definition_of_ones_own(
    search: Search, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = (PROGRAMS.parent / "definitions" / "acorns.yaml").read_text()
    mine = tmp_path / "mine.yaml"
    mine.write_text(source.replace("ZXSpectrum/Acorns-v0", "ZXSpectrum/Mine-v0"))
    lines = search("mine.yaml", "save best 33819 bcd4")
    number = int(lines[0].split(":")[1])
    assert mine.read_text().splitlines()[number - 1] == "  best: {at: 0x841B, type: bcd4}"
    assert "best" in load_definition(mine).variables
    before = mine.read_text()
    assert main(["games", "search", "mine.yaml", "--do", "save score 0x9000 u8"]) == 2
    assert re.search(r"mine.yaml:\d+: there is a variable 'score' already", capsys.readouterr().err)
    assert mine.read_text() == before


def test_an_action_of_the_game_is_held_by_its_name(search: Search) -> None:
    by_key = search("acorns", "hold o+space 20\nchanged\nlist", "--fresh")
    assert search("acorns", "hold left+space 20\nchanged\nlist", "--fresh") == by_key
    assert search("acorns", "hold p 20\nchanged\nlist", "--fresh") != by_key


def test_without_a_display_play_says_what_to_do(
    search: Search, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "SDL_VIDEODRIVER", "SDL_VIDEO_DRIVER"):
        monkeypatch.delenv(name, raising=False)
    assert main(["games", "search", "acorns", "--do", "play"]) == 2
    error = capsys.readouterr().err
    assert "there is no display" in error
    assert "run N and hold KEYS N let time pass without a window" in error
