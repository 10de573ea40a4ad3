# SPDX-License-Identifier: GPL-3.0-or-later
"""A person plays a few moments in a window, for tools that look on."""

from collections.abc import Callable, Collection, Sequence

import numpy as np
from numpy.typing import NDArray

from oakemu_rl.emulator import Spectrum
from oakemu_rl.emulator.caption import caption
from oakemu_rl.emulator.pacing import frame_rate
from oakemu_rl.emulator.window import Window
from oakemu_rl.games import Definition
from oakemu_rl.playing.key_map import KeyMap, make_key_map
from oakemu_rl.playing.loop import play_in_window
from oakemu_rl.playing.session import Shown

__all__ = ["play_by_hand"]

_WHITE = (255, 255, 255)
_ENOUGH = "escape"


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
    window = Window(title)
    try:
        window.check_display()
        play_in_window(_ByHand(machine, make_key_map(definition), title, frame, on_key, text), window)
    finally:
        window.close()


class _ByHand:
    """A machine that nothing but the person's keys moves; arguments as of `play_by_hand`."""

    def __init__(
        self,
        machine: Callable[[], Spectrum],
        keys: KeyMap,
        title: str,
        frame: Callable[[NDArray[np.uint8]], object],
        on_key: Callable[[str], None],
        text: Callable[[], Sequence[str]],
    ) -> None:
        self._machine = machine
        self._keys = keys
        self._title = title
        self._frame = frame
        self._on_key = on_key
        self._text = text

    def advance(self, pressed: Sequence[str], held: Collection[str]) -> Shown | None:
        """See `Played`."""
        if _ENOUGH in pressed:
            return None
        for key in pressed:
            self._on_key(key)
        if self._frame(self._keys.row(held)) is False:
            return None
        machine = self._machine()
        picture = caption(machine.screen(), [[(line, _WHITE)] for line in self._text()])
        return Shown(picture, None, float(frame_rate(machine.machine)), self._title)
