# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the training loop gets its rollouts from: played one by one, or the next while it learns from the last."""

import time
from collections.abc import Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import Any, Protocol, Self

import torch

from oakemu_rl.ppo import PPOActor, PPOModel, RolloutBuffer, RolloutFinalizer, RolloutStatistics
from oakemu_rl.training.run_state import TrainedParts

__all__ = ["Overlap", "Rollout", "Rollouts", "make_rollouts"]


@dataclass(frozen=True)
class Rollout:
    """One rollout.

    Attributes:
        buffer: Full, with advantages; not so if nothing in it teaches.
        statistics: What happened in it.
    """

    buffer: RolloutBuffer
    statistics: RolloutStatistics


@dataclass(frozen=True)
class Overlap:
    """What playing while learning needs beside the parts of any run.

    Attributes:
        acting: The network of actor and finalizer, of the same kind as the one that learns; its weights follow.
        buffer: A second one; both lag.
        torch_threads: Of the thread that plays.
    """

    acting: PPOModel
    buffer: RolloutBuffer
    torch_threads: int


class Rollouts(Protocol):
    """Rollouts, one after another; a context manager, which nothing is asked of after its end."""

    @property
    def waiting(self) -> bool:
        """Whether the next rollout has been played already; it is part of the run then, and no checkpoint knows it."""
        ...

    def take(self, progress: float) -> Rollout:
        """The next rollout; what the one before held is lost soon after.

        Args:
            progress: The part of the training that is over, in [0, 1].
        """
        ...

    def learning(self, progress: float | None) -> AbstractContextManager[None]:
        """Around the learning from the rollout that was taken last.

        Args:
            progress: The part of the training that will be over after it, if the next rollout may be played meanwhile;
                None if it may not.
        """
        ...

    def figures(self) -> dict[str, float]:
        """Of the last update, by tag."""
        ...

    def state_dict(self) -> dict[str, Any]:
        """Everything but the parts with which it was made; while no rollout is waiting."""
        ...

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Takes up where `state_dict` stood."""
        ...

    def __enter__(self) -> Self:
        """Begins."""
        ...

    def __exit__(self, *_: object) -> None:
        """Ends."""
        ...


class _InTurn:
    """Plays a rollout when it is asked for, with the weights as they are then; see `Rollouts`.

    Args:
        actor: Plays, with the weights that learn.
        finalizer: Of the same weights.
        buffer: Holds one rollout.
    """

    waiting = False

    def __init__(self, actor: PPOActor, finalizer: RolloutFinalizer, buffer: RolloutBuffer) -> None:
        self._actor = actor
        self._finalizer = finalizer
        self._buffer = buffer

    def take(self, progress: float) -> Rollout:
        """See `Rollouts.take`."""
        return _play(self._actor, self._finalizer, self._buffer, progress)

    @contextmanager
    def learning(self, progress: float | None) -> Iterator[None]:  # noqa: ARG002  # the protocol's signature
        """See `Rollouts.learning`."""
        yield

    def figures(self) -> dict[str, float]:
        """None."""
        return {}

    def state_dict(self) -> dict[str, Any]:
        """Nothing."""
        return {}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Nothing to take up."""

    def __enter__(self) -> Self:
        """Nothing to begin."""
        return self

    def __exit__(self, *_: object) -> None:
        """Nothing to end."""


class _Overlapped:
    """Plays the next rollout in a thread of its own while the loop learns from the last; see `Rollouts`.

    Each rollout but the first is played by the weights from which the update before it began: one update behind those
    that learn from it, however long either takes. Whether the two really went on at once shows in nothing but the
    time, so that a run may stop, be saved and go on between any two updates.

    Args:
        learning: The weights that learn.
        actor: Plays, with the network of `overlap`.
        finalizer: Of the same network.
        buffer: One of the two.
        overlap: The rest.
    """

    def __init__(
        self,
        learning: PPOModel,
        actor: PPOActor,
        finalizer: RolloutFinalizer,
        buffer: RolloutBuffer,
        overlap: Overlap,
    ) -> None:
        self._learning = learning
        self._acting = overlap.acting
        self._actor = actor
        self._finalizer = finalizer
        self._free, self._in_use = buffer, overlap.buffer
        self._has_weights = False
        self._next: Future[Rollout] | None = None
        self._played = 0.0  # seconds that the last rollout took
        self._figures: dict[str, float] = {}
        # torch counts threads by calling thread. All is played in this one, alone or not: the numbers are the same.
        self._thread = ThreadPoolExecutor(1, "rollouts", torch.set_num_threads, (overlap.torch_threads,))

    @property
    def waiting(self) -> bool:
        """See `Rollouts.waiting`."""
        return self._next is not None

    def take(self, progress: float) -> Rollout:
        """See `Rollouts.take`."""
        if self._next is None:
            if not self._has_weights:
                self._hand_over()
            self._next = self._thread.submit(self._play, progress)
        begun, self._next = self._next, None
        rollout = begun.result()
        self._free, self._in_use = self._in_use, self._free
        return rollout

    @contextmanager
    def learning(self, progress: float | None) -> Iterator[None]:
        """See `Rollouts.learning`."""
        self._hand_over()
        self._figures = {}
        if progress is None:
            yield
            return
        begin = time.perf_counter()
        begun = self._next = self._thread.submit(self._play, progress)
        try:
            yield
        finally:
            learnt = time.perf_counter() - begin
            wait([begun])
        longer = max(learnt, self._played)
        self._figures = {
            "time/learner_waited": 1.0 - learnt / longer,
            "time/player_waited": 1.0 - self._played / longer,
        }

    def figures(self) -> dict[str, float]:
        """The shares of an update's time in which one of the two had nothing to do; none if they took turns."""
        return self._figures

    def state_dict(self) -> dict[str, Any]:
        """The weights that play next."""
        assert not self.waiting  # noqa: S101 - our own invariant: what is waiting could not be saved
        return {"acting": self._acting.state_dict()} if self._has_weights else {}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Takes up where `state_dict` stood."""
        if "acting" in state:
            self._acting.load_state_dict(state["acting"])
            self._has_weights = True

    def __enter__(self) -> Self:
        """Begins."""
        return self

    def __exit__(self, *_: object) -> None:
        """Waits for what is being played, and ends the thread."""
        self._thread.shutdown()

    def _hand_over(self) -> None:
        self._acting.load_state_dict(self._learning.state_dict())
        self._has_weights = True

    def _play(self, progress: float) -> Rollout:
        begin = time.perf_counter()
        try:
            return _play(self._actor, self._finalizer, self._free, progress)
        finally:
            self._played = time.perf_counter() - begin


def make_rollouts(
    trained: TrainedParts, finalizer: RolloutFinalizer, buffer: RolloutBuffer, overlap: Overlap | None
) -> Rollouts:
    """One of the two kinds; `overlap` decides."""
    if overlap is None:
        return _InTurn(trained.actor, finalizer, buffer)
    return _Overlapped(trained.model, trained.actor, finalizer, buffer, overlap)


def _play(actor: PPOActor, finalizer: RolloutFinalizer, buffer: RolloutBuffer, progress: float) -> Rollout:
    statistics = actor.collect(buffer, progress)
    if statistics.trainable_cells:
        finalizer.finalize(buffer, actor.observations, actor.states)
    return Rollout(buffer, statistics)
