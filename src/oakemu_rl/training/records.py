# SPDX-License-Identifier: GPL-3.0-or-later
"""What a training run reports, and the one method of those who write it down."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

__all__ = ["MetricsWriter", "Record", "WriterGroup"]


@dataclass(frozen=True)
class Record:
    """One report.

    Attributes:
        kind: ``metrics`` for an update, ``episode`` for a finished training episode, ``evaluation`` for an evaluation.
        step: Agent steps over all environments when it was made.
        values: By TensorBoard tag; for episodes by plain name.
    """

    kind: Literal["metrics", "episode", "evaluation"]
    step: int
    values: Mapping[str, float | str]


class MetricsWriter(Protocol):
    """Writes records down somewhere. It may raise: the run goes on without it."""

    def write(self, record: Record) -> None:
        """Writes one record."""
        ...


class WriterGroup:
    """Several writers as one, which never raises: a writer that fails is reported once and left out from then on.

    Args:
        writers: The writers.
        complain: Takes the one line about a writer that failed.
    """

    def __init__(self, writers: Sequence[MetricsWriter], complain: Callable[[str], None]) -> None:
        self._writers = list(writers)
        self._complain = complain

    def write(self, record: Record) -> None:
        """Hands a record to every writer."""
        for writer in tuple(self._writers):
            try:
                writer.write(record)
            except Exception as error:  # noqa: BLE001  # whatever ails a writer, hours of training are worth more
                self._writers.remove(writer)
                reason = f"{type(error).__name__}: {error}".splitlines()[0]
                self._complain(f"{type(writer).__name__} failed at step {record.step} and is left out: {reason}")
