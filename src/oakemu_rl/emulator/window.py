# SPDX-License-Identifier: GPL-3.0-or-later
"""A window that shows pictures at the speed of the real machine, and tells which keys are down."""

import os
import sys
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oakemu_rl.emulator.pacing import FRAMES_PER_SECOND, Pacer
from oakemu_rl.errors import UserError

__all__ = ["NoDisplayError", "Window"]

_SCALE = 3
_INVISIBLE = "offscreen"  # what SDL falls back to when there is nothing to show a window on


class NoDisplayError(UserError):
    """There is no screen on which a window could open."""


class Window:
    """A window; it opens with the first picture. Closing it by hand ends the showing, not the program.

    Keys have SDL's names in small letters: ``a``, ``left``, ``left shift``, ``return``, ``f5``, ``[5]`` (keypad).

    Args:
        title: Stands in its frame.
        scale: How many pixels of the screen a pixel of the first picture takes; later the window may be resized.
        pacer: Keeps the time.

    Raises:
        ModuleNotFoundError: pygame is missing.
    """

    def __init__(self, title: str, *, scale: int = _SCALE, pacer: Pacer | None = None) -> None:
        os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
        import pygame  # only who opens a window needs it

        self._pygame: Any = pygame
        self._title = title
        self._scale = scale
        self._pacer = pacer or Pacer()
        self._screen: Any = None
        self._down: set[str] = set()
        self._held: frozenset[str] = frozenset()
        self._closed = False

    @property
    def closed(self) -> bool:
        """Whether the window was closed, by hand or by `close`."""
        return self._closed

    @property
    def held(self) -> frozenset[str]:
        """The keys that are down, as of the last `poll`; one that was tapped since the poll before counts as well."""
        return self._held

    def set_title(self, title: str) -> None:
        """Changes the text in the frame."""
        if title != self._title:
            self._title = title
            if self._screen is not None and not self._closed:
                self._pygame.display.set_caption(title)

    def poll(self) -> list[str]:
        """The keys that went down since the last call, in their order."""
        if self._screen is None or self._closed:
            return []
        pygame = self._pygame
        pressed: list[str] = []
        for event in pygame.event.get():
            if event.type == pygame.QUIT:
                self.close()
                return pressed
            if event.type == pygame.KEYDOWN:
                pressed.append(pygame.key.name(event.key).lower())
                self._down.add(pressed[-1])
            elif event.type == pygame.KEYUP:
                self._down.discard(pygame.key.name(event.key).lower())
            elif event.type == pygame.WINDOWFOCUSLOST:
                self._down.clear()  # what is let go elsewhere is never told
        self._held = frozenset(self._down.union(pressed))
        return pressed

    def check_display(self) -> None:
        """Finds out whether a window may open, for those who have to prepare other things first.

        Raises:
            NoDisplayError: There is no display.
        """
        screens = ("DISPLAY", "WAYLAND_DISPLAY")
        if sys.platform == "linux" and not _chosen_driver() and not any(os.environ.get(name) for name in screens):
            raise NoDisplayError("there is no display to open a window on (neither DISPLAY nor WAYLAND_DISPLAY is set)")

    def show(self, picture: NDArray[np.uint8], rate: float = FRAMES_PER_SECOND) -> None:
        """Shows a picture as large as fits, and waits until it is the next one's turn.

        Args:
            picture: RGB, (height, width, 3).
            rate: Pictures a second.

        Raises:
            NoDisplayError: The window cannot be opened.
        """
        if self._closed:
            return
        height, width = picture.shape[:2]
        if self._screen is None:
            self._open(width * self._scale, height * self._scale)
        screen = self._pygame.display.get_surface()
        scale = max(1, min(screen.get_width() // width, screen.get_height() // height))
        surface = self._pygame.surfarray.make_surface(picture.swapaxes(0, 1))
        enlarged = self._pygame.transform.scale(surface, (width * scale, height * scale))
        screen.fill((0, 0, 0))
        screen.blit(enlarged, ((screen.get_width() - width * scale) // 2, (screen.get_height() - height * scale) // 2))
        self._pygame.display.flip()
        self._pacer.wait(rate)

    def close(self) -> None:
        """Takes the window away; more than once is fine."""
        if self._screen is not None and not self._closed:
            self._pygame.display.quit()
        self._closed = True
        self._held = frozenset()

    def _open(self, width: int, height: int) -> None:
        pygame = self._pygame
        self.check_display()
        chosen = _chosen_driver()
        try:
            pygame.display.init()
            if pygame.display.get_driver() == _INVISIBLE and not chosen:
                pygame.display.quit()
                raise NoDisplayError("there is no display to open a window on")
            pygame.display.set_caption(self._title)
            self._screen = pygame.display.set_mode((width, height), pygame.RESIZABLE)
        except pygame.error as error:
            raise NoDisplayError(f"a window cannot be opened: {error}") from error


def _chosen_driver() -> str | None:
    return os.environ.get("SDL_VIDEODRIVER") or os.environ.get("SDL_VIDEO_DRIVER")
