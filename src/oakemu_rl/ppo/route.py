# SPDX-License-Identifier: GPL-3.0-or-later
"""Who may play an episode."""

from enum import StrEnum

__all__ = ["Route"]


class Route(StrEnum):
    """Who chooses an environment's actions; only the policy's choices are trainable."""

    POLICY = "policy"
    """The model samples, and learns from it."""
    SILENT = "silent"
    """The model samples, and learns nothing from it."""
    RANDOM = "random"
    """Every allowed action is equally likely."""
    REPLAY = "replay"
    """Each episode begins with recorded actions; when they run out, another route takes over until its end."""

    @property
    def shows_policy(self) -> bool:
        """Whether an episode of this route tells how well the model plays: it has played all of it."""
        return self in (Route.POLICY, Route.SILENT)
