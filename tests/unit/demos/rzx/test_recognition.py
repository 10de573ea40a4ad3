# SPDX-License-Identifier: GPL-3.0-or-later
"""Which game a memory is of, and whether a play begins in it."""

from dataclasses import replace

import numpy as np
import pytest
from played_recordings import at_start, at_title

from oakemu_rl.demos.game_memory import GameMemory, StartSign, ram_of
from oakemu_rl.demos.rzx import KnownGames
from oakemu_rl.demos.rzx.recognition import Recogniser
from oakemu_rl.demos.rzx.scanning import state_for
from oakemu_rl.emulator import Spectrum
from oakemu_rl.errors import UserError
from oakemu_rl.games import Game, list_games, load_game
from oakemu_rl.games.start_script import Step, UntilStep

SHIPPED = ("acorns", "caverns", "forest_ride", "night_raid")


@pytest.fixture(scope="module")
def known() -> KnownGames:
    return KnownGames.of([load_game(name) for name in SHIPPED])


@pytest.fixture(scope="module")
def caverns() -> Game:
    return load_game("caverns")


@pytest.fixture(scope="module")
def caverns_sign(caverns: Game) -> StartSign:
    (sign,) = GameMemory(caverns).start_signs()
    return sign


@pytest.mark.parametrize("name", SHIPPED)
def test_a_game_is_recognised_in_its_title_and_in_the_middle_of_it(known: KnownGames, name: str) -> None:
    game = load_game(name)
    later = at_start(game)
    later.hold_row(game.action_table[1])
    later.run_frames(400)
    for machine in (at_title(game), at_start(game), later):
        recognised = Recogniser(known).recognise(machine)
        assert recognised is not None
        assert recognised.memory.game.id == game.id
        assert recognised.likeness > 0.9


def test_machines_that_run_no_game_are_recognised_as_none(known: KnownGames) -> None:
    machine = Spectrum()
    machine.run_frames(100)
    assert Recogniser(known).recognise(machine) is None
    machine.memory[0x1CCB:] = np.random.default_rng(1).integers(0, 256, len(machine.memory) - 0x1CCB)
    assert Recogniser(known).recognise(machine) is None


def test_another_version_of_a_program_is_recognised_as_long_as_little_differs(known: KnownGames, caverns: Game) -> None:
    machine = at_start(caverns)
    code = np.flatnonzero(machine.memory[0x4000:]) + 0x4000
    machine.memory[code[::20]] ^= 0xFF
    assert Recogniser(known).recognise(machine) is not None
    machine.memory[code[::3]] ^= 0x55
    assert Recogniser(known).recognise(machine) is None


def test_two_definitions_of_one_program_have_to_be_told_apart(caverns: Game) -> None:
    twin = replace(caverns, definition=caverns.definition.model_copy(update={"id": "ZXSpectrum/Caves-v0"}))
    games = KnownGames.of([caverns, twin])
    with pytest.raises(UserError, match=r"that of ZXSpectrum/Caverns-v0 and ZXSpectrum/Caves-v0; .* --game"):
        Recogniser(games).recognise(at_start(caverns))


def test_a_game_on_another_machine_is_refused(known: KnownGames, caverns: Game) -> None:
    machine = Spectrum("128k")
    machine.write_block(0x4000, at_start(caverns).memory.tobytes())
    with pytest.raises(UserError, match="it is ZXSpectrum/Caverns-v0 on a machine 128k; the game is defined for 48k"):
        Recogniser(known).recognise(machine)


def test_a_failure_says_what_came_nearest_and_what_was_not_looked_at(
    caverns: Game, monkeypatch: pytest.MonkeyPatch, tmp_path
) -> None:
    monkeypatch.setenv("OAKEMU_RL_HOME", str(tmp_path))
    known = KnownGames.all()
    assert {memory.game.id for memory in known.memories}.union(known.missing) == set(list_games())
    assert "ZXSpectrum/ManicMiner-v0" in known.missing
    machine = Spectrum()
    machine.run_frames(100)
    recogniser = Recogniser(known)
    assert recogniser.recognise(machine) is None
    text = recogniser.describe_failure()
    assert "from 80% on it would be" in text
    assert "not looked at, as their programs are not there: " in text
    assert "ZXSpectrum/ManicMiner-v0" in text


def fits(sign: StartSign, machine: Spectrum) -> bool:
    return sign.fits(machine, ram_of(machine))


def test_a_play_begins_at_the_start_and_nowhere_else(caverns: Game, caverns_sign: StartSign) -> None:
    assert not fits(caverns_sign, at_title(caverns))
    machine = at_start(caverns)
    assert fits(caverns_sign, machine)
    machine.hold_row(caverns.action_table[2])
    machine.run_frames(20)
    assert fits(caverns_sign, machine)  # whatever is done at first
    variables = caverns.definition.variables
    for name, value in (("lives", 2), ("progress", 1), ("won", 1)):  # they decide about reward and end
        before = variables[name].read(machine.memory)
        variables[name].write(machine.memory, value)
        assert not fits(caverns_sign, machine)
        assert not caverns_sign.lasts(ram_of(machine))
        variables[name].write(machine.memory, before)
    assert caverns_sign.lasts(ram_of(machine))
    variables["cause"].write(machine.memory, 3)  # one that decides nothing may differ
    assert fits(caverns_sign, machine)


def test_no_play_has_begun_before_what_the_start_script_waits_for(caverns: Game, caverns_sign: StartSign) -> None:
    machine = at_title(caverns)
    machine.press("space")
    frames = 0
    while not caverns_sign.lasts(ram_of(machine)):  # the title makes a new game
        machine.run_frames(1)
        frames += 1
    while not fits(caverns_sign, machine):  # and draws the room before it is played
        machine.run_frames(1)
        frames += 1
        assert frames < 20
    assert machine.run_until(caverns.definition.routines["main_loop"], 2) is not None


def test_a_start_script_may_wait_for_a_condition(caverns: Game) -> None:
    script = [*caverns.definition.start[:-1], Step(until=UntilStep(condition="mode == 1 and room_frames > 2"))]
    game = replace(caverns, definition=caverns.definition.model_copy(update={"start": script}))
    (sign,) = GameMemory(game).start_signs()
    machine = at_start(caverns)
    machine.run_frames(1)
    assert not fits(sign, machine)
    machine.run_frames(4)
    assert fits(sign, machine)


@pytest.fixture(scope="module")
def picture_sign(caverns_sign: StartSign) -> StartSign:
    """As of a game whose start script waits for nothing."""
    return replace(caverns_sign, awaited=None)


def test_otherwise_the_picture_decides(caverns: Game, picture_sign: StartSign) -> None:
    machine = at_start(caverns)
    assert fits(picture_sign, machine)
    machine.memory[:0x1800] = 0
    assert not fits(picture_sign, machine)


def test_what_lies_outside_of_the_games_picture_may_differ(caverns: Game, picture_sign: StartSign) -> None:
    machine = at_start(caverns)
    x, y, width, height = caverns.definition.area
    assert (x, width, y + height) == (0, 256, 192)
    for line in range(y):  # above it: the score and a title
        machine.memory[(line & 0xC0) << 5 | (line & 7) << 8 | (line & 0x38) << 2 :][:32] ^= 0xFF
    assert fits(picture_sign, machine)


def test_a_fifth_of_the_other_variables_may_differ(caverns: Game, picture_sign: StartSign) -> None:
    machine = at_start(caverns)
    places, _ = picture_sign.others
    most = len(places) // 5
    machine.memory[places[:most]] ^= 0xFF
    assert fits(picture_sign, machine)
    machine.memory[places[most : most + 1]] ^= 0xFF
    assert not fits(picture_sign, machine)


def test_random_variables_do_not_decide() -> None:
    acorns = load_game("acorns")
    (sign,) = GameMemory(acorns).start_signs()
    seed = acorns.definition.variables["seed"]
    machine = at_start(acorns)
    seed.write(machine.memory, 0x1234)
    assert fits(sign, machine)
    assert not set(range(seed.at - 0x4000, seed.at - 0x4000 + 2)).intersection(sign.others[0].tolist())


def test_machines_get_the_joystick_that_the_game_asks_for(caverns: Game) -> None:
    machine = at_start(caverns)
    machine.run_tstates(1000)
    assert state_for(caverns.definition, machine) == machine.save_state()
    wanted = caverns.definition.model_copy(update={"joystick": "kempston"})
    fitted = Spectrum()
    fitted.load_state(state_for(wanted, machine))
    fitted.joystick(left=True)
    assert np.array_equal(fitted.memory, machine.memory)
    assert (fitted.registers.pc, fitted.t) == (machine.registers.pc, machine.t)
    fitted.write_block(0x8000, bytes.fromhex("DB1F"))  # IN A,(0x1F)
    fitted.registers.pc, fitted.registers.halted = 0x8000, 0
    fitted.run_tstates(1)
    assert fitted.registers.a == 2
