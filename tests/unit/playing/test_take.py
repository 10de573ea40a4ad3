# SPDX-License-Identifier: GPL-3.0-or-later
"""What is recorded is what was played, whatever was taken back."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from playing_tools import Person, make_session, make_take

from oakemu_rl.emulator import Spectrum, parse_snapshot
from oakemu_rl.emulator.rzx import Rzx, RzxPlayer, parse_rzx, rzx_bytes
from oakemu_rl.errors import UserError
from oakemu_rl.playing import Playable, PlaySession
from oakemu_rl.playing.identity import Identity
from oakemu_rl.playing.rewinding import Rewinder
from oakemu_rl.playing.take import Take

RIGHT = np.array([0, 0, 0, 0, 0, 1, 0, 0, 0], np.uint8)  # P
LEFT = np.array([0, 0, 0, 0, 0, 2, 0, 0, 0], np.uint8)  # O
NOTHING = np.zeros(9, np.uint8)


def replayed(recording: Rzx | None) -> Spectrum:
    """The machine at the end of a recording, after a round trip through the format."""
    assert recording is not None
    player = RzxPlayer(parse_rzx(rzx_bytes(recording), "x.rzx"))
    player.run_frames()
    return player.spectrum


def assert_same(one: Spectrum, other: Spectrum) -> None:
    assert np.array_equal(one.memory, other.memory)
    assert one.registers.as_dict() == other.registers.as_dict()


def play_about(person: Person, seed: int, pictures: int) -> None:
    rng = np.random.default_rng(seed)
    for _ in range(pictures // 10):
        person.hold(*(key for key in ("left", "right") if rng.random() < 0.4), pictures=10)


def rewind(person: Person) -> None:
    person.hold("f2", pictures=30)


def rewind_far(person: Person) -> None:
    person.hold("f2", pictures=130)


def reset(person: Person) -> None:
    person.tap("f5")


def load(person: Person) -> None:
    person.tap("f6")
    play_about(person, 9, 40)
    person.tap("f7")


def load_and_take_it_back(person: Person) -> None:
    load(person)
    person.hold("f2", pictures=20)


@pytest.mark.parametrize("meddle", [repr, rewind, rewind_far, reset, load, load_and_take_it_back])
def test_a_recording_is_what_was_played(acorns: Playable, tmp_path: Path, meddle: Callable[[Person], object]) -> None:
    take = make_take(acorns)
    person = Person(make_session(acorns, tmp_path, take=take))
    play_about(person, 1, 200)
    meddle(person)
    play_about(person, 2, 100)
    recording = take.finish("x.rzx")
    assert_same(replayed(recording), person.session.machine)
    parts = 2 if meddle in (reset, load) else 1
    assert recording is not None
    assert len(recording.parts) == parts


@pytest.mark.parametrize("seed", range(12))
def test_a_recording_is_what_was_played_whatever_was_pressed(acorns: Playable, tmp_path: Path, seed: int) -> None:
    rng = np.random.default_rng(seed)
    take = make_take(acorns)
    person = Person(make_session(acorns, tmp_path, take=take, rewinder=Rewinder(frames=int(rng.integers(1, 120)))))
    others = ("f2", "f2", "f2", "f5", "f6", "f7", "f8", "f9", "f10", "tab", "page up", "page down", "home", "f1")
    for _ in range(60):
        keys = [key for key in ("left", "right", "space") if rng.random() < 0.3]
        if rng.random() < 0.4:
            keys.append(str(rng.choice(others)))
        person.hold(*keys, pictures=int(rng.integers(1, 12)))
    person.tap("f10")  # a state that was loaded counts once a frame has followed
    assert_same(replayed(take.finish("x")), person.session.machine)


def test_what_was_taken_back_is_not_in_it(acorns: Playable, tmp_path: Path) -> None:
    take, plain = make_take(acorns), make_take(acorns)
    person = Person(make_session(acorns, tmp_path, take=take))
    person.hold("right", pictures=100)
    person.hold("left", pictures=25)
    person.hold("f2", pictures=25)
    person.hold("right", pictures=50)
    other = Person(make_session(acorns, tmp_path, take=plain))
    other.hold("right", pictures=150)
    recording, wanted = take.finish("x"), plain.finish("x")
    assert recording is not None
    assert wanted is not None
    assert [part.inputs for part in recording.parts] == [part.inputs for part in wanted.parts]


def test_entries_that_no_rewinding_reaches_are_settled(acorns: Playable, tmp_path: Path) -> None:
    take = make_take(acorns)
    person = Person(make_session(acorns, tmp_path, take=take, rewinder=Rewinder(frames=50)))
    play_about(person, 3, 200)
    with pytest.raises(ValueError, match="150 entries are settled"):
        take.cut(149)
    person.hold("f2", pictures=200)
    assert take.length == 150
    play_about(person, 4, 50)
    assert_same(replayed(take.finish("x")), person.session.machine)


def played(session: PlaySession, take: Take, frames: int) -> None:
    person = Person(session)
    play_about(person, 5, frames)
    assert take.length == frames


def test_a_recording_goes_on_where_another_ends(acorns: Playable, tmp_path: Path) -> None:
    first = make_take(acorns)
    session = make_session(acorns, tmp_path, take=first)
    played(session, first, 100)
    before = first.finish("first")
    state = session.machine.save_state()
    second = make_take(replace(acorns, state=state, before=before))
    later = make_session(replace(acorns, state=state), tmp_path)
    for row in (RIGHT, LEFT, NOTHING, RIGHT):
        second.add_frame(row)
        later.machine.hold_row(row)
        later.machine.run_frames(1)
    whole = second.finish("whole")
    assert whole is not None
    assert whole.frames == 104
    assert_same(replayed(whole), later.machine)


def test_the_first_snapshot_says_which_game_it_is(acorns: Playable) -> None:
    take = make_take(acorns)
    take.add_frame(RIGHT)
    recording = take.finish("x")
    assert recording is not None
    snapshot = recording.parts[0].snapshot
    assert snapshot is not None
    assert Identity.of_note(parse_snapshot(snapshot.data).note) == acorns.identity


def test_nothing_played_is_nothing_recorded(acorns: Playable) -> None:
    assert make_take(acorns).finish("x") is None


def test_whether_a_key_was_pressed(acorns: Playable) -> None:
    take = make_take(acorns)
    take.add_frame(NOTHING)
    take.add_state(acorns.state)
    assert not take.pressed
    take.add_frame(RIGHT)
    assert take.pressed
    take.cut(2)
    assert not take.pressed


def test_a_full_recording_ends_until_it_is_cut(acorns: Playable, tmp_path: Path) -> None:
    take = make_take(acorns, frames=60)
    person = Person(make_session(acorns, tmp_path, take=take))
    play_about(person, 6, 60)
    assert not take.full
    at_the_end = person.session.machine.fork()
    play_about(person, 7, 20)
    assert take.full
    assert take.length == 60
    person.hold("f2", pictures=5)
    assert take.full  # where in what was not recorded the machine is, nobody can tell
    assert_same(replayed(take.finish("x")), at_the_end)


def test_a_full_recording_goes_on_after_a_cut(acorns: Playable, tmp_path: Path) -> None:
    take = make_take(acorns, frames=60)
    person = Person(make_session(acorns, tmp_path, take=take))
    play_about(person, 6, 80)
    person.hold("f2", pictures=30)
    assert not take.full
    assert take.length == 50
    play_about(person, 8, 10)
    assert not take.full
    assert_same(replayed(take.finish("x")), person.session.machine)


def test_that_a_recording_is_full_is_said_whenever_it_becomes_so(acorns: Playable, tmp_path: Path) -> None:
    take = make_take(acorns, frames=60)
    person = Person(make_session(acorns, tmp_path, take=take))
    person.hold(pictures=61)
    assert person.session._notice == "the recording is full and ends here"
    person.hold(pictures=120)
    assert person.session._notice_left == 0
    person.hold("f2", pictures=100)
    assert take.length == 31
    person.hold(pictures=29)
    assert person.session._notice_left == 0
    person.hold()
    assert person.session._notice_left == 99


def test_input_has_its_bounds(acorns: Playable) -> None:
    take = make_take(acorns, nbytes=2000)
    for _ in range(7000):
        take.add_frame(RIGHT)
        take.settle(take.length - 10)
    assert take.full
    assert take.length == 3010  # the size is looked at now and then


def test_a_program_that_cannot_be_recorded(acorns: Playable) -> None:
    # Nothing but EI, and once in 2.8 frames a jump, after which an interrupt could come.
    spectrum = Spectrum()
    spectrum.memory[:] = 0xFB
    spectrum.write_block(0xFFFD, bytes([0xC3, 0x00, 0x40]))
    spectrum.registers.pc = 0x8000
    take = Take(spectrum.save_state(), "48k", acorns.identity)
    for _ in range(20):
        take.add_frame(NOTHING)
    take.settle(10)
    assert take.full
    take.add_frame(NOTHING)
    with pytest.raises(UserError, match="x: what was played cannot be recorded: frame 0 of the recording is too long"):
        take.finish("x")
