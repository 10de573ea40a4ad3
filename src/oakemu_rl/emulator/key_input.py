# SPDX-License-Identifier: GPL-3.0-or-later
"""What a person does to a machine: keys and joystick."""

from abc import ABC, abstractmethod

import numpy as np
from numpy.typing import NDArray

from oakemu_rl._core import Machine
from oakemu_rl.emulator.keyboard import KEYS, find_key, split_combination
from oakemu_rl.errors import UserError

__all__ = ["KeyInput"]


class KeyInput(ABC):
    """Holding, tapping and typing keys, and moving the joystick, of a machine that can run."""

    _machine: Machine

    @abstractmethod
    def run_frames(self, count: int = 1) -> None:
        """Runs to the end of the current frame, ``count`` times."""

    def press(self, *keys: str) -> None:
        """Holds keys down until they are released: ``spectrum.press("shift", "5")``.

        Args:
            keys: ``a`` to ``z``, ``0`` to ``9``, ``space``, ``enter``, ``shift``, ``sym``.

        Raises:
            UserError: There is no such key; then no key's state has changed.
        """
        matrix = self._machine.keys
        for key in [find_key(name) for name in keys]:
            matrix[key.row] |= 1 << key.bit

    def release(self, *keys: str) -> None:
        """Lets keys go; a key that is not held stays so.

        Raises:
            UserError: There is no such key; then no key's state has changed.
        """
        matrix = self._machine.keys
        for key in [find_key(name) for name in keys]:
            matrix[key.row] &= ~(1 << key.bit) & 0x1F

    def release_all(self) -> None:
        """Lets every key and the joystick go."""
        self._machine.keys[:] = 0
        self._machine.kempston = 0

    def hold_row(self, row: NDArray[np.uint8]) -> None:
        """Holds what an action holds, and nothing else.

        Args:
            row: (9,), a byte for each half row (bits 0 to 4) and one for the Kempston joystick, which counts only where
                one is fitted: the form of a batch's actions and of `rzx.PlayedKeys`.
        """
        self._machine.keys[:] = row[:8]
        self._machine.kempston = int(row[8]) if self._machine.kempston_fitted else 0

    @property
    def held_keys(self) -> tuple[str, ...]:
        """The names of the keys that are down."""
        matrix = self._machine.keys
        return tuple(name for name, key in KEYS.items() if matrix[key.row] >> key.bit & 1)

    def tap(self, *keys: str, frames: int = 5, gap: int = 8) -> None:
        """Presses keys together for some frames, lets them go, and waits.

        Args:
            keys: Names of keys.
            frames: How long they are held.
            gap: Frames that run after that. The ROM needs more than 5 to take the same key for pressed anew.

        Raises:
            UserError: There is no such key, or a number of frames is negative; then nothing was pressed.
        """
        _check_frames(frames=frames, gap=gap)
        self.press(*keys)
        self.run_frames(frames)
        self.release(*keys)
        self.run_frames(gap)

    def type_keys(self, *combinations: str, frames: int = 5, gap: int = 8) -> None:
        """Taps one combination after the other: ``type_keys("j", "sym+p", "sym+p", "enter")`` types ``LOAD ""``.

        Args:
            combinations: Keys joined by ``+``, or a single key.
            frames: How long each is held.
            gap: Frames that run after each.

        Raises:
            UserError: There is no such key, or a number of frames is negative; then nothing was typed.
        """
        _check_frames(frames=frames, gap=gap)
        for keys in [split_combination(combination) for combination in combinations]:
            self.tap(*keys, frames=frames, gap=gap)

    def joystick(
        self, *, up: bool = False, down: bool = False, left: bool = False, right: bool = False, fire: bool = False
    ) -> None:
        """Puts the Kempston joystick into a position, in which it stays; without arguments, it is let go.

        Raises:
            UserError: No Kempston joystick is fitted.
        """
        if not self._machine.kempston_fitted:
            raise UserError("no Kempston joystick is fitted; make the machine with Spectrum(kempston=True)")
        self._machine.kempston = right | left << 1 | down << 2 | up << 3 | fire << 4


def _check_frames(**numbers: int) -> None:
    for name, number in numbers.items():
        if number < 0:
            raise UserError(f"{name} is a number of frames, 0 or more, not {number}")
