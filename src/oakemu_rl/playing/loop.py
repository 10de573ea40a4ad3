# SPDX-License-Identifier: GPL-3.0-or-later
"""A session in a window."""

from collections.abc import Callable
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from oakemu_rl.emulator.speaker import Speaker
from oakemu_rl.playing.session import PlaySession

__all__ = ["PlayWindow", "play_in_window"]


class PlayWindow(Protocol):
    """What a session needs of a window: `oakemu_rl.emulator.window.Window`, or what stands in for it."""

    @property
    def closed(self) -> bool:
        """Whether it was closed."""

    @property
    def held(self) -> frozenset[str]:
        """The keys that are down."""

    def poll(self) -> list[str]:
        """The keys that went down since the last call."""

    def set_title(self, title: str) -> None:
        """Changes the text in its frame."""

    def show(self, picture: NDArray[np.uint8], rate: float) -> None:
        """Shows a picture, and waits until it is the next one's turn."""


def play_in_window(
    session: PlaySession,
    window: PlayWindow,
    speaker: Speaker | None = None,
    *,
    stopped: Callable[[], bool] = lambda: False,
    after: Callable[[], None] = lambda: None,
) -> None:
    """Plays until the person quits, the window is closed, or something outside wants it to stop.

    Args:
        session: What is played.
        window: Where it is seen.
        speaker: Where it is heard; None for silence.
        stopped: Whether to stop; asked before each picture.
        after: Called after each picture.
    """
    while not stopped():
        pressed = window.poll()
        if window.closed:
            return
        shown = session.advance(pressed, window.held)
        if shown is None:
            return
        if speaker is not None and shown.samples is not None:
            speaker.play(shown.samples)
        window.set_title(shown.title)
        window.show(shown.picture, shown.rate)
        after()
