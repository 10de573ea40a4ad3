# SPDX-License-Identifier: GPL-3.0-or-later
"""What an RZX file holds: snapshots, and for each frame how long it was and what its port reads gave."""

from dataclasses import dataclass, field, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

__all__ = ["FrameInputs", "Rzx", "RzxCreator", "RzxPart", "RzxSnapshot"]


@dataclass(frozen=True, slots=True)
class RzxCreator:
    """The program that made a recording."""

    name: str
    major: int
    minor: int

    def __str__(self) -> str:
        return f"{self.name} {self.major}.{self.minor}"


@dataclass(frozen=True, slots=True)
class RzxSnapshot:
    """A machine as a snapshot file."""

    name: str
    """Where it came from, for messages."""
    extension: str
    """``"z80"``, ``"szx"``, ``"sna"``, as the recording says; the content decides."""
    data: bytes
    external: bool = False
    """Whether it is a file of its own, not embedded in the recording."""


@dataclass(frozen=True, slots=True, eq=False)
class FrameInputs:
    """The frames of one input block, as arrays, because an hour has 180,000 of them.

    The bytes that frame ``k`` reads are ``data[starts[k] : starts[k] + counts[k]]``; frames may share them.
    """

    fetches: NDArray[np.uint16]
    """M1 cycles of each frame, shape (frames,)."""
    starts: NDArray[np.int64]
    """Where in ``data`` each frame's bytes begin, shape (frames,)."""
    counts: NDArray[np.uint16]
    """How many port reads each frame has, shape (frames,)."""
    data: NDArray[np.uint8]
    """What the port reads gave."""
    tstates: int = 0
    """T at which the first frame begins."""
    empty_repeats: NDArray[np.int64] = field(default_factory=lambda: np.empty((0, 3), np.int64))
    """Frames said to repeat one that reads no port, and where what they read if such frames do not count begins and how
    much it is: rows of frame, start and count, shape (n, 3). Emulators mean the one or the other."""

    def __len__(self) -> int:
        return len(self.fetches)

    def values(self, frame: int) -> bytes:
        """What the port reads of a frame gave."""
        start = int(self.starts[frame])
        return self.data[start : start + int(self.counts[frame])].tobytes()

    def passing_empty(self) -> "FrameInputs":
        """The same, if a frame repeats the last one that reads a port, however many do not in between."""
        frames, starts, counts = self.empty_repeats.T
        changed = replace(self, starts=self.starts.copy(), counts=self.counts.copy())
        changed.starts[frames], changed.counts[frames] = starts, counts
        return changed

    def __eq__(self, other: object) -> bool:
        """Whether the same happens in every frame, however the bytes are laid out."""
        if not isinstance(other, FrameInputs):
            return NotImplemented
        same_frames = np.array_equal(self.fetches, other.fetches) and np.array_equal(self.counts, other.counts)
        return (
            same_frames
            and self.tstates == other.tstates
            and all(self.values(frame) == other.values(frame) for frame in range(len(self)))
        )

    __hash__ = None  # type: ignore[assignment]  # arrays can change

    @classmethod
    def from_frames(cls, frames: list[tuple[int, bytes]], tstates: int = 0) -> "FrameInputs":
        """From pairs of M1 cycles and what the port reads gave."""
        counts = [len(values) for _, values in frames]
        return cls(
            fetches=np.array([fetches for fetches, _ in frames], dtype=np.uint16),
            starts=np.cumsum([0, *counts], dtype=np.int64)[:-1],
            counts=np.array(counts, dtype=np.uint16),
            data=np.frombuffer(b"".join(values for _, values in frames), dtype=np.uint8),
            tstates=tstates,
        )


@dataclass(frozen=True, slots=True)
class RzxPart:
    """Frames, and the snapshot that the machine becomes before the first of them.

    Without a snapshot the machine goes on from the frames before.
    """

    snapshot: RzxSnapshot | None
    inputs: FrameInputs


@dataclass(frozen=True, slots=True)
class Rzx:
    """A recording of what went into a machine. The first part has a snapshot."""

    name: str
    """Where it came from, for messages."""
    parts: tuple[RzxPart, ...]
    version: tuple[int, int] = (0, 13)
    creator: RzxCreator | None = None
    signed: bool = False
    """Whether it carries a signature; it was not verified."""

    @property
    def frames(self) -> int:
        """How many frames all parts have."""
        return sum(len(part.inputs) for part in self.parts)

    @property
    def part_starts(self) -> tuple[int, ...]:
        """The number of the first frame of each part."""
        starts = [0]
        starts.extend(start + len(part.inputs) for start, part in zip(starts, self.parts, strict=False))
        return tuple(first for first, _ in pairwise(starts))
