# SPDX-License-Identifier: GPL-3.0-or-later
import numpy as np

from oakemu_rl.emulator.caption import caption, darkened, write_text

RED, WHITE = (255, 0, 0), (255, 255, 255)


def ink(picture: np.ndarray, top: int, left: int) -> list[str]:
    cell = picture[top : top + 8, left : left + 8].any(axis=-1)
    return ["".join("#" if pixel else "." for pixel in row) for row in cell]


def test_letters_are_those_of_the_rom():
    picture = np.full((16, 64, 3), 9, np.uint8)
    out = caption(picture, [[("A", RED), ("1", WHITE)], [("~`\u00e9", WHITE)]])
    assert out.shape == (42, 64, 3)
    assert np.array_equal(out[:16], picture)
    assert ink(out, 20, 4) == [
        "........",
        "..####..",
        ".#....#.",
        ".#....#.",
        ".######.",
        ".#....#.",
        ".#....#.",
        "........",
    ]
    assert set(map(tuple, out[20:28, 4:12].reshape(-1, 3))) == {(0, 0, 0), RED}
    assert set(map(tuple, out[20:28, 12:20].reshape(-1, 3))) == {(0, 0, 0), WHITE}
    assert ink(out, 30, 12) == ink(out, 30, 20)  # what the character set lacks is a question mark


def test_what_is_too_long_is_cut_off():
    out = caption(np.zeros((8, 32, 3), np.uint8), [[("AAAAAAAA", RED), ("B", WHITE)]])
    assert out.shape == (24, 32, 3)
    assert not out[:, 28:].any()
    assert (out == 255).all(axis=-1).sum() == 0


def test_text_over_a_picture():
    picture = np.full((20, 30, 3), 200, np.uint8)
    dark = darkened(picture)
    assert (picture == 200).all()
    assert write_text(dark, 5, 10, ("A1B", RED)) == 26
    assert (dark[5:13, 10:26] == RED).all(axis=-1).sum() > 20
    dark[5:13, 10:26] = 50
    assert (dark == 50).all()
