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
        learning: Of torch, where weights are learnt.
    """

    games: int | None
    playing: int
    learning: int


def share_threads(configuration: PPOExperimentConfiguration, processors: int) -> ThreadShares:
    """Every part gets what the configuration says. What it leaves open depends on whether they work at once.

    In turn, each may take all processors. At once, games and the choice of actions, which take turns, share a third of
    them, and the rest is for learning.

    Args:
        configuration: The run's.
        processors: That torch would use by itself.
    """
    if not configuration.overlap:
        learning = configuration.torch_threads or processors
        return ThreadShares(configuration.num_threads, learning, learning)
    playing = configuration.num_threads or max(1, processors // 3)
    return ThreadShares(playing, playing, configuration.torch_threads or max(1, processors - playing))
