# SPDX-License-Identifier: GPL-3.0-or-later
"""Who computes on how many threads."""

from dataclasses import dataclass

from oakemu_rl.training.configuration import PPOExperimentConfiguration

__all__ = ["ThreadShares", "share_threads"]


@dataclass(frozen=True)
class ThreadShares:
    """Threads of the parts of a run.

    Attributes:
        games: Of the emulation; None is one a processor.
        playing: Of torch, where actions are chosen.
        learning: Of torch, where weights are learnt; with `halves`, of each half.
        halves: Whether the learner computes minibatches in two halves at once.
    """

    games: int | None
    playing: int
    learning: int
    halves: bool


def share_threads(configuration: PPOExperimentConfiguration, processors: int, device: str) -> ThreadShares:
    """Every part gets what the configuration says. What it leaves open depends on whether they work at once.

    In turn, each may take all processors. At once, games and the choice of actions, which take turns, share a third of
    them, and the rest is for learning. Where several threads learn, they are half of them on either half of each
    minibatch, if the network allows it.

    Args:
        configuration: The run's.
        processors: That torch would use by itself.
        device: Where the network computes: ``cpu``, ``cuda``, ...
    """
    games, learning = configuration.num_threads, configuration.torch_threads or processors
    if configuration.overlap:
        games = games or max(1, processors // 3)
        learning = configuration.torch_threads or max(1, processors - games)
    plain = configuration.model.recurrent == "none" and not configuration.ppo.torch_compile
    halves = device == "cpu" and learning > 1 and plain
    if halves:
        learning //= 2
    playing = games if configuration.overlap and games else learning
    return ThreadShares(games, playing, learning, halves)
