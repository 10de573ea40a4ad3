# SPDX-License-Identifier: GPL-3.0-or-later
"""`oakemu-rl games search`: what our own games keep is found by playing them, and told apart from everything else."""

import re
from pathlib import Path

import numpy as np
import pytest
from scripted_window import ScriptedWindow, hold
from search_lines import PROGRAMS, Search, covers, readings, rows

from oakemu_rl.cli import hand_play
from oakemu_rl.cli.main import main
from oakemu_rl.emulator import Spectrum, from_machine, load_tape, read_tape, write_snapshot
from oakemu_rl.emulator.rzx import RzxRecorder, rzx_bytes
from oakemu_rl.games import find_definition, load_game
from oakemu_rl.playing.playable import open_playable
from oakemu_rl.playing.take import Take

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
