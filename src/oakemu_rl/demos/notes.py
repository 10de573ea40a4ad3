# SPDX-License-Identifier: GPL-3.0-or-later
"""Notes of an episode, of which a recording is made if it is wanted."""

from dataclasses import dataclass

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
        shown_steps: How many of those, from the first on, are a recording's.
        markers: Moments with a name: the steps played before each, and the name.
        held: Keys in the frames of the first steps, (F, 9), where those are a person's, which change within steps.
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
    shown_steps: int = 0
    markers: tuple[tuple[int, str], ...] = ()
    held: NDArray[np.uint8] | None = None

    def as_demo(self, game: Game, options: EnvOptions) -> Demo:
        """The recording; it takes as long as playing the episode on one machine.

        Args:
            game: What was played.
            options: Those of the environments that played it.
        """
        recorder = DemoRecorder(game, options, self.start, seed=self.seed)
        by_hand = np.zeros((0, 9), np.uint8) if self.held is None else self.held
        names: dict[int, list[str]] = {}
        for step, name in self.markers:
            names.setdefault(step, []).append(name)
        for step, (action, frames) in enumerate(zip(self.actions.tolist(), self.step_frames.tolist(), strict=True), 1):
            if recorder.frames < len(by_hand):
                recorder.add_held_step(action, by_hand[recorder.frames : recorder.frames + frames])
            else:
                recorder.add_step(action, frames)
            for name in names.get(step, ()):
                recorder.mark(name)
        return recorder.finish(self.outcome, self.episode_return)
