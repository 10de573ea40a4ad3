# SPDX-License-Identifier: GPL-3.0-or-later
"""A curve drawn with the letters of a terminal: dots of Braille patterns, two by four in each letter."""

import math
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray
from rich.text import Text

from oakemu_rl.quantities import format_count, format_figure

__all__ = ["LINE_STYLE", "MARK_STYLE", "Points", "mark_letter", "plot_curve"]

LINE_STYLE = "cyan"
MARK_STYLE = "bold yellow"

Points = Sequence[tuple[float, float]]
"""Steps, which rise, and values."""

_BRAILLE = 0x2800
_DOTS = ((0x01, 0x02, 0x04, 0x40), (0x08, 0x10, 0x20, 0x80))  # by column and row, from the top left
_LEAST_SPAN = 1e-9


def mark_letter(*, ascii_only: bool) -> str:
    """The letter that stands for one of the marks."""
    return "o" if ascii_only else "●"


def plot_curve(line: Points, marks: Points, width: int, height: int, *, ascii_only: bool = False) -> list[Text]:
    """Draws a line and marks over common axes.

    Args:
        line: Drawn through.
        marks: Drawn as single letters, over the line.
        width: Letters in a row, with the axis.
        height: Rows, of which the last holds the steps; at least 2.
        ascii_only: Do without Braille patterns.

    Returns:
        The rows.
    """
    points = [*line, *marks]
    if not points:
        return [Text() for _ in range(height)]
    low, high = min(y for _, y in points), max(y for _, y in points)
    rows = height - 1
    at_rows = {0: format_figure(high), rows - 1: format_figure(low)} if high > low else {rows // 2: format_figure(low)}
    gutter = max(len(label) for label in at_rows.values())
    columns = max(1, width - gutter - 2)
    start, end = min(x for x, _ in points), max(x for x, _ in points)
    across, up = (1, 1) if ascii_only else (2, 4)
    cells = np.zeros((rows, columns), dtype=np.int64)
    for column, row in _dots(line, (start, end), (low, high), columns * across, rows * up):
        cells[row // up, column // across] |= 1 if ascii_only else _DOTS[column % 2][row % 4]
    marked = {(_place(value, low, high, rows, up=True), _place(step, start, end, columns)) for step, value in marks}
    axis = "|" if ascii_only else "│"
    mark = mark_letter(ascii_only=ascii_only)
    drawn = []
    for row in range(rows):
        text = Text.assemble((f"{at_rows.get(row, ''):>{gutter}} {axis}", "dim"))
        plain = "".join(_letter(dots, ascii_only=ascii_only) for dots in cells[row].tolist())
        start_of_part = 0
        for column in sorted(place for at, place in marked if at == row):
            text.append(plain[start_of_part:column], LINE_STYLE).append(mark, MARK_STYLE)
            start_of_part = column + 1
        drawn.append(text.append(plain[start_of_part:], LINE_STYLE))
    left, right = format_count(start) if end > start else "", f"{format_count(end)} steps"
    room = max(1, columns - len(left))
    drawn.append(Text(f"{'':>{gutter}}  {left}{right:>{room}}", style="dim"))
    return drawn


def _letter(dots: int, *, ascii_only: bool) -> str:
    if ascii_only or not dots:
        return "*" if dots else " "
    return chr(_BRAILLE + dots)


def _dots(
    line: Points, steps: tuple[float, float], values: tuple[float, float], columns: int, rows: int
) -> Iterator[tuple[int, int]]:
    """Column and row, from the top, of every dot of a line without gaps."""
    if not line:
        return
    xs, ys = (np.asarray(column, dtype=np.float64) for column in zip(*line, strict=True))
    first, last = (_place(xs[i], *steps, columns) for i in (0, -1))
    at = steps[0] + (steps[1] - steps[0]) * np.arange(first, last + 1) / max(1, columns - 1)
    heights: NDArray[np.float64] = np.interp(at, xs, ys)
    places = [_place(float(value), *values, rows, up=True) for value in heights]
    before = places[0]
    for column, place in zip(range(first, last + 1), places, strict=True):
        # A steep part is a column of dots, each next to one of the column before.
        begin = place if place == before else before + (1 if place > before else -1)
        yield from ((column, row) for row in range(min(begin, place), max(begin, place) + 1))
        before = place


def _place(value: float, low: float, high: float, count: int, *, up: bool = False) -> int:
    """Which of `count` places a value takes between two others; with `up`, the highest takes the first."""
    span = high - low
    part = 0.5 if up and span < _LEAST_SPAN else (value - low) / max(span, _LEAST_SPAN)
    place = min(count - 1, math.floor(part * (count - 1) + 0.5))
    return count - 1 - place if up else place
