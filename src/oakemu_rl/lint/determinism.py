# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether the same seed plays the same episode, on any number of threads, and another seed another one."""

import hashlib
from collections.abc import Sequence

import numpy as np

from oakemu_rl.envs import SpectrumVectorEnv
from oakemu_rl.games import Game

__all__ = ["play_hashes"]


def play_hashes(game: Game, *, seeds: Sequence[int], steps: int, num_threads: int, random: bool = True) -> list[str]:
    """Plays an episode for each seed with actions that depend on nothing else; returns a hash of all that happened.

    Args:
        game: The game.
        seeds: The seeds of the episodes.
        steps: How many steps.
        num_threads: Threads.
        random: Take random actions, the same for every seed; otherwise nothing is ever held.
    """
    env = SpectrumVectorEnv(game, len(seeds), num_threads=num_threads)
    hashes = [hashlib.sha256() for _ in seeds]
    rng = np.random.default_rng(0)
    names = env.get_action_meanings()
    try:
        env.reset(seed=list(seeds))
        for _ in range(steps):
            action = int(rng.integers(len(names))) if random else game.definition.noop_action
            _, rewards, terminated, truncated, _ = env.step(np.full(len(seeds), action))
            for i, each in enumerate(hashes):
                each.update(np.array([rewards[i], terminated[i], truncated[i]]).tobytes() + env.get_ram(i).tobytes())
        return [each.hexdigest() for each in hashes]
    finally:
        env.close()
