# SPDX-License-Identifier: GPL-3.0-or-later
"""The tape of Caverns is made from its sources, and what is written about its memory and its rooms is true."""

import re

import numpy as np
import pytest
from caverns_machine import (
    BELT_LEFT,
    BELT_RIGHT,
    CRUMBLING,
    DEADLY_CELL,
    EMPTY,
    FIRST_LINE,
    FLOOR,
    KEY,
    ROOM_KEYS,
    WALL,
    CavernsMachine,
    built,
)
from game_machine import ROOT

from oakemu_rl.games import load_game

TAPE = ROOT / "src" / "oakemu_rl" / "games" / "programs" / "caverns.tap"
PAGE = ROOT / "docs" / "games" / "caverns.md"
SOURCES = ROOT / "programs" / "caverns"
CODES = {" ": EMPTY, "#": WALL, "=": FLOOR, "~": CRUMBLING, "<": BELT_LEFT, ">": BELT_RIGHT, "K": KEY, ".": EMPTY}
CODES |= {"^": DEADLY_CELL, "*": DEADLY_CELL}
ROOMS = range(1, 7)


def drawn_cells(room: int) -> list[str]:
    """The lines of cells in the source of a room."""
    text = (SOURCES / f"room_{room}.asm").read_text(encoding="ascii")
    return re.findall(r'^    defb "(.{32})"$', text, re.MULTILINE)


def test_sources_give_the_committed_tape_byte_for_byte() -> None:
    assert built().tape == TAPE.read_bytes()


def test_program_ends_before_the_buffer() -> None:
    assert built().labels["program_end"] <= 0xC000
    assert built().labels["mend_player"] > 0x8500, "code lies where the ULA does not slow it down"


def test_definition_names_the_real_addresses() -> None:
    definition = load_game("caverns").definition
    named = {name: variable.at for name, variable in definition.variables.items()} | definition.routines
    assert named == {name: built().labels[name] for name in named}


def test_page_lists_the_real_addresses() -> None:
    labels = built().labels
    rows = re.findall(r"^\| `0x([0-9A-F]{4})` \| `(\w+)` \|", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert len(rows) >= 30
    assert [(name, int(address, 16)) for address, name in rows] == [(name, labels[name]) for _, name in rows]


def test_variables_lie_where_definitions_expect_them() -> None:
    # A moved variable would silently change every saved definition and experiment.
    wanted = {"main_loop": 0x8100, "score": 0x8400, "lives": 0x8404, "room": 0x8405, "player_x": 0x8408, "air": 0x840B}
    assert {name: built().labels[name] for name in wanted} == wanted


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_is_what_its_table_says(room: int) -> None:
    machine = CavernsMachine(room)
    lines = drawn_cells(room)
    assert len(lines) == 21
    assert machine.cells()[:FIRST_LINE].any() == np.False_
    assert machine.cells()[FIRST_LINE:].tolist() == [[CODES[letter] for letter in line] for line in lines]
    assert machine.byte("keys_left") == ROOM_KEYS[room - 1] == "".join(lines).count("K")
    assert machine.byte("room") == room
    assert machine.byte("lives") == 3
    assert machine.byte("exit_open") == 0


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_is_closed_all_round(room: int) -> None:
    # Figures are drawn without a look at the edges of the screen.
    lines = drawn_cells(room)
    assert set(lines[0]) == {"#"}
    assert set(lines[-1]) <= {"#", "<", ">"}
    assert {line[0] for line in lines} == {line[-1] for line in lines} == {"#"}


@pytest.mark.parametrize("room", ROOMS)
def test_guardians_keep_to_empty_cells(room: int) -> None:
    # They colour the cells that they touch and do not put keys or floors back in between.
    machine = CavernsMachine(room, guardians=True)
    cells = machine.cells() & 0xF0
    for guardian in machine.guardians():
        upright = guardian.kind >= 8
        assert (guardian.x if upright else guardian.y) % 8 == 0
        assert guardian.low <= (guardian.y if upright else guardian.x) <= guardian.high
        for at in range(guardian.low, guardian.high + 1):
            x, y = (guardian.x, at) if upright else (at, guardian.y)
            assert not cells[y // 8 : (y + 15) // 8 + 1, x // 8 : (x + 15) // 8 + 1].any(), (guardian, at)


def test_figures_are_the_drawings_shifted_and_mirrored() -> None:
    labels, code = built().labels, built().code
    memory = CavernsMachine().spectrum.memory

    def drawing(name: str) -> list[int]:
        start = labels[f"picture_{name}"] - 0x8000
        return [int.from_bytes(code[start + 2 * row : start + 2 * row + 2], "big") for row in range(16)]

    for shift in range(8):
        rows = drawing("beetle_a" if shift % 4 < 2 else "beetle_b")
        for left in (False, True):
            start = 0xDE00 - 0x4000 + 768 * 1 + 384 * left + 48 * shift
            for row, bits in enumerate(rows):
                ink = int(f"{bits:016b}"[::-1], 2) if left else bits
                assert int.from_bytes(bytes(memory[start + 3 * row : start + 3 * row + 3]), "big") == ink << 8 >> shift
    wisp = bytes(memory[0xF000 - 0x4000 + 72 : 0xF000 - 0x4000 + 72 + 36])
    assert wisp == b"".join(row.to_bytes(2, "big") for row in [0, *drawing("wisp_a"), 0])
