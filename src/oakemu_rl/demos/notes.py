# SPDX-License-Identifier: GPL-3.0-or-later
"""Notes of an episode, of which a recording is made if it is wanted."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from oakemu_rl.demos.demo import Demo
from oakemu_rl.demos.recorder import DemoRecorder
from oakemu_rl.envs import EnvOptions
from oakemu_rl.games import Game

__all__ = ["EpisodeNotes"]


@dataclass(frozen=True, eq=False)
class EpisodeNotes:
    """All that a recording of an episode needs.

    Attributes:
        env_id: Which environment played it.
        seed: Which it was given at the reset; None if its stream went on.
        start: The machine at the beginning, as `Spectrum.save_state` gives it.
        actions: What was played, (S,).
        step_frames: For how many frames, (S,).
        outcome: How it ended; ``"truncated"`` also where it was broken off from outside.
        episode_return: The environment's own rewards since the beginning.
        whole: Whether it begins at an episode's beginning, and not in a saved state of one.
        steps_before: The first steps, if any, that led to the saved state in which this episode began: those of other
            episodes, by other environments.
        markers: Moments with a name: the steps played before each, and the name.
    """

    env_id: int
    seed: int | None
    start: bytes
    actions: NDArray[np.int64]
    step_frames: NDArray[np.int64]
    outcome: str
    episode_return: float
    whole: bool = True
    steps_before: int = 0
    markers: tuple[tuple[int, str], ...] = ()

    def after(self, before: "EpisodeNotes") -> "EpisodeNotes":
        """The same with all that had been played before the state in which it began.

        Args:
            before: Notes that end in that state.
        """
        return replace(
            self,
            seed=before.seed,
            start=before.start,
            actions=np.concatenate([before.actions, self.actions]),
            step_frames=np.concatenate([before.step_frames, self.step_frames]),
            episode_return=before.episode_return + self.episode_return,
            whole=before.whole,
            steps_before=len(before.actions),
            markers=before.markers + tuple((step + len(before.actions), name) for step, name in self.markers),
        )

    def as_demo(self, game: Game, options: EnvOptions) -> Demo:
        """The recording; it takes as long as playing the episode on one machine.

        Args:
            game: What was played.
            options: Those of the environments that played it.
        """
        recorder = DemoRecorder(game, options, self.start, seed=self.seed)
        names: dict[int, list[str]] = {}
        for step, name in self.markers:
            names.setdefault(step, []).append(name)
        for step, (action, frames) in enumerate(zip(self.actions.tolist(), self.step_frames.tolist(), strict=True), 1):
            recorder.add_step(action, frames)
            for name in names.get(step, ()):
                recorder.mark(name)
        return recorder.finish(self.outcome, self.episode_return)
