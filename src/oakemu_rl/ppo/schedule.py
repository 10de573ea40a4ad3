# SPDX-License-Identifier: GPL-3.0-or-later
"""Numbers that change in the course of training."""

import itertools
from typing import Annotated, TypeAlias

from pydantic import AfterValidator, BeforeValidator, Field

__all__ = ["Schedule", "highest_value", "schedule_moments", "schedule_value"]

_KEYS = ("start", "end", "until")

_Points: TypeAlias = Annotated[tuple[tuple[float, float], ...], Field(min_length=1)]


def schedule_value(schedule: "Schedule", progress: float) -> float:
    """A schedule's value at a moment of training.

    Args:
        schedule: A number, ``(start, end)``, ``(start, end, until)``, or points ``((progress, value), ...)``.
        progress: The part of the training that is over, in [0, 1]; beyond 1 the last value holds.

    Raises:
        ValueError: The progress is negative or not a number.
    """
    if not progress >= 0.0:
        raise ValueError(f"progress must be at least 0 (0 at the start of training, 1 at its end), got {progress}")
    points = _points(schedule)
    if progress <= points[0][0]:
        return float(points[0][1])
    for (left, start), (right, end) in itertools.pairwise(points):
        if progress < right:
            return float(start + (end - start) * (progress - left) / (right - left))
    return float(points[-1][1])


def highest_value(schedule: "Schedule") -> float:
    """The highest value that a schedule ever has."""
    return float(max(value for _, value in _points(schedule)))


def schedule_moments(schedule: "Schedule") -> tuple[float, ...]:
    """The parts of the training between which a schedule is a straight line."""
    return tuple(progress for progress, _ in _points(schedule))


def _points(schedule: "Schedule") -> _Points:
    """Every kind of schedule as points between which it is a straight line."""
    if isinstance(schedule, (int, float)):
        return ((0.0, schedule),)
    if isinstance(schedule[0], tuple):
        return schedule
    start, end, *until = schedule
    return ((0.0, start), (until[0] if until else 1.0, end))


def _from_words(given: object) -> object:
    """A mapping {start, end, until} as the tuple that stands for it, and ``progress:value`` words as points."""
    if isinstance(given, (list, tuple)) and any(isinstance(item, str) and ":" in item for item in given):
        return tuple(_from_word(item) for item in given)
    if isinstance(given, str) and ":" in given:
        return (_from_word(given),)
    if not isinstance(given, dict):
        return given
    unknown = sorted(set(map(str, given)) - set(_KEYS))
    missing = [key for key in _KEYS[:2] if key not in given]
    if unknown or missing:
        problem = f"unknown key {unknown[0]!r}" if unknown else f"no {missing[0]!r}"
        raise ValueError(f"{problem} in the schedule {given}: it takes start, end and, if wanted, until")
    return tuple(given[key] for key in _KEYS if key in given)


def _from_word(item: object) -> tuple[float, float]:
    progress, _, value = str(item).partition(":")
    try:
        return float(progress), float(value)
    except ValueError:
        raise ValueError(f"{item!r} is not a point of a schedule, which is progress:value as in 0.5:1e-4") from None


def _check(schedule: "Schedule") -> "Schedule":
    if isinstance(schedule, tuple) and not isinstance(schedule[0], tuple) and len(schedule) == 3:
        until = schedule[2]
        if not 0.0 < until <= 1.0:
            raise ValueError(f"until is a part of the training, above 0 and at most 1, got {until}")
    points = _points(schedule)
    moments = [progress for progress, _ in points]
    if not all(0.0 <= moment <= 1.0 for moment in moments) or any(
        left >= right for left, right in itertools.pairwise(moments)
    ):
        raise ValueError(f"a schedule's points lie at parts of the training from 0 to 1, one after another: {moments}")
    if not all(0.0 <= value < float("inf") for _, value in points):
        raise ValueError(f"a schedule's values must be finite and at least 0, got {schedule}")
    return schedule


# Tuples rather than a class: on the command line they are plain numbers (`--lr 2.5e-4 0`), where a class would need a
# subcommand of its own.
Schedule: TypeAlias = Annotated[
    float | tuple[float, float] | tuple[float, float, float] | _Points,
    BeforeValidator(_from_words),
    AfterValidator(_check),
]
"""A constant; or a straight line from ``start`` to ``end`` that arrives at the part ``until`` of the training (1 if not
given) and stays there, in YAML also ``{start: 2.5e-4, end: 0, until: 0.8}``; or points ``[[progress, value], ...]``
joined by straight lines, on the command line ``0:2.5e-4 0.5:1e-4 1:0``. Before the first point and after the last one
their values hold."""
