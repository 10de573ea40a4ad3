# SPDX-License-Identifier: GPL-3.0-or-later
"""How saved states were reached, so that an episode that begins in one can be told from the game's beginning on."""

from collections import deque
from collections.abc import Mapping, Sequence
from hashlib import blake2b
from typing import Any

import numpy as np
import zstandard

from oakemu_rl.demos.notes import EpisodeNotes
from oakemu_rl.demos.recorded_route import RecordedRoute
from oakemu_rl.demos.way import Origin, Way
from oakemu_rl.demos.way_table import WayTable
from oakemu_rl.errors import UserError

__all__ = ["Ways"]

_AGENT = "agent"
"""The marker in a joined recording from which on the agent plays."""


class Ways:
    """Keeps the ways that lead to states, as many and as long as somebody who keeps the newest states of each bucket.

    Ways that lead on from the same state share all that lies before it, and the machines in which games begin are kept
    as what is different in them: some hundred bytes each.

    Args:
        capacity: Ways that a bucket keeps; a new one takes the place of the oldest.
        base: A machine much like those in which games begin, as `Spectrum.save_state` gives it.

    Raises:
        ValueError: The capacity is below 1.
    """

    def __init__(self, capacity: int, base: bytes = b"") -> None:
        if capacity < 1:
            raise ValueError(f"a bucket keeps at least one way, got {capacity}")
        self._capacity = capacity
        # An empty dictionary is none.
        alike = zstandard.ZstdCompressionDict(base or bytes(8), dict_type=zstandard.DICT_TYPE_RAWCONTENT)
        self._packer = zstandard.ZstdCompressor(level=1, dict_data=alike)
        self._unpacker = zstandard.ZstdDecompressor(dict_data=alike)
        self._buckets: dict[int, deque[bytes]] = {}
        self._ways: dict[bytes, Way] = {}
        self._routes: list[tuple[Origin, RecordedRoute]] = []
        self._recorded: dict[bytes, tuple[int, int]] = {}

    def __len__(self) -> int:
        return len(self._ways)

    def origin(self, start: bytes, seed: int | None, *, whole: bool) -> Origin:
        """Where a way begins; see `Origin`."""
        return Origin(self._packer.compress(start), seed, whole=whole)

    def add(self, bucket: int, state: bytes, way: Way) -> None:
        """Keeps how a state was reached.

        Args:
            bucket: Whose oldest way makes room if it is full.
            state: Of the environment.
            way: All that was played from the beginning of a game to it.
        """
        self._add(bucket, _digest(state), way)

    def add_route(self, route: RecordedRoute) -> None:
        """Lets every state of a recording have the recording up to there as its way."""
        notes, number = route.notes, len(self._routes)
        self._routes.append((self.origin(notes.start, notes.seed, whole=notes.whole), route))
        for step in range(len(notes.actions)):
            self._recorded.setdefault(_digest(route.states[step]), (number, step))

    def find(self, state: bytes) -> Way | None:
        """What leads to a state; None if it is not known."""
        name = _digest(state)
        if name in self._ways:
            return self._ways[name]
        return self.part(*self._recorded[name]) if name in self._recorded else None

    def joined(self, way: Way, notes: EpisodeNotes) -> EpisodeNotes:
        """All that was played along a way and in an episode from its end on, as one episode."""
        parts, origin = way.parts(), way.origin
        markers, done = [], 0
        for part in parts:
            markers += [(done + step, name) for step, name in part.markers]
            done += len(part.actions)
        return EpisodeNotes(
            env_id=notes.env_id,
            seed=origin.seed,
            start=self._unpacker.decompress(origin.packed),
            actions=np.concatenate([*(part.actions for part in parts), notes.actions]).astype(np.int64),
            step_frames=np.concatenate([*(part.step_frames for part in parts), notes.step_frames]).astype(np.int64),
            outcome=notes.outcome,
            episode_return=sum(part.earned for part in parts) + notes.episode_return,
            whole=origin.whole,
            steps_before=done,
            shown_steps=len(parts[0].actions) if parts[0].recorded is not None else 0,
            held=parts[0].held,
            markers=(*markers, *((done + step, name) for step, name in notes.markers)),
        )

    def state_dict(self, table: WayTable) -> dict[str, Any]:
        """Which ways are kept, as plain values.

        Args:
            table: Takes the ways up.
        """
        return {
            str(bucket): [[name.hex(), table.put(self._ways[name])] for name in names]
            for bucket, names in self._buckets.items()
        }

    def load_state_dict(self, state: Mapping[str, Any], ways: Sequence[Way]) -> None:
        """Takes up where `state_dict` stood.

        Args:
            state: What it gave.
            ways: Those of its table.
        """
        self._buckets, self._ways = {}, {}
        for bucket, kept in state.items():
            for name, number in kept:
                self._add(int(bucket), bytes.fromhex(name), ways[number])

    def part(self, route: int, step: int) -> Way:
        """The way that a recording is up to one of its steps.

        Raises:
            UserError: There is no such recording, or it is shorter.
        """
        if route >= len(self._routes) or step > len(self._routes[route][1].notes.actions):
            raise UserError("the checkpoint is of a run with other recordings")
        origin, recorded = self._routes[route]
        notes = recorded.notes
        frames = int(notes.step_frames[:step].sum())
        return Way(
            origin,
            None,
            notes.actions[:step].astype(np.uint16),
            notes.step_frames[:step].astype(np.uint16),
            float(recorded.rewards[:step].sum()),
            (*(mark for mark in notes.markers if mark[0] <= step), (step, _AGENT)),
            None if notes.held is None else notes.held[:frames],
            (route, step),
        )

    def _add(self, bucket: int, name: bytes, way: Way) -> None:
        if name in self._ways:
            return
        names = self._buckets.setdefault(bucket, deque())
        if len(names) == self._capacity:
            del self._ways[names.popleft()]
        names.append(name)
        self._ways[name] = way


def _digest(state: bytes) -> bytes:
    return blake2b(state, digest_size=16).digest()
