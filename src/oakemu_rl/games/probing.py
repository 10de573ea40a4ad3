# SPDX-License-Identifier: GPL-3.0-or-later
"""Guesses about a program that nobody has defined yet: how play begins, which keys do something, where it is drawn.

All of it is found by trying: forks of the machine are run with this or that key held, and their displays compared. The
guesses are a beginning for the person who writes the definition, and are marked as such wherever they are shown.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from oakemu_rl.emulator import Spectrum
from oakemu_rl.emulator.keyboard import KEYS
from oakemu_rl.emulator.port_reads import count_port_reads, is_kempston
from oakemu_rl.games.cells import Cells, bounds, cells_of, changed, display_memory, drawn_on
from oakemu_rl.games.start_script import PressStep, Step, WaitStep

__all__ = ["Probe", "find_start", "probe"]

_MOST_SETTLING = 300  # frames
_STILL = 50  # frames without a change, after which a display has settled
_ROUND = 25  # waits are multiples of this
_PRESS = 5  # frames for which a person taps a key
_AFTER_PRESS = 100  # frames that a program gets to react to it
_MOST_PRESSES = 3
_NEW_SCREEN = 24  # changed cells, of 768, that make another screen
# What starts games, most usual first; other keys are tried as well.
_START_KEYS = ("space", "enter", "0", "1", "s", "5", "p", "m")

_INSTANTS = (8, 16, 32)  # frames for which a key has been held when the display is looked at
_UNTIL_SURE = 10  # frames: no fewer than the first of them
_PLAYED_BY = 2  # keys that move something, with which a game is surely under way
_TYPED_BY = 12  # more of them are an invitation to type
_LOOKS = (0, 40)  # frames after which a state is looked at, as nothing moves in the middle of a jump

_MOMENTS = (0, 40, 80)  # frames after the start at which keys are tried
_LONG_HOLD = 120  # frames for which a key is held, to see where it leads
_PORT_FRAMES = 50


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
        key = _starting_key(spectrum)
        if key is None:
            break
        _tap(spectrum, key)
        steps += [Step(press=PressStep(keys=[key], frames=_PRESS)), _wait(spectrum)]
    return steps


def probe(start: Spectrum) -> Probe:
    """Looks at what happens from a start state on; the machine stays as it is."""
    drawn = drawn_on(cells_of(start))
    reacting: dict[str, bool] = dict.fromkeys(KEYS, False)
    for moment in _MOMENTS:
        base = _held(start, (), moment)
        drawn |= drawn_on(cells_of(base))
        idle = _course(base, ())
        for key in KEYS:
            reacting[key] |= any(changed(*pair).any() for pair in zip(idle, _course(base, (key,)), strict=True))
    keys = tuple(key for key, reacts in reacting.items() if reacts)
    for held in ((), *((key,) for key in keys)):
        drawn |= drawn_on(cells_of(_held(start, held, _LONG_HOLD)))
    ports = count_port_reads(start.fork(), _PORT_FRAMES)
    return Probe(keys, any(map(is_kempston, ports)), bounds(drawn))


def _wait(spectrum: Spectrum) -> Step:
    """Runs until a game is under way, or the display has been still for a second, or has moved for long."""
    waited = still = 0
    while waited < _MOST_SETTLING:
        for _ in range(_ROUND):
            before = display_memory(spectrum)
            spectrum.run_frames(1)
            still = still + 1 if display_memory(spectrum) == before else 0
        waited += _ROUND
        moving = _moving_keys(spectrum)
        if moving >= _PLAYED_BY or (moving and still >= _STILL):
            spectrum.run_frames(_UNTIL_SURE)  # the keys may move something only from the next few frames on
            waited += _UNTIL_SURE
            break
        if still >= _STILL and not _is_about_to_begin(spectrum):
            break
    return Step(wait=WaitStep(frames=waited))


def _is_about_to_begin(spectrum: Spectrum) -> bool:
    """Whether a still display says GET READY, as it were."""
    return any(_moving_keys(_held(spectrum, (), frames)) >= _PLAYED_BY for frames in _LOOKS)


def _starting_key(spectrum: Spectrum) -> str | None:
    """The key that leads on, to another screen with more to play with; None if no key does."""
    playable = max(_moving_keys(_held(spectrum, (), frames)) for frames in _LOOKS)
    if playable >= _PLAYED_BY:
        return None
    idle = cells_of(_held(spectrum, (), _PRESS + _AFTER_PRESS))
    found = None
    for key in (*_START_KEYS, *(key for key in KEYS if key not in _START_KEYS)):
        after = spectrum.fork()
        _tap(after, key)
        after.run_frames(_AFTER_PRESS)
        if int(changed(idle, cells_of(after)).sum()) < _NEW_SCREEN:
            continue
        if max(_moving_keys(_held(after, (), frames)) for frames in _LOOKS) > playable:
            return key
        if playable == 0:
            found = found or key
    return found


def _moving_keys(spectrum: Spectrum) -> int:
    """How many keys move something, as those of a game do; those of menus bring up another screen, or mark a line."""
    idle = _course(spectrum, ())
    moving = sum(_moves(idle, _course(spectrum, (key,))) for key in KEYS)
    return moving if moving <= _TYPED_BY else 0


def _moves(idle: Sequence[Cells], held: Sequence[Cells]) -> bool:
    """Whether something goes on changing while a key is held that does not change without it."""
    first = changed(idle[0], held[0])
    if not 0 < int(first.sum()) < _NEW_SCREEN:
        return False
    return any(
        bool((changed(held[0], held[later]) & ~changed(idle[0], idle[later])).any()) for later in range(1, len(held))
    )


def _course(spectrum: Spectrum, keys: Iterable[str]) -> list[Cells]:
    """What is shown at some instants while keys are held."""
    fork = spectrum.fork()
    fork.press(*keys)
    seen, frames = [], 0
    for instant in _INSTANTS:
        fork.run_frames(instant - frames)
        frames = instant
        seen.append(cells_of(fork))
    return seen


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
