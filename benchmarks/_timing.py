# SPDX-License-Identifier: GPL-3.0-or-later
"""Timing on a machine that others use too: candidates in turn, many times, medians and ratios of pairs."""

import gc
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from statistics import median

__all__ = ["Rate", "rates", "ratio"]


@dataclass(frozen=True)
class Rate:
    """Work done a second, once per round.

    Attributes:
        name: What was measured.
        samples: One figure a round.
    """

    name: str
    samples: tuple[float, ...]

    @property
    def median(self) -> float:
        """Middle of the rounds."""
        return median(self.samples)


def rates(
    candidates: Mapping[str, Callable[[], float]],
    *,
    rounds: int,
    clock: Callable[[], float] = time.perf_counter,
) -> dict[str, Rate]:
    """Runs the candidates in turn, A B C A B C ..., so that a drift of the machine's speed hits all alike.

    Args:
        candidates: Each does a fixed amount of work and returns how much (frames, steps).
        rounds: How often each is timed, after one round that is not.
        clock: ``time.thread_time`` leaves out what others do meanwhile, where all work is done by the calling thread.

    Returns:
        The rates by name.
    """
    samples: dict[str, list[float]] = {name: [] for name in candidates}
    for number in range(rounds + 1):
        for name, work in candidates.items():
            gc.collect()
            start = clock()
            amount = work()
            elapsed = clock() - start
            if number > 0:
                samples[name].append(amount / elapsed)
    return {name: Rate(name, tuple(values)) for name, values in samples.items()}


def ratio(ours: Rate, other: Rate) -> float:
    """Median of the round-by-round ratios: how many times as fast ours is."""
    return median(a / b for a, b in zip(ours.samples, other.samples, strict=True))
