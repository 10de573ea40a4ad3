# SPDX-License-Identifier: GPL-3.0-or-later
"""The tape of Forest Ride is made from its sources, and what is written about its memory is true."""

import re

import numpy as np
import pytest
from forest_ride_machine import (
    HORIZON,
    QUOTAS,
    VIEW_ROWS,
    ForestRideMachine,
    built,
    player_script,
)
from game_machine import ROOT

from oakemu_rl.games import load_game

TAPE = ROOT / "src" / "oakemu_rl" / "games" / "programs" / "forest_ride.tap"
PAGE = ROOT / "docs" / "games" / "forest_ride.md"
SCALE, BASE, WIDTH, PAINTER, IMAGES = 0xC700, 0xC780, 0xC800, 0xCD00, 0xD200
LAST_IMAGE = IMAGES + 32 * (28 + 22 + 15 + 10 + 24 + 18 + 12 + 8 + 5 + 3)


def table(machine: ForestRideMachine, start: int, count: int = 128) -> list[int]:
    return machine.spectrum.memory[start - 0x4000 : start - 0x4000 + count].tolist()


def test_sources_give_the_committed_tape_byte_for_byte() -> None:
    assert built().tape == TAPE.read_bytes()


def test_the_name_on_the_tape_is_cut_to_ten_letters() -> None:
    # A header of more than 17 bytes is none to the ROM.
    assert built().tape[:14] == bytes([19, 0, 0, 0]) + b"forest_rid"


def test_program_ends_before_the_tables() -> None:
    assert built().labels["program_end"] <= 0xC000
    assert built().labels["read_keys"] >= 0x8500, "code lies where the ULA does not slow it down"
    assert built().labels["tufts"] + 20 <= 0x8500


def test_definition_names_the_real_addresses() -> None:
    definition = load_game("forestride").definition
    named = {name: variable.at for name, variable in definition.variables.items()} | definition.routines
    assert named == {name: built().labels[name] for name in named}


def test_page_lists_the_real_addresses() -> None:
    rows = re.findall(r"^\| `0x([0-9A-F]{4})` \| `(\w+)` \|", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert len(rows) >= 45
    assert [(name, int(address, 16)) for address, name in rows] == [(name, built().labels[name]) for _, name in rows]


def test_page_tells_of_every_sector() -> None:
    rows = re.findall(
        r"^\| (\d) \| (\w+) \| ([\d.]+) \| (\d) to (\d) \| (\d) \| (\d) \|$", PAGE.read_text("utf-8"), re.M
    )
    assert len(rows) == 8
    code, labels = built().code, built().labels
    for number, (sector, name, speed, fewest, most, quota, company) in enumerate(rows):
        row = code[labels["sector_table"] - 0x8000 + 7 * number :][:7]
        assert int(sector) == number + 1
        assert (int(fewest), int(most)) == (row[1], row[1] + 3)
        assert float(speed) == round(row[0] / 64, 2)
        assert (int(quota), int(company)) == (row[3], row[4])
        assert int(quota) == QUOTAS[number]
        palette = code[row[5] + 256 * row[6] - 0x8000 :]
        assert palette[22:].split(b"\0")[0] == name.upper().encode()


def test_variables_lie_where_definitions_expect_them() -> None:
    # A moved variable would silently change every saved definition and experiment.
    wanted = {"main_loop": 0x8100, "score": 0x8400, "lives": 0x8404, "sector": 0x8405, "player_x": 0x8408}
    assert {name: built().labels[name] for name in wanted} == wanted


def test_the_player_counts_with_the_real_addresses() -> None:
    script, labels = player_script(), built().labels
    names = ("RIDERS", "RIDE", "TREE_FIRST", "TREE_COUNT", "BOLT_Z", "RELOAD", "CRUISE", "STEER", "SPEED", "PLAYER_X")
    assert {name: getattr(script, name) for name in names} == {name: labels[name.lower()] for name in names}
    assert labels["trees"] == script.TREES


def test_the_player_counts_with_the_real_rules() -> None:
    text = (ROOT / "programs" / "forest_ride" / "constants.asm").read_text(encoding="ascii")
    rules = {name: int(value) for name, value in re.findall(r"^(\w+) equ (\d+)\b", text, re.MULTILINE)}
    names = ("STEER_STEP", "STEER_MOST", "TREE_HIT", "RIDER_HIT", "BOLT_SPEED", "SLOT_SIZE", "SECTORS")
    assert {name: getattr(player_script(), name) for name in names} == {name: rules[name] for name in names}
    assert rules["TREES"] == player_script().TREE_RING


def test_perspective_is_one_over_the_distance() -> None:
    machine = ForestRideMachine()
    near, far = (np.floor(size / (np.arange(128) + 16) + 0.5) for size in (2304, 9216))
    assert table(machine, SCALE) == [*near[:32], *far[32:]]
    assert table(machine, BASE) == [min(VIEW_ROWS, HORIZON + int(1296 / (z + 16) + 0.5)) for z in range(128)]
    assert table(machine, WIDTH) == [int(648 / (z + 16) + 0.5) for z in range(128)]


def test_the_painter_is_what_its_maker_should_write() -> None:
    code: list[int] = []
    for row in reversed(range(VIEW_ROWS)):
        code.append(0x72)  # LD (HL), D
        if row % 8:
            code.append(0x25)  # DEC H
        elif row:
            third = (row - 1 + 32) // 64
            code += [0x7D, 0x91, 0x6F, 0x26, 0x47 + 8 * third]  # LD A, L; SUB C; LD L, A; LD H, n
    assert table(ForestRideMachine(), PAINTER, len(code) + 1) == [*code, 0xC9]


@pytest.mark.parametrize("shift", range(8))
def test_images_are_the_drawings_shifted(shift: int) -> None:
    machine, labels, rows = ForestRideMachine(), built().labels, 28
    start = labels["picture_rider_a"] - 0x8000
    drawing = [int.from_bytes(built().code[start + 3 * row : start + 3 * row + 3], "big") for row in range(rows)]
    image = np.array(table(machine, IMAGES + 4 * rows * shift, 4 * rows)).reshape(4, rows)
    for row in range(rows):
        assert int.from_bytes(bytes(image[:, row].tolist()), "big") == drawing[row] << 8 >> shift


def test_images_end_below_the_stack() -> None:
    machine = ForestRideMachine()
    assert any(table(machine, LAST_IMAGE - 96, 96)), "the last bolt"
    assert not any(table(machine, LAST_IMAGE, 0x800))
