# SPDX-License-Identifier: GPL-3.0-or-later
"""What an evaluation came to, for people."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table

from oakemu_rl.games import Definition

if TYPE_CHECKING:  # it brings torch
    from oakemu_rl.evaluation import EvaluationResult, Summary

__all__ = ["print_result", "shares_as_dict"]


def print_result(console: Console, definition: Definition, result: "EvaluationResult") -> None:
    """Prints the figures of score, return and length, the game's shares, outcomes, and the means of its variables."""
    console.print(_figures(definition, result), highlight=False)
    if definition.shares:
        console.print()
        console.print(_shares(definition, result), highlight=False)
    console.print()
    episodes = len(result.episodes)
    outcomes = sorted(result.outcomes.items(), key=lambda item: -item[1])
    text = ", ".join(f"{outcome} {count / episodes:.0%} ({count})" for outcome, count in outcomes)
    console.print(f"outcomes: {text}", highlight=False)
    means = ", ".join(f"{name} {result.variable(name).mean:.2f}" for name in result.variable_names)
    if means:
        console.print(f"means at the end: {means}", highlight=False)


def shares_as_dict(definition: Definition, result: "EvaluationResult") -> dict[str, dict[str, float]]:
    """The game's shares as plain values, ready for JSON."""
    return {name: dict(vars(result.share(*pair))) for name, pair in definition.shares.items()}


def _figures(definition: Definition, result: "EvaluationResult") -> Table:
    table = Table(box=None, pad_edge=False)
    table.add_column("")
    for heading in ("mean", "95% interval", "median", "IQM", "lowest", "highest"):
        table.add_column(heading, justify="right", no_wrap=True)
    for name, summary in _rows(definition, result):
        interval = f"{summary.low:.2f} to {summary.high:.2f}"
        figures = (summary.median, summary.iqm, summary.minimum, summary.maximum)
        table.add_row(name, f"{summary.mean:.2f}", interval, *(f"{figure:.2f}" for figure in figures))
    return table


def _rows(definition: Definition, result: "EvaluationResult") -> Iterator[tuple[str, "Summary"]]:
    score = definition.score_variable
    if score is not None:
        yield score, result.variable(score)
    yield "return", result.returns
    for part in result.reward_part_names:
        yield f"  {part}", result.reward_part(part)
    yield "length (steps)", result.lengths


def _shares(definition: Definition, result: "EvaluationResult") -> Table:
    table = Table(box=None, pad_edge=False)
    table.add_column("")
    for heading in ("share", "95% interval", "count"):
        table.add_column(heading, justify="right", no_wrap=True)
    for name, pair in definition.shares.items():
        part = result.share(*pair)
        table.add_row(
            name, f"{part.share:.1%}", f"{part.low:.1%} to {part.high:.1%}", f"{part.hits:,} of {part.total:,}"
        )
    return table
