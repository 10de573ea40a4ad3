# SPDX-License-Identifier: GPL-3.0-or-later
"""Numbers that change in the course of training."""

from typing import Annotated, TypeAlias

from pydantic import AfterValidator, BeforeValidator

__all__ = ["Schedule", "schedule_value"]

_KEYS = ("start", "end", "until")


def schedule_value(schedule: "Schedule", progress: float) -> float:
    """A schedule's value at a moment of training.

    Args:
        schedule: A number, or ``(start, end)`` or ``(start, end, until)``.
        progress: The part of the training that is over, in [0, 1]; beyond 1 the last value holds.

    Raises:
        ValueError: The progress is negative or not a number.
    """
    if not progress >= 0.0:
        raise ValueError(f"progress must be at least 0 (0 at the start of training, 1 at its end), got {progress}")
    if isinstance(schedule, (int, float)):
        return float(schedule)
    start, end = schedule[:2]
    until = schedule[2] if len(schedule) == 3 else 1.0
    return float(start + (end - start) * min(progress / until, 1.0))


def _from_mapping(given: object) -> object:
    """A mapping {start, end, until} as the tuple that stands for it; all else as it is."""
    if not isinstance(given, dict):
        return given
    unknown = sorted(set(map(str, given)) - set(_KEYS))
    missing = [key for key in _KEYS[:2] if key not in given]
    if unknown or missing:
        problem = f"unknown key {unknown[0]!r}" if unknown else f"no {missing[0]!r}"
        raise ValueError(f"{problem} in the schedule {given}: it takes start, end and, if wanted, until")
    return tuple(given[key] for key in _KEYS if key in given)


def _check(schedule: "Schedule") -> "Schedule":
    values = schedule[:2] if isinstance(schedule, tuple) else (schedule,)
    if not all(0.0 <= value < float("inf") for value in values):
        raise ValueError(f"a schedule's values must be finite and at least 0, got {schedule}")
    if isinstance(schedule, tuple) and len(schedule) == 3 and not 0.0 < schedule[2] <= 1.0:
        raise ValueError(f"until is a part of the training, above 0 and at most 1, got {schedule[2]}")
    return schedule


# Tuples rather than a class: on the command line they are plain numbers (`--lr 2.5e-4 0`), where a class would need a
# subcommand of its own.
Schedule: TypeAlias = Annotated[
    float | tuple[float, float] | tuple[float, float, float], BeforeValidator(_from_mapping), AfterValidator(_check)
]
"""A constant, or a straight line from ``start`` to ``end`` that arrives at the part ``until`` of the training (1 if not
given) and stays there. In YAML also ``{start: 2.5e-4, end: 0, until: 0.8}``."""
