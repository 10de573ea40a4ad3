# SPDX-License-Identifier: GPL-3.0-or-later
"""What is to be seen of a game at one moment, wherever it comes from."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from oakemu_rl.envs import SpectrumEnv
from oakemu_rl.games import Game

__all__ = ["Chooser", "Glance", "glance_of", "glances_of"]

Chooser = Callable[[Any, Mapping[str, Any]], int]
"""Chooses an action by an observation and the info that came with it."""

_PART = "reward/"


@dataclass(frozen=True, slots=True)
class Glance:
    """A game after a step."""

    frame: int
    """Frames since watching began."""
    variables: Mapping[str, int]
    """Every variable that is reported, by name."""
    reward: float
    """Of the step, not clipped."""
    parts: Mapping[str, float]
    """The named parts of it."""
    outcome: str
    """``running``, ``win``, ``loss``, ``truncated`` or ``life_lost``."""
    begins: bool = False
    """Whether an episode begins here: there was no step."""


def glance_of(game: Game, info: Mapping[str, Any], *, frame: int, reward: float, begins: bool = False) -> Glance:
    """What an environment's ``info`` says.

    Args:
        game: The game.
        info: After a step or a reset.
        frame: Frames since watching began.
        reward: Of the step.
        begins: Whether it was a reset.
    """
    parts = {key.removeprefix(_PART): float(value) for key, value in info.items() if key.startswith(_PART)}
    variables = {name: int(info[name]) for name in game.variable_names}
    return Glance(frame, variables, reward, parts, str(info["outcome"]), begins)


def glances_of(
    env: SpectrumEnv, choose: Chooser, seeds: Iterator[int], *, start: str | None = None
) -> Iterator[Glance]:
    """Plays episode after episode.

    Args:
        env: The environment.
        choose: Who plays.
        seeds: Of the episodes.
        start: The start state in which they begin; None for any.
    """
    options = None if start is None else {"start": start}
    frames_before = 0
    for seed in seeds:
        observation, info = env.reset(seed=seed, options=options)
        earlier = float(info["episode_return"])
        yield glance_of(env.game, info, frame=frames_before, reward=0.0, begins=True)
        ended = False
        while not ended:
            observation, _, terminated, truncated, info = env.step(choose(observation, info))
            ended = terminated or truncated
            # The return counts rewards as the game gives them, even where a run learns from clipped ones.
            total = float(info["episode_return"])
            frame = frames_before + int(info["episode_frame_number"])
            yield glance_of(env.game, info, frame=frame, reward=total - earlier)
            earlier = total
        frames_before += int(info["episode_frame_number"])
