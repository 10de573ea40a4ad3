# SPDX-License-Identifier: GPL-3.0-or-later
"""Numbers on the display: pictures that were drawn on purpose, in the ROM's letters and in others."""

import numpy as np
import pytest

from oakemu_rl.emulator import Spectrum
from oakemu_rl.emulator.rom_font import rom_font
from oakemu_rl.games.screen_digits import ShownNumber, find_fonts, read_numbers

START = 0x4000

# A font of our own: thin, with open fours and noughts without a slash.
_THIN = """
.111.  ..1..  .111.  1111.  1..1.  11111  .111.  11111  .111.  .111.
1...1  .11..  1...1  ....1  1..1.  1....  1....  ....1  1...1  1...1
1...1  ..1..  ...1.  .111.  11111  1111.  1111.  ...1.  .111.  .1111
1...1  ..1..  ..1..  ....1  ...1.  ....1  1...1  ..1..  1...1  ....1
.111.  .111.  11111  1111.  ...1.  1111.  .111.  ..1..  .111.  .111.
"""


def thin_font() -> np.ndarray:
    rows = [line.split() for line in _THIN.split("\n") if line]
    font = np.zeros((10, 8), np.uint8)
    for line, cells in enumerate(rows):
        for digit, cell in enumerate(cells):
            font[digit, line + 1] = int(cell.replace(".", "0"), 2) << 1
    return font


def empty() -> np.ndarray:
    return np.zeros(49152, np.uint8)


def draw(ram: np.ndarray, row: int, column: int, glyphs: np.ndarray) -> None:
    for number, glyph in enumerate(glyphs):
        for line in range(8):
            ram[(row >> 3) << 11 | line << 8 | (row & 7) << 5 | column + number] = glyph[line]


def letters(text: str) -> np.ndarray:
    return rom_font()[[ord(letter) - 32 for letter in text]]


def test_what_basic_prints_is_read() -> None:
    spectrum = Spectrum()
    spectrum.run_frames(100)
    spectrum.type_keys("p", "6", "5", "5", "3", "5", "enter")  # PRINT 65535
    assert [number for number in read_numbers(spectrum.visible_ram()) if number.row == 0] == [
        ShownNumber("65535", 0, 0)
    ]


def test_numbers_are_told_apart_by_what_stands_between_them() -> None:
    ram = empty()
    draw(ram, 0, 0, letters("HI 001200 1UP 00340"))
    draw(ram, 9, 30, letters("07"))
    draw(ram, 23, 5, letters("12-9"))
    assert read_numbers(ram) == [
        ShownNumber("001200", 0, 3),
        ShownNumber("1", 0, 10),
        ShownNumber("00340", 0, 14),
        ShownNumber("07", 9, 30),
        ShownNumber("12", 23, 5),
        ShownNumber("9", 23, 8),
    ]
    assert read_numbers(ram)[2].value == 340


def test_black_on_white_is_read_as_white_on_black() -> None:
    ram = empty()
    draw(ram, 3, 4, 255 - letters("0925"))
    assert read_numbers(ram) == [ShownNumber("0925", 3, 4)]


@pytest.mark.parametrize("address", [0x5B00, 0x8001, 0xFFB0])
def test_a_font_of_the_games_own_is_found_by_its_shapes(address: int) -> None:
    ram = empty()
    ram[address - START : address - START + 80] = thin_font().reshape(-1)
    assert [font.address for font in find_fonts(ram)] == [0], "no digit of it is on the display"
    draw(ram, 12, 7, thin_font()[[4, 0, 8, 6, 1, 2, 3, 5, 7]])
    assert [font.address for font in find_fonts(ram)] == [0, address]
    assert read_numbers(ram) == [ShownNumber("408612357", 12, 7)]


def test_shapes_in_another_order_are_no_digits() -> None:
    ram = empty()
    ram[0x4000 : 0x4000 + 80] = thin_font()[::-1].reshape(-1)
    draw(ram, 0, 0, thin_font()[[1, 2]])
    assert read_numbers(ram) == []


def test_a_font_is_found_by_black_digits_on_white() -> None:
    ram = empty()
    ram[0x4000 : 0x4000 + 80] = thin_font().reshape(-1)
    draw(ram, 3, 4, 255 - thin_font()[[9, 0]])
    assert read_numbers(ram) == [ShownNumber("90", 3, 4)]


@pytest.mark.parametrize(("digit", "like"), [(0, None), (3, 2)])
def test_a_blank_or_two_digits_alike_are_no_font(digit: int, like: int | None) -> None:
    ram = empty()
    font = thin_font()
    font[digit] = 0 if like is None else font[like]
    ram[0x4000 : 0x4000 + 80] = font.reshape(-1)
    draw(ram, 3, 4, font[[7, 5]])
    assert [each.address for each in find_fonts(ram)] == [0]


def test_the_letter_o_in_a_word_is_no_number() -> None:
    ram = empty()
    font = thin_font()
    ram[0x4000 : 0x4000 + 80] = font.reshape(-1)
    draw(ram, 0, 0, letters("SC"))
    draw(ram, 0, 2, font[[0]])
    draw(ram, 0, 3, letters("RE:"))
    draw(ram, 0, 7, font[[0]])
    assert read_numbers(ram) == [ShownNumber("0", 0, 7)]


def test_long_rows_of_digits_are_scenery() -> None:
    ram = empty()
    draw(ram, 5, 0, letters("1111111111"))
    assert read_numbers(ram) == []


def test_noise_holds_no_font() -> None:
    ram = np.random.default_rng(3).integers(0, 256, 49152).astype(np.uint8)
    assert [font.address for font in find_fonts(ram)] == [0]


def test_the_other_screen_of_a_128k_machine_is_read() -> None:
    ram, display = empty(), np.zeros(16384, np.uint8)
    ram[0x4000 : 0x4000 + 80] = thin_font().reshape(-1)
    draw(ram, 1, 1, letters("11"))
    draw(display, 2, 2, thin_font()[[2, 3]])
    assert read_numbers(ram, display) == [ShownNumber("23", 2, 2)]
    assert [font.address for font in find_fonts(ram, display)] == [0, 0x8000]
