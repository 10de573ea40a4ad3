# SPDX-License-Identifier: GPL-3.0-or-later
"""A recording as what leads to each of its states."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from oakemu_rl.demos.notes import EpisodeNotes
from oakemu_rl.demos.steps import DemoSteps

__all__ = ["RecordedRoute"]


@dataclass(frozen=True, eq=False)
class RecordedRoute:
    """A recording in whose states episodes begin.

    Attributes:
        states: Of the environment, before each of its S steps and after the last.
        notes: The recording as if an episode had been noted.
        rewards: What each step brought, in the game's own rewards, (S,).
    """

    states: Sequence[bytes]
    notes: EpisodeNotes
    rewards: NDArray[np.float64]

    @classmethod
    def of(cls, steps: DemoSteps, divide: str | None = None) -> Self:
        """From a recording that was played.

        Args:
            steps: What that told.
            divide: A variable of the game, whose changes are markers.
        """
        demo = steps.demo
        markers: tuple[tuple[int, str], ...] = ()
        if divide is not None:
            values = steps.variables[divide]
            changes = (np.flatnonzero(np.diff(values)) + 1).tolist()
            markers = tuple((step, f"{divide} {values[step]}") for step in changes)
        notes = EpisodeNotes(
            env_id=0,
            seed=demo.seed,
            start=demo.start,
            actions=steps.actions,
            step_frames=np.diff(demo.step_ends),
            outcome=steps.outcome,
            episode_return=float(steps.game_rewards.sum()),
            whole=steps.opens,
            shown_steps=len(steps.actions),
            markers=markers,
            held=None if steps.exact else demo.keys,
        )
        return cls(steps.states, notes, steps.game_rewards)
