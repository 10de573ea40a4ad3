# SPDX-License-Identifier: GPL-3.0-or-later
"""States from which episodes begin again, in buckets: those that are failed most are drawn most."""

from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

import torch
import zstandard

from oakemu_rl.ppo.plain_bytes import as_bytes, as_tensor

__all__ = ["RestartPool", "StateKeeper", "draw_by_failure"]

_WINDOW_LOG = 27
"""Of the packing: states have most in common with the others of their bucket, up to 128 MB before them."""
_UNKNOWN_SUCCESS = 0.5  # of a bucket from which nobody has begun yet
_SMALLEST_WEIGHT = 0.1  # also what is mastered is played now and then, or it would be forgotten


def draw_by_failure(successes: list[float], generator: torch.Generator) -> int:
    """Draws one of several: the rate of failures is its weight, and never less than a tenth.

    Args:
        successes: The rate of successes of each.
        generator: On the CPU.
    """
    weights = torch.tensor([max(_SMALLEST_WEIGHT, 1.0 - rate) for rate in successes], dtype=torch.float64)
    return int(torch.multinomial(weights, 1, generator=generator))


class StateKeeper(Protocol):
    """Holds states by number: a `StateBank`, which shares what they have in common, or plain memory."""

    def add_state(self, state: bytes, /) -> int:
        """Keeps a state; returns its number."""
        ...

    def get(self, state_id: int, /) -> bytes:
        """The state as it was."""
        ...

    def discard(self, state_id: int, /) -> None:
        """Forgets it."""
        ...


class _PlainKeeper:
    def __init__(self) -> None:
        self._states: dict[int, bytes] = {}
        self._next = 0

    def add_state(self, state: bytes, /) -> int:
        self._next += 1
        self._states[self._next] = state
        return self._next

    def get(self, state_id: int, /) -> bytes:
        return self._states[state_id]

    def discard(self, state_id: int, /) -> None:
        del self._states[state_id]


@dataclass
class _Bucket:
    states: deque[int]
    results: deque[bool] = field(default_factory=deque)

    @property
    def success(self) -> float:
        return sum(self.results) / len(self.results) if self.results else _UNKNOWN_SUCCESS


class RestartPool:
    """Keeps the newest states of each bucket, as the agent arrived there, and how it fared from them.

    States age: what the agent reached long ago, with other habits, makes room for how it arrives now.

    Args:
        capacity: States that a bucket keeps; a new one takes the place of the oldest.
        window: Results that a bucket remembers.
        keeper: Where the states are; None keeps each as it is. In a `StateBank`, those of a game take 1 to 3 KB each.

    Raises:
        ValueError: One of them is below 1.
    """

    def __init__(self, capacity: int, window: int = 50, keeper: StateKeeper | None = None) -> None:
        if capacity < 1 or window < 1:
            raise ValueError(f"a pool keeps at least one state and one result, got {capacity} and {window}")
        self._capacity = capacity
        self._window = window
        self._keeper = _PlainKeeper() if keeper is None else keeper
        self._buckets: dict[int, _Bucket] = {}

    def __len__(self) -> int:
        return sum(len(bucket.states) for bucket in self._buckets.values())

    @property
    def buckets(self) -> tuple[int, ...]:
        """Those that have a state, ascending."""
        return tuple(sorted(self._buckets))

    def add(self, bucket: int, state: bytes) -> None:
        """Puts a state into a bucket, in place of its oldest if it is full."""
        if bucket not in self._buckets:
            self._buckets[bucket] = _Bucket(deque(), deque(maxlen=self._window))
        states = self._buckets[bucket].states
        if len(states) == self._capacity:
            self._keeper.discard(states.popleft())
        states.append(self._keeper.add_state(state))

    def success(self, bucket: int) -> float:
        """Rate of successes of the newest episodes from a bucket; a half before the first."""
        return self._buckets[bucket].success

    def draw(self, generator: torch.Generator) -> tuple[int, bytes]:
        """A bucket, more often one that is failed, and one of its states.

        Raises:
            ValueError: The pool is empty.
        """
        if not self._buckets:
            raise ValueError("nothing can be drawn from a pool without states")
        names = self.buckets
        bucket = names[draw_by_failure([self.success(name) for name in names], generator)]
        return bucket, self.draw_from(bucket, generator)

    def draw_from(self, bucket: int, generator: torch.Generator) -> bytes:
        """One of a bucket's states, all equally likely."""
        states = self._buckets[bucket].states
        return self._keeper.get(states[int(torch.randint(len(states), (1,), generator=generator))])

    def note(self, bucket: int, *, success: bool) -> None:
        """How an episode from a bucket ended."""
        self._buckets[bucket].results.append(success)

    def state_dict(self) -> dict[str, Any]:
        """States and results, packed, as plain values and tensors."""
        numbers = [number for bucket in self._buckets.values() for number in bucket.states]
        packed, sizes = _packed(map(self._keeper.get, numbers))
        return {
            "packed": as_tensor(packed),
            "sizes": torch.tensor(sizes, dtype=torch.int64),
            "buckets": {
                str(name): {"states": len(bucket.states), "results": list(bucket.results)}
                for name, bucket in self._buckets.items()
            },
        }

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Takes up where `state_dict` stood."""
        for bucket in self._buckets.values():
            for number in bucket.states:
                self._keeper.discard(number)
        self._buckets = {}
        unpacked = _unpacked(as_bytes(state["packed"]), state["sizes"].tolist())
        for name, saved in state["buckets"].items():
            for _ in range(saved["states"]):
                self.add(int(name), next(unpacked))
            self._buckets[int(name)].results.extend(saved["results"])


def _packed(states: Iterable[bytes]) -> tuple[bytes, list[int]]:
    """The states one after another, packed, and their sizes."""
    settings = zstandard.ZstdCompressionParameters.from_level(1, window_log=_WINDOW_LOG, enable_ldm=True)
    packer = zstandard.ZstdCompressor(compression_params=settings).compressobj()
    parts, sizes = [], []
    for state in states:  # one at a time: as bytes, all of them may be more than fits into memory
        parts.append(packer.compress(state))
        sizes.append(len(state))
    return b"".join([*parts, packer.flush()]), sizes


def _unpacked(packed: bytes, sizes: Iterable[int]) -> Iterator[bytes]:
    with zstandard.ZstdDecompressor(max_window_size=1 << _WINDOW_LOG).stream_reader(packed) as stream:
        for size in sizes:
            yield stream.read(size)
