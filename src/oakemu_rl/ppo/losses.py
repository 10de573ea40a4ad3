# SPDX-License-Identifier: GPL-3.0-or-later
"""The terms that PPO minimises, and what tells how far a policy has moved."""

import torch
from torch import Tensor

__all__ = ["approximate_kl", "clip_fraction", "normalised", "policy_loss", "value_loss"]


def normalised(advantages: Tensor) -> Tensor:
    """Advantages (M,) shifted and scaled to mean 0 and deviation 1; a single one has no deviation and stays."""
    if len(advantages) < 2:
        return advantages
    return (advantages - advantages.mean()) / (advantages.std() + 1e-8)


def policy_loss(log_ratio: Tensor, advantages: Tensor, clip_coef: float, weights: Tensor | None = None) -> Tensor:
    """The clipped surrogate, to be minimised: ``-mean(w min(r A, clip(r, 1 - c, 1 + c) A))``, ``r = exp(log_ratio)``.

    Where the old policy is not the one that acted, the weights make up for it: the decoupled objective of Hilton, Cobbe
    and Schulman, 2021, "Batch size-invariance for policy optimization".

    Args:
        log_ratio: (M,) new minus old log-probability of the actions taken.
        advantages: (M,).
        clip_coef: c.
        weights: w, (M,) probability ratios of the old policy to the one that acted; None where both are the same.
    """
    ratio = log_ratio.exp()
    clipped = ratio.clamp(1.0 - clip_coef, 1.0 + clip_coef)
    gains = torch.minimum(ratio * advantages, clipped * advantages)
    return -(gains if weights is None else weights * gains).mean()


def value_loss(values: Tensor, old_values: Tensor, returns: Tensor, value_clip: float | None) -> Tensor:
    """Mean squared error of the values; with a clip, the worse of the value and of one held near the old value.

    Args:
        values: (M,) under the present weights.
        old_values: (M,) under the weights from which this update began.
        returns: (M,) targets.
        value_clip: How far a value may move from the old one; None sets no limit.
    """
    errors = (values - returns).square()
    if value_clip is not None:
        held = old_values + (values - old_values).clamp(-value_clip, value_clip)
        errors = torch.maximum(errors, (held - returns).square())
    return errors.mean()


def approximate_kl(log_ratio: Tensor) -> Tensor:
    """Estimate of KL(old || new): ``mean(r - 1 - log r)``, never negative (Schulman, "Approximating KL divergence")."""
    return (log_ratio.exp() - 1.0 - log_ratio).mean()


def clip_fraction(log_ratio: Tensor, clip_coef: float) -> Tensor:
    """Part of the probability ratios that lie beyond the clip."""
    return ((log_ratio.exp() - 1.0).abs() > clip_coef).float().mean()
