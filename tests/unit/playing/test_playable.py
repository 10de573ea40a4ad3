# SPDX-License-Identifier: GPL-3.0-or-later
"""What can be played: games, definitions, tapes, snapshots, recordings."""

import gzip
from dataclasses import replace
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest
from playing_tools import Person, make_session, make_take

from oakemu_rl.emulator import Spectrum, from_machine, load_tape, parse_tap, write_snapshot
from oakemu_rl.emulator.rzx import RzxCreator, RzxRecorder, read_rzx, write_rzx
from oakemu_rl.errors import UserError
from oakemu_rl.games import load_game
from oakemu_rl.playing import Playable, open_playable, open_recording


def machine(playable: Playable) -> Spectrum:
    spectrum = Spectrum(playable.machine)
    spectrum.load_state(playable.state)
    return spectrum


@pytest.fixture
def unknown_tape(tmp_path: Path) -> Path:
    """A program of three bytes that no definition knows: a BASIC line, 10 REM."""
    line = bytes([0, 10, 2, 0, 0xEA, 13])
    header = bytes([0, 0]) + b"unknown   " + len(line).to_bytes(2, "little") + (10).to_bytes(2, "little")
    header += len(line).to_bytes(2, "little")
    blocks = b""
    for block in (header, bytes([0xFF]) + line):
        whole = block + bytes([np.bitwise_xor.reduce(np.frombuffer(block, np.uint8))])
        blocks += len(whole).to_bytes(2, "little") + whole
    path = tmp_path / "Un known.tap"
    path.write_bytes(blocks)
    return path


def test_a_game_begins_with_what_its_tape_shows() -> None:
    playable = open_playable("acorns")
    spectrum = Spectrum()
    load_tape(spectrum, parse_tap(load_game("acorns").program))
    assert np.array_equal(machine(playable).memory, spectrum.memory)
    assert (playable.title, playable.name, playable.identity.game) == ("Acorns", "acorns", "ZXSpectrum/Acorns-v0")


def test_a_game_may_begin_where_an_agent_begins(acorns: Playable) -> None:
    assert acorns.state == load_game("acorns").start_state()


def test_a_game_may_begin_in_another_start_state(tmp_path: Path) -> None:
    text = (files("oakemu_rl.games") / "definitions" / "acorns.yaml").read_text()
    (tmp_path / "mine.yaml").write_text(f"{text}\nstarts: {{later: {{start: [{{wait: {{frames: 150}}}}]}}}}\n")
    later = open_playable(str(tmp_path / "mine.yaml"), at_start=True, start="later")
    waited = machine(open_playable("acorns"))
    waited.run_frames(150)
    assert np.array_equal(machine(later).memory, waited.memory)
    with pytest.raises(UserError, match=r"unknown start 'latr' \(did you mean 'later'\?\)"):
        open_playable(str(tmp_path / "mine.yaml"), start="latr")


def test_a_definition_file(tmp_path: Path) -> None:
    text = (files("oakemu_rl.games") / "definitions" / "acorns.yaml").read_text()
    path = tmp_path / "mine.yaml"
    path.write_text(text.replace("title: Acorns", "title: My acorns"))
    playable = open_playable(str(path))
    assert playable.title == "My acorns"
    assert playable.identity == open_playable("acorns").identity


def test_a_tape_of_which_nothing_is_known(unknown_tape: Path) -> None:
    playable = open_playable(str(unknown_tape))
    assert playable.definition is None
    assert (playable.title, playable.name, playable.machine) == ("Un known.tap", "un-known", "48k")
    assert open_playable(str(unknown_tape), machine="128k").machine == "128k"


def test_what_a_file_is_called_does_not_matter(
    unknown_tape: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("tape", "acorns"):
        (tmp_path / name).write_bytes(unknown_tape.read_bytes())
    assert open_playable("tape").title == "tape"
    assert open_playable("acorns").title == "Acorns"
    assert open_playable("./acorns").title == "acorns"


def test_a_tape_that_a_game_knows_has_its_keys(tmp_path: Path) -> None:
    path = tmp_path / "renamed.tap.gz"
    path.write_bytes(gzip.compress(load_game("acorns").program))
    playable = open_playable(str(path))
    assert playable.definition is not None
    assert playable.identity == open_playable("acorns").identity


def test_a_snapshot(tmp_path: Path) -> None:
    spectrum = Spectrum("128k", kempston=True)
    spectrum.run_frames(150)
    write_snapshot(from_machine(spectrum), tmp_path / "Menu.z80")
    playable = open_playable(str(tmp_path / "Menu.z80"))
    assert playable.machine == "128k"
    assert np.array_equal(machine(playable).memory, spectrum.memory)
    assert playable.with_kempston() is playable


def test_a_joystick_can_be_fitted(acorns: Playable) -> None:
    fitted = acorns.with_kempston()
    assert from_machine(machine(fitted)).kempston
    assert np.array_equal(machine(fitted).memory, machine(acorns).memory)


@pytest.mark.parametrize(
    ("game", "message"),
    [
        ("acornz", r"unknown game 'acornz' \(did you mean"),
        ("x.tap", "No such file"),
        ("here.yaml", "here.yaml: cannot be read"),
    ],
)
def test_what_is_not_there(game: str, message: str) -> None:
    with pytest.raises((UserError, OSError), match=message):
        open_playable(game)


def test_an_unknown_tape_has_no_start_state(unknown_tape: Path) -> None:
    with pytest.raises(UserError, match="no known game's program, and has no start states"):
        open_playable(str(unknown_tape), at_start=True)


class TestRecordings:
    @staticmethod
    def record(playable: Playable, tmp_path: Path) -> Spectrum:
        take = make_take(playable)
        person = Person(make_session(playable, tmp_path, take=take))
        person.hold("right", pictures=60)
        recording = take.finish("x")
        assert recording is not None
        write_rzx(tmp_path / "x.rzx", recording)
        return person.session.machine

    def test_play_goes_on_where_one_ends(self, acorns: Playable, tmp_path: Path) -> None:
        end = self.record(acorns, tmp_path)
        playable = open_recording(tmp_path / "x.rzx")
        assert np.array_equal(machine(playable).memory, end.memory)
        assert machine(playable).registers.as_dict() == end.registers.as_dict()
        assert (playable.title, playable.identity) == ("Acorns", acorns.identity)
        assert playable.before is not None
        assert open_playable(str(tmp_path / "x.rzx")).state == playable.state
        assert open_recording(tmp_path / "x.rzx", "acorns").state == playable.state

    def test_one_of_another_game(self, acorns: Playable, tmp_path: Path) -> None:
        self.record(acorns, tmp_path)
        with pytest.raises(
            UserError, match=r"x.rzx: this is a recording of ZXSpectrum/Acorns-v0, not of ZXSpectrum/Cav"
        ):
            open_recording(tmp_path / "x.rzx", "caverns")

    def test_one_that_says_nothing_is_the_game_that_the_person_says(self, tmp_path: Path) -> None:
        spectrum = Spectrum()
        spectrum.run_frames(100)
        with RzxRecorder(spectrum) as recorder:
            spectrum.run_frames(30)
        recorder.write(tmp_path / "plain.rzx")
        assert open_recording(tmp_path / "plain.rzx").title == "plain.rzx"
        playable = open_recording(tmp_path / "plain.rzx", "acorns")
        assert playable.title == "Acorns"
        assert playable.definition is not None
        assert np.array_equal(machine(playable).memory, spectrum.memory)

    def test_one_of_another_machine(self, tmp_path: Path) -> None:
        spectrum = Spectrum("128k")
        with RzxRecorder(spectrum) as recorder:
            spectrum.run_frames(30)
        recorder.write(tmp_path / "plain.rzx")
        with pytest.raises(UserError, match="the recording is of a 128k machine, ZXSpectrum/Acorns-v0 runs on a 48k"):
            open_recording(tmp_path / "plain.rzx", "acorns")

    def test_one_that_is_played_otherwise_is_not_prolonged(self, acorns: Playable, tmp_path: Path) -> None:
        end = self.record(acorns, tmp_path)
        made = read_rzx(tmp_path / "x.rzx")
        write_rzx(tmp_path / "x.rzx", replace(made, creator=RzxCreator("Spectaculator", 7, 0)))
        playable = open_recording(tmp_path / "x.rzx")
        assert playable.before is None
        assert np.array_equal(machine(playable).memory, end.memory)

    def test_a_tape_beside_it_makes_no_sense(self, acorns: Playable, tmp_path: Path, unknown_tape: Path) -> None:
        self.record(acorns, tmp_path)
        with pytest.raises(UserError, match="with --rzx, name a known game or none"):
            open_recording(tmp_path / "x.rzx", str(unknown_tape))
