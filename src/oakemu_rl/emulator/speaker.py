# SPDX-License-Identifier: GPL-3.0-or-later
"""A loudspeaker: samples are heard as they come."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oakemu_rl.emulator.watching import SAMPLE_RATE
from oakemu_rl.errors import UserError

__all__ = ["NoSoundError", "Speaker"]

_VOLUME = 0.5
_CHUNK = SAMPLE_RATE * 60 // 1000
"""Samples that are handed over together; a frame may come so much late."""
_MOST = SAMPLE_RATE // 4
"""More than this waiting means that the machine runs faster than real time."""


class NoSoundError(UserError):
    """There is nothing that could play sound."""


class Speaker:
    """Plays samples one after the other, some 150 ms after they came.

    When they come too late there is a gap, when they come too fast the oldest are left out.

    Raises:
        ModuleNotFoundError: pygame is missing.
        NoSoundError: There is no audio device.
    """

    def __init__(self) -> None:
        os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
        import pygame  # only who plays sound needs it

        self._mixer: Any = pygame.mixer
        try:
            with _native_messages_hidden():
                self._mixer.init(SAMPLE_RATE, -16, 1, buffer=1024, allowedchanges=0)
        except pygame.error as error:
            raise NoSoundError(f"there is no sound: {error}") from error
        self._channel: Any = self._mixer.Channel(0)
        self._waiting: list[NDArray[np.int16]] = []
        self._count = 0

    def play(self, samples: NDArray[np.int16]) -> None:
        """Appends samples, (n,), one channel, 48,000 a second. Returns at once."""
        self._waiting.append(samples)
        self._count += samples.size
        while self._count > _MOST:
            self._count -= self._waiting.pop(0).size
        # The mixer holds one sound that plays and one that follows it, which is our reserve: without, each would end
        # when the next is just being made.
        if self._channel.get_queue() is not None:
            return
        if self._channel.get_busy():
            if self._count >= _CHUNK:
                self._queue(self._take())
        elif self._count >= 2 * _CHUNK:
            first, second = np.array_split(self._take(), 2)
            self._queue(first)
            self._queue(second)

    def _take(self) -> NDArray[np.int16]:
        samples = np.concatenate(self._waiting)
        self._waiting.clear()
        self._count = 0
        return samples

    def _queue(self, samples: NDArray[np.int16]) -> None:
        sound = self._mixer.Sound(buffer=samples.tobytes())
        sound.set_volume(_VOLUME)
        self._channel.queue(sound)  # it plays at once if nothing does

    def close(self) -> None:
        """Stops the sound and lets the device go; more than once is fine."""
        if self._mixer.get_init():
            self._mixer.quit()


@contextmanager
def _native_messages_hidden() -> Iterator[None]:
    """ALSA explains in many lines of its own why there is no device; the exception says it in one."""
    sys.stderr.flush()
    kept = os.dup(2)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, 2)
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nowhere)
