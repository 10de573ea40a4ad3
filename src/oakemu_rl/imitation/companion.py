# SPDX-License-Identifier: GPL-3.0-or-later
"""Imitation beside PPO: a bootstrap that clones, then both, then PPO alone."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from oakemu_rl.imitation.cloner import Cloner
from oakemu_rl.imitation.configuration import ImitationConfiguration
from oakemu_rl.imitation.critic import CriticCalibration
from oakemu_rl.imitation.dataset import CloningDataset
from oakemu_rl.imitation.sampler import SliceSampler
from oakemu_rl.ppo import RolloutBuffer, schedule_value

__all__ = ["ImitationCompanion"]


class ImitationCompanion:
    """Clones recordings once an update, and calibrates the critic while PPO does not learn.

    Three optimisers, each with a clip of its own: PPO's, the cloner's over trunk and policy, and the critic's over the
    value head. What follows from that at the hand-over: PPO begins with a critic that knows the cloned policy, and with
    a learning rate that `ppo_weight` can let rise slowly.

    Args:
        configuration: The weights, and how often.
        critic: Of the network.
        cloner: Of the network; None clones nothing.
        dataset: The recordings, if there is a cloner.
        sampler: Of the recordings, if there is a cloner.
    """

    def __init__(
        self,
        configuration: ImitationConfiguration,
        critic: CriticCalibration,
        cloner: Cloner | None = None,
        dataset: CloningDataset | None = None,
        sampler: SliceSampler | None = None,
    ) -> None:
        self._configuration = configuration
        self._critic = critic
        self._parts = None
        if cloner is not None and dataset is not None and sampler is not None:
            self._parts = cloner, dataset, sampler

    def ppo_weight(self, progress: float) -> float:
        """See `Companion.ppo_weight`."""
        return schedule_value(self._configuration.ppo_weight, progress)

    def learn(self, rollout_buffer: RolloutBuffer | None, progress: float) -> dict[str, float]:
        """See `Companion.learn`."""
        weight = schedule_value(self._configuration.bc_weight, progress)
        figures = {"imitation/ppo_weight": self.ppo_weight(progress), "imitation/bc_weight": weight}
        if rollout_buffer is not None and self.ppo_weight(progress) == 0.0:
            learnt = self._critic.learn(rollout_buffer)
            figures |= {f"imitation/{name}": value for name, value in learnt.items()}
        if weight > 0.0 and self._parts is not None:
            figures |= {f"imitation/{name}": value for name, value in self._clone(weight).items()}
        return figures

    def _clone(self, weight: float) -> dict[str, float]:
        """Means over an update's steps of cloning."""
        assert self._parts is not None  # noqa: S101  # our own invariant: only then it is called
        cloner, dataset, sampler = self._parts
        steps = [
            cloner.step(dataset.batch(sampler.draw(), cloner.device), weight) for _ in range(self._configuration.steps)
        ]
        return {f"bc_{name}": float(np.mean([step[name] for step in steps])) for name in steps[0]}

    def state_dict(self) -> dict[str, Any]:
        """See `Companion.state_dict`."""
        state = {"critic": self._critic.state_dict()}
        if self._parts is not None:
            cloner, _, sampler = self._parts
            state |= {"cloner": cloner.state_dict(), "sampler": sampler.state_dict()}
        return state

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """See `Companion.load_state_dict`."""
        self._critic.load_state_dict(state["critic"])
        if self._parts is not None:
            cloner, _, sampler = self._parts
            cloner.load_state_dict(state["cloner"])
            sampler.load_state_dict(state["sampler"])
