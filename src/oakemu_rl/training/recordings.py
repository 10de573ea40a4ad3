# SPDX-License-Identifier: GPL-3.0-or-later
"""The recordings that a run learns from, as its own environments play them."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from oakemu_rl.demos import DemoSteps, demo_steps, load_demo
from oakemu_rl.errors import UserError
from oakemu_rl.games import Game
from oakemu_rl.training.configuration import EnvironmentOptions

__all__ = ["play_recordings"]


def play_recordings(
    demos: Sequence[Path], game: Game, options: EnvironmentOptions, *, exact: bool = False
) -> Iterator[DemoSteps]:
    """Plays recordings, one after another, so that no more than one is held.

    Args:
        demos: Their files, or names of games of which one ships.
        game: The run's.
        options: The run's; see `demo_steps` for what does not count.
        exact: Refuse those whose actions alone do not do what was recorded (`DemoSteps.exact`).

    Raises:
        UserError: One cannot be read, or is not of this game, or cannot be played in such environments, or is refused;
            names it.
    """
    for path in demos:
        demo = load_demo(path)
        try:
            steps = demo_steps(demo, game, options.as_kwargs())
        except UserError as error:
            raise UserError(f"{path}: {error}") from error
        if exact and not steps.exact:
            raise UserError(
                f"{path}: the person's keys change within the agent's steps, so that its actions cannot be replayed; "
                "such a recording can be imitated, and learnt backward"
            )
        yield steps
