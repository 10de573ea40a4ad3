# SPDX-License-Identifier: GPL-3.0-or-later
"""`oakemu-rl games search`: what our own games keep is found by playing them, and told apart from everything else."""

import io
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from scripted_window import ScriptedWindow, hold

from oakemu_rl.cli import hand_play
from oakemu_rl.cli.main import main
from oakemu_rl.emulator import Spectrum, from_machine, load_tape, read_tape, write_snapshot
from oakemu_rl.emulator.rzx import RzxRecorder, rzx_bytes
from oakemu_rl.games import find_definition, load_definition, load_game
from oakemu_rl.playing.playable import open_playable
from oakemu_rl.playing.take import Take

PROGRAMS = Path(__file__).parents[3] / "src" / "oakemu_rl" / "games" / "programs"

ACORNS_SCORE = """
run 60
hold o 35
snap
run 70            # the first acorn is in the basket
increased by 1
hold p 24
run 35            # and the second
increased by 1
digits
equals 2
list
"""

ACORNS_LIVES = """
run 130
snap
run 40
decreased by 1
run 20
unchanged
run 45
decreased by 1
list
"""

CAVERNS_SCORE = """
hold p+space 92
snap
hold p+space 6    # the first key
increased by 100
run 65            # a beetle comes, and the room begins anew
hold p+space 60
unchanged
hold p+space 40
increased by 100
digits
list
"""

CAVERNS_LIVES = """
hold p 30
snap
hold p 30
decreased by 1
run 40
unchanged
hold p 60
decreased by 1
list
"""

# Fire, and read the score before and after.
SHOOTERS_SCORE = """
hold fire 60
digits
hold fire 200
digits
increased
list
"""

Search = Callable[..., list[str]]


@pytest.fixture
def search(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Search:
    """Runs the verb with a script; returns what it said, line by line."""
    monkeypatch.setenv("OAKEMU_RL_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)

    def run(game: str, script: str, *flags: str) -> list[str]:
        (tmp_path / "script.txt").write_text(script)
        assert main(["games", "search", game, "--script", "script.txt", *flags]) == 0
        return capsys.readouterr().out.splitlines()

    return run


def rows(lines: list[str]) -> list[str]:
    return [line for line in lines if line.startswith("0x")]


def readings(row: str) -> set[tuple[int, str]]:
    """Every address and type in a row of the list."""
    address, kind = row.split()[:2]
    others = re.findall(r"(\w+) at (0x[0-9A-F]{4})", row)
    return {(int(address, 16), kind), *((int(at, 16), name) for name, at in others)}


def last_byte(game: str, variable: str) -> int:
    found = find_definition(game).variables[variable]
    return found.at + found.size - 1


def covers(row: str, game: str, variable: str) -> bool:
    """Whether a row is a reading of a variable's last byte, which is all that has changed of it."""
    address, kind = row.split()[:2]
    return int(address, 16) + {"u8": 1, "bcd1": 1, "bcd2": 2, "bcd3": 3, "bcd4": 4}[kind] - 1 == last_byte(
        game, variable
    )


@pytest.mark.parametrize(
    ("game", "script", "variable", "kind"),
    [
        ("acorns", ACORNS_SCORE, "score", "bcd2"),  # as many digits as the display shows
        ("acorns", ACORNS_LIVES, "lives", "u8"),
        ("caverns", CAVERNS_SCORE, "score", "bcd3"),
        ("caverns", CAVERNS_LIVES, "lives", "u8"),
        ("nightraid", SHOOTERS_SCORE, "score", "bcd3"),
        ("forestride", SHOOTERS_SCORE, "score", "bcd3"),
    ],
)
def test_the_first_of_the_list_is_it(search: Search, game: str, script: str, variable: str, kind: str) -> None:
    found = rows(search(game, script))
    assert covers(found[0], game, variable)
    assert found[0].split()[1] == kind


def test_readings_of_the_same_number_are_named(search: Search) -> None:
    lines = search("caverns", CAVERNS_SCORE)
    score = find_definition("caverns").variables["score"]
    assert (score.at, score.type) in readings(rows(lines)[0])
    assert "on the display at" in rows(lines)[0]


def test_a_tape_begins_as_it_was_loaded(search: Search) -> None:
    begin = "run 100\nhold space 2\nrun 10\n"
    lines = search(str(PROGRAMS / "acorns.tap"), begin + ACORNS_LIVES)
    assert covers(rows(lines)[0], "acorns", "lives")


def test_a_snapshot_goes_on_where_it_was_taken(search: Search, tmp_path: Path) -> None:
    spectrum = Spectrum()
    spectrum.load_state(load_game("acorns").start_state())
    spectrum.run_frames(100)
    write_snapshot(from_machine(spectrum), tmp_path / "moment.szx")
    lines = search("moment.szx", "snap\nrun 70\ndecreased by 1\nequals 4\nlist")
    assert covers(rows(lines)[0], "acorns", "lives")


def test_a_snapshot_needs_no_suffix(search: Search, tmp_path: Path) -> None:
    spectrum = Spectrum()
    load_tape(spectrum, read_tape(PROGRAMS / "acorns.tap"))
    spectrum.run_frames(200)
    write_snapshot(from_machine(spectrum), tmp_path / "title.szx")
    (tmp_path / "title.szx").rename(tmp_path / "title")
    assert search("title", "run 1\nequals 0")[0].startswith("equals 0: ")


@pytest.fixture
def recording(tmp_path: Path) -> Path:
    spectrum = Spectrum()
    load_tape(spectrum, read_tape(PROGRAMS / "acorns.tap"))
    spectrum.run_frames(100)
    spectrum.tap("space", frames=2)
    with RzxRecorder(spectrum) as recorder:
        spectrum.run_frames(300)
        recorder.write(tmp_path / "played.rzx")
    return tmp_path / "played.rzx"


def test_a_recording_holds_the_keys_itself(search: Search, recording: Path) -> None:
    lines = search("played.rzx", ACORNS_LIVES)
    assert covers(rows(lines)[0], "acorns", "lives")


def test_a_recording_ends(search: Search, recording: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["games", "search", "played.rzx", "--do", "run 301"]) == 2
    assert "played.rzx is over after 300 frames; restart plays it again" in capsys.readouterr().err
    assert main(["games", "search", "played.rzx", "--do", "hold o 1"]) == 2
    assert "played.rzx is a recording, which holds the keys itself" in capsys.readouterr().err
    assert main(["games", "search", "played.rzx", "--do", "run 300", "--do", "restart", "--do", "run 300"]) == 0


def test_a_recording_of_ours_goes_on_with_the_search_in_its_game(search: Search, tmp_path: Path) -> None:
    found = open_playable("acorns", at_start=True)
    take = Take(found.state, found.machine, found.identity)
    for _ in range(200):
        take.add_frame(np.zeros(9, np.uint8))
    recording = take.finish("ours")
    assert recording is not None
    (tmp_path / "ours.rzx").write_bytes(rzx_bytes(recording))
    search("acorns", "equals 5")
    lines = search("ours.rzx", "snap\nrun 170\ndecreased by 1\nlist")
    assert lines[0].endswith("after equals 5 (reset begins anew)")
    assert covers(rows(lines)[0], "acorns", "lives")


def test_candidates_are_remembered_between_runs(search: Search) -> None:
    half = ACORNS_LIVES.partition("run 20\n")[0]
    first = search("acorns", half)
    assert not any(line.startswith("going on") for line in first)
    again = search("acorns", "list")
    assert again[0].startswith("going on with ")
    assert "after decreased by 1" in again[0]
    lines = search("acorns", "run 230\nequals 3\nlist")
    assert covers(rows(lines)[0], "acorns", "lives")
    assert not search("acorns", "", "--fresh")
    assert not search("acorns", "")


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


def test_play_opens_a_window(search: Search, monkeypatch: pytest.MonkeyPatch) -> None:
    window = ScriptedWindow({**hold((60, 40, "o")), 215: ("escape",)})
    monkeypatch.setattr(hand_play, "Window", lambda *_args, **_kwargs: window)
    lines = search("acorns", "play\nincreased by 2\nequals 2\nscreen")
    assert len(window.pictures) == 215
    assert window.pictures[0].shape[1:] == (320, 3)
    assert window.closed
    assert lines[0].startswith("increased by 2: ")


def test_in_the_window_keys_are_commands(search: Search, monkeypatch: pytest.MonkeyPatch) -> None:
    keys = {**hold((60, 40, "o")), 130: ("f1",), 165: ("f2",), 175: ("f4",), 180: ("f9",), 185: ("escape",)}
    window = ScriptedWindow(keys)
    monkeypatch.setattr(hand_play, "Window", lambda *_args, **_kwargs: window)
    lines = search("acorns", "play\nequals 1\nlist")
    assert [line.partition(":")[0] for line in lines[:4]] == ["increased", "unchanged", "taken back", "equals 1"]
    assert any(covers(row, "acorns", "score") for row in rows(lines) if row.split()[1] in ("u8", "bcd2"))
    first, told = window.pictures[100][-12:], window.pictures[170][-12:]
    assert (first != told).any(), "what was said is shown"


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


def test_a_search_is_kept_when_it_is_interrupted(
    search: Search, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupt(self: Spectrum, row: np.ndarray) -> None:
        if row.any():
            raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(Spectrum, "hold_row", interrupt)
        assert main(["games", "search", "acorns", "--do", "run 5", "--do", "changed", "--do", "hold o 5"]) == 130
    assert capsys.readouterr().err == "oakemu-rl: stopped\n"
    assert search("acorns", "")


def test_the_page_about_searching_shows_what_is_said(search: Search) -> None:
    page = (Path(__file__).parents[3] / "docs" / "searching.md").read_text(encoding="utf-8")
    block = re.search(r"```text\n(search> .*?)```", page, re.DOTALL)
    assert block is not None
    lines = block[1].splitlines()
    commands = [line.removeprefix("search> ") for line in lines if line.startswith("search> ")]
    said = [line for line in lines if not line.startswith("search> ")]
    assert search(str(PROGRAMS / "acorns.tap"), "\n".join(commands)) == said
