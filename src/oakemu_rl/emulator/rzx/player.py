# SPDX-License-Identifier: GPL-3.0-or-later
"""Plays recordings."""

from collections.abc import Iterator
from itertools import chain, combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from oakemu_rl._core import RzxPlayback
from oakemu_rl._core import Watcher as CoreWatcher
from oakemu_rl.emulator.keyboard import KEYS
from oakemu_rl.emulator.rzx.machines import spectrum_from
from oakemu_rl.emulator.rzx.recording import Rzx
from oakemu_rl.emulator.spectrum import Spectrum
from oakemu_rl.emulator.watching import WatchedFrame
from oakemu_rl.errors import UserError

__all__ = [
    "FIRST_SNAPSHOT_ONLY",
    "LOAD_FLAG",
    "REPEATS_PASS_EMPTY",
    "SHORT_FRAMES",
    "PlayedKeys",
    "RzxDesync",
    "RzxPlayer",
    "find_playback_flags",
    "held_names",
]

LOAD_FLAG = 1
"""An interrupt right after LD A,I or LD A,R resets P/V, as a real (NMOS) Z80 does."""
SHORT_FRAMES = 2
"""A frame of one or two fetches after EI begins without an interrupt."""
FIRST_SNAPSHOT_ONLY = 4
"""Snapshots after the first are ignored."""
REPEATS_PASS_EMPTY = 8
"""A frame that repeats another repeats the last one that reads a port, as Ramsoft's library has it."""

_DIRECTIONS = ("right", "left", "down", "up", "fire")

_ALL_FLAGS = (LOAD_FLAG, SHORT_FRAMES, FIRST_SNAPSHOT_ONLY, REPEATS_PASS_EMPTY)

# Up to version 6.20 it emulated a CMOS Z80. Source: Fuse, rzx.c
_WITHOUT_LOAD_FLAG = "Spectaculator"


class RzxDesync(UserError):  # noqa: N818 - the word for it, with or without an exception
    """A program went another way than when it was recorded."""

    def __init__(self, name: str, frame: int, reads: int, recorded: int) -> None:
        super().__init__(f"{name}: frame {frame}: the program read {reads} ports, the recording has {recorded}")
        self.frame = frame
        """The number of the frame in the recording, from 0."""
        self.reads = reads
        """How many port reads it had now."""
        self.recorded = recorded
        """How many port reads it has in the recording."""


class PlayedKeys(NamedTuple):
    """What was held in some frames, as the port reads of the program tell.

    Columns 0 to 7 are the half rows of the keyboard in the order of `keyboard.HALF_ROWS`, bits 0 to 4; column 8 is the
    Kempston joystick (bits 0 right, 1 left, 2 down, 3 up, 4 fire). It is the form of the actions of a batch.
    """

    held: NDArray[np.uint8]
    """1 = held, shape (frames, 9). What a frame does not tell is as it was before.

    A program that asks several half rows at once sees only that one of some keys is held. If other reads of the frame
    do not tell which, it is one that was held before, or else the first of them: it fits what the program saw.
    """
    known: NDArray[np.uint8]
    """1 = the frame tells whether it is held, shape (frames, 9)."""


def held_names(held: NDArray[np.uint8]) -> tuple[str, ...]:
    """The names of held keys, and of the joystick's directions.

    Args:
        held: Shape (9,), a row of `PlayedKeys.held`.

    Returns:
        For example ``("shift", "5", "joystick left")``.
    """
    keys = (name for name, key in KEYS.items() if held[key.row] >> key.bit & 1)
    directions = (f"joystick {name}" for bit, name in enumerate(_DIRECTIONS) if held[8] >> bit & 1)
    return (*keys, *directions)


class RzxPlayer:
    """Plays a recording, on a machine of its own.

    Example:
        >>> player = RzxPlayer(read_rzx("game.rzx"))
        >>> for keys in player:  # frame by frame
        ...     show(player.spectrum.screen(), keys.held[0])

    Args:
        recording: What is played.
        flags: How the emulator that made the recording behaved, a sum of `LOAD_FLAG`, `SHORT_FRAMES`,
            `FIRST_SNAPSHOT_ONLY` and `REPEATS_PASS_EMPTY`; None for what its creator is known for.
            `find_playback_flags` finds out what a recording needs.
        contention: Emulate the waits that the display imposes on the CPU. What happens in a recording does not depend
            on it, but when in the frame it happens.

    Raises:
        UserError: It is no recording, its snapshot cannot be read, or the flags are unknown.
    """

    def __init__(self, recording: Rzx, *, flags: int | None = None, contention: bool = True) -> None:
        if not isinstance(recording, Rzx):
            raise UserError(f"a recording is what read_rzx and parse_rzx give, not {recording!r}")
        if flags is None:
            creator = recording.creator.name if recording.creator else ""
            flags = 0 if creator == _WITHOUT_LOAD_FLAG else LOAD_FLAG
        elif not 0 <= flags <= sum(_ALL_FLAGS):
            raise UserError(f"playback flags are a sum of 1, 2, 4 and 8, not {flags}")
        self._recording = recording
        self._flags = flags
        self._contention = contention
        self._playback = RzxPlayback(flags & (LOAD_FLAG | SHORT_FRAMES))
        passing = flags & REPEATS_PASS_EMPTY
        self._inputs = [part.inputs.passing_empty() if passing else part.inputs for part in recording.parts]
        self._watcher: CoreWatcher | None = None
        self._part = 0
        self._frame_in_part = 0
        self._frame = 0
        first = recording.parts[0].snapshot
        if first is None:
            raise UserError(f"{recording.name}: the recording has no snapshot to start from")
        self._spectrum = spectrum_from(first, contention=contention)

    @property
    def recording(self) -> Rzx:
        """What is played."""
        return self._recording

    @property
    def flags(self) -> int:
        """How it is played, a sum of the flags."""
        return self._flags

    @property
    def spectrum(self) -> Spectrum:
        """The machine, after the last frame that was played. A later snapshot of another model replaces it."""
        return self._spectrum

    @property
    def frame(self) -> int:
        """How many frames have been played."""
        return self._frame

    @property
    def frames(self) -> int:
        """How many frames there are."""
        return self._recording.frames

    def run_frames(self, count: int | None = None) -> PlayedKeys:
        """Plays frames, at most to the end of the recording.

        Args:
            count: How many; None for all that are left.

        Returns:
            What was held in them.

        Raises:
            RzxDesync: The program went another way than when it was recorded; `frame` frames have been played before.
            UserError: A later snapshot cannot be read, or `count` is negative.
        """
        if count is not None and count < 0:
            raise UserError(f"a number of frames is 0 or more, not {count}")
        left = self.frames - self._frame
        left = left if count is None else min(left, count)
        played: list[PlayedKeys] = []
        while left > 0:
            inputs = self._inputs[self._part]
            if self._frame_in_part == len(inputs):
                self._next_part()
                continue
            wanted = min(left, len(inputs) - self._frame_in_part)
            done, held, known = self._playback.play(
                self._spectrum._machine,
                inputs.fetches,
                inputs.starts,
                inputs.counts,
                inputs.data,
                self._frame_in_part,
                wanted,
                self._watcher,
            )
            self._frame += done
            self._frame_in_part += done
            left -= done
            if done < wanted:
                raise RzxDesync(self._recording.name, self._frame, *self._playback.desync)
            played.append(PlayedKeys(held, known))
        return _joined(played)

    def __iter__(self) -> Iterator[PlayedKeys]:
        """Plays the frames that are left one by one, and gives what was held in each, shape (1, 9)."""
        while self._frame < self.frames:
            yield self.run_frames(1)

    def watch(self, *, picture: bool = True, sound: bool = True) -> Iterator[tuple[WatchedFrame, PlayedKeys]]:
        """Plays the frames that are left one by one, and gives what each looked and sounded like, and what was held.

        Args:
            picture: Draw the pictures, as the beam does.
            sound: Make the samples.

        Raises:
            RzxDesync: As `run_frames`.
        """
        self._watcher = CoreWatcher(picture=picture, sound=sound)
        try:
            while self._frame < self.frames:
                keys = self.run_frames(1)
                yield WatchedFrame(*self._watcher.take()), keys
        finally:
            self._watcher = None

    def _next_part(self) -> None:
        self._part += 1
        self._frame_in_part = 0
        snapshot = self._recording.parts[self._part].snapshot
        if snapshot is None or self._flags & FIRST_SNAPSHOT_ONLY:
            return
        spectrum = spectrum_from(snapshot, contention=self._contention)
        if spectrum.machine == self._spectrum.machine:
            self._spectrum.load_state(spectrum.save_state())
        else:
            self._spectrum = spectrum
        self._playback.restart()


def find_playback_flags(recording: Rzx) -> int:
    """Finds out how the emulator that made a recording behaved, by playing it.

    Returns:
        The `flags` with which an `RzxPlayer` plays it to its end; those that its creator is known for, if they do.

    Raises:
        RzxDesync: It cannot be played to its end; this is how far it gets with what its creator is known for.
        UserError: A snapshot cannot be read.
    """
    try:
        return _played_to_the_end(recording, None)
    except RzxDesync as error:
        first = error
    snapshots = sum(part.snapshot is not None for part in recording.parts)
    flags = [LOAD_FLAG, SHORT_FRAMES]
    flags += [FIRST_SNAPSHOT_ONLY] * (snapshots > 1)
    flags += [REPEATS_PASS_EMPTY] * any(len(part.inputs.empty_repeats) for part in recording.parts)
    for some in chain.from_iterable(combinations(flags, size) for size in range(len(flags) + 1)):
        try:
            return _played_to_the_end(recording, sum(some))
        except RzxDesync:
            continue
    raise first


def _played_to_the_end(recording: Rzx, flags: int | None) -> int:
    player = RzxPlayer(recording, flags=flags, contention=False)
    player.run_frames()
    return player.flags


def _joined(played: list[PlayedKeys]) -> PlayedKeys:
    if len(played) == 1:
        return played[0]
    empty = np.empty((0, 9), dtype=np.uint8)
    return PlayedKeys(
        np.concatenate([empty, *(keys.held for keys in played)]),
        np.concatenate([empty, *(keys.known for keys in played)]),
    )
