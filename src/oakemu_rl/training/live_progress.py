# SPDX-License-Identifier: GPL-3.0-or-later
"""The progress of a run on a terminal: one screen that stays where it is."""

import time
from collections import deque
from collections.abc import Callable, Iterable
from contextlib import suppress

from rich.console import Console, Group
from rich.live import Live
from rich.text import Text

from oakemu_rl.training.budget import Budget
from oakemu_rl.training.console import PlainProgress, describe_event
from oakemu_rl.training.records import Record
from oakemu_rl.training.run_figures import RunFigures
from oakemu_rl.training.screen import Canvas, draw_screen, message_rows

__all__ = ["LiveProgress"]

_SECONDS_BETWEEN_PICTURES = 1.0
_NOTICE_STYLE = "bold yellow"


class LiveProgress:
    """Shows the whole run at the foot of the terminal, as far as that has room.

    Messages from before the first figures are printed as they are. Later ones stand in the screen until newer ones
    take their place; then they move above it, so that none is lost. The screen is drawn when there is something new,
    without a thread that would take time from training.

    Args:
        budget: The run's limits.
        console: The terminal.
        title: What is trained, and where to.
        history: Records of before the run was resumed, whose curves go on.
        clock: Seconds that only go up.
    """

    def __init__(
        self,
        budget: Budget,
        console: Console,
        title: str = "",
        history: Iterable[Record] = (),
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._budget = budget
        self._console = console
        self._title = title
        self._clock = clock
        self._plain = PlainProgress(budget, console)
        self._figures = RunFigures()
        for record in history:
            self._figures.recall(record)
        self._live: Live | None = None
        self._over = False
        self._drawn_at = -float("inf")
        self._messages: deque[list[Text]] = deque()  # each in the rows that it takes

    def write(self, record: Record) -> None:
        """Takes figures in and shows them; an evaluation or a notice is a message, too."""
        if record.kind in ("metrics", "evaluation"):
            self._figures.take(record)
        if record.kind in ("evaluation", "notice"):
            self._say(describe_event(record), _NOTICE_STYLE if record.kind == "notice" else "")
        elif record.kind == "metrics" and not self._over:
            if self._live is None:
                self._live = Live(console=self._console, auto_refresh=False, vertical_overflow="crop")
                self._live.start()
            if self._clock() - self._drawn_at >= _SECONDS_BETWEEN_PICTURES:
                self._draw()

    def message(self, text: str) -> None:
        """Shows a message in the screen or above it; markup is not interpreted."""
        self._say(text)

    def close(self) -> None:
        """Leaves the last picture as it is and gives the terminal back; later messages are plain lines."""
        self._draw()
        self._leave()

    def _say(self, text: str, style: str = "") -> None:
        if self._live is not None:
            rows = Text(text, style).wrap(self._console, self._canvas().width, no_wrap=False)
            self._messages.append(list(rows))
            self._draw()
        if self._live is None:
            self._plain.message(text)

    def _draw(self) -> None:
        """Draws the screen; never raises, as it is also how the faults of others are told."""
        if self._live is None:
            return
        self._drawn_at = self._clock()
        try:
            self._update(self._live)
        except (OSError, SystemExit):  # the terminal has gone; rich wants to end the process then
            self._leave()
        except Exception as error:  # noqa: BLE001  # whatever ails a picture, hours of training are worth more
            self._leave()
            self._plain.message(f"the screen is left out: {type(error).__name__}: {error}")

    def _update(self, live: Live) -> None:
        canvas = self._canvas()
        room = message_rows(canvas)
        while sum(map(len, self._messages)) > room:
            live.console.print(*self._messages.popleft(), sep="\n", soft_wrap=True)
        messages = [row for rows in self._messages for row in rows]
        live.update(Group(*draw_screen(self._title, self._figures, self._budget, messages, canvas)), refresh=True)

    def _leave(self) -> None:
        live, self._live = self._live, None
        self._over = True
        if live is not None:
            with suppress(OSError, SystemExit):
                live.stop()

    def _canvas(self) -> Canvas:
        size = self._console.size
        colour = self._console.color_system is not None and not self._console.no_color
        return Canvas(size.width, size.height, self._console.options.ascii_only, colour)
