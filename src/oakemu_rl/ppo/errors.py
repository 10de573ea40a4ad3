# SPDX-License-Identifier: GPL-3.0-or-later
"""What stops a training run before it learns from nonsense."""

from oakemu_rl.errors import UserError

__all__ = ["NonFiniteError", "RolloutBufferError"]


class NonFiniteError(UserError):
    """A NaN or an infinity turned up; nothing was learnt from it.

    Args:
        tensor: What holds it, for example ``"observation"`` or ``"gradient of value_head.bias"``.
        where: Where it was first seen, for example ``"environment 3, step 37"``.
    """

    def __init__(self, tensor: str, where: str) -> None:
        super().__init__(f"non-finite {tensor}, {where}: training stops before it can spread")
        self.tensor = tensor
        self.where = where


class RolloutBufferError(ValueError, RuntimeError):
    """A rollout buffer was read before it was full, or written after: the wrong call at this moment."""
