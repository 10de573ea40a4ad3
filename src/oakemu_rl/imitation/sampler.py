# SPDX-License-Identifier: GPL-3.0-or-later
"""Which recorded steps a batch is made of."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

__all__ = ["Focus", "SliceSampler", "Slices"]


@dataclass(frozen=True)
class Slices:
    """B runs of steps, each within one episode.

    Attributes:
        begins: First steps, (B,) int64, counted over all episodes.
        ends: Steps behind the last ones, (B,) int64.
    """

    begins: NDArray[np.int64]
    ends: NDArray[np.int64]


@dataclass(frozen=True)
class Focus:
    """A part of an episode that is to be seen more often.

    Attributes:
        episode: Which.
        begin: Its first step, from 0; what lies before the episode's start is left out.
        end: The step behind its last one; what lies behind the episode's end is left out.
    """

    episode: int
    begin: int
    end: int


class SliceSampler:
    """Draws slices: a share of each batch from around focuses, the others from everywhere.

    Those from everywhere are drawn without returning them: their middles visit each step once before any comes again.

    Args:
        offsets: Where episodes begin, and where the last one ends, (E + 1,).
        length: Steps of a slice; episodes that are shorter are slices of their own.
        count: Slices of a batch.
        focuses: The focuses; none draws all from everywhere.
        focus_share: Part of each batch that is drawn around them, in (0, 1].
        generator: Of the draws, on the CPU.

    Raises:
        ValueError: A focus holds no step of its episode.
    """

    def __init__(
        self,
        offsets: NDArray[np.int64],
        *,
        length: int,
        count: int,
        focuses: Sequence[Focus] = (),
        focus_share: float = 0.5,
        generator: torch.Generator,
    ) -> None:
        self._offsets = offsets
        self._length = length
        self._generator = generator
        self._around = np.unique(np.concatenate([_steps_of(focus, offsets) for focus in focuses] or [offsets[:0]]))
        self._focused = min(count, max(1, round(count * focus_share))) if len(self._around) else 0
        self._everywhere = count - self._focused
        self._order = torch.empty(0, dtype=torch.int64)

    def draw(self) -> Slices:
        """The slices of the next batch."""
        middles = np.concatenate((self._next_everywhere(), self._next_around()))
        episodes = np.searchsorted(self._offsets, middles, side="right") - 1
        first, behind = self._offsets[episodes], self._offsets[episodes + 1]
        begins = np.maximum(first, np.minimum(middles - self._length // 2, behind - self._length))
        return Slices(begins, np.minimum(begins + self._length, behind))

    def _next_everywhere(self) -> NDArray[np.int64]:
        while len(self._order) < self._everywhere:
            fresh = torch.randperm(int(self._offsets[-1]), generator=self._generator)
            self._order = torch.cat((self._order, fresh))
        taken, self._order = self._order[: self._everywhere], self._order[self._everywhere :]
        return np.asarray(taken.numpy(), dtype=np.int64)

    def _next_around(self) -> NDArray[np.int64]:
        if not self._focused:
            return self._around
        drawn = torch.randint(len(self._around), (self._focused,), generator=self._generator)
        chosen: NDArray[np.int64] = self._around[drawn.numpy()]
        return chosen

    def state_dict(self) -> dict[str, Any]:
        """Everything but the arguments, as tensors."""
        return {"order": self._order.clone(), "generator": self._generator.get_state()}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Takes up where `state_dict` stood."""
        self._order = state["order"].clone()
        self._generator.set_state(state["generator"])


def _steps_of(focus: Focus, offsets: NDArray[np.int64]) -> NDArray[np.int64]:
    first, behind = offsets[focus.episode], offsets[focus.episode + 1]
    steps = np.arange(max(first, first + focus.begin), min(behind, first + focus.end))
    if not len(steps):
        raise ValueError(f"no step of recording {focus.episode} lies in {focus.begin} to {focus.end}")
    return steps
