# SPDX-License-Identifier: GPL-3.0-or-later
"""What collecting a rollout reports."""

from dataclasses import dataclass

from oakemu_rl.ppo.episodes import EpisodeRecord

__all__ = ["RolloutStatistics"]


@dataclass(frozen=True)
class RolloutStatistics:
    """One rollout in figures.

    Attributes:
        episodes: Those that ended, in the order in which they did.
        env_steps: Agent steps taken, over all environments; steps that only started an episode do not count.
        trainable_cells: Steps from which the learner may learn.
        environment_seconds: Spent in the environments.
        inference_seconds: Spent in the network.
    """

    episodes: tuple[EpisodeRecord, ...]
    env_steps: int
    trainable_cells: int
    environment_seconds: float
    inference_seconds: float
