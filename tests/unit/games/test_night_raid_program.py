# SPDX-License-Identifier: GPL-3.0-or-later
"""The tape of Night Raid is made from its sources, and what is written about its memory is true."""

import re

import pytest
from game_machine import ROOT
from night_raid_machine import NightRaidMachine, built

from oakemu_rl.games import load_game

TAPE = ROOT / "src" / "oakemu_rl" / "games" / "programs" / "night_raid.tap"
PAGE = ROOT / "docs" / "games" / "night_raid.md"
KINDS = ("grub", "crab", "lantern", "bat", "burst", "gun", "wreck")


def test_sources_give_the_committed_tape_byte_for_byte() -> None:
    assert built().tape == TAPE.read_bytes()


def test_program_ends_before_the_images_and_lies_where_the_ula_does_not_slow_it_down() -> None:
    assert built().labels["program_end"] <= 0xC000
    assert built().labels["drawn_image"] < 0x8600 <= built().labels["move_gun"]


def test_definition_names_the_real_addresses() -> None:
    definition = load_game("nightraid").definition
    named = {name: variable.at for name, variable in definition.variables.items()} | definition.routines
    labels = built().labels
    labels = labels | {"bomb_x": labels["bombs"], "bomb_y": labels["bombs"] + 1}  # a table of pairs
    assert named == {name: labels[name] for name in named}


def test_page_lists_the_real_addresses() -> None:
    labels = built().labels
    rows = re.findall(r"^\| `0x([0-9A-F]{4})` \| `(\w+)` \|", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert len(rows) >= 50
    assert [(name, int(address, 16)) for address, name in rows] == [(name, labels[name]) for _, name in rows]


def test_variables_lie_where_definitions_expect_them() -> None:
    # A moved variable would silently change every saved definition and experiment.
    wanted = {
        "main_loop": 0x8100,
        "score": 0x8400,
        "lives": 0x8404,
        "seed": 0x8415,
        "shot_x": 0x8420,
        "bombs": 0x8422,
        "diver": 0x842C,
        "ship": 0x8432,
        "raiders": 0x8440,
        "walls": 0x84B0,
    }
    assert {name: built().labels[name] for name in wanted} == wanted


def test_what_is_compared_by_its_low_byte_lies_in_one_page() -> None:
    labels = built().labels
    assert labels["score"] % 256 == 0
    assert {labels[name] // 256 for name in ("bombs", "raiders", "raiders_end", "walls")} == {0x84}


def drawing(name: str) -> list[int]:
    """The rows of a figure in the code, 16 bits each."""
    start = built().labels[f"picture_{name}"] - 0x8000
    code = built().code
    return [int.from_bytes(code[start + 2 * row : start + 2 * row + 2], "big") for row in range(12)]


@pytest.mark.parametrize("number", range(len(KINDS)), ids=KINDS)
def test_images_are_the_drawings_shifted(number: int) -> None:
    kind = KINDS[number]
    memory = NightRaidMachine().spectrum.memory
    for place in range(4):
        name = kind if kind in {"burst", "gun"} else f"{kind}_{'ab'[place % 2]}"
        start = 0xC000 - 0x4000 + (4 * number + place) * 36
        for row, bits in enumerate(drawing(name)):
            image = bytes(memory[start + 3 * row : start + 3 * row + 3])
            assert int.from_bytes(image, "big") == bits << 8 >> 2 * place


def test_images_of_the_mothership_are_the_drawing_shifted_column_by_column() -> None:
    start = built().labels["picture_ship"] - 0x8000
    memory = NightRaidMachine().spectrum.memory
    for place in range(4):
        first = 0xC400 - 0x4000 + 60 * place
        columns = memory[first : first + 60].reshape(5, 12)
        for row in range(12):
            bits = int.from_bytes(built().code[start + 4 * row : start + 4 * row + 4], "big")
            assert int.from_bytes(bytes(columns[:, row]), "big") == bits << 8 >> 2 * place
