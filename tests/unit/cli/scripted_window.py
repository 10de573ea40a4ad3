# SPDX-License-Identifier: GPL-3.0-or-later
"""A window for tests: keys come from a script, pictures are kept, and no time passes."""

from collections.abc import Mapping

import numpy as np


class ScriptedWindow:
    """Stands in for `oakemu_rl.emulator.window.Window`.

    Args:
        script: Keys that are down by the number of the poll, from 0; "close" closes the window. Beyond its last number
            the window is closed.
    """

    def __init__(self, script: Mapping[int, tuple[str, ...]]) -> None:
        self._script = script
        self._polls = 0
        self._held: frozenset[str] = frozenset()
        self.closed = False
        self.pictures: list[np.ndarray] = []
        self.rates: set[float] = set()
        self.titles: list[str] = []

    @property
    def held(self) -> frozenset[str]:
        return self._held

    def check_display(self) -> None:
        pass

    def poll(self) -> list[str]:
        keys = self._script.get(self._polls, ())
        if "close" in keys or self._polls > max(self._script):
            self.closed = True
            return []
        self._polls += 1
        pressed = [key for key in keys if key not in self._held]
        self._held = frozenset(keys)
        return pressed

    def show(self, picture: np.ndarray, rate: float) -> None:
        if not self.closed:
            self.pictures.append(picture)
            self.rates.add(rate)

    def set_title(self, title: str) -> None:
        if not self.titles or self.titles[-1] != title:
            self.titles.append(title)

    def close(self) -> None:
        self.closed = True


def hold(*spans: tuple[int, int, str]) -> dict[int, tuple[str, ...]]:
    """A script out of (first poll, number of polls, key)."""
    script: dict[int, tuple[str, ...]] = {}
    for first, count, key in spans:
        for poll in range(first, first + count):
            script[poll] = (*script.get(poll, ()), key)
    return script
