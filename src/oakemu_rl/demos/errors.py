# SPDX-License-Identifier: GPL-3.0-or-later
"""What goes wrong with recordings alone."""

from oakemu_rl.errors import UserError

__all__ = ["DesyncError"]


class DesyncError(UserError):
    """A recording, played again, did something else; the message names the first frame that shows it.

    Attributes:
        frame: That frame, counted from 1.
    """

    def __init__(self, message: str, frame: int) -> None:
        super().__init__(message)
        self.frame = frame
