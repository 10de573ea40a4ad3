# SPDX-License-Identifier: GPL-3.0-or-later
"""What to make of a run's figures: what looks healthy, what does not, and what to try."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from oakemu_rl.training.diagnosis import NetworkFigures, layers_of

__all__ = ["Finding", "examine"]

_HEADS = ("policy_head", "value_head")  # made small on purpose: that they have grown says nothing

# Where figures stop looking healthy. Rules of thumb, wide enough for what ordinary runs show.
_DORMANT_SHARE, _DORMANT_MORE_THAN_FRESH = 0.3, 0.1
_RANK_OF_FRESH = 0.25
_WEIGHTS_OF_FRESH = 10.0
_LOW_EXPLAINED_VARIANCE = 0.2
_ENTROPY_SHARES = (0.02, 0.98)
_KL = (1e-6, 0.1)
_FAR_RATIOS = 0.05
_FALL = 0.3
_UPDATES_AT_THE_END = 20
_HALF_WAY = 0.5


@dataclass(frozen=True)
class Finding:
    """One thing that was looked at.

    Attributes:
        healthy: Whether it looks as it should.
        text: What there is.
        advice: What to try; empty for what is healthy.
    """

    healthy: bool
    text: str
    advice: str = ""


def examine(
    trained: NetworkFigures,
    fresh: NetworkFigures,
    lines: Sequence[Mapping[str, Any]],
    *,
    num_actions: int,
    progress: float,
) -> list[Finding]:
    """Judges a run.

    Args:
        trained: Of its network.
        fresh: Of its twin.
        lines: Of its metrics.jsonl.
        num_actions: Of the game.
        progress: The part of the training that is over.
    """
    late = _late_means([line for line in lines if line["kind"] == "metrics"])
    return [
        _judge_units(trained, fresh),
        _judge_rank(trained, fresh),
        _judge_weights(trained, fresh),
        _judge_gradients(trained),
        _judge_values(late.get("train/explained_variance", trained.learnt["explained_variance"])),
        _judge_entropy(late.get("train/entropy", trained.learnt["entropy"]), num_actions, progress),
        _judge_steps(late.get("train/approx_kl", trained.learnt["approx_kl"]), trained),
        *_judge_curve(lines),
    ]


def _late_means(updates: Sequence[Mapping[str, Any]]) -> dict[str, float]:
    last = updates[-_UPDATES_AT_THE_END:]
    tags = ("train/explained_variance", "train/entropy", "train/approx_kl")
    values = {tag: [line[tag] for line in last if isinstance(line.get(tag), float)] for tag in tags}
    return {tag: sum(each) / len(each) for tag, each in values.items() if each}


def _judge_units(trained: NetworkFigures, fresh: NetworkFigures) -> Finding:
    shares, before = layers_of(trained, "dormant"), layers_of(fresh, "dormant")
    idle = {
        layer: share
        for layer, share in shares.items()
        if share > _DORMANT_SHARE and share > before.get(layer, 0.0) + _DORMANT_MORE_THAN_FRESH
    }
    if not idle:
        worst = max(shares, key=lambda layer: shares[layer], default="")
        most, fresh_most = shares.get(worst, 0.0), before.get(worst, 0.0)
        return Finding(healthy=True, text=f"units: at most {most:.0%} of a layer idle (fresh {fresh_most:.0%})")
    text = ", ".join(f"{share:.0%} of {layer} (fresh {before.get(layer, 0.0):.0%})" for layer, share in idle.items())
    return Finding(
        healthy=False,
        text=f"units that do next to nothing: {text}",
        advice="a lower ppo.lr or fewer ppo.ppo_epochs, or activations that cannot die (model.conv_activation, "
        "model.fcnet_activation: leaky_relu, silu)",
    )


def _judge_rank(trained: NetworkFigures, fresh: NetworkFigures) -> Finding:
    rank, before = (each.seen.get("diagnostics/effective_rank", 0.0) for each in (trained, fresh))
    text = f"features: effective rank {rank:.0f} of {trained.seen.get('diagnostics/features', 0.0):.0f}"
    text += f" (fresh {before:.0f})"
    if rank >= _RANK_OF_FRESH * before:
        return Finding(healthy=True, text=text)
    return Finding(
        healthy=False,
        text=f"{text}: most observations look the same to the heads",
        advice="fewer ppo.ppo_epochs, a smaller ppo.clip_coef, a higher ppo.entropy_coef; see whether episodes still "
        "differ at all (oakemu-rl watch)",
    )


def _judge_weights(trained: NetworkFigures, fresh: NetworkFigures) -> Finding:
    norms, before = layers_of(trained, "weight_norm"), layers_of(fresh, "weight_norm")
    growth = {layer: norm / max(before[layer], 1e-12) for layer, norm in norms.items() if layer not in _HEADS}
    large = {layer: factor for layer, factor in growth.items() if factor > _WEIGHTS_OF_FRESH}
    if not large:
        return Finding(
            healthy=True,
            text=f"weights: no layer more than {max(growth.values(), default=1.0):.1f} times the fresh one",
        )
    text = ", ".join(f"{layer} {factor:.0f} times" for layer, factor in large.items())
    return Finding(
        healthy=False,
        text=f"weights have grown far beyond the fresh ones: {text}",
        advice="a ppo.lr that falls to 0, rewards of a smaller scale (env.reward_clipping)",
    )


def _judge_gradients(trained: NetworkFigures) -> Finding:
    norms = layers_of(trained, "gradient_norm")
    without = [layer for layer, norm in norms.items() if norm == 0.0]
    if not without:
        return Finding(healthy=True, text="gradients: they reach every layer")
    return Finding(
        healthy=False,
        text=f"no gradient reaches {', '.join(without)}",
        advice="look at the units of that layer and of those behind it; if all are idle, train again from an earlier "
        "checkpoint with a lower ppo.lr",
    )


def _judge_values(explained_variance: float) -> Finding:
    text = f"values: they explain {explained_variance:.0%} of what the returns vary"
    if explained_variance >= _LOW_EXPLAINED_VARIANCE:
        return Finding(healthy=True, text=text)
    return Finding(
        healthy=False,
        text=text,
        advice="a larger network or more frames (env.stack_num), a smaller ppo.gamma, rewards that come sooner, a "
        "longer ppo.rollout_length",
    )


def _judge_entropy(entropy: float, num_actions: int, progress: float) -> Finding:
    share = entropy / math.log(num_actions) if num_actions > 1 else 1.0
    text = f"policy: entropy {entropy:.3f}, {share:.0%} of that of random play"
    if share < _ENTROPY_SHARES[0] and num_actions > 1:
        return Finding(
            healthy=False,
            text=f"{text}: nothing new is tried any more",
            advice="unless the game is solved, a higher ppo.entropy_coef, or one that falls later",
        )
    if share > _ENTROPY_SHARES[1] and progress > _HALF_WAY and num_actions > 1:
        return Finding(
            healthy=False,
            text=f"{text} although more than half of the training is over",
            advice="see whether a reward is ever met (episodes.jsonl); a lower ppo.entropy_coef, more steps",
        )
    return Finding(healthy=True, text=text)


def _judge_steps(kl: float, trained: NetworkFigures) -> Finding:
    ratios = layers_of(trained, "ratio")
    far = ratios.get("below 0.5", 0.0) + ratios.get("above 2", 0.0)
    text = f"steps: KL {kl:.2g} an update, {far:.1%} of the probabilities halved or doubled"
    if kl > _KL[1] or far > _FAR_RATIOS:
        return Finding(
            healthy=False,
            text=f"{text}: the policy jumps",
            advice="a lower ppo.lr, fewer ppo.ppo_epochs, or a limit (ppo.max_kl 0.05)",
        )
    if kl < _KL[0]:
        return Finding(
            healthy=False,
            text=f"{text}: the policy does not move",
            advice="a higher ppo.lr, more ppo.ppo_epochs; if the schedule has come to 0, this is the end of the run",
        )
    return Finding(healthy=True, text=text)


def _judge_curve(lines: Sequence[Mapping[str, Any]]) -> list[Finding]:
    tag = "rollout/ep_rew_mean"
    points = [(line["step"], line[tag]) for line in lines if isinstance(line.get(tag), float)]
    if len(points) < 2:
        return []
    (best_step, best), lowest, last = max(points, key=lambda p: p[1]), min(value for _, value in points), points[-1][1]
    text = f"return: {last:.2f} at the end, {best:.2f} at best (step {best_step:,})"
    if best - last <= _FALL * (best - lowest):
        return [Finding(healthy=True, text=text)]
    return [
        Finding(
            healthy=False,
            text=f"{text}: much of what had been learnt is lost",
            advice=f"go back by itself when that happens (rollback.drop {_FALL * (best - lowest):.2g}), a lower ppo.lr "
            "towards the end; the best model is in best/",
        )
    ]
