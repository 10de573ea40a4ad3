# SPDX-License-Identifier: GPL-3.0-or-later
import numpy as np
import pytest

from oakemu_rl.emulator import Spectrum, keyboard
from oakemu_rl.errors import UserError

# Port's high byte: keys from bit 0 on, as in the Spectrum manual.
HARDWARE = {
    0xFE: "shift z x c v",
    0xFD: "a s d f g",
    0xFB: "q w e r t",
    0xF7: "1 2 3 4 5",
    0xEF: "0 9 8 7 6",
    0xDF: "p o i u y",
    0xBF: "enter l k j h",
    0x7F: "space sym m n b",
}
PLACES = [(port, bit, key) for port, keys in HARDWARE.items() for bit, key in enumerate(keys.split())]


def read_port(spectrum: Spectrum, high: int) -> int:
    """What LD A,high; IN A,(0xFE) reads."""
    spectrum.write_block(0x8000, bytes([0x3E, high, 0xDB, 0xFE]))
    spectrum.registers.pc = 0x8000
    assert spectrum.run_until(0x8004, 1) == 0x8004
    return spectrum.registers.a


@pytest.mark.parametrize(("port", "bit", "key"), PLACES)
def test_every_key_clears_its_bit_of_its_half_row(port: int, bit: int, key: str) -> None:
    spectrum = Spectrum()
    spectrum.press(key)
    for other in HARDWARE:
        assert read_port(spectrum, other) & 0x1F == (0x1F & ~(1 << bit) if other == port else 0x1F)
    spectrum.release(key)
    assert read_port(spectrum, port) & 0x1F == 0x1F


def test_there_are_forty_keys() -> None:
    assert len(PLACES) == len(keyboard.KEYS) == 40


def test_half_rows_are_read_together() -> None:
    spectrum = Spectrum()
    spectrum.press("z", "a", "b")
    assert read_port(spectrum, 0xFE & 0xFD) & 0x1F == 0b11100
    assert read_port(spectrum, 0x00) & 0x1F == 0b01100


def test_names_have_aliases_and_ignore_case() -> None:
    assert keyboard.find_key("CAPS") == keyboard.find_key("shift") == (0, 0)
    assert keyboard.find_key("Symbol_Shift") == keyboard.find_key("sym") == (7, 1)
    assert keyboard.find_key("RETURN") == (6, 0)
    assert keyboard.find_key("Q") == (2, 0)


@pytest.mark.parametrize("name", ["", " ", "spce", "aa", "10", "ctrl"])
def test_an_unknown_key_is_named(name: str) -> None:
    with pytest.raises(UserError, match=f"unknown key '{name}', allowed are a-z"):
        keyboard.find_key(name)


def test_an_unknown_key_comes_with_its_nearest() -> None:
    with pytest.raises(UserError, match=r"did you mean 'space'\?"):
        keyboard.find_key("spce")


def test_a_combination_is_split() -> None:
    assert keyboard.split_combination("sym+p") == ("sym", "p")
    assert keyboard.split_combination("enter") == ("enter",)
    with pytest.raises(UserError, match="unknown key ''"):
        keyboard.split_combination("sym+")


def test_held_matrix_by_hand() -> None:
    matrix = keyboard.held_matrix(["o", "space", "p", "caps"])
    assert matrix.dtype == np.uint8
    assert matrix.tolist() == [1, 0, 0, 0, 0, 0b11, 0, 1]
    assert keyboard.held_matrix([]).tolist() == [0] * 8
