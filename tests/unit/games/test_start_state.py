# SPDX-License-Identifier: GPL-3.0-or-later
from pathlib import Path

import pytest
from small_game import DEFINITION, MAIN_LOOP, tape, write_game

from oakemu_rl.emulator import Spectrum
from oakemu_rl.errors import UserError
from oakemu_rl.games import Game, load_game, make_start_state


def machine_of(game: Game) -> Spectrum:
    machine = Spectrum(kempston=game.definition.joystick == "kempston")
    machine.load_state(game.start_state())
    return machine


def test_start_script_is_played(tmp_path: Path) -> None:
    game = load_game(write_game(tmp_path))
    machine = machine_of(game)
    read = {name: variable.read(machine.memory) for name, variable in game.definition.variables.items()}
    assert machine.registers.pc == MAIN_LOOP
    assert read == {"score": 0, "lives": 5, "rounds": 2}  # two of the three frames of SPACE


def test_no_key_is_held_at_the_start(tmp_path: Path) -> None:
    game = load_game(write_game(tmp_path, DEFINITION.replace("keys: [space]", "keys: [space, o]")))
    machine = machine_of(game)
    rounds, score = machine.peek(0x9003), machine.read_word(0x9000)
    assert score > 0  # O counted while the script held it
    machine.run_frames(10)
    assert machine.peek(0x9003) - rounds in (9, 10)
    assert machine.read_word(0x9000) == score
    machine.press("o")
    machine.run_frames(10)
    assert machine.read_word(0x9000) - score in (9, 10)


def test_start_state_is_kept_and_repeats(tmp_path: Path) -> None:
    game = load_game(write_game(tmp_path))
    first = game.start_state()
    assert game.start_state() is first
    assert make_start_state(game.definition, game.program) is first
    longer = load_game(write_game(tmp_path, DEFINITION.replace("frames: 20", "frames: 21"), "longer.yaml"))
    assert longer.start_state() != first


def test_start_without_a_script_is_where_the_loader_ends(tmp_path: Path) -> None:
    lines = [line for line in DEFINITION.splitlines() if not line.startswith(("  - ", "start"))]
    machine = machine_of(load_game(write_game(tmp_path, "\n".join(lines))))
    assert machine.peek(0x8000) == 0xF3
    assert machine.run_until(0x8000, 50) == 0x8000


def test_routine_that_is_not_reached(tmp_path: Path) -> None:
    game = load_game(write_game(tmp_path, DEFINITION.replace("keys: [space]", "keys: [enter]")))
    with pytest.raises(UserError) as caught:
        game.start_state()
    message = str(caught.value)
    assert message.startswith(
        f"{tmp_path}/small.yaml:8:12: start step 3: main_loop at 0x8011 was not reached within 50 frames"
    )
    assert "the machine is at 0x800" in message
    assert "\n" not in message


def test_joystick_in_the_start_script(tmp_path: Path) -> None:
    text = DEFINITION.replace("actions:", "joystick: kempston\nactions:").replace(
        "keys: [space]", "keys: [fire, space]"
    )
    machine = machine_of(load_game(write_game(tmp_path, text)))
    assert machine.registers.pc == MAIN_LOOP
    machine.joystick(fire=True)  # fitted, or this would be refused


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "small.yaml:4:20: small.tap: the file is empty"),
        (tape()[:-1], "but only"),
        (b"\x00\xff" * 500, "bytes follow in the file"),
        (tape()[:21], "small.tap: the tape has ended, but the program still listens to it"),
    ],
)
def test_unusable_tape(tmp_path: Path, content: bytes, words: str) -> None:
    path = write_game(tmp_path)
    (tmp_path / "small.tap").write_bytes(content)
    with pytest.raises(UserError) as caught:
        load_game(path).start_state()
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)
