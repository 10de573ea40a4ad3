# SPDX-License-Identifier: GPL-3.0-or-later
"""Guesses about a program that nobody has defined yet: how play begins, which keys do something, where it is drawn.

All of it is found by trying: forks of the machine are run with this or that key held, and their displays compared. The
guesses are a beginning for the person who writes the definition, and are marked as such wherever they are shown.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from oakemu_rl.emulator import Spectrum
from oakemu_rl.emulator.keyboard import KEYS
from oakemu_rl.emulator.port_reads import count_port_reads, is_kempston
from oakemu_rl.games.start_script import PressStep, Step, WaitStep

__all__ = ["Probe", "find_start", "probe"]

_COLUMNS, _ROWS, _CELL = 32, 24, 8

_MOST_SETTLING = 300  # frames
_STILL = 50  # frames without a change, after which a display has settled
_ROUND = 25  # waits are multiples of this
_PRESS = 5  # frames for which a person taps a key
_AFTER_PRESS = 100  # frames that a program gets to react to it
_MOST_PRESSES = 3
_NEW_SCREEN = 24  # changed cells, of 768, that make another screen
# What starts games, most usual first; other keys are tried as well.
_START_KEYS = ("space", "enter", "0", "1", "s", "5", "p", "m")

_MOMENTS = (0, 40, 80)  # frames after the start at which keys are tried
_HOLD = 25  # frames for which one is held
_LONG_HOLD = 120  # frames, to see where it leads
_PORT_FRAMES = 50

_Cells = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Probe:
    """What was found out at a start state.

    Attributes:
        keys: Keys that change what is seen soon after, in the order of the keyboard.
        reads_kempston: Whether the program looks for a Kempston joystick.
        area: x, y, width and height of what is ever drawn on, in pixels.
    """

    keys: tuple[str, ...]
    reads_kempston: bool
    area: tuple[int, int, int, int]


def find_start(spectrum: Spectrum) -> list[Step]:
    """Plays a loaded program on to where a game may have begun.

    Args:
        spectrum: The machine; afterwards it is where the steps lead.

    Returns:
        The steps of a start script: waits for the display to settle, and taps of keys that brought up another screen.
    """
    steps = [_wait(spectrum)]
    for _ in range(_MOST_PRESSES):
        key = None if _is_playing(spectrum) else _starting_key(spectrum)
        if key is None:
            break
        _tap(spectrum, key)
        steps += [Step(press=PressStep(keys=[key], frames=_PRESS)), _wait(spectrum)]
    return steps


def probe(start: Spectrum) -> Probe:
    """Looks at what happens from a start state on; the machine stays as it is."""
    drawn = np.zeros((_ROWS, _COLUMNS), np.bool_)
    reacting: dict[str, bool] = dict.fromkeys(KEYS, False)
    for moment in _MOMENTS:
        base = start.fork()
        base.run_frames(moment)
        drawn |= _drawn_on(base)
        idle = _held(base, (), _HOLD)
        for key in KEYS:
            reacting[key] |= bool(_changed(idle, _held(base, (key,), _HOLD)).any())
    keys = tuple(key for key, reacts in reacting.items() if reacts)
    for held in ((), *((key,) for key in keys)):
        drawn |= _drawn_on(_held(start, held, _LONG_HOLD))
    ports = count_port_reads(start.fork(), _PORT_FRAMES)
    return Probe(keys, any(map(is_kempston, ports)), _bounds(drawn))


def _wait(spectrum: Spectrum) -> Step:
    """Runs until a game is under way, or the display has been still for a second, or has moved for long."""
    waited = still = 0
    while waited < _MOST_SETTLING and still < _STILL:
        for _ in range(_ROUND):
            before = _display(spectrum)
            spectrum.run_frames(1)
            still = still + 1 if _display(spectrum) == before else 0
        waited += _ROUND
        if _is_playing(spectrum):
            break
    return Step(wait=WaitStep(frames=waited))


def _is_playing(spectrum: Spectrum) -> bool:
    """Whether something moves while nobody presses a key, as in a game that runs, and a key makes a difference."""
    if not _changed(spectrum, _held(spectrum, (), _AFTER_PRESS)).any():
        return False
    idle = _held(spectrum, (), _HOLD)
    reactions = (_changed(idle, _held(spectrum, (key,), _HOLD)) for key in KEYS)
    # A key of a game moves something; a key of a title that is animated leads to another screen.
    return any(0 < int(cells.sum()) < _NEW_SCREEN for cells in reactions)


def _starting_key(spectrum: Spectrum) -> str | None:
    """The key that leads on: to another screen, preferably one where something moves; None if no key does."""
    idle = _held(spectrum, (), _PRESS + _AFTER_PRESS)
    best: tuple[bool, int] = (False, -1)
    found = None
    for place, key in enumerate((*_START_KEYS, *(key for key in KEYS if key not in _START_KEYS))):
        after = spectrum.fork()
        _tap(after, key)
        after.run_frames(_AFTER_PRESS)
        if int(_changed(idle, after).sum()) < _NEW_SCREEN:
            continue
        rank = (_is_playing(after), -place)
        if found is None or rank > best:
            best, found = rank, key
        if rank[0]:
            break  # the keys come in the order in which they are preferred
    return found


def _tap(spectrum: Spectrum, key: str) -> None:
    spectrum.press(key)
    spectrum.run_frames(_PRESS)
    spectrum.release_all()


def _held(spectrum: Spectrum, keys: Iterable[str], frames: int) -> Spectrum:
    """A fork that has run for some frames with keys held."""
    fork = spectrum.fork()
    fork.press(*keys)
    fork.run_frames(frames)
    fork.release_all()
    return fork


def _display(spectrum: Spectrum) -> bytes:
    """The display memory that is shown: bitmap and attributes (which FLASH does not change)."""
    shown = 7 if spectrum.port_7ffd & 8 else 5
    return spectrum.bank(shown)[: _ROWS * _COLUMNS * (_CELL + 1)].tobytes()


def _cells(spectrum: Spectrum) -> npt.NDArray[np.uint8]:
    """What each character cell holds: 8 bytes of bitmap and the attribute, (24, 32, 9)."""
    memory = np.frombuffer(_display(spectrum), np.uint8)
    bitmap = memory[: _ROWS * _COLUMNS * _CELL].reshape(3, _CELL, 8, _COLUMNS)  # third, line of a cell, row, column
    cells = bitmap.transpose(0, 2, 3, 1).reshape(_ROWS, _COLUMNS, _CELL)
    attributes = memory[_ROWS * _COLUMNS * _CELL :].reshape(_ROWS, _COLUMNS, 1)
    return np.concatenate([cells, attributes], axis=2)


def _changed(one: Spectrum, other: Spectrum) -> _Cells:
    """The cells that differ, (24, 32)."""
    differs: _Cells = (_cells(one) != _cells(other)).any(axis=2)
    return differs


def _drawn_on(spectrum: Spectrum) -> _Cells:
    """The cells that hold more than the commonest one, which is the background, (24, 32)."""
    cells = _cells(spectrum).reshape(-1, _CELL + 1)
    kinds, number, counts = np.unique(cells, axis=0, return_inverse=True, return_counts=True)
    drawn: _Cells = (number.reshape(-1) != int(counts.argmax())).reshape(_ROWS, _COLUMNS)
    return drawn if len(kinds) > 1 else np.ones((_ROWS, _COLUMNS), np.bool_)


def _bounds(cells: _Cells) -> tuple[int, int, int, int]:
    rows, columns = np.nonzero(cells)
    x, y = int(columns.min()), int(rows.min())
    return x * _CELL, y * _CELL, (int(columns.max()) - x + 1) * _CELL, (int(rows.max()) - y + 1) * _CELL
