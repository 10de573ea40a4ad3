# SPDX-License-Identifier: GPL-3.0-or-later
"""The live table of `oakemu-rl games watch`: what every variable, reward and condition has done so far."""

from collections.abc import Iterator
from dataclasses import dataclass

from rich.table import Table

from oakemu_rl.cli.glance import Glance
from oakemu_rl.games import Definition

__all__ = ["WatchTable"]

_TOTAL = "reward"
_WAITING = "-"


@dataclass
class _Row:
    """One figure over time."""

    value: float
    change: float = 0.0
    changed_at: int | None = None
    low: float = 0.0
    high: float = 0.0

    def take(self, value: float, frame: int) -> None:
        if value != self.value:
            self.change, self.changed_at = value - self.value, frame
        self.value = value
        self.low, self.high = min(self.low, value), max(self.high, value)


@dataclass
class _Reward:
    """What has been given, in the episode and the last time."""

    total: float = 0.0
    last: float = 0.0
    last_at: int | None = None

    def take(self, value: float, frame: int) -> None:
        self.total += value
        if value:
            self.last, self.last_at = value, frame


class WatchTable:
    """Keeps account of what is watched, and shows it.

    Args:
        definition: The game's.
    """

    def __init__(self, definition: Definition) -> None:
        self._conditions = {name: text for name in ("win", "loss") if (text := getattr(definition, name)) is not None}
        self._title = definition.title
        self._rows: dict[str, _Row] = {}
        self._rewards: dict[str, _Reward] = {}
        self._ends: dict[str, int] = {}
        self._frame = 0
        self._episode = 0
        self._outcome = "running"

    def take(self, glance: Glance) -> None:
        """Takes in another moment."""
        self._frame = glance.frame
        self._outcome = glance.outcome
        for name, number in glance.variables.items():
            if name not in self._rows:
                self._rows[name] = _Row(number, low=number, high=number)
            self._rows[name].take(number, glance.frame)
        if glance.begins:
            self._episode += 1
            self._rewards = {}
        parts = {name: value for name, value in glance.parts.items() if name != _TOTAL}
        for name, value in {**parts, _TOTAL: glance.reward}.items():
            self._rewards.setdefault(name, _Reward()).take(value, glance.frame)
        if glance.outcome != "running":
            self._ends[glance.outcome] = self._ends.get(glance.outcome, 0) + 1

    def table(self) -> Table:
        """As it is shown in a terminal."""
        table = Table(box=None, pad_edge=False, title=self._heading(), title_justify="left")
        table.add_column("")
        for name in ("value", "change", "frames ago", "lowest", "highest"):
            table.add_column(name, justify="right", min_width=10)
        for name, row in self._rows.items():
            changed = row.changed_at is not None
            ago = _WAITING if row.changed_at is None else self._ago(row.changed_at)
            style = "bold yellow" if row.changed_at == self._frame else None
            change = _signed(row.change) if changed else _WAITING
            table.add_row(name, _figure(row.value), change, ago, _figure(row.low), _figure(row.high), style=style)
        table.add_section()
        table.add_row("", "in all", "last", "frames ago", style="bold")
        for name, reward in self._rewards.items():
            label = _TOTAL if name == _TOTAL else f"{_TOTAL}/{name}"
            ago = _WAITING if reward.last_at is None else self._ago(reward.last_at)
            style = "bold yellow" if reward.last_at == self._frame else None
            table.add_row(
                label, _figure(reward.total), _signed(reward.last) if reward.last else _WAITING, ago, style=style
            )
        for name, text in self._conditions.items():
            held = "yes" if self._outcome == name else "no"
            table.add_row(f"{name}: {text}", held, style="bold green" if held == "yes" else None)
        return table

    def line(self) -> str:
        """All of it in a line."""
        rewards = [
            f"{'total' if name == _TOTAL else f'total/{name}'}={_figure(reward.total)}"
            for name, reward in self._rewards.items()
        ]
        figures = [f"{name}={_figure(row.value)}" for name, row in self._rows.items()]
        return " ".join([f"frame={self._frame} episode={self._episode}", *figures, *rewards, self._outcome])

    def summary(self) -> Iterator[str]:
        """What each variable has done, in lines."""
        yield self._heading()
        for name, row in self._rows.items():
            seen = "never changed" if row.changed_at is None else f"last changed {self._ago(row.changed_at)} frames ago"
            yield f"  {name}: {_figure(row.value)}, {_figure(row.low)} to {_figure(row.high)}, {seen}"

    def _heading(self) -> str:
        ends = ", ".join(f"{count} {name}" for name, count in self._ends.items())
        return f"{self._title}: frame {self._frame:,}, episode {self._episode}" + (f", {ends}" if ends else "")

    def _ago(self, frame: int) -> str:
        return f"{self._frame - frame:,}"


def _figure(value: float) -> str:
    return f"{value:.10g}"


def _signed(value: float) -> str:
    return f"{value:+.10g}"
