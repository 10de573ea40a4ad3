# SPDX-License-Identifier: GPL-3.0-or-later
"""The progress of a run: a live line on a terminal, plain lines from time to time anywhere else."""

import os
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Protocol

from rich import progress as bars
from rich.console import Console

from oakemu_rl.training.quantities import format_count, format_duration
from oakemu_rl.training.records import Record

__all__ = ["Budget", "LiveProgress", "PlainProgress", "Progress", "SilentProgress", "describe"]

_SECONDS_BETWEEN_LINES = 5.0
_WIDTH_WITH_BAR = 102  # characters; on a narrower terminal the numbers matter more


class Budget:
    """How far a run is, by whichever of its limits comes first.

    Args:
        steps: Agent steps that it runs for.
        seconds: Its time limit, None for none.
    """

    def __init__(self, steps: int, seconds: float | None) -> None:
        self.steps = steps
        self.seconds = seconds

    def done(self, steps: int, elapsed: float) -> float:
        """The part that is over, from 0 to 1."""
        by_time = 0.0 if self.seconds is None else elapsed / self.seconds
        return min(1.0, max(steps / self.steps, by_time))

    def left(self, steps: int, elapsed: float, steps_per_second: float) -> float:
        """Seconds until the end."""
        by_steps = max(0, self.steps - steps) / steps_per_second if steps_per_second > 0 else float("inf")
        by_time = float("inf") if self.seconds is None else max(0.0, self.seconds - elapsed)
        return min(by_steps, by_time)


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
        "result": "return -" if mean_return is None else f"return {float(mean_return):.2f}",
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
            self.message(_line_of(record))
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


class LiveProgress:
    """A bar that stays at the foot of the terminal.

    Args:
        budget: The run's limits.
        console: The terminal.
    """

    def __init__(self, budget: Budget, console: Console) -> None:
        self._budget = budget
        columns = [
            bars.TextColumn("{task.fields[" + part + "]}") for part in ("steps", "speed", "result", "left", "shares")
        ]
        bar = [bars.BarColumn(bar_width=20)] if console.width >= _WIDTH_WITH_BAR else []
        self._progress = bars.Progress(*bar, *columns, console=console)
        empty = dict.fromkeys(("steps", "speed", "result", "left", "shares"), "")
        self._task = self._progress.add_task("", total=1.0, **{**empty, "steps": "starting"})  # type: ignore[arg-type]  # fields are texts
        self._progress.start()

    def write(self, record: Record) -> None:
        """Moves the bar; an evaluation or a notice becomes a line above it."""
        if record.kind in ("evaluation", "notice"):
            self.message(_line_of(record))
        elif record.kind == "metrics":
            done = self._budget.done(record.step, float(record.values["time/time_elapsed"]))
            self._progress.update(self._task, completed=done, **describe(record, self._budget))  # type: ignore[arg-type]  # as above

    def message(self, text: str) -> None:
        """Prints a line above the bar."""
        self._progress.console.print(text, markup=False, highlight=False)

    def close(self) -> None:
        """Leaves the bar as it is and gives the terminal back."""
        self._progress.stop()


def _line_of(record: Record) -> str:
    """An evaluation or a notice in one line."""
    if record.kind == "notice":
        return f"{format_count(record.step)} steps: {record.values['text']}"
    mark = "  (the best so far)" if record.values["eval/best_timesteps"] == record.step else ""
    return f"{format_count(record.step)} steps: evaluation return {float(record.values['eval/mean_reward']):.2f}{mark}"
