# SPDX-License-Identifier: GPL-3.0-or-later
"""Ways as bytes: what they share is written once."""

import json
from collections.abc import Callable, Mapping

import numpy as np
import zstandard

from oakemu_rl.demos.way import Origin, Way

__all__ = ["WayTable", "read_ways"]


class WayTable:
    """Numbers ways, and all that led to them, in the order in which each comes after what it is made of."""

    def __init__(self) -> None:
        self._numbers: dict[int, int] = {}  # by id: the ways are held by `_ways`
        self._ways: list[Way] = []
        self._origins: dict[int, tuple[int, Origin]] = {}

    def put(self, way: Way) -> int:
        """Takes a way up; returns its number."""
        for part in way.parts():
            if id(part) not in self._numbers:
                self._numbers[id(part)] = len(self._ways)
                self._ways.append(part)
                self._origins.setdefault(id(part.origin), (len(self._origins), part.origin))
        return self._numbers[id(way)]

    def packed(self) -> dict[str, bytes]:
        """All of them, packed."""
        lines = [  # a recording's ways are read from it
            [
                self._origins[id(way.origin)][0],
                -1 if way.before is None else self._numbers[id(way.before)],
                0 if way.recorded is not None else len(way.actions),
                way.earned,
                way.markers,
                way.recorded,
            ]
            for way in self._ways
        ]
        origins = [origin for _, origin in self._origins.values()]
        heads = [[len(origin.packed), origin.seed, origin.whole] for origin in origins]
        played = [way for way in self._ways if way.recorded is None]
        return {
            "lines": _pack(json.dumps({"ways": lines, "origins": heads}).encode()),
            "machines": _pack(b"".join(origin.packed for origin in origins)),
            "actions": _pack(b"".join(way.actions.tobytes() for way in played)),
            "step_frames": _pack(b"".join(way.step_frames.tobytes() for way in played)),
        }


def read_ways(state: Mapping[str, bytes], recorded: Callable[[int, int], Way]) -> list[Way]:
    """The ways that `WayTable.packed` gave, by their numbers.

    Args:
        state: What it gave.
        recorded: The way of a recording, by its number and its steps.
    """
    lines = json.loads(_unpack(state["lines"]))
    machines, place = _unpack(state["machines"]), 0
    origins = []
    for size, seed, whole in lines["origins"]:
        origins.append(Origin(machines[place : place + size], seed, whole))
        place += size
    actions, step_frames = (np.frombuffer(_unpack(state[name]), np.uint16) for name in ("actions", "step_frames"))
    ways: list[Way] = []
    done = 0
    for origin, before, steps, earned, markers, source in lines["ways"]:
        if source is not None:
            ways.append(recorded(*source))
            continue
        ways.append(
            Way(
                origins[origin],
                None if before < 0 else ways[before],
                # Copies: a part that is kept is not to hold all the others.
                actions[done : done + steps].copy(),
                step_frames[done : done + steps].copy(),
                earned,
                tuple((step, name) for step, name in markers),
            )
        )
        done += steps
    return ways


def _pack(data: bytes) -> bytes:
    return zstandard.ZstdCompressor(level=3).compress(data)


def _unpack(packed: bytes) -> bytes:
    return zstandard.ZstdDecompressor().decompress(packed)
