# SPDX-License-Identifier: GPL-3.0-or-later
"""What a person's keys do, picture by picture."""

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from playing_tools import Person, make_session, make_take

from oakemu_rl.emulator import Spectrum
from oakemu_rl.playing import Playable, open_playable
from oakemu_rl.playing.hotkeys import Hotkeys
from oakemu_rl.playing.identity import Identity
from oakemu_rl.playing.key_map import Assignment
from oakemu_rl.playing.rewinding import Rewinder

FRAME_SAMPLES = 958.464


@pytest.fixture
def person(acorns: Playable, tmp_path: Path) -> Person:
    return Person(make_session(acorns, tmp_path))


def value(person: Person, name: str) -> int:
    definition = open_playable("acorns").definition
    assert definition is not None
    return int(definition.variables[name].read(person.session.machine.visible_ram()))


def lines(person: Person) -> np.ndarray:
    return person.shown[-1].picture[240:]


def screen(person: Person) -> np.ndarray:
    return person.shown[-1].picture[:240]


def run_on(acorns: Playable, *holds: tuple[str | None, int]) -> Spectrum:
    """The machine after keys of the Spectrum were held for so many frames."""
    spectrum = Spectrum()
    spectrum.load_state(acorns.state)
    for key, frames in holds:
        spectrum.release_all()
        if key:
            spectrum.press(key)
        spectrum.run_frames(frames)
    return spectrum


def test_a_picture_is_a_frame(person: Person, acorns: Playable) -> None:
    person.hold("left", pictures=20)
    person.hold("p", pictures=10)
    assert person.session.machine.save_state() == run_on(acorns, ("o", 20), ("p", 10)).save_state()
    assert np.array_equal(screen(person), person.session.machine.screen())
    assert person.shown[-1].rate == pytest.approx(50.08, abs=0.001)
    assert person.shown[-1].title == "Acorns: score 0, lives 5"


def test_the_picture_is_the_beam_s(person: Person) -> None:
    # OUT (0xFE),A; INC A; JP: a border that changes all the time.
    person.session.machine.write_block(0x8000, b"\xf3\xd3\xfe\x3c\xc3\x01\x80")
    person.session.machine.registers.pc = 0x8000
    person.hold(pictures=3)
    assert len({tuple(pixel) for pixel in screen(person)[:24].reshape(-1, 3)}) == 8
    person.hold("f2")  # rewinding shows it as well
    assert len({tuple(pixel) for pixel in screen(person)[:24].reshape(-1, 3)}) == 8


def test_quitting(person: Person) -> None:
    assert person.hold("escape") is None


def test_pause_and_single_frames(person: Person, acorns: Playable) -> None:
    person.hold("left", pictures=5)
    person.hold("f9")
    shown = person.hold("left", pictures=7)
    assert shown is not None
    assert shown.samples is None
    assert shown.rate == pytest.approx(50.08, abs=0.001)
    assert person.session.machine.frame == run_on(acorns, ("o", 5)).frame
    person.hold("left", "f10")
    person.hold("left", pictures=3)
    assert person.session.machine.save_state() == run_on(acorns, ("o", 6)).save_state()
    person.tap("f9")
    assert person.session.machine.frame == run_on(acorns, ("o", 8)).frame


def test_a_single_frame_pauses(person: Person, acorns: Playable) -> None:
    person.hold(pictures=3)
    person.hold("f10")
    person.hold(pictures=4)
    assert person.session.machine.frame == run_on(acorns, (None, 4)).frame


def test_a_single_frame_is_one_whatever_the_speed(person: Person, acorns: Playable) -> None:
    person.hold("f9", "page up")
    before = person.session.machine.frame
    person.hold("f10")
    assert person.session.machine.frame == before + 1


def test_help_lists_the_keys_and_stops_time(person: Person, acorns: Playable) -> None:
    person.hold(pictures=3)
    before = screen(person)
    person.tap("f1")
    help_picture = screen(person)
    assert not np.array_equal(help_picture, before)
    quiet = help_picture.max(axis=-1) < 64  # what is no letter is the picture, darkened
    assert 0.9 < quiet.mean() < 0.99
    assert np.array_equal(help_picture[quiet], (before // 4)[quiet])
    assert person.session.machine.frame == run_on(acorns, (None, 3)).frame
    person.tap("f1")
    assert person.session.machine.frame == run_on(acorns, (None, 5)).frame
    assert np.array_equal(screen(person), person.session.machine.screen())


class TestRewinding:
    def test_goes_back_frame_by_frame(self, person: Person, acorns: Playable) -> None:
        person.hold("left", pictures=40)
        person.hold("right", pictures=20)
        person.hold("f2", pictures=30)
        assert person.session.machine.save_state() == run_on(acorns, ("o", 30)).save_state()
        person.hold("right", pictures=5)
        assert person.session.machine.save_state() == run_on(acorns, ("o", 30), ("p", 5)).save_state()

    def test_is_silent_and_at_the_real_pace(self, acorns: Playable, tmp_path: Path) -> None:
        person = Person(make_session(acorns, tmp_path, sound=True))
        person.tap("page up")
        person.hold(pictures=20)
        assert person.shown[-1].samples is not None
        shown = person.hold("f2")
        assert shown is not None
        assert shown.samples is None
        assert shown.rate == pytest.approx(50.08, abs=0.001)

    def test_is_at_the_real_pace_whatever_the_speed(self, person: Person) -> None:
        person.tap("page down")
        person.hold(pictures=20)
        shown = person.hold("f2")
        assert shown is not None
        assert shown.rate == pytest.approx(50.08, abs=0.001)

    def test_goes_faster_and_faster(self, person: Person, acorns: Playable) -> None:
        person.hold(pictures=300)
        person.hold("f2", pictures=50)
        assert person.session.machine.frame == run_on(acorns, (None, 250)).frame
        person.hold("f2", pictures=50)
        assert person.session.machine.frame == run_on(acorns, (None, 150)).frame
        person.hold(pictures=1)
        person.hold("f2", pictures=1)  # and begins anew
        assert person.session.machine.frame == run_on(acorns, (None, 150)).frame

    def test_ends_at_the_beginning(self, person: Person, acorns: Playable) -> None:
        person.hold("left", pictures=10)
        person.hold("f2", pictures=30)
        assert person.session.machine.save_state() == acorns.state
        person.hold()
        assert person.session.machine.frame == run_on(acorns, (None, 1)).frame

    def test_goes_no_further_back_than_is_kept(self, acorns: Playable, tmp_path: Path) -> None:
        person = Person(make_session(acorns, tmp_path, rewinder=Rewinder(frames=20)))
        person.hold(pictures=50)
        person.hold("f2", pictures=50)
        assert person.session.machine.frame == run_on(acorns, (None, 30)).frame

    def test_takes_a_reset_back(self, person: Person, acorns: Playable) -> None:
        person.hold("left", pictures=30)
        person.hold("f5")
        assert person.session.machine.frame == run_on(acorns, (None, 1)).frame
        person.hold("f2", pictures=2)
        assert person.session.machine.save_state() == run_on(acorns, ("o", 30)).save_state()

    def test_works_while_paused(self, person: Person, acorns: Playable) -> None:
        person.hold(pictures=30)
        person.tap("f9")
        person.hold("f2", pictures=10)
        person.hold(pictures=5)
        assert person.session.machine.frame == run_on(acorns, (None, 20)).frame


class TestSpeed:
    @pytest.mark.parametrize(
        ("taps", "key", "frames", "factor"),
        [
            (1, "page up", 2, 2),
            (2, "page up", 4, 4),
            (3, "page up", 8, 8),
            (1, "page down", 1, 0.5),
            (5, "page down", 1, 0.25),
        ],
    )
    def test_steps(self, acorns: Playable, tmp_path: Path, taps: int, key: str, frames: int, factor: float) -> None:
        person = Person(make_session(acorns, tmp_path, sound=True))
        for _ in range(taps):
            person.tap(key)
        before = person.session.machine.frame
        shown = person.hold("left")
        assert shown is not None
        assert person.session.machine.frame == before + frames
        assert shown.rate * frames == pytest.approx(50.08 * factor, abs=0.01)
        assert shown.samples is not None
        assert shown.samples.size == pytest.approx(FRAME_SAMPLES * frames / factor, abs=4)
        person.tap("home")
        assert person.shown[-1].rate == pytest.approx(50.08, abs=0.001)

    def test_as_fast_as_it_goes(self, acorns: Playable, tmp_path: Path) -> None:
        person = Person(make_session(acorns, tmp_path, sound=True))
        for _ in range(9):
            person.tap("page up")
        shown = person.hold("left")
        assert shown is not None
        assert math.isinf(shown.rate)
        assert shown.samples is None
        assert np.array_equal(screen(person), person.session.machine.screen())

    def test_turbo_while_a_key_is_down(self, person: Person, acorns: Playable) -> None:
        person.hold("left", pictures=3)
        shown = person.hold("left", "tab", pictures=2)
        assert shown is not None
        assert math.isinf(shown.rate)
        assert person.session.machine.frame == run_on(acorns, (None, 67)).frame
        person.hold("left")
        assert person.session.machine.save_state() == run_on(acorns, ("o", 68)).save_state()

    def test_every_frame_of_it_is_recorded_and_can_be_taken_back(self, acorns: Playable, tmp_path: Path) -> None:
        take = make_take(acorns)
        person = Person(make_session(acorns, tmp_path, take=take))
        person.hold("left", "tab", pictures=2)
        assert take.length == 64
        person.hold("f2", pictures=12)
        assert take.length == 52
        assert person.session.machine.save_state() == run_on(acorns, ("o", 52)).save_state()


class TestStates:
    def test_slots_survive(self, person: Person, acorns: Playable, tmp_path: Path) -> None:
        person.hold("left", pictures=30)
        person.tap("f8")  # slot 2
        kept = person.session.machine.fork()
        person.hold("f6")
        other = Person(make_session(acorns, tmp_path))
        other.tap("f8")
        other.hold("f9", "f7")
        assert np.array_equal(other.session.machine.memory, kept.memory)
        assert other.session.machine.registers.as_dict() == kept.registers.as_dict()
        assert [path.name for path in (tmp_path / "states").iterdir()] == ["slot-2.szx"]

    def test_an_empty_slot_changes_nothing(self, person: Person, acorns: Playable) -> None:
        person.hold("left", pictures=10)
        person.hold("left", "f7")
        assert person.session.machine.save_state() == run_on(acorns, ("o", 11)).save_state()

    def test_a_state_of_another_game_is_refused(self, person: Person, acorns: Playable, tmp_path: Path) -> None:
        other = replace(acorns, identity=Identity("ZXSpectrum/Other-v0", "0" * 64))
        Person(make_session(other, tmp_path)).tap("f6")
        person.hold(pictures=10)
        person.hold("f7")
        assert person.session.machine.frame == run_on(acorns, (None, 11)).frame
        assert person.session._notice == "slot-1.szx: this is a state of Other-v0, not of Acorns-v0"
        usual = make_session(acorns, tmp_path).advance((), ())
        assert usual is not None
        assert not np.array_equal(lines(person)[:12], usual.picture[240:252])  # it needs both lines

    def test_what_cannot_be_written_is_said_and_play_goes_on(self, person: Person, tmp_path: Path) -> None:
        (tmp_path / "states").touch()
        assert person.tap("f6") is not None
        assert "cannot be written" in person.session._notice

    def test_files(self, person: Person, tmp_path: Path) -> None:
        person.hold("left", pictures=10)
        person.tap("f3")
        person.tap("f3")
        assert sorted(path.name for path in tmp_path.glob("*.szx")) == ["acorns-001.szx", "acorns-002.szx"]
        opened = open_playable(str(tmp_path / "acorns-001.szx"))
        assert opened.definition is not None
        assert opened.definition.title == "Acorns"


def test_a_picture_is_written_under_a_free_name(person: Person, tmp_path: Path) -> None:
    (tmp_path / "acorns-001.png").write_text("mine")
    person.hold(pictures=10)
    wanted = screen(person)
    person.hold("f12")
    assert (tmp_path / "acorns-001.png").read_text() == "mine"
    with Image.open(tmp_path / "acorns-002.png") as image:
        assert np.array_equal(np.asarray(image)[::2, ::2], wanted)


def test_a_notice_stays_for_two_seconds(person: Person) -> None:
    person.hold()
    usual = lines(person)
    person.hold("f12")
    notice = lines(person)
    assert not np.array_equal(notice, usual)
    person.hold(pictures=99)
    assert np.array_equal(lines(person), notice)
    person.hold()
    assert np.array_equal(lines(person), usual)


def test_hotkeys_press_nothing_in_the_game(person: Person) -> None:
    person.session._hotkeys = Hotkeys([Assignment("z", ("mute",), "test")])
    person.hold("z", "x")
    assert person.session.machine.held_keys == ("x",)


def test_it_is_heard_frame_by_frame(acorns: Playable, tmp_path: Path) -> None:
    person = Person(make_session(acorns, tmp_path, sound=True))
    person.hold("right", pictures=400)
    heard = [shown.samples for shown in person.shown if shown.samples is not None]
    assert len(heard) == 400
    assert sum(samples.size for samples in heard) == pytest.approx(400 * FRAME_SAMPLES, abs=1)
    assert np.abs(np.concatenate(heard)).max() > 1000  # the game sounds
    person.tap("f4")
    assert person.shown[-1].samples is None
    person.tap("f4")
    assert person.shown[-1].samples is not None
