# SPDX-License-Identifier: GPL-3.0-or-later
"""A trained network beside a fresh twin: the figures of both."""

from collections.abc import Mapping
from dataclasses import dataclass

from oakemu_rl.ppo import PPOLearner, RolloutBuffer
from oakemu_rl.training.diagnostics import look_at_update
from oakemu_rl.training.experiment import ExperimentParts

__all__ = ["NetworkFigures", "figures_beside", "layers_of"]


@dataclass(frozen=True)
class NetworkFigures:
    """What one network shows.

    Attributes:
        seen: The ``diagnostics/`` tags: those of units and features on the trained agent's observations, those of
            gradients and ratios in an update on the network's own.
        learnt: What that update returned.
    """

    seen: Mapping[str, float]
    learnt: Mapping[str, float]


def figures_beside(
    trained: ExperimentParts, fresh: ExperimentParts, progress: float
) -> tuple[NetworkFigures, NetworkFigures]:
    """Lets both play a rollout and learn from it once; the parts are of no use afterwards.

    Args:
        trained: With the weights and everything else of a checkpoint.
        fresh: The same before any training.
        progress: Of the trained run, for its schedules.
    """
    own: list[tuple[dict[str, float], Mapping[str, float]]] = []
    shared: list[dict[str, float]] = []
    for parts, part_over in ((trained, progress), (fresh, 0.0)):
        parts.trained.actor.collect(parts.rollout_buffer)
        parts.finalizer.finalize(parts.rollout_buffer, parts.trained.actor.observations, parts.trained.actor.states)
        shared.append(_without_learning(parts, trained.rollout_buffer))
        with look_at_update(parts.trained.learner) as view:
            learnt = parts.trained.learner.update(parts.rollout_buffer, part_over)
        own.append((view.metrics(parts.trained.model), learnt))
    first, second = (NetworkFigures({**seen, **same}, learnt) for (seen, learnt), same in zip(own, shared, strict=True))
    return first, second


def _without_learning(parts: ExperimentParts, rollout_buffer: RolloutBuffer) -> dict[str, float]:
    """Figures of units, features and weights over a rollout, which may be another network's."""
    learner = parts.trained.learner
    # Steps of no length: whatever the learner needs for its minibatches (masks, states, parts) it does by itself.
    still = PPOLearner(
        learner.model, learner.configuration.model_copy(update={"lr": 1e-30, "ppo_epochs": 1, "max_kl": None})
    )
    with look_at_update(still) as view:
        still.update(rollout_buffer, 0.0)
    kinds = ("dead", "dormant", "effective_rank", "features", "weight_norm")
    return {tag: value for tag, value in view.metrics(learner.model).items() if tag.split("/")[1] in kinds}


def layers_of(figures: NetworkFigures, kind: str) -> dict[str, float]:
    """One kind of figure (``dormant``, ``weight_norm``, ...) by layer."""
    prefix = f"diagnostics/{kind}/"
    return {tag.removeprefix(prefix): value for tag, value in figures.seen.items() if tag.startswith(prefix)}
