# SPDX-License-Identifier: GPL-3.0-or-later
"""What collecting a rollout reports."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from oakemu_rl.ppo.episodes import EpisodeRecord

__all__ = ["RolloutStatistics"]


@dataclass(frozen=True)
class RolloutStatistics:
    """One rollout in figures.

    Attributes:
        episodes: Those that ended, in the order in which they did.
        env_steps: Agent steps taken, over all environments; steps that only started an episode do not count.
        trainable_cells: Steps from which the learner may learn; 0 where the rollout was given up, because nothing was
            taught for as many steps as it has rows: there is nothing to finalize and to update then.
        environment_seconds: Spent in the environments.
        inference_seconds: Spent in the network.
        figures: The director's, by tag.
    """

    episodes: tuple[EpisodeRecord, ...]
    env_steps: int
    trainable_cells: int
    environment_seconds: float
    inference_seconds: float
    figures: Mapping[str, float] = field(default_factory=dict)
