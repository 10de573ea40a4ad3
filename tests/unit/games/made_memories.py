# SPDX-License-Identifier: GPL-3.0-or-later
"""Memories that were made up, for searches whose right answer is known."""

import numpy as np

from oakemu_rl.emulator.rom_font import rom_font
from oakemu_rl.games.search import Search
from oakemu_rl.games.search_values import RAM_SIZE, TYPES
from oakemu_rl.games.variables import Variable

START = 0x4000
SCORES = {
    "u8": 0x9000,
    "u16le": 0x9010,
    "u16be": 0x9020,
    "u24": 0x9030,
    "bcd3": 0x9040,
    "ascii6": 0x9050,
}


def memory(**values: int) -> np.ndarray:
    """Memory in which a number is kept in several types; what is not named is 0."""
    ram = np.full(RAM_SIZE, 0xAB, np.uint8)  # no number in BCD or ASCII
    ram[:0x1B00] = 0
    for name, address in SCORES.items():
        variable = Variable(at=address, type=name)
        variable.write(ram, values.get(name, 0) % (variable.limits[1] + 1))  # as the Spectrum does, too
    return ram


def everywhere(value: int) -> np.ndarray:
    return memory(**dict.fromkeys(SCORES, value))


def left(search: Search) -> set[tuple[int, str]]:
    """What is left where the numbers lie."""
    first, last = 0x8FF0 - START, 0xA010 - START
    rows, columns = np.nonzero(search.candidates[:, first:last])
    return {(START + first + int(column), TYPES[row]) for row, column in zip(rows, columns, strict=True)}


def after(*rams: np.ndarray) -> Search:
    search = Search()
    for ram in rams:
        search.snap(ram)
    return search


def draw(ram: np.ndarray, text: str, row: int, column: int) -> None:
    for number, letter in enumerate(text):
        for line in range(8):
            ram[(row >> 3) << 11 | line << 8 | (row & 7) << 5 | column + number] = rom_font()[ord(letter) - 32][line]


def shown(value: int, text: str) -> np.ndarray:
    ram = everywhere(value)
    draw(ram, text, 2, 20)
    draw(ram, "7", 0, 0)
    return ram
