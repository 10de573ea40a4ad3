# SPDX-License-Identifier: GPL-3.0-or-later
"""Guesses about programs, on those whose start and keys are known."""

from importlib import resources

import pytest
from small_game import CODE, ORIGIN, tape

from oakemu_rl.emulator import Spectrum, load_tape, parse_tap
from oakemu_rl.games import load_game
from oakemu_rl.games.probing import find_start, probe


def loaded(data: bytes) -> Spectrum:
    spectrum = Spectrum()
    load_tape(spectrum, parse_tap(data))
    return spectrum


def shipped(name: str) -> bytes:
    return (resources.files("oakemu_rl.games") / "programs" / f"{name}.tap").read_bytes()


@pytest.mark.parametrize(("name", "keys"), [("acorns", {"o", "p"}), ("caverns", {"o", "p", "space"})])
def test_our_games_are_found_to_begin_with_space_and_to_be_played_with_their_keys(name: str, keys: set[str]) -> None:
    spectrum = loaded(shipped(name))
    steps = find_start(spectrum)
    pressed = [step.press.keys for step in steps if step.press is not None]
    assert pressed == [["space"]]
    variables = load_game(name).definition.variables
    assert variables["mode"].read(spectrum.visible_ram()) == 1  # playing
    found = probe(spectrum)
    assert set(found.keys) == keys
    assert not found.reads_kempston
    x, y, width, height = found.area
    assert (x, y) <= (0, 16)
    assert x + width == 256
    assert y + height == 192


def test_the_steps_lead_where_the_machine_is() -> None:
    spectrum = loaded(shipped("acorns"))
    again = spectrum.fork()
    for step in find_start(spectrum):
        if step.wait is not None:
            again.run_frames(step.wait.frames)
        else:
            assert step.press is not None
            again.press(*step.press.keys)
            again.run_frames(step.press.frames)
            again.release_all()
    assert again.save_state() == spectrum.save_state()


def test_a_probe_leaves_the_machine_alone() -> None:
    spectrum = loaded(shipped("acorns"))
    before = spectrum.save_state()
    probe(spectrum)
    assert spectrum.save_state() == before


def test_a_game_that_shows_nothing_is_not_guessed_about() -> None:
    spectrum = loaded(tape())
    assert [step.press for step in find_start(spectrum)] == [None]
    found = probe(spectrum)
    assert found.keys == ()
    assert 0 < found.area[2] <= 256


def test_a_game_that_looks_for_a_joystick() -> None:
    spectrum = loaded(tape())
    place = CODE.index(bytes([0x01, 0xFE, 0x7F, 0xED, 0x78]))
    spectrum.write_block(ORIGIN + place, bytes([0xDB, 0x1F, 0x18, 0xFC]))  # IN A,(1F) : JR back
    spectrum.registers.pc = ORIGIN + place
    assert probe(spectrum).reads_kempston
