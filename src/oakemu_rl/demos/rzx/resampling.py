# SPDX-License-Identifier: GPL-3.0-or-later
"""From what was played frame by frame to what an agent would play, which decides once in several frames."""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

__all__ = ["Resampled", "resample"]


@dataclass(frozen=True, eq=False)
class Resampled:
    """Steps of an agent.

    Attributes:
        actions: (S,) int64.
        presses: How many times an action began that holds something.
        lost: How many of those got no step, as another one had it.
    """

    actions: NDArray[np.int64]
    presses: int
    lost: int


@dataclass(frozen=True)
class _Run:
    """Frames in a row with one action."""

    action: int
    begin: int
    end: int


def resample(actions: NDArray[np.int64], frameskip: int, table: NDArray[np.uint8]) -> Resampled:
    """Takes one action for each step.

    A step plays what was played in most of its frames, and of equals what came first. Whatever holds something and
    would come off empty, however short it was, is given the step in which it was played longest, if the action there
    has another step, or holds nothing that the new one does not hold. Last come the pauses between two presses of the
    same keys, so that they do not melt into one.

    Args:
        actions: What was played in each frame, (F,). Frames after the last whole step are left out.
        frameskip: Frames a step.
        table: What each action holds, (A, 9), as of `Game.action_table`.
    """
    steps = len(actions) // frameskip
    shares = _Shares(_runs(actions[: steps * frameskip]), steps, frameskip, table)
    idle: NDArray[np.bool_] = ~np.asarray(table.any(axis=1))
    presses = [number for number, run in enumerate(shares.runs) if not idle[run.action]]
    pauses = [number for number in range(1, len(shares.runs) - 1) if _is_pause(shares.runs, number, idle)]
    for number in (*presses, *pauses):
        shares.claim(number)
    lost = sum(shares.is_lost(number) for number in presses)
    return Resampled(shares.actions(), len(presses), lost)


class _Shares:
    """Which run plays each step."""

    def __init__(self, runs: list[_Run], steps: int, frameskip: int, table: NDArray[np.uint8]) -> None:
        self.runs = runs
        self._frameskip = frameskip
        self._table = table
        self._owner = [0] * steps
        most = [0] * steps
        for number, run in enumerate(runs):
            for step in self._steps_of(run):
                frames = self._overlap(run, step)
                if frames > most[step]:
                    self._owner[step], most[step] = number, frames
        self._kept = np.bincount(np.array(self._owner, np.int64), minlength=len(runs))
        self._contained: set[int] = set()  # runs whose keys are held in their step, with others

    def claim(self, number: int) -> None:
        """Gives a run that has no step one that its owner can do without, if there is one."""
        run = self.runs[number]
        if self._kept[number]:
            return
        for step in sorted(self._steps_of(run), key=lambda step: -self._overlap(run, step)):
            other = self._owner[step]
            contained = self._holds_all(run.action, self.runs[other].action)
            if self._kept[other] > 1 or contained:
                self._owner[step] = number
                self._kept[other] -= 1
                self._kept[number] += 1
                if contained:
                    self._contained.add(other)
                return

    def is_lost(self, number: int) -> bool:
        """Whether nothing is left of a run."""
        return not self._kept[number] and number not in self._contained

    def actions(self) -> NDArray[np.int64]:
        """Those of the steps."""
        return np.array([self.runs[number].action for number in self._owner], np.int64)

    def _holds_all(self, action: int, other: int) -> bool:
        """Whether an action holds what another one does; the same one is another press, and holds nothing of it."""
        return action != other and bool((self._table[action] & self._table[other] == self._table[other]).all())

    def _steps_of(self, run: _Run) -> range:
        return range(run.begin // self._frameskip, -(-run.end // self._frameskip))

    def _overlap(self, run: _Run, step: int) -> int:
        return min(run.end, (step + 1) * self._frameskip) - max(run.begin, step * self._frameskip)


def _runs(frames: NDArray[np.int64]) -> list[_Run]:
    bounds = [*np.flatnonzero(np.diff(frames, prepend=-1)).tolist(), len(frames)]
    return [_Run(int(frames[begin]), begin, end) for begin, end in pairwise(bounds)]


def _is_pause(runs: list[_Run], number: int, idle: NDArray[np.bool_]) -> bool:
    before, here, after = runs[number - 1 : number + 2]
    return bool(idle[here.action]) and before.action == after.action
