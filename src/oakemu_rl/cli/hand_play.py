# SPDX-License-Identifier: GPL-3.0-or-later
"""A person plays a few moments in a window, for tools that look on."""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from oakemu_rl.emulator import Spectrum
from oakemu_rl.emulator.caption import caption
from oakemu_rl.emulator.pacing import frame_rate
from oakemu_rl.emulator.window import Window
from oakemu_rl.games import Definition
from oakemu_rl.playing.key_map import make_key_map

__all__ = ["play_by_hand"]

_WHITE = (255, 255, 255)
_SCALE = 3


def play_by_hand(
    machine: Callable[[], Spectrum],
    definition: Definition | None,
    title: str,
    frame: Callable[[NDArray[np.uint8]], object],
    *,
    on_key: Callable[[str], None] = lambda _key: None,
    text: Callable[[], Sequence[str]] = lambda: ("Esc ends it",),
) -> None:
    """Opens a window until the person has had enough.

    Args:
        machine: Gives the machine that is shown.
        definition: The game's, for its keys.
        title: Stands in the window's frame.
        frame: Runs the machine for a frame with these keys held, (9,) as of `KeyInput.hold_row`; false ends it.
        on_key: Is told every key that goes down, but Esc.
        text: Gives the lines that stand beneath the picture; there are always as many.

    Raises:
        NoDisplayError: There is no display.
        ModuleNotFoundError: pygame is missing.
    """
    window = Window(title, scale=_SCALE)
    keys = make_key_map(definition)
    try:
        window.check_display()
        while True:
            pressed = window.poll()
            if window.closed or "escape" in pressed:
                return
            for key in pressed:
                on_key(key)
            if frame(keys.row(window.held)) is False:
                return
            rate = float(frame_rate(machine().machine))
            window.show(caption(machine().screen(), [[(line, _WHITE)] for line in text()]), rate)
    finally:
        window.close()
