# SPDX-License-Identifier: GPL-3.0-or-later
from collections.abc import Callable

import pytest

from oakemu_rl.emulator import Spectrum

# The ROM's loop that waits for a key: BASIC is ready.
_WAIT_KEY = 0x15D4


@pytest.fixture(scope="session")
def ready_state() -> bytes:
    """A machine in which BASIC waits for the first key."""
    spectrum = Spectrum()
    assert spectrum.run_until(_WAIT_KEY, 200) == _WAIT_KEY
    return spectrum.save_state()


@pytest.fixture
def ready(ready_state: bytes) -> Spectrum:
    spectrum = Spectrum()
    spectrum.load_state(ready_state)
    return spectrum


@pytest.fixture(scope="session")
def read_text() -> Callable[[Spectrum], list[str]]:
    """Reads the 24 lines of the screen by the shapes of the ROM's characters at 0x3D00."""

    def read(spectrum: Spectrum) -> list[str]:
        rom = spectrum.rom.tobytes()
        shapes = {rom[0x3D00 + 8 * n : 0x3D08 + 8 * n]: chr(32 + n) for n in range(96)}
        shapes[rom[0x3D00 + 8 * 95 : 0x3D08 + 8 * 95]] = "(c)"
        lines = []
        for row in range(24):
            start = (row & 0x18) << 8 | (row & 7) << 5
            cells = [bytes(spectrum.memory[start + column :: 256][:8]) for column in range(32)]
            lines.append("".join(shapes.get(cell, "?") for cell in cells).rstrip())
        return lines

    return read
