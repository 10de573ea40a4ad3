# SPDX-License-Identifier: GPL-3.0-or-later
"""How saved states were reached, so that an episode that begins in one can be told from the game's beginning on."""

import hashlib
from collections import deque

from oakemu_rl.demos.notes import EpisodeNotes

__all__ = ["Ways"]


class Ways:
    """Keeps the notes that lead to states, as many and as long as somebody who keeps the newest states of each bucket.

    Args:
        capacity: Ways that a bucket keeps; a new one takes the place of the oldest.

    Raises:
        ValueError: It is below 1.
    """

    def __init__(self, capacity: int) -> None:
        if capacity < 1:
            raise ValueError(f"a bucket keeps at least one way, got {capacity}")
        self._capacity = capacity
        self._buckets: dict[int, deque[bytes]] = {}
        self._notes: dict[bytes, EpisodeNotes] = {}

    def __len__(self) -> int:
        return len(self._notes)

    def add(self, bucket: int, state: bytes, notes: EpisodeNotes) -> None:
        """Keeps how a state was reached.

        Args:
            bucket: Whose oldest way makes room if it is full.
            state: Of the environment.
            notes: All that was played from the beginning of a game to it.
        """
        name = _digest(state)
        if name in self._notes:
            return
        names = self._buckets.setdefault(bucket, deque())
        if len(names) == self._capacity:
            del self._notes[names.popleft()]
        names.append(name)
        self._notes[name] = notes

    def find(self, state: bytes) -> EpisodeNotes | None:
        """What leads to a state; None if it is not known."""
        return self._notes.get(_digest(state))


def _digest(state: bytes) -> bytes:
    return hashlib.blake2b(state, digest_size=16).digest()
