# SPDX-License-Identifier: GPL-3.0-or-later
"""Plays a recording once, and notes all that episodes are made of."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from oakemu_rl.demos.game_memory import GameMemory, StartSign, ram_of
from oakemu_rl.demos.rzx.recognition import KnownGames, Recogniser
from oakemu_rl.emulator import Spectrum, StateStore
from oakemu_rl.emulator.rzx import PlayedKeys, Rzx, RzxPlayer, RzxSnapshot
from oakemu_rl.emulator.rzx.machines import spectrum_from
from oakemu_rl.emulator.rzx.player import FIRST_SNAPSHOT_ONLY
from oakemu_rl.emulator.snapshots import from_machine, to_machine
from oakemu_rl.errors import UserError
from oakemu_rl.games import Definition

__all__ = ["Moment", "OnFrame", "Scan", "scan"]

_FRAMES_A_LOOK = 10
"""Frames between two looks at a memory that is not recognised yet."""
_FRAMES_A_REPORT = 50
_FRAMES_AN_ANCHOR = 50
_FEWEST_BETWEEN = 25
"""Frames for which one beginning is taken to be the same."""

OnFrame = Callable[[int], None]
"""Called every now and then with the number of frames that have been played."""


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
        known: Which of these keys the program has asked for in the frame, (F, 9).
        vital: The bytes at `GameMemory.vital_places` after so many frames, (F + 1, V); zeros before `first`.
        moments: Those in which a play may begin, ascending.
        anchors: Ids in `store`, by frames that had been played: there is one in any 50 frames.
        store: The machines on the way.
    """

    memory: GameMemory
    likeness: float
    first: int
    keys: NDArray[np.uint8]
    known: NDArray[np.uint8]
    vital: NDArray[np.uint8]
    moments: list[Moment]
    anchors: dict[int, int]
    store: StateStore

    @property
    def frames(self) -> int:
        """F."""
        return len(self.keys)

    @property
    def meant(self) -> NDArray[np.uint8]:
        """What of `keys` may mean something, (F, 9).

        A key that no action holds counts only where the program has asked for it: it may long have been let go.
        """
        inputs = np.bitwise_or.reduce(self.memory.game.action_table, axis=0)
        meant: NDArray[np.uint8] = self.keys & (self.known | inputs)
        return meant

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
    """A machine as a saved state, with a joystick if it has one or the definition asks for it.

    A recording knows the moves of a joystick that its snapshot does not have.
    """
    snapshot = from_machine(spectrum)
    if snapshot.kempston or definition.joystick != "kempston":
        return spectrum.save_state()
    return to_machine(replace(snapshot, kempston=True)).save_state()


def scan(
    recording: Rzx,
    games: KnownGames,
    *,
    flags: int | None = None,
    begin: int | None = None,
    on_frame: OnFrame | None = None,
) -> Scan:
    """Plays a recording.

    Args:
        recording: What is played.
        games: The games that it may be of.
        flags: As of `RzxPlayer`.
        begin: A frame in which a play begins, whatever it looks like.
        on_frame: Called every 50 frames.

    Raises:
        RzxDesync: The recording cannot be played to its end.
        UserError: It is of no known game, or has no frame `begin`.
    """
    # When in a frame something happens is of no concern here, and playing is faster without contention.
    player = RzxPlayer(recording, flags=flags, contention=False)
    if not player.frames:
        raise UserError("the recording is empty: it has no frame")
    if begin is not None and not 0 <= begin < player.frames:
        raise UserError(f"there is no frame {begin}; the recording has 0 to {player.frames - 1}")
    keys: list[PlayedKeys] = []
    recogniser = Recogniser(games)
    recognised = recogniser.recognise(player.spectrum)
    while recognised is None and player.frame < player.frames:
        keys.append(player.run_frames(_FRAMES_A_LOOK))
        recognised = recogniser.recognise(player.spectrum)
    if recognised is None:
        raise UserError(recogniser.describe_failure())
    first = player.frame
    if begin is not None and begin < first:
        raise UserError(f"in frame {begin} there is no known game yet; it is recognised in frame {first}")
    watch = _Watch(recognised.memory, player, begin)
    watch.look(player)
    while player.frame < player.frames:
        keys.append(player.run_frames(1))
        watch.look(player)
        if on_frame is not None and player.frame % _FRAMES_A_REPORT == 0:
            on_frame(player.frame)
    held, known = (np.concatenate(columns) for columns in zip(*keys, strict=True))
    return Scan(
        memory=recognised.memory,
        likeness=recognised.likeness,
        first=first,
        keys=held,
        known=known,
        vital=watch.vital,
        moments=watch.moments,
        anchors=watch.anchors,
        store=watch.store,
    )


class _Watch:
    """Looks at the machine after each frame."""

    def __init__(self, memory: GameMemory, player: RzxPlayer, begin: int | None) -> None:
        self._definition = memory.game.definition
        self._signs = memory.start_signs()
        self._places = memory.vital_places
        self._begin = begin
        self._jumps = _jumps(player)
        self._fitted: StartSign | None = None
        self.vital = np.zeros((player.frames + 1, len(self._places)), np.uint8)
        self.moments: list[Moment] = []
        self.anchors: dict[int, int] = {}
        self.store = StateStore()

    def look(self, player: RzxPlayer) -> None:
        frame = player.frame
        self.vital[frame] = ram_of(player.spectrum)[self._places]
        machine = self._next_machine(player)
        if frame % _FRAMES_AN_ANCHOR == 0 or frame in self._jumps or not self.anchors:
            self.anchors[frame] = self.store.add(machine)
        ram, fitting = ram_of(machine), self._fitted
        if fitting is None or not fitting.lasts(ram):
            fitting = next((sign for sign in self._signs if sign.fits(machine, ram)), None)
        begins = fitting is not None and (fitting is not self._fitted or frame in self._jumps)
        self._fitted = fitting
        if frame == self._begin:
            self.moments.append(Moment(frame, state_for(self._definition, machine), None))
        elif begins and not (self.moments and frame - self.moments[-1].frame < _FEWEST_BETWEEN):
            name = None if fitting is None else fitting.name
            self.moments.append(Moment(frame, state_for(self._definition, machine), name))

    def _next_machine(self, player: RzxPlayer) -> Spectrum:
        """What the next frame begins with: the player's machine, or that of a snapshot which takes its place."""
        snapshot = self._jumps.get(player.frame)
        return player.spectrum if snapshot is None else spectrum_from(snapshot)


def _jumps(player: RzxPlayer) -> dict[int, RzxSnapshot]:
    """The snapshots on the way, by the number of frames before them."""
    if player.flags & FIRST_SNAPSHOT_ONLY:
        return {}
    recording = player.recording
    parts = zip(recording.part_starts, recording.parts, strict=True)
    return {first: part.snapshot for first, part in parts if first and part.snapshot is not None}
