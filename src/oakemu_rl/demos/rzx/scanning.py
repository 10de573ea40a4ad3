# SPDX-License-Identifier: GPL-3.0-or-later
"""Plays a recording once, and notes all that episodes are made of."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from oakemu_rl.demos.rzx.memory import GameMemory, StartSign, ram_of
from oakemu_rl.demos.rzx.recognition import KnownGames
from oakemu_rl.emulator import Spectrum, StateStore
from oakemu_rl.emulator.rzx import Rzx, RzxPlayer
from oakemu_rl.emulator.snapshots import from_machine, to_machine
from oakemu_rl.errors import UserError
from oakemu_rl.games import Definition

__all__ = ["Moment", "Progress", "Scan", "scan"]

_FRAMES_A_LOOK = 50
"""Frames between two looks at a memory that is not recognised yet."""
_FRAMES_AN_ANCHOR = 50
_FEWEST_BETWEEN = 25
"""Frames for which one beginning is taken to be the same."""

Progress = Callable[[int], None]


class Moment(NamedTuple):
    """A moment in which a play may begin."""

    frame: int
    """How many frames of the recording have been played before."""
    state: bytes
    """The machine, as `Spectrum.save_state` gives it."""
    start: str | None
    """The name of the game's start that it looks like; None where somebody says that it is one."""


@dataclass(frozen=True, eq=False)
class Scan:
    """What was seen in the F frames of a recording.

    Attributes:
        memory: The game.
        likeness: How much of the game's program was in the memory when it was recognised, 0 to 1.
        first: How many frames had been played then.
        keys: What was held in each frame, (F, 9).
        vital: The bytes at `GameMemory.vital_places` after so many frames, (F + 1, V); zeros before `first`.
        moments: Those in which a play may begin, ascending.
        anchors: Ids in `store`, by frames that had been played: there is one in any 50 frames.
        store: The machines on the way.
    """

    memory: GameMemory
    likeness: float
    first: int
    keys: NDArray[np.uint8]
    vital: NDArray[np.uint8]
    moments: list[Moment]
    anchors: dict[int, int]
    store: StateStore

    @property
    def frames(self) -> int:
        """F."""
        return len(self.keys)

    def state_at(self, frame: int) -> bytes:
        """The machine after so many frames, as an environment of the game takes it.

        Args:
            frame: From `first` on.
        """
        definition = self.memory.game.definition
        known = max(anchor for anchor in range(frame, frame - _FRAMES_AN_ANCHOR, -1) if anchor in self.anchors)
        machine = Spectrum(definition.machine)
        self.store.load(self.anchors[known], machine)
        machine.load_state(state_for(definition, machine))
        for row in self.keys[known:frame]:
            machine.hold_row(row)
            machine.run_frames(1)
        return machine.save_state()


def state_for(definition: Definition, spectrum: Spectrum) -> bytes:
    """A machine as a saved state, with the joystick that a definition asks for.

    A recording need not have it fitted to know its moves.
    """
    wanted = definition.joystick == "kempston"
    snapshot = from_machine(spectrum)
    if snapshot.kempston == wanted:
        return spectrum.save_state()
    return to_machine(replace(snapshot, kempston=wanted)).save_state()


def scan(
    recording: Rzx,
    games: KnownGames,
    *,
    flags: int | None = None,
    begin: int | None = None,
    on_frame: Progress | None = None,
) -> Scan:
    """Plays a recording.

    Args:
        recording: What is played.
        games: The games that it may be of.
        flags: As of `RzxPlayer`.
        begin: A frame in which a play begins, whatever it looks like.
        on_frame: Called every now and then with the number of frames played.

    Raises:
        RzxDesync: The recording cannot be played to its end.
        UserError: It is of no known game, or has no frame `begin`.
    """
    # When in a frame something happens is of no concern here, and playing is faster without contention.
    player = RzxPlayer(recording, flags=flags, contention=False)
    if begin is not None and not 0 <= begin < player.frames:
        raise UserError(f"there is no frame {begin}; the recording has 0 to {player.frames - 1}")
    keys: list[NDArray[np.uint8]] = []
    recognised = games.recognise(player.spectrum)
    while recognised is None and player.frame < player.frames:
        keys.append(player.run_frames(_FRAMES_A_LOOK).held)
        recognised = games.recognise(player.spectrum)
    if recognised is None:
        raise UserError(games.describe_failure())
    first = player.frame
    if begin is not None and begin < first:
        raise UserError(f"in frame {begin} there is no known game yet; it is recognised in frame {first}")
    watch = _Watch(recognised.memory, player.frames, begin)
    watch.look(player)
    while player.frame < player.frames:
        keys.append(player.run_frames(1).held)
        watch.look(player)
        if on_frame is not None and player.frame % _FRAMES_A_LOOK == 0:
            on_frame(player.frame)
    held = np.concatenate(keys) if keys else np.zeros((0, 9), np.uint8)
    return Scan(
        recognised.memory, recognised.likeness, first, held, watch.vital, watch.moments, watch.anchors, watch.store
    )


class _Watch:
    """Looks at the machine after each frame."""

    def __init__(self, memory: GameMemory, frames: int, begin: int | None) -> None:
        self._definition = memory.game.definition
        self._signs = memory.start_signs()
        self._places = memory.vital_places
        self._begin = begin
        self._fitted: StartSign | None = None
        self.vital = np.zeros((frames + 1, len(self._places)), np.uint8)
        self.moments: list[Moment] = []
        self.anchors: dict[int, int] = {}
        self.store = StateStore()

    def look(self, player: RzxPlayer) -> None:
        ram, frame = ram_of(player.spectrum), player.frame
        self.vital[frame] = ram[self._places]
        if frame % _FRAMES_AN_ANCHOR == 0 or not self.anchors:
            self.anchors[frame] = self.store.add(player.spectrum)
        fitting = self._fitted
        if fitting is None or not fitting.fits(ram):
            fitting = next((sign for sign in self._signs if sign.fits(ram)), None)
        begins = fitting is not None and fitting is not self._fitted
        self._fitted = fitting
        if frame == self._begin:
            self.moments.append(Moment(frame, state_for(self._definition, player.spectrum), None))
        elif begins and not (self.moments and frame - self.moments[-1].frame < _FEWEST_BETWEEN):
            name = None if fitting is None else fitting.name
            self.moments.append(Moment(frame, state_for(self._definition, player.spectrum), name))
