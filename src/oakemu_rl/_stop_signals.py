# SPDX-License-Identifier: GPL-3.0-or-later
"""Ctrl-C and SIGTERM as a wish that the loop sees between two rounds."""

import signal
import threading
from types import FrameType, TracebackType
from typing import Any, Self

__all__ = ["EXIT_STOPPED", "StopSignals"]

EXIT_STOPPED = 130
"""The exit code of a command that was asked to stop: what shells give for Ctrl-C."""


class StopSignals:
    """Notes SIGINT and SIGTERM instead of letting them break a round; the second one breaks it after all.

    A context manager. Outside the main thread, where Python delivers no signals, it does nothing.
    """

    def __init__(self) -> None:
        self.received: signal.Signals | None = None
        self._previous: dict[signal.Signals, Any] = {}

    def __enter__(self) -> Self:
        """Puts the handlers in place."""
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGINT, signal.SIGTERM):
                self._previous[number] = signal.signal(number, self._note)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Puts the handlers back that were there before."""
        for number, handler in self._previous.items():
            signal.signal(number, handler)
        self._previous.clear()

    def _note(self, number: int, _frame: FrameType | None) -> None:
        if self.received is not None:
            raise KeyboardInterrupt
        self.received = signal.Signals(number)
