# SPDX-License-Identifier: GPL-3.0-or-later
import numpy as np
from PIL import Image

from oakemu_rl.cli.main import main
from oakemu_rl.emulator import Spectrum
from oakemu_rl.games import load_game


def test_the_first_frame_of_an_episode_as_a_picture(tmp_path, capsys):
    path = tmp_path / "acorns.png"
    assert main(["games", "show", "acorns", "--picture", str(path)]) == 0
    spectrum = Spectrum()
    spectrum.load_state(load_game("acorns").start_state())
    with Image.open(path) as image:
        assert np.array_equal(np.asarray(image)[::2, ::2], spectrum.screen())
    assert main(["games", "show", "acorns", "--picture", str(path / "a.png")]) == 2
    assert "cannot write the picture" in capsys.readouterr().err
