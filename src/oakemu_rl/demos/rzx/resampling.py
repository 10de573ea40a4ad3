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


def resample(actions: NDArray[np.int64], frameskip: int, noop: int) -> Resampled:
    """Takes one action for each step.

    A step plays what was played in most of its frames, and of equals what came first. Whatever holds something and
    would come off empty, however short it was, is given the step in which it was played longest, if that step's own
    action keeps another one or holds nothing. Last come the pauses between two presses of the same keys, so that they
    do not melt into one.

    Args:
        actions: What was played in each frame, (F,). Frames after the last whole step are left out.
        frameskip: Frames a step.
        noop: The action that holds nothing.
    """
    steps = len(actions) // frameskip
    frames = actions[: steps * frameskip]
    runs = _runs(frames)
    owner = _longest(runs, steps, frameskip)  # the run that each step plays
    kept = np.bincount(owner, minlength=len(runs))  # how many steps each run has
    presses = [number for number, run in enumerate(runs) if run.action != noop]
    pauses = [number for number in range(1, len(runs) - 1) if _is_pause(runs, number, noop)]
    for number in (*presses, *pauses):
        if not kept[number]:
            _give_step(number, runs, owner, kept, frameskip=frameskip, noop=noop)
    chosen = np.array([runs[number].action for number in owner.tolist()], np.int64)
    return Resampled(chosen, len(presses), sum(not kept[number] for number in presses))


def _runs(frames: NDArray[np.int64]) -> list[_Run]:
    bounds = [*np.flatnonzero(np.diff(frames, prepend=-1)).tolist(), len(frames)]
    return [_Run(int(frames[begin]), begin, end) for begin, end in pairwise(bounds)]


def _longest(runs: list[_Run], steps: int, frameskip: int) -> NDArray[np.int64]:
    """For each step the run with the most of its frames, (S,)."""
    owner, most = np.zeros(steps, np.int64), np.zeros(steps, np.int64)
    for number, run in enumerate(runs):
        for step in _steps_of(run, frameskip):
            frames = _overlap(run, step, frameskip)
            if frames > most[step]:
                owner[step], most[step] = number, frames
    return owner


def _give_step(
    number: int, runs: list[_Run], owner: NDArray[np.int64], kept: NDArray[np.int64], *, frameskip: int, noop: int
) -> None:
    """Gives a run the step in which it is longest, of those whose owner can do without."""
    run = runs[number]
    is_press = run.action != noop
    for step in sorted(_steps_of(run, frameskip), key=lambda step: -_overlap(run, step, frameskip)):
        other = int(owner[step])
        spare = kept[other] > 1 or (is_press and runs[other].action == noop)
        if spare:
            owner[step] = number
            kept[other] -= 1
            kept[number] += 1
            return


def _is_pause(runs: list[_Run], number: int, noop: int) -> bool:
    before, here, after = runs[number - 1 : number + 2]
    return here.action == noop and before.action == after.action


def _steps_of(run: _Run, frameskip: int) -> range:
    return range(run.begin // frameskip, -(-run.end // frameskip))


def _overlap(run: _Run, step: int, frameskip: int) -> int:
    return min(run.end, (step + 1) * frameskip) - max(run.begin, step * frameskip)
