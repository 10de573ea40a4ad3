# SPDX-License-Identifier: GPL-3.0-or-later
"""The last minutes of a machine, frame by frame, to go back to."""

from collections import deque
from typing import NamedTuple

from oakemu_rl.emulator import Spectrum, StateStore

__all__ = ["Rewinder"]

_FRAMES = 5 * 60 * 50
_BYTES = 192 << 20
"""A game that redraws its whole screen in every frame takes half of this for five minutes; ours take 5 to 14 MB."""
# A page of 256 bytes and its place in the tables, and a state without its pages (docs/states.md).
_PAGE_BYTES = 270
_STATE_BYTES = 600


class _Moment(NamedTuple):
    state: int
    mark: int


class Rewinder:
    """Keeps the machine as it was after each of the last frames.

    States share what they have in common, so that a frame costs little more than the memory that it changed. When
    there are more frames or bytes than are allowed, the oldest go.

    Args:
        frames: How far back one can go.
        nbytes: How much memory that may take, about.
    """

    def __init__(self, *, frames: int = _FRAMES, nbytes: int = _BYTES) -> None:
        self._most = frames
        self._most_bytes = nbytes
        self._store = StateStore()
        self._moments: deque[_Moment] = deque()

    def add(self, spectrum: Spectrum, mark: int) -> None:
        """Keeps the machine as it is now.

        Args:
            spectrum: The machine.
            mark: A number to get back with it.
        """
        self._moments.append(_Moment(self._store.add(spectrum), mark))
        while self.frames and (self.frames > self._most or self._live_bytes > self._most_bytes):
            self._store.discard(self._moments.popleft().state)

    def back(self, spectrum: Spectrum, frames: int) -> int:
        """Puts the machine back by some frames, as far as it goes, and forgets those.

        Args:
            spectrum: The machine whose last state was added last.
            frames: How many.

        Returns:
            The mark of the moment that the machine is in then.
        """
        for _ in range(min(frames, self.frames)):
            self._store.discard(self._moments.pop().state)
        latest = self._moments[-1]
        self._store.load(latest.state, spectrum)
        return latest.mark

    @property
    def frames(self) -> int:
        """How many frames one can go back."""
        return max(len(self._moments) - 1, 0)

    @property
    def oldest_mark(self) -> int:
        """The mark of the earliest moment to which one can go back."""
        return self._moments[0].mark

    @property
    def nbytes(self) -> int:
        """Memory that the states take."""
        return self._store.nbytes

    @property
    def _live_bytes(self) -> int:
        """What the present states need, about; `nbytes` never falls, as the store keeps what it has for others."""
        return self._store.pages * _PAGE_BYTES + len(self._moments) * _STATE_BYTES
