# SPDX-License-Identifier: GPL-3.0-or-later
"""Displays as cells, against the ROM's own printing."""

import numpy as np
import pytest

from oakemu_rl.emulator import Spectrum
from oakemu_rl.games.cells import bounds, cells_of, changed, drawn_on

FONT = 0x3D00


def printed(*keys: str) -> Spectrum:
    """A machine that has executed a line of BASIC."""
    spectrum = Spectrum()
    spectrum.run_frames(100)
    spectrum.type_keys(*keys, "enter")
    spectrum.run_frames(20)
    return spectrum


def test_a_cell_holds_what_was_printed_there() -> None:
    spectrum = printed("p", "7")  # PRINT 7
    cells = cells_of(spectrum)
    assert cells.shape == (24, 32, 9)
    assert bytes(cells[0, 0]) == bytes(spectrum.rom[FONT + 8 * (ord("7") - 32) :][:8]) + b"\x38"
    drawn = drawn_on(cells)
    assert drawn[0, 0]
    assert not drawn[1:23].any()


def test_what_has_changed() -> None:
    one, other = cells_of(printed("p", "7")), cells_of(printed("p", "8"))
    assert [tuple(map(int, place)) for place in np.argwhere(changed(one, other))] == [(0, 0)]


def test_attributes_count() -> None:
    spectrum = printed("p", "7")
    before = cells_of(spectrum)
    spectrum.poke(0x5800 + 32 * 20 + 31, 0x07)
    assert [tuple(map(int, place)) for place in np.argwhere(changed(before, cells_of(spectrum)))] == [(20, 31)]


def test_the_other_screen_of_a_128k() -> None:
    spectrum = Spectrum("128k")
    spectrum.port_7ffd = 8
    spectrum.bank(7)[6144:6912] = 0x38
    spectrum.bank(7)[6144 + 33] = 0x07
    assert [tuple(map(int, place)) for place in np.argwhere(drawn_on(cells_of(spectrum)))] == [(1, 1)]


def test_an_empty_display_counts_as_a_whole() -> None:
    spectrum = Spectrum()
    assert drawn_on(cells_of(spectrum)).all()


@pytest.mark.parametrize(
    ("places", "rectangle"),
    [([(0, 0)], (0, 0, 8, 8)), ([(2, 5), (10, 31)], (40, 16, 216, 72)), ([(23, 0)], (0, 184, 8, 8))],
)
def test_bounds(places: list[tuple[int, int]], rectangle: tuple[int, int, int, int]) -> None:
    mask = np.zeros((24, 32), np.bool_)
    for place in places:
        mask[place] = True
    assert bounds(mask) == rectangle
