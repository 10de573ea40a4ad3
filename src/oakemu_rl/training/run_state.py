# SPDX-License-Identifier: GPL-3.0-or-later
"""Everything that a run is between two updates: what is saved, and put back to go on as if nothing had been."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

import torch

from oakemu_rl.errors import UserError
from oakemu_rl.ppo import PPOActor, PPOLearner, PPOModel
from oakemu_rl.ppo.plain_bytes import as_bytes, as_tensor
from oakemu_rl.training.episode_statistics import EpisodeStatistics

__all__ = ["Best", "Counters", "SavableEnv", "TrainedParts", "capture", "load_weights", "restore"]


@runtime_checkable
class SavableEnv(Protocol):
    """A vector environment whose slots can be saved exactly."""

    @property
    def num_envs(self) -> int:
        """How many slots there are."""
        ...

    def get_state(self, index: int, /) -> bytes:
        """Everything that slot `index` is."""
        ...

    def set_state(self, index: int, state: bytes, /) -> None:
        """Makes slot `index` what it was; raises ValueError for a state that does not fit."""
        ...


@dataclass(frozen=True)
class Best:
    """The best model so far.

    Attributes:
        step: Agent steps that it was trained for.
        mean_return: Its mean return in evaluation.
    """

    step: int
    mean_return: float


@dataclass
class Counters:
    """How far a run is.

    Attributes:
        step: Agent steps over all environments.
        updates: Rollouts learnt from.
        statistics: Of the training episodes.
        best: The best model so far, None before the first evaluation.
        evaluated_at: The step of the last evaluation, -1 before the first.
    """

    step: int = 0
    updates: int = 0
    statistics: EpisodeStatistics = field(default_factory=EpisodeStatistics)
    best: Best | None = None
    evaluated_at: int = -1


@dataclass(frozen=True)
class TrainedParts:
    """The parts of a run that change.

    Attributes:
        env: The training environments.
        model: The weights.
        actor: Plays.
        learner: Learns.
    """

    env: SavableEnv
    model: PPOModel
    actor: PPOActor
    learner: PPOLearner


def capture(parts: TrainedParts, counters: Counters) -> tuple[dict[str, Any], dict[str, Any]]:
    """A run's state as a checkpoint's plain values and tensors."""
    best = counters.best
    info = {
        "step": counters.step,
        "updates": counters.updates,
        "evaluated_at": counters.evaluated_at,
        "statistics": counters.statistics.state_dict(),
        "best": None if best is None else {"step": best.step, "mean_return": best.mean_return},
    }
    tensors = {
        "model": parts.model.state_dict(),
        "learner": parts.learner.state_dict(),
        "actor": parts.actor.state_dict(),
        "env": [as_tensor(parts.env.get_state(i)) for i in range(parts.env.num_envs)],
        "torch_rng": torch.get_rng_state(),
    }
    return info, tensors


def restore(parts: TrainedParts, info: Mapping[str, Any], tensors: Mapping[str, Any]) -> Counters:
    """Puts a checkpoint's state into fresh parts.

    Returns:
        How far the run was.

    Raises:
        UserError: The checkpoint is of other parts (network, environments, version of the machine state).
    """
    load_weights(parts.model, tensors)
    slots = tensors["env"]
    if len(slots) != parts.env.num_envs:
        raise UserError(f"the checkpoint has {len(slots)} environments, the run {parts.env.num_envs}")
    try:
        parts.learner.load_state_dict(tensors["learner"])
        # Some environments need a reset before the first step, even when every slot is overwritten.
        parts.actor.reset()
        for i, slot in enumerate(slots):
            parts.env.set_state(i, as_bytes(slot))
        parts.actor.load_state_dict(tensors["actor"])
    except (ValueError, KeyError, RuntimeError) as error:
        raise UserError(f"the checkpoint does not fit this run: {str(error).splitlines()[0]}") from error
    torch.set_rng_state(tensors["torch_rng"])
    counters = Counters(int(info["step"]), int(info["updates"]), evaluated_at=int(info["evaluated_at"]))
    counters.statistics.load_state_dict(info["statistics"])
    if info["best"] is not None:
        counters.best = Best(int(info["best"]["step"]), float(info["best"]["mean_return"]))
    return counters


def load_weights(model: PPOModel, tensors: Mapping[str, Any]) -> None:
    """Puts a checkpoint's weights into a model.

    Raises:
        UserError: They are of another network; says which part, and both shapes.
    """
    saved = tensors.get("model")
    own = model.state_dict()
    if not isinstance(saved, Mapping):
        raise UserError("the checkpoint holds no weights")
    missing, unknown = sorted(own.keys() - saved.keys()), sorted(saved.keys() - own.keys())
    if missing or unknown:
        which = f"it lacks {missing[0]}" if missing else f"it has {unknown[0]}, which this network has not"
        raise UserError(f"the checkpoint is of another network: {which}")
    for name, tensor in own.items():
        if saved[name].shape != tensor.shape:
            given, wanted = tuple(saved[name].shape), tuple(tensor.shape)
            raise UserError(f"the checkpoint is of another network: {name} has shape {given}, this network's {wanted}")
    model.load_state_dict(dict(saved))
