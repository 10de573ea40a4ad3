# SPDX-License-Identifier: GPL-3.0-or-later
"""Start scripts beyond waiting and pressing: several starts, conditions, files; and where their failures are."""

from pathlib import Path

import pytest
from small_game import DEFINITION, MAIN_LOOP, write_game

from oakemu_rl.emulator import Spectrum, TapeBlock, from_machine, write_snapshot
from oakemu_rl.errors import UserError
from oakemu_rl.games import Game, load_game

STARTS = """\
starts:
  rich: {after: default, start: [{set: {score: 1000, lives: 9}}]}
  richer: {after: rich, weight: 0, start: [{set: {score: 2000}}, {wait: {frames: 5}}]}
  title: {weight: 2.5, start: [{wait: {frames: 20}}]}
"""


def machine_of(game: Game, start: str = "default") -> Spectrum:
    machine = Spectrum()
    machine.load_state(game.start_state(start))
    return machine


def values(game: Game, start: str = "default") -> dict[str, int]:
    return game.read(machine_of(game, start).visible_ram())


def game_with(folder: Path, extra: str, text: str = DEFINITION) -> Game:
    return load_game(write_game(folder, text + extra))


def error_of(folder: Path, extra: str, start: str = "default", text: str = DEFINITION) -> str:
    with pytest.raises(UserError) as caught:
        game_with(folder, extra, text).start_state(start)
    assert "\n" not in str(caught.value)
    return str(caught.value).replace(f"{folder}/", "")


def test_several_starts(tmp_path: Path) -> None:
    game = game_with(tmp_path, STARTS)
    assert game.start_names == ("default", "rich", "richer", "title")
    assert values(game) == {"score": 0, "lives": 5, "rounds": 2}
    assert values(game, "rich") == {"score": 1000, "lives": 9, "rounds": 2}
    assert values(game, "richer") == {"score": 2000, "lives": 9, "rounds": 6}  # it waits for the first frame to end
    assert values(game, "title") == {"score": 0, "lives": 0, "rounds": 0}
    assert machine_of(game, "title").registers.pc < MAIN_LOOP
    assert machine_of(game, "rich").registers.pc == MAIN_LOOP


def test_starts_are_made_once(tmp_path: Path) -> None:
    game = game_with(tmp_path, STARTS)
    assert game.start_state("rich") is load_game(tmp_path / "small.yaml").start_state("rich")
    assert game.start_state("default") is game.start_state()


def test_unknown_start(tmp_path: Path) -> None:
    message = error_of(tmp_path, STARTS, "ritch")
    assert message == (
        "ZXSpectrum/Small-v0: unknown start 'ritch' (did you mean 'rich'?); there are default, rich, richer, title"
    )


def test_a_start_from_a_snapshot(tmp_path: Path) -> None:
    machine = machine_of(game_with(tmp_path, ""))
    machine.poke(0x9000, 77)
    write_snapshot(from_machine(machine), tmp_path / "later.szx")
    extra = "starts:\n  later: {snapshot: later.szx}\n  poor: {snapshot: later.szx, start: [{set: {lives: 1}}]}\n"
    game = game_with(tmp_path, extra)
    assert set(game.files) == {"later.szx"}
    assert values(game, "later") == {"score": 77, "lives": 5, "rounds": 2}
    assert values(game, "poor") == {"score": 77, "lives": 1, "rounds": 2}
    assert game != load_game(write_game(tmp_path))


def test_a_snapshot_in_the_middle_of_a_script(tmp_path: Path) -> None:
    machine = machine_of(game_with(tmp_path, ""))
    machine.poke(0x9003, 50)
    write_snapshot(from_machine(machine), tmp_path / "later.szx")
    text = DEFINITION.replace("  - set: {lives: 5}", "  - load: {file: later.szx}\n  - wait: {frames: 10}")
    assert values(load_game(write_game(tmp_path, text)))["rounds"] == 59


def test_until_a_condition_holds(tmp_path: Path) -> None:
    text = DEFINITION.replace("{routine: main_loop, at_most_frames: 50}", "{condition: rounds >= 8 and lives == 3}")
    assert values(load_game(write_game(tmp_path, text)))["rounds"] == 8


def test_a_condition_that_holds_already_takes_no_time(tmp_path: Path) -> None:
    text = DEFINITION + "  # nothing\n"
    extra = "starts: {same: {after: default, start: [{until: {condition: lives == 5}}]}}\n"
    game = game_with(tmp_path, extra, text)
    assert game.start_state("same") == game.start_state()


def test_conditions_know_tables_and_derived_variables(tmp_path: Path) -> None:
    extra = "derived: {doubled: 2 * rounds}\n"
    text = DEFINITION.replace("{routine: main_loop, at_most_frames: 50}", "{condition: 'doubled + bytes[0] >= 12'}")
    text = text.replace("variables:", "variables:\n  bytes: {at: 0x9004, type: u8, count: 2}")
    assert values(game_with(tmp_path, extra, text))["rounds"] == 6


def test_a_condition_that_never_holds(tmp_path: Path) -> None:
    text = DEFINITION.replace("{routine: main_loop, at_most_frames: 50}", "{condition: lives == 77, at_most_frames: 9}")
    assert error_of(tmp_path, "", text=text) == (
        "small.yaml:8:24: start step 3: 'lives == 77' did not come true within 9 frames; lives is 3"
    )


def test_where_a_step_of_another_start_fails(tmp_path: Path) -> None:
    extra = (
        "starts:\n"
        "  a: {after: default, start: [{wait: {frames: 1}}, {until: {routine: unused, at_most_frames: 3}}]}\n"
        "  b: {after: a, start: [{wait: {frames: 1}}]}\n"
    )
    for start in ("a", "b"):
        message = error_of(tmp_path, extra, start)
        assert message.startswith("small.yaml:20:60: starts.a step 2: unused at 0x8000 was not reached within 3 frames")


@pytest.mark.parametrize(
    ("extra", "place"),
    [
        ("starts: {a: {snapshot: none.z80}}", "small.yaml:19:24: starts.a.snapshot: there is no none.z80 in "),
        (
            "starts: {a: {start: [{load: {file: none.tap}}]}}",
            "small.yaml:19:36: starts.a.start.0.load.file: there is no none.tap in ",
        ),
    ],
)
def test_files_that_are_not_there(tmp_path: Path, extra: str, place: str) -> None:
    assert error_of(tmp_path, extra + "\n").startswith(place)


def test_files_that_do_not_fit(tmp_path: Path) -> None:
    write_snapshot(from_machine(Spectrum("128k")), tmp_path / "other.szx")
    message = error_of(tmp_path, "starts: {a: {snapshot: other.szx}}\n", "a")
    assert message.startswith("small.yaml:19:24: starts.a.snapshot: other.szx: the snapshot is of a 128k machine")
    (tmp_path / "bad.szx").write_bytes(b"nothing")
    message = error_of(tmp_path, "starts: {a: {snapshot: bad.szx}}\n", "a")
    assert message.startswith("small.yaml:19:24: starts.a.snapshot: bad.szx: ")


LOADER = bytes([
    0xDD, 0x21, 0x00, 0x90,  # LD IX,9000
    0x11, 0x04, 0x00,        # LD DE,4
    0x3E, 0xFF,              # LD A,FF
    0x37,                    # SCF
    0xCD, 0x56, 0x05,        # CALL LD-BYTES
    0x18, 0xFE,              # JR self
])  # fmt: skip


def write_loader(folder: Path) -> str:
    """A game that asks for four bytes from tape; returns its definition."""
    machine = Spectrum()
    machine.run_frames(100)
    machine.write_block(0x8000, LOADER)
    machine.registers.pc = 0x8000
    write_snapshot(from_machine(machine), folder / "small.szx")
    block = TapeBlock.from_data(255, bytes([0x2C, 0x01, 0x07, 0x09])).content
    (folder / "level.tap").write_bytes(len(block).to_bytes(2, "little") + block)
    lines = [line for line in DEFINITION.splitlines() if not line.startswith("  - ")]
    return (
        "\n".join(lines).replace("small.tap", "small.szx").replace("start:", "start: [{load: {file: level.tap}}]")
        + "\n"
    )


def test_a_tape_is_loaded_by_the_program_that_runs(tmp_path: Path) -> None:
    text = write_loader(tmp_path)
    game = load_game(write_game(tmp_path, text))
    assert values(game) == {"score": 300, "lives": 7, "rounds": 9}
    assert machine_of(game).peek(0x8000) == 0xDD  # nothing was switched off


def test_a_tape_that_nobody_loads(tmp_path: Path) -> None:
    write_loader(tmp_path)
    message = error_of(tmp_path, "starts: {a: {after: default, start: [{load: {file: level.tap}}]}}\n", "a")
    assert message.startswith(
        "small.yaml:19:52: starts.a step 1: level.tap: the program has not asked for block 1 of 1 within 1500 frames"
    )


def test_a_game_made_by_hand_names_itself(tmp_path: Path) -> None:
    game = load_game(write_game(tmp_path, DEFINITION.replace("keys: [space]", "keys: [enter]")))
    with pytest.raises(UserError, match=r"^ZXSpectrum/Small-v0: start step 3: main_loop at 0x8011 was not reached"):
        Game(game.definition, game.program).start_state()
