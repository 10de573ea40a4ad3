# SPDX-License-Identifier: GPL-3.0-or-later
"""Cloning recordings until it gets no better."""

import math
import time
from collections.abc import Generator, Sequence
from copy import deepcopy
from dataclasses import dataclass

import torch

from oakemu_rl.imitation.cloner import Cloner
from oakemu_rl.imitation.configuration import CloningConfiguration
from oakemu_rl.imitation.dataset import CloningDataset
from oakemu_rl.imitation.judgement import Judgement, judge
from oakemu_rl.imitation.sampler import Focus, SliceSampler
from oakemu_rl.ppo import NonFiniteError, PPOModel

__all__ = ["CloningTrainer", "Epoch", "hold_out", "make_sampler"]


@dataclass(frozen=True)
class Epoch:
    """One pass over the recordings.

    Attributes:
        index: From 1.
        training: How the network does after it on what it learns from.
        validation: And on what was held out; None if nothing was.
        is_best: Whether the deciding loss (of what was held out, else of the rest) is the lowest so far.
        seconds: It took, without the judging.
        data_seconds: Of these, spent on putting batches together.
    """

    index: int
    training: Judgement
    validation: Judgement | None
    is_best: bool
    seconds: float
    data_seconds: float


def hold_out(episodes: int, share: float, generator: torch.Generator) -> list[int]:
    """Numbers of the episodes that are to be held out, ascending.

    Whole episodes, as neighbouring steps are so alike that single ones would be known by heart.

    Args:
        episodes: How many there are.
        share: Which part of them; at least one is held out, and at least one is not. 0 holds out none.
        generator: Of the choice.
    """
    count = min(episodes - 1, max(1, round(episodes * share))) if share else 0
    return sorted(torch.randperm(episodes, generator=generator)[:count].tolist())


def make_sampler(
    dataset: CloningDataset,
    configuration: CloningConfiguration,
    focuses: Sequence[Focus],
    generator: torch.Generator,
) -> SliceSampler:
    """A sampler whose batches are of `batch_size` steps, or of slices that come to about as many."""
    length = configuration.slice_length if dataset.remembers else 1
    return SliceSampler(
        dataset.offsets,
        length=length,
        count=max(1, configuration.batch_size // length),
        focuses=focuses,
        focus_share=configuration.focus_share,
        generator=generator,
    )


class CloningTrainer:
    """Trains a network on recordings and ends with the best of its weights.

    Args:
        model: Changed in place.
        cloner: Of that network.
        training: What it learns from.
        validation: What was held out; None if nothing was.
        sampler: Of `training`.
        batches: Gradient steps in an epoch.
        patience: Epochs without a lower loss of what was held out before it ends; 0 for never. Without anything held
            out it does not end early.
    """

    def __init__(
        self,
        model: PPOModel,
        cloner: Cloner,
        training: CloningDataset,
        validation: CloningDataset | None,
        sampler: SliceSampler,
        *,
        batches: int,
        patience: int,
    ) -> None:
        self._model = model
        self._cloner = cloner
        self._training = training
        self._validation = validation
        self._sampler = sampler
        self._batches = batches
        self._patience = patience if validation is not None else 0

    def run(self, epochs: int) -> Generator[Epoch, None, None]:
        """Trains; however the iteration ends, the network has the weights of the best epoch once this is closed.

        Args:
            epochs: At most so many.

        Yields:
            Each epoch, when it is over.

        Raises:
            NonFiniteError: Numbers are no longer finite.
        """
        best_loss, best_index = float("inf"), 0
        best_weights = deepcopy(self._model.state_dict())
        try:
            for index in range(1, epochs + 1):
                seconds, data_seconds = self._pass()
                training = judge(self._cloner, self._training)
                validation = None if self._validation is None else judge(self._cloner, self._validation)
                loss = (validation or training).loss
                if not math.isfinite(loss):
                    raise NonFiniteError("loss", f"epoch {index} of cloning")
                is_best = loss < best_loss
                if is_best:
                    best_loss, best_index = loss, index
                    best_weights = deepcopy(self._model.state_dict())
                yield Epoch(index, training, validation, is_best, seconds, data_seconds)
                if self._patience and index - best_index >= self._patience:
                    return
        finally:
            self._model.load_state_dict(best_weights)

    def _pass(self) -> tuple[float, float]:
        """Takes an epoch's gradient steps; returns the seconds they took, and those that went into the batches."""
        begin, data_seconds = time.perf_counter(), 0.0
        for _ in range(self._batches):
            drawn = time.perf_counter()
            batch = self._training.batch(self._sampler.draw(), self._cloner.device)
            data_seconds += time.perf_counter() - drawn
            self._cloner.step(batch)
        return time.perf_counter() - begin, data_seconds
