# SPDX-License-Identifier: GPL-3.0-or-later
"""What a person plays, as a recording that can be cut back."""

from collections import deque
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from oakemu_rl.emulator import Spectrum, parse_snapshot
from oakemu_rl.emulator.rzx import Rzx, RzxPart, RzxRecorder, RzxSnapshot
from oakemu_rl.emulator.snapshots import format_snapshot
from oakemu_rl.errors import UserError
from oakemu_rl.playing.identity import Identity

__all__ = ["Take"]

_FRAMES = 6 * 60 * 60 * 50
_INPUT_BYTES = 192 << 20
_FRAMES_BETWEEN_CHECKS = 3000
_ROW_BYTES = 9


class Take:
    """Notes what happens to a machine, and makes a recording of it.

    Each entry is the keys of one frame, or a state that was loaded. Entries that may still be cut off stay notes; those
    that are settled are played again by a second machine, which is recorded: the same keys on the same state give the
    same frame. So going back is a matter of dropping notes, and costs the recording nothing.

    Args:
        start: The machine when the take begins, as `Spectrum.save_state` gives it.
        machine: Its model.
        identity: The game, for the recording's first snapshot.
        before: A recording that ends where the take begins; the take becomes its continuation.
        frames: How many frames the take may have.
        nbytes: How many bytes of input.
    """

    def __init__(
        self,
        start: bytes,
        machine: str,
        identity: Identity,
        *,
        before: Rzx | None = None,
        frames: int = _FRAMES,
        nbytes: int = _INPUT_BYTES,
    ) -> None:
        self._identity = identity
        self._before = before
        self._most = frames
        self._most_bytes = nbytes
        self._notes: deque[bytes] = deque()
        self._settled = 0
        self._frames = 0  # of those that are settled
        self._pressed = 0
        self._full = False
        self._failure = ""
        self._spectrum = Spectrum(machine)
        self._spectrum.load_state(start)
        self._recorder = RzxRecorder(self._spectrum)
        self._recorder.start()

    @property
    def length(self) -> int:
        """How many entries there are."""
        return self._settled + len(self._notes)

    @property
    def full(self) -> bool:
        """Whether no more is noted, until it is cut."""
        return self._full

    @property
    def pressed(self) -> bool:
        """Whether a key was held in any frame."""
        return self._pressed > 0

    def held(self, row: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
        """What the machine is to hold, (9,): what the person holds."""
        return row

    def add_frame(self, row: npt.NDArray[np.uint8]) -> None:
        """A frame in which the machine held this, (9,) as of `KeyInput.hold_row`."""
        self._pressed += bool(row.any())
        self._add(row.tobytes())

    def add_state(self, state: bytes) -> None:
        """The machine has become another, as `Spectrum.save_state` gives it."""
        self._add(state)

    def cut(self, length: int) -> None:
        """Forgets all entries but the first ones.

        Raises:
            ValueError: Some of them are settled.
        """
        if length < self._settled:
            raise ValueError(f"{self._settled} entries are settled, no cut can leave {length}")
        while self.length > length:
            note = self._notes.pop()
            self._pressed -= _is_row(note) and any(note)
        self._full = self._full and (length == self._most or bool(self._failure))

    def settle(self, length: int) -> None:
        """No cut will leave fewer entries than this."""
        while self._settled < min(length, self.length) and not self._failure:
            self._play(self._notes.popleft())
            self._settled += 1
            if self._settled % _FRAMES_BETWEEN_CHECKS == 0 and self._recorder.input_bytes > self._most_bytes:
                self._most = self.length
                self._full = True

    def finish(self, name: str) -> Rzx | None:
        """The recording of all entries; None if there is no frame.

        Args:
            name: What it is called, for messages.

        Raises:
            UserError: The program kept interrupts away for so long that the format has no room for the frame.
        """
        self.settle(self.length)
        if self._failure:
            raise UserError(f"{name}: what was played cannot be recorded: {self._failure}")
        if not self._frames:
            return None
        recording = self._recorder.recording(name)
        if self._before is not None:
            parts = (*self._before.parts, *recording.parts)
        else:
            first = recording.parts[0]
            parts = (RzxPart(self._signed(first.snapshot), first.inputs), *recording.parts[1:])
        return Rzx(name, parts, creator=recording.creator)

    def _signed(self, snapshot: RzxSnapshot | None) -> RzxSnapshot | None:
        """The snapshot with a note of the game, so that the recording can be continued without naming it."""
        if snapshot is None:
            return None
        noted = replace(parse_snapshot(snapshot.data, snapshot.name), note=self._identity.note())
        return replace(snapshot, data=format_snapshot(noted, snapshot.extension).data)

    def _add(self, note: bytes) -> None:
        self._full = self._full or self.length >= self._most
        if not self._full:
            self._notes.append(note)

    def _play(self, note: bytes) -> None:
        if not _is_row(note):
            self._spectrum.load_state(note)
            return
        self._spectrum.hold_row(np.frombuffer(note, dtype=np.uint8))
        try:
            self._spectrum.run_frames(1)
            self._frames += 1
        except ValueError as error:  # a frame for which the format has no room
            self._failure = str(error)
            self._full = True


def _is_row(note: bytes) -> bool:
    return len(note) == _ROW_BYTES
