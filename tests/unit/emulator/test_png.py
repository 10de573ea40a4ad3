# SPDX-License-Identifier: GPL-3.0-or-later
import numpy as np
import pytest
from PIL import Image

from oakemu_rl.emulator.png import write_png
from oakemu_rl.errors import UserError


def test_a_picture_comes_back(tmp_path):
    picture = np.random.default_rng(1).integers(0, 256, size=(5, 7, 3), dtype=np.uint8)
    path = tmp_path / "picture.png"
    path.write_text("old")
    write_png(path, picture)
    with Image.open(path) as image:
        image.load()
        assert image.mode == "RGB"
        assert np.array_equal(np.asarray(image), picture)
    write_png(path, picture, scale=3)
    with Image.open(path) as image:
        assert np.array_equal(np.asarray(image)[1::3, 2::3], picture)
        assert image.size == (21, 15)
    assert [each.name for each in tmp_path.iterdir()] == ["picture.png"]


def test_what_cannot_be_written_is_one_line(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(UserError, match=r"cannot write the picture .*a\.png: Not a directory"):
        write_png(tmp_path / "file" / "a.png", np.zeros((2, 2, 3), np.uint8))
