# SPDX-License-Identifier: GPL-3.0-or-later
"""From the network's outputs to actions."""

import torch
from torch import Tensor

from oakemu_rl.ppo.action_bundle import PPOActionBundle
from oakemu_rl.ppo.masking import masked_log_probs

__all__ = ["entropy_of", "sample_actions", "select_actions"]


def sample_actions(log_probs: Tensor, generator: torch.Generator | None = None) -> Tensor:
    """Draws one action a row, each with its probability.

    By the Gumbel trick: the largest of ``log_probs + g`` with independent Gumbel noise ``g`` is distributed by the
    probabilities. Unlike sums of probabilities, the noise is finite by construction, so an action of probability 0
    (minus infinity) can never win.

    Args:
        log_probs: (B, actions); at least one finite entry in each row.
        generator: Source of the noise, on the device of `log_probs`; None for torch's global one.

    Returns:
        (B,) int64.
    """
    noise = torch.empty_like(log_probs).exponential_(generator=generator)
    gumbel = noise.clamp_(min=torch.finfo(log_probs.dtype).tiny).log_().neg_()
    return (log_probs + gumbel).argmax(dim=-1)


def entropy_of(log_probs: Tensor) -> Tensor:
    """Entropy of each row in nats, (B,) from (B, actions); probability 0 counts 0, also in the gradient."""
    # 0 * -inf is NaN; 0 times the least finite number is 0.
    finite = log_probs.clamp(min=torch.finfo(log_probs.dtype).min)
    return -(log_probs.exp() * finite).sum(dim=-1)


def select_actions(
    logits: Tensor,
    values: Tensor,
    *,
    action: Tensor | None = None,
    action_mask: Tensor | None = None,
    generator: torch.Generator | None = None,
) -> PPOActionBundle:
    """Samples actions, or scores given ones.

    Args:
        logits: (B, actions), any floating dtype.
        values: (B, 1) or (B,).
        action: (B,) int64, the actions to score; None samples.
        action_mask: Checked mask, (actions,) or (B, actions), True where allowed.
        generator: For sampling; None for torch's global one.
    """
    log_probs = masked_log_probs(logits, action_mask)
    if action is None:
        action = sample_actions(log_probs.detach(), generator)
    chosen = log_probs.gather(-1, action.unsqueeze(-1)).squeeze(-1)
    return PPOActionBundle(
        actions=action, log_probs=chosen, entropy=entropy_of(log_probs), values=values.float().reshape(-1)
    )
