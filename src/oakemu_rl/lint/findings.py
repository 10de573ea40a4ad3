# SPDX-License-Identifier: GPL-3.0-or-later
"""What looks wrong about a game."""

from dataclasses import dataclass
from typing import Literal

__all__ = ["Finding", "Level"]

Level = Literal["error", "warning"]


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that looks wrong.

    Attributes:
        level: ``error`` if no agent can learn as it is, ``warning`` if it may be meant so.
        check: Which check it comes from: ``reward``, ``variables``, ``episodes``, ``actions``, ``joystick``,
            ``determinism``, ``start``.
        text: What was seen.
        hint: What may be done.
    """

    level: Level
    check: str
    text: str
    hint: str
