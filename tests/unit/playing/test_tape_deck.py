# SPDX-License-Identifier: GPL-3.0-or-later
"""Games that load more of their tape while they are played."""

from pathlib import Path

import numpy as np
import pytest
from level_tape import LEVEL_AT, LEVELS, level_tape
from playing_tools import Person, make_session, make_take

from oakemu_rl.emulator import Spectrum, Tape, TapeBlock
from oakemu_rl.emulator.rzx import RzxPlayer
from oakemu_rl.emulator.tapes import tap_bytes
from oakemu_rl.playing import Playable, open_playable
from oakemu_rl.playing.tape_deck import TapeDeck


@pytest.fixture
def game(tmp_path: Path) -> Playable:
    (tmp_path / "levels.tap").write_bytes(tap_bytes(level_tape()))
    return open_playable(str(tmp_path / "levels.tap"))


def level(spectrum: Spectrum) -> bytes:
    return spectrum.memory[LEVEL_AT - 0x4000 :][:7].tobytes()


def test_play_begins_with_what_the_game_asked_for(game: Playable, tmp_path: Path) -> None:
    person = Person(make_session(game, tmp_path))
    person.hold(pictures=5)
    assert 0x8000 <= person.session.machine.registers.pc <= 0x8009
    assert level(person.session.machine) == bytes(7)


def test_more_is_loaded_when_play_is_pressed(game: Playable, tmp_path: Path) -> None:
    take = make_take(game)
    person = Person(make_session(game, tmp_path, take=take))
    for number, content in enumerate(LEVELS):
        person.hold(pictures=5)
        person.hold("q", pictures=5)
        person.hold("q", "f11")
        assert level(person.session.machine) == content
        assert person.session._notice == f"tape: block {5 + number} of 6"
    recording = take.finish("x")
    assert recording is not None
    player = RzxPlayer(recording)
    player.run_frames()
    assert np.array_equal(player.spectrum.memory, person.session.machine.memory)


def test_after_its_end_it_begins_anew(game: Playable) -> None:
    blocks = tuple(TapeBlock.from_data(0xFF, content) for content in reversed(LEVELS))
    deck = TapeDeck(Tape("other.tap", blocks), 2)
    spectrum = Spectrum()
    spectrum.load_state(game.state)
    spectrum.tap("q", frames=10)
    state = deck.play(spectrum)
    assert level(spectrum) == bytes(7)  # the machine itself stays as it is
    spectrum.load_state(state)
    assert level(spectrum) == LEVELS[1]
    assert deck.text == "block 1 of 2"


def test_nobody_asks(game: Playable, tmp_path: Path) -> None:
    person = Person(make_session(game, tmp_path))
    person.hold(pictures=5)
    person.hold("f11")
    assert person.session._notice == "the game does not ask for the tape (block 4 of 6)"
    assert level(person.session.machine) == bytes(7)


def test_there_is_no_tape(acorns: Playable, tmp_path: Path) -> None:
    person = Person(make_session(acorns, tmp_path))
    person.hold("f11")
    assert person.session._notice == "there is no tape"


def test_a_level_can_be_taken_back(game: Playable, tmp_path: Path) -> None:
    person = Person(make_session(game, tmp_path))
    person.hold("q", pictures=5)
    person.hold("q", "f11")
    assert level(person.session.machine) == LEVELS[0]
    person.hold("f2", pictures=4)
    assert level(person.session.machine) == bytes(7)
