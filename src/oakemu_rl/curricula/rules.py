# SPDX-License-Identifier: GPL-3.0-or-later
"""When a start may move further back: two rules."""

from collections.abc import Sequence
from typing import Protocol

__all__ = ["PlateauRule", "Rule", "ThresholdRule"]


class Rule(Protocol):
    """Says from the newest successes at a start whether the next one may come."""

    @property
    def memory(self) -> int:
        """How many of the newest episodes it looks at."""
        ...

    def is_learnt(self, successes: Sequence[bool]) -> bool:
        """Whether the start may move.

        Args:
            successes: Of the newest `memory` episodes from there, or all if they are fewer, the oldest first.
        """
        ...


class ThresholdRule:
    """Moves on once a share of the episodes does as well as the recording.

    Source: Salimans and Chen, 2018, "Learning Montezuma's Revenge from a Single Demonstration", where the share is 0.2.
    Where the very first episodes all do, they are enough: a third of those that there must be otherwise.

    Args:
        share: Of the newest episodes.
        window: How many of them are looked at.
        at_least: How many there must be.
    """

    def __init__(self, share: float, window: int, at_least: int) -> None:
        self.memory = window
        self._share = share
        self._at_least = min(at_least, window)
        self._faultless = -(-self._at_least // 3)

    def is_learnt(self, successes: Sequence[bool]) -> bool:
        """Whether enough of them succeeded."""
        newest = successes[-self.memory :]
        if len(newest) >= self._faultless and all(newest):
            return True
        return len(newest) >= self._at_least and sum(newest) >= self._share * len(newest)


class PlateauRule:
    """Moves on once there is nothing more to gain here: the newer half of the episodes is no better than the older.

    Starts where nothing has succeeded yet are not left, and those where nearly everything does are left at once.

    Args:
        window: Episodes that are looked at, of which the newer half is compared with the older.
        margin: By what share of its episodes the newer half must be better for learning to count as going on.
        mastered: Share of successes with which half a window is enough.
    """

    def __init__(self, window: int, margin: float = 0.05, mastered: float = 0.9) -> None:
        self.memory = max(2, window)
        self._half = self.memory // 2
        self._margin = margin
        self._mastered = mastered

    def is_learnt(self, successes: Sequence[bool]) -> bool:
        """Whether they stopped becoming better."""
        newer = successes[-self._half :]
        if len(newer) == self._half and sum(newer) >= self._mastered * self._half:
            return True
        older = successes[-2 * self._half : -self._half]
        if len(older) < self._half or not any(newer):
            return False
        return sum(newer) - sum(older) <= self._margin * self._half
