# SPDX-License-Identifier: GPL-3.0-or-later
"""Log-probabilities in which forbidden actions do not exist."""

import torch
from torch import Tensor

__all__ = ["check_action_mask", "joined_masks", "masked_log_probs"]


def check_action_mask(action_mask: Tensor, batch: int, num_actions: int) -> None:
    """Refuses a mask that cannot be meant.

    Args:
        action_mask: Boolean, (actions,) or (batch, actions), True where the action is allowed.
        batch: Rows of the logits that it is for.
        num_actions: Columns of them.

    Raises:
        ValueError: Another dtype or shape, or a row in which nothing is allowed.
    """
    allowed_shapes = ((num_actions,), (batch, num_actions))
    if action_mask.dtype != torch.bool or tuple(action_mask.shape) not in allowed_shapes:
        raise ValueError(
            f"an action mask must be bool of shape {allowed_shapes[0]} or {allowed_shapes[1]}, "
            f"got {action_mask.dtype} of shape {tuple(action_mask.shape)}"
        )
    empty = ~action_mask.any(dim=-1)
    if bool(empty.any()):
        row = f"row {int(empty.nonzero()[0])} of " if action_mask.dim() == 2 else ""
        raise ValueError(f"{row}the action mask allows none of the {num_actions} actions; at least one must be allowed")


def joined_masks(always: Tensor | None, now: Tensor | None) -> Tensor | None:
    """What both masks allow; None allows all.

    Args:
        always: (actions,) bool, for all states.
        now: (B, actions) bool, for each state.
    """
    if always is None or now is None:
        return always if now is None else now
    return always & now


def masked_log_probs(logits: Tensor, action_mask: Tensor | None) -> Tensor:
    """Logarithms of the action probabilities, minus infinity where the mask forbids.

    In float32 whatever the logits' type: in float16 a large negative number in place of minus infinity would either
    overflow or leave forbidden actions a chance.

    Args:
        logits: (B, actions), any floating dtype.
        action_mask: Boolean, (actions,) or (B, actions), True where allowed; None allows all. It must pass
            `check_action_mask`.

    Returns:
        (B, actions), float32; each row's exponentials sum to 1.
    """
    logits = logits.float()
    if action_mask is not None:
        logits = logits.masked_fill(~action_mask, -torch.inf)
    return logits.log_softmax(dim=-1)
