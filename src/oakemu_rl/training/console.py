# SPDX-License-Identifier: GPL-3.0-or-later
"""The progress of a run in plain lines from time to time, or in silence."""

import os
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Protocol

from rich.console import Console

from oakemu_rl.quantities import format_count, format_duration
from oakemu_rl.training.budget import Budget
from oakemu_rl.training.records import Record

__all__ = ["PlainProgress", "Progress", "SilentProgress", "describe", "describe_event"]

_SECONDS_BETWEEN_LINES = 5.0


def describe(record: Record, budget: Budget) -> dict[str, str]:
    """The parts of a progress line, as texts: steps, speed, mean return, time left, where the time goes."""
    values: Mapping[str, float | str] = record.values
    speed, elapsed = float(values["time/fps"]), float(values["time/time_elapsed"])
    mean_return = values.get("rollout/ep_rew_mean")
    left = budget.left(record.step, elapsed, speed)
    shares = " ".join(
        f"{name} {float(values.get(f'time/{tag}_share', 0.0)):.0%}"
        for name, tag in (("env", "environment"), ("infer", "inference"), ("learn", "learning"))
    )
    return {
        "steps": f"{format_count(record.step)}/{format_count(budget.steps)} steps",
        "speed": f"{speed:,.0f}/s",
        "result": "return -" if mean_return is None else f"return {float(mean_return):z.2f}",
        "left": f"left {format_duration(left) if left != float('inf') else '-'}",
        "shares": shares,
    }


class Progress(Protocol):
    """A metrics writer that also takes messages for the person who waits."""

    def write(self, record: Record) -> None:
        """Shows a record."""
        ...

    def message(self, text: str) -> None:
        """Shows a line."""
        ...

    def close(self) -> None:
        """Ends the live display; messages may still come."""
        ...


class SilentProgress:
    """Says nothing."""

    def write(self, record: Record) -> None:
        """Takes a record and does nothing with it."""

    def message(self, text: str) -> None:
        """Takes a message and does nothing with it."""

    def close(self) -> None:
        """Does nothing."""


class PlainProgress:
    """One line every few seconds, without control codes: for pipes and log files.

    Args:
        budget: The run's limits.
        console: Where it is printed.
        clock: Seconds that only go up.
    """

    def __init__(self, budget: Budget, console: Console, clock: Callable[[], float] = time.monotonic) -> None:
        self._budget = budget
        self._console = console
        self._clock = clock
        self._last = -float("inf")
        self._lost = False

    def write(self, record: Record) -> None:
        """Prints metrics if the last line is some seconds old, and every evaluation and notice."""
        if record.kind in ("evaluation", "notice"):
            self.message(describe_event(record))
        elif record.kind == "metrics" and self._clock() - self._last >= _SECONDS_BETWEEN_LINES:
            self._last = self._clock()
            self.message("  ".join(describe(record, self._budget).values()))

    def message(self, text: str) -> None:
        """Prints a line; when nobody reads any more (`| head`, a full disk), the run goes on without a word."""
        if self._lost:
            return
        try:
            self._console.file.write(f"{text}\n")
            self._console.file.flush()
        except OSError:
            self._lost = True
            with suppress(OSError, ValueError):  # what is buffered would fail once more when Python ends
                os.dup2(os.open(os.devnull, os.O_WRONLY), self._console.file.fileno())

    def close(self) -> None:
        """Does nothing: every line is out already."""


def describe_event(record: Record) -> str:
    """An evaluation or a notice in one line."""
    if record.kind == "notice":
        return f"{format_count(record.step)} steps: {record.values['text']}"
    mark = "  (the best so far)" if record.values["eval/best_timesteps"] == record.step else ""
    return f"{format_count(record.step)} steps: evaluation return {float(record.values['eval/mean_reward']):z.2f}{mark}"
