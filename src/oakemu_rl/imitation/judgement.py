# SPDX-License-Identifier: GPL-3.0-or-later
"""How well a network does what was recorded."""

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from oakemu_rl.imitation.cloner import Cloner
from oakemu_rl.imitation.dataset import CloningDataset
from oakemu_rl.imitation.sampler import Slices

__all__ = ["Judgement", "judge"]

_STEPS_AT_ONCE = 1024


@dataclass(frozen=True)
class Judgement:
    """What a network makes of some recorded episodes.

    Attributes:
        loss: As cloning computes it, over all their steps.
        confusion: How often (recorded action, most probable action) met, (actions, actions) int64.
    """

    loss: float
    confusion: NDArray[np.int64]

    @property
    def steps(self) -> int:
        """How many steps were judged."""
        return int(self.confusion.sum())

    @property
    def accuracy(self) -> float:
        """The part of the steps whose most probable action is the recorded one."""
        return float(np.trace(self.confusion) / self.steps)

    @property
    def counts(self) -> NDArray[np.int64]:
        """How often each action was recorded, (actions,)."""
        counts: NDArray[np.int64] = self.confusion.sum(axis=1)
        return counts

    def share_found(self, action: int) -> float:
        """The part of an action's steps in which it is the most probable one; not a number if it was never recorded."""
        count = int(self.counts[action])
        return float(self.confusion[action, action] / count) if count else float("nan")

    def most_taken_for(self, action: int) -> tuple[int, float] | None:
        """The other action for which this one is taken most often, and in which part of its steps; None if never."""
        others = self.confusion[action].copy()
        others[action] = 0
        other = int(others.argmax())
        return (other, float(others[other] / self.counts[action])) if others[other] else None


@torch.no_grad()
def judge(cloner: Cloner, dataset: CloningDataset) -> Judgement:
    """Lets a network choose in all steps of the recordings, each of which it reads from its beginning.

    Args:
        cloner: Knows network and loss.
        dataset: The recordings.
    """
    logits: list[Tensor] = []
    actions: list[Tensor] = []
    for slices in _portions(dataset):
        batch = dataset.batch(slices, cloner.device)
        logits.append(cloner.logits(batch))
        actions.append(batch.actions)
    chosen, recorded = torch.cat(logits), torch.cat(actions)
    pairs = (recorded * dataset.num_actions + chosen.argmax(dim=-1)).cpu()
    confusion = torch.bincount(pairs, minlength=dataset.num_actions**2).reshape(dataset.num_actions, -1)
    return Judgement(float(cloner.loss(chosen, recorded)), confusion.numpy())


def _portions(dataset: CloningDataset) -> list[Slices]:
    """Whole episodes for a network that remembers, as many single steps as fit for others."""
    offsets = dataset.offsets
    if dataset.remembers:
        return [Slices(offsets[i : i + 1], offsets[i + 1 : i + 2]) for i in np.flatnonzero(np.diff(offsets))]
    steps = np.arange(len(dataset))
    return [Slices(part, part + 1) for part in np.split(steps, range(_STEPS_AT_ONCE, len(steps), _STEPS_AT_ONCE))]
