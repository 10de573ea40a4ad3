# SPDX-License-Identifier: GPL-3.0-or-later
"""The window of ``render_mode="human"``."""

from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium.error import DependencyNotInstalled

__all__ = ["Window"]

_SCALE = 3


class Window:
    """Shows pictures at the speed of the real machine. Closing it by hand ends the showing, not the program.

    Args:
        title: Stands in its frame.

    Raises:
        DependencyNotInstalled: pygame is missing.
    """

    def __init__(self, title: str) -> None:
        try:
            import pygame
        except ImportError as error:
            raise DependencyNotInstalled(
                'render_mode="human" needs pygame: run `pip install "oakemu-rl[play]"`'
            ) from error
        self._pygame: Any = pygame
        self._title = title
        self._screen: Any = None
        self._clock: Any = None
        self._closed = False

    @property
    def closed(self) -> bool:
        """Whether the window was closed, by hand or by `close`."""
        return self._closed

    def show(self, picture: npt.NDArray[np.uint8], rate: float) -> None:
        """Shows a picture, and waits until it is its turn.

        Args:
            picture: RGB, (height, width, 3).
            rate: Pictures a second.
        """
        if self._closed:
            return
        pygame = self._pygame
        height, width = picture.shape[:2]
        size = (width * _SCALE, height * _SCALE)
        if self._screen is None:
            pygame.display.init()
            pygame.display.set_caption(self._title)
            self._screen = pygame.display.set_mode(size)
            self._clock = pygame.time.Clock()
        if any(event.type == pygame.QUIT for event in pygame.event.get()):
            self.close()
            return
        surface = pygame.surfarray.make_surface(picture.swapaxes(0, 1))
        self._screen.blit(pygame.transform.scale(surface, size), (0, 0))
        pygame.display.flip()
        self._clock.tick(rate)

    def close(self) -> None:
        """Takes the window away; more than once is fine."""
        if self._screen is not None and not self._closed:
            self._pygame.display.quit()
        self._closed = True
