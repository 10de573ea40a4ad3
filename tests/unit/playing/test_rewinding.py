# SPDX-License-Identifier: GPL-3.0-or-later
import numpy as np

from oakemu_rl.emulator import Spectrum
from oakemu_rl.playing.rewinding import Rewinder


def run(spectrum: Spectrum, rewinder: Rewinder, frames: int, *, noisy: bool = False) -> None:
    rng = np.random.default_rng(1)
    for _ in range(frames):
        spectrum.run_frames(1)
        if noisy:
            spectrum.memory[:] = rng.integers(0, 256, spectrum.memory.size, np.uint8)
        rewinder.add(spectrum, spectrum.frame)


def test_the_oldest_frames_go() -> None:
    spectrum, rewinder = Spectrum(), Rewinder(frames=100)
    run(spectrum, rewinder, 250)
    assert rewinder.frames == 100
    assert rewinder.oldest_mark == 150
    assert rewinder.back(spectrum, 40) == 210
    assert spectrum.frame == 210
    run(spectrum, rewinder, 10)
    assert rewinder.back(spectrum, 1000) == 150
    assert spectrum.frame == 150
    assert rewinder.frames == 0
    assert rewinder.back(spectrum, 1) == 150


def test_five_minutes_of_a_quiet_machine_are_small() -> None:
    spectrum, rewinder = Spectrum(), Rewinder()
    spectrum.run_frames(100)
    run(spectrum, rewinder, 16_000)
    assert rewinder.frames == 15_000
    assert rewinder.nbytes < 12 << 20


def test_memory_is_bounded_whatever_the_machine_does() -> None:
    limit = 8 << 20
    spectrum, rewinder = Spectrum(), Rewinder(nbytes=limit)
    run(spectrum, rewinder, 400, noisy=True)  # 20 MB of states
    assert rewinder.nbytes < 1.25 * limit
    kept = rewinder.frames
    assert kept > 60
    run(spectrum, rewinder, 400, noisy=True)
    assert rewinder.nbytes < 1.25 * limit
    assert rewinder.frames > 60
    assert rewinder.back(spectrum, 10) == 790
