# SPDX-License-Identifier: GPL-3.0-or-later
"""What a training run reports, and the one method of those who write it down."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, TypeAlias

__all__ = ["Ending", "MetricsWriter", "OpenedWriter", "Record", "WriterGroup"]

Ending: TypeAlias = Literal["finished", "stopped", "failed"]
"""How a run ended: its budget is used up, a signal stopped it, or an error did."""


@dataclass(frozen=True)
class Record:
    """One report.

    Attributes:
        kind: ``metrics`` for an update, ``episode`` for a finished training episode, ``evaluation`` for an evaluation,
            ``notice`` for something that people should know of: its value ``text`` says it in one line; ``film`` for
            the film of the best agent: its values ``mp4`` and ``gif`` are paths.
        step: Agent steps over all environments when it was made.
        values: By TensorBoard tag; for episodes by plain name.
    """

    kind: Literal["metrics", "episode", "evaluation", "notice", "film"]
    step: int
    values: Mapping[str, float | str]


class MetricsWriter(Protocol):
    """Writes records down somewhere. It may raise: the run goes on without it."""

    def write(self, record: Record) -> None:
        """Writes one record."""
        ...


class OpenedWriter(MetricsWriter, Protocol):
    """A metrics writer that holds something open until the run's end."""

    def close(self, ending: Ending) -> None:
        """Writes out what is left and lets go; may raise."""
        ...


class WriterGroup:
    """Several writers as one, which never raises: a writer that fails is reported once and left out from then on.

    Args:
        writers: The writers.
        complain: Takes the one line about a writer that failed.
    """

    def __init__(self, writers: Sequence[MetricsWriter], complain: Callable[[str], None]) -> None:
        self._writers: list[tuple[str, MetricsWriter]] = [(type(writer).__name__, writer) for writer in writers]
        self._opened: dict[str, OpenedWriter] = {}
        self._complain = complain

    def open(self, name: str, make: Callable[[], OpenedWriter]) -> None:
        """Adds a writer that the group opens, and closes in the end.

        Args:
            name: What people call it; no two writers share one.
            make: Opens it. The group goes on without it if that fails.
        """
        try:
            writer = make()
        except Exception as error:  # noqa: BLE001  # as for `write`
            self._complain(f"{name} cannot be used and is left out: {_reason(error)}")
            return
        self._writers.append((name, writer))
        self._opened[name] = writer

    def write(self, record: Record) -> None:
        """Hands a record to every writer."""
        for name, writer in tuple(self._writers):
            try:
                writer.write(record)
            except Exception as error:  # noqa: BLE001  # whatever ails a writer, hours of training are worth more
                self._writers.remove((name, writer))
                self._opened.pop(name, None)
                self._complain(f"{name} failed at step {record.step} and is left out: {_reason(error)}")

    def close(self, ending: Ending) -> None:
        """Closes the writers that it opened and that have not failed."""
        for name, writer in self._opened.items():
            try:
                writer.close(ending)
            except Exception as error:  # noqa: BLE001  # as for `write`
                self._complain(f"{name} failed at its end and may lack the last figures: {_reason(error)}")
        self._opened.clear()


def _reason(error: Exception) -> str:
    return f"{type(error).__name__}: {error}".splitlines()[0]
