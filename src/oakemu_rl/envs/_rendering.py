# SPDX-License-Identifier: GPL-3.0-or-later
"""What both environments show, and how."""

from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium.error import DependencyNotInstalled

from oakemu_rl.emulator.pacing import FRAMES_PER_SECOND
from oakemu_rl.emulator.window import Window
from oakemu_rl.envs.options import EnvOptions
from oakemu_rl.errors import UserError, nearest

__all__ = ["METADATA", "Renderer", "metadata_of"]

METADATA: dict[str, Any] = {"render_modes": ["human", "rgb_array"], "render_fps": 50}
"""Of the classes. Instances have their own, whose rate is that of their steps."""


def metadata_of(options: EnvOptions) -> dict[str, Any]:
    """An instance's own metadata: whole pictures a second at one picture a step, as Gymnasium's ``play`` wants them."""
    rate = max(1, round(FRAMES_PER_SECOND / options.mean_frameskip))
    return {**METADATA, "render_modes": list(METADATA["render_modes"]), "render_fps": rate}


class Renderer:
    """Shows an environment in one of the render modes.

    Args:
        mode: None, ``"rgb_array"`` or ``"human"``.
        title: The window's.
        options: Of the environment.

    Raises:
        UserError: There is no such mode.
        DependencyNotInstalled: The mode is ``"human"`` and pygame is missing.
    """

    def __init__(self, mode: str | None, title: str, options: EnvOptions) -> None:
        modes = METADATA["render_modes"]
        if mode is not None and mode not in modes:
            raise UserError(
                f"render_mode must be None or one of {', '.join(modes)}, not {mode!r}{nearest(mode, modes)}"
            )
        self._mode = mode
        self._title = title
        self._rate = FRAMES_PER_SECOND / options.mean_frameskip
        self._window = _make_window(title) if mode == "human" else None

    def render(self, picture: Callable[[], npt.NDArray[np.uint8]], env: object) -> npt.NDArray[np.uint8] | None:
        """The picture, or None after showing it in the window."""
        if self._mode is None:
            gymnasium.logger.warn(
                f"render() of {env!r} shows nothing: make the environment with render_mode='rgb_array' or 'human'"
            )
            return None
        if self._window is None:
            return picture()
        self._window.poll()  # a window that nobody listens to counts as hung, and cannot be closed
        if not self._window.closed:
            self._window.show(picture(), self._rate)
        return None

    def close(self) -> None:
        """Closes the window, if there is one."""
        if self._window is not None:
            self._window.close()

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_window": self._window is not None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._window = _make_window(self._title) if state["_window"] else None


def _make_window(title: str) -> Window:
    try:
        return Window(title)
    except ImportError as error:
        raise DependencyNotInstalled('render_mode="human" needs pygame: run `pip install "oakemu-rl[play]"`') from error
