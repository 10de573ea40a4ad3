# SPDX-License-Identifier: GPL-3.0-or-later
"""What is played, in a window."""

from collections.abc import Callable, Collection, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from oakemu_rl.emulator.speaker import Speaker
from oakemu_rl.playing.session import Shown

__all__ = ["PlayWindow", "Played", "play_in_window"]


class Played(Protocol):
    """What goes on picture by picture: a `PlaySession`, or what a tool looks on at."""

    def advance(self, pressed: Sequence[str], held: Collection[str], /) -> Shown | None:
        """What comes next; None when it is over.

        Args:
            pressed: Keys that went down since the last call, in their order.
            held: Keys that are down.
        """


class PlayWindow(Protocol):
    """What it needs of a window: `oakemu_rl.emulator.window.Window`, or what stands in for it."""

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
    played: Played,
    window: PlayWindow,
    speaker: Speaker | None = None,
    *,
    stopped: Callable[[], bool] = lambda: False,
    after: Callable[[], None] = lambda: None,
) -> None:
    """Plays until it is over, the window is closed, or something outside wants it to stop.

    Args:
        played: What is played.
        window: Where it is seen.
        speaker: Where it is heard; None for silence.
        stopped: Whether to stop; asked before each picture.
        after: Called after each picture.
    """
    while not stopped():
        pressed = window.poll()
        if window.closed:
            return
        shown = played.advance(pressed, window.held)
        if shown is None:
            return
        if speaker is not None and shown.samples is not None:
            speaker.play(shown.samples)
        window.set_title(shown.title)
        window.show(shown.picture, shown.rate)
        after()
