# SPDX-License-Identifier: GPL-3.0-or-later
"""Finds out on the machine which keys do what an action does: games have several keys for a move, and joysticks."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from oakemu_rl.demos.game_memory import ram_of
from oakemu_rl.demos.rzx.scanning import Scan
from oakemu_rl.emulator import Spectrum

__all__ = ["find_same"]

_FRAMES = 5
"""For which keys are held: most games look at them at least every other frame."""
_MOST_ROWS = 32
_MOST_MOMENTS = 12
_MOST_DIFFERING = 8
"""Bytes that may differ although the same happens: games keep what they have read."""
_CLEARLY = 4
"""How many times as many bytes must differ with any other action."""

_RAM_START = 0x4000
_ROM_VARIABLES = slice(0x5C00 - _RAM_START, 0x5CB6 - _RAM_START)  # the ROM notes which key is down
_BELOW_THE_STACK = 64  # bytes that interrupts and calls have left there


def find_same(scan: Scan) -> dict[bytes, int]:
    """Which actions do the same as keys that are held in a recording and are not just those of an action.

    The machine goes on from moments in which they begin to be held: with them, and with the keys of each action. Where
    one action, and only one, leads to the same memory, and always the same one, it does what they do.

    Returns:
        The action for a row of keys (its 9 bytes). What cannot be told is left out.
    """
    if not scan.moments:
        return {}
    begin = scan.moments[0].frame
    table = {row.tobytes() for row in scan.memory.game.action_table}
    rows, which, counts = np.unique(scan.meant[begin:], axis=0, return_inverse=True, return_counts=True)
    starts = np.flatnonzero(np.diff(which.reshape(-1), prepend=-1) != 0)
    found = {}
    others = [number for number in np.argsort(-counts).tolist() if rows[number].tobytes() not in table]
    for number in others[:_MOST_ROWS]:
        moments = begin + starts[which.reshape(-1)[starts] == number]
        votes = set(_votes(scan, rows[number], moments[:: -(-len(moments) // _MOST_MOMENTS)].tolist()))
        if len(votes) == 1:
            found[rows[number].tobytes()] = votes.pop()
    return found


def _votes(scan: Scan, row: NDArray[np.uint8], moments: list[int]) -> Iterator[int]:
    """The action that does the same, for each moment in which that can be told."""
    game = scan.memory.game
    machine = Spectrum(game.definition.machine)
    for moment in moments:
        state = scan.state_at(moment)
        wanted = _after(machine, state, row)
        differing = np.array([int((_after(machine, state, held) != wanted).sum()) for held in game.action_table])
        best = int(differing.argmin())
        rest = np.delete(differing, best)
        if differing[best] <= _MOST_DIFFERING and (rest >= max(_CLEARLY * int(differing[best]), 1)).all():
            yield best


def _after(machine: Spectrum, state: bytes, held: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """The memory when keys have been held for some frames, without what has no meaning."""
    machine.load_state(state)
    machine.hold_row(held)
    machine.run_frames(_FRAMES)
    ram = ram_of(machine).copy()
    ram[_ROM_VARIABLES] = 0
    top = max(machine.registers.sp - _RAM_START, 0)
    ram[max(top - _BELOW_THE_STACK, 0) : top] = 0
    return ram
