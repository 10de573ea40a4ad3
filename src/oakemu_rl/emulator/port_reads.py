# SPDX-License-Identifier: GPL-3.0-or-later
"""Which ports a program reads: what tells whether it looks at a joystick."""

from collections import Counter

import numpy as np

from oakemu_rl.emulator.spectrum import Spectrum

__all__ = ["KEMPSTON_PORT", "count_port_reads", "is_kempston", "is_keyboard"]

KEMPSTON_PORT = 0x1F
"""Low byte of the port at which programs look for a Kempston joystick."""

_RAM_START = 0x4000
_IN_A_N = 0xDB
_EXTENDED = 0xED
_IN_R_C = (0x40, 0x48, 0x50, 0x58, 0x60, 0x68, 0x70, 0x78)
_FRAMES_A_SCAN = 10  # programs unpack and move their code while they run
_ENOUGH = 500  # reads at one address, after which a loop that waits for a key is known well enough


def count_port_reads(spectrum: Spectrum, frames: int) -> Counter[int]:
    """Runs the machine and counts what code in RAM reads with IN, by port.

    Every place in RAM that could be an IN is watched; what is data there is never executed, so that nothing is counted
    that was not read. The ROM's own reads (of the keyboard) and block input (INI and its like) are not looked at.

    Args:
        spectrum: The machine; its held keys stay as they are.
        frames: How long.

    Returns:
        Reads by the 16-bit port; of a loop that reads without end, as many as show that it does.
    """
    counts: Counter[int] = Counter()
    by_place: Counter[int] = Counter()
    for done in range(0, frames, _FRAMES_A_SCAN):
        end = spectrum.frame + min(_FRAMES_A_SCAN, frames - done)
        places = _possible_reads(spectrum)
        while spectrum.frame < end:
            watched = [place for place in places if by_place[place] < _ENOUGH]
            reached = spectrum.run_until(watched, end - spectrum.frame) if watched else None
            if reached is None:
                spectrum.run_frames(end - spectrum.frame)
                break
            counts[_port(spectrum, reached)] += 1
            by_place[reached] += 1
    return counts


def is_keyboard(port: int) -> bool:
    """Whether a port is the ULA's."""
    return port & 1 == 0


def is_kempston(port: int) -> bool:
    """Whether a port is the one at which programs look for a Kempston joystick."""
    return port & 0xFF == KEMPSTON_PORT


def _possible_reads(spectrum: Spectrum) -> list[int]:
    ram = spectrum.visible_ram()
    first, second = ram[:-1], ram[1:]
    found = (first == _IN_A_N) | ((first == _EXTENDED) & np.isin(second, _IN_R_C))
    return [int(place) + _RAM_START for place in np.flatnonzero(found)]


def _port(spectrum: Spectrum, place: int) -> int:
    """The port that the IN at `place`, which is about to be executed, reads."""
    if spectrum.peek(place) == _IN_A_N:
        return spectrum.registers.a << 8 | spectrum.peek((place + 1) & 0xFFFF)
    return spectrum.registers.bc
