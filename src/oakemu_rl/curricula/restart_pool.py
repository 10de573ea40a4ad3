# SPDX-License-Identifier: GPL-3.0-or-later
"""States from which episodes begin again, in buckets: those that are failed most are drawn most."""

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch

__all__ = ["RestartPool", "draw_by_failure"]

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


@dataclass
class _Bucket:
    states: deque[bytes]
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

    Raises:
        ValueError: One of them is below 1.
    """

    def __init__(self, capacity: int, window: int = 50) -> None:
        if capacity < 1 or window < 1:
            raise ValueError(f"a pool keeps at least one state and one result, got {capacity} and {window}")
        self._capacity = capacity
        self._window = window
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
            self._buckets[bucket] = _Bucket(deque(maxlen=self._capacity), deque(maxlen=self._window))
        self._buckets[bucket].states.append(state)

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
        return states[int(torch.randint(len(states), (1,), generator=generator))]

    def note(self, bucket: int, *, success: bool) -> None:
        """How an episode from a bucket ended."""
        self._buckets[bucket].results.append(success)

    def state_dict(self) -> dict[str, Any]:
        """States and results, as plain values and tensors."""
        return {
            str(name): {
                "states": [torch.from_numpy(np.frombuffer(state, np.uint8).copy()) for state in bucket.states],
                "results": list(bucket.results),
            }
            for name, bucket in self._buckets.items()
        }

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Takes up where `state_dict` stood."""
        self._buckets = {}
        for name, saved in state.items():
            for each in saved["states"]:
                self.add(int(name), each.numpy().tobytes())
            self._buckets[int(name)].results.extend(saved["results"])
