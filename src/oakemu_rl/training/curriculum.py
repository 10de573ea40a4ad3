# SPDX-License-Identifier: GPL-3.0-or-later
"""The curriculum of a run, from its configuration."""

from oakemu_rl.curricula import BackwardCurriculum, Course, HarvestingVectorEnv
from oakemu_rl.envs import SpectrumVectorEnv
from oakemu_rl.games import Game
from oakemu_rl.training.configuration import PPOExperimentConfiguration
from oakemu_rl.training.recordings import play_recordings

__all__ = ["harvested", "make_curriculum"]


def make_curriculum(configuration: PPOExperimentConfiguration, game: Game) -> BackwardCurriculum:
    """The backward curriculum over the first of the run's recordings.

    Raises:
        UserError: The recording cannot be played in the run's environments, or the game has no such variable.
    """
    settings = configuration.curriculum
    (steps,) = play_recordings(configuration.demos[:1], game, configuration.env)
    course = Course.divided(steps.states, steps.rewards, steps.variables, settings.divide)
    return BackwardCurriculum(course, settings, seed=configuration.seed)


def harvested(
    env: SpectrumVectorEnv, curriculum: BackwardCurriculum, divide: str | None
) -> SpectrumVectorEnv | HarvestingVectorEnv:
    """The environments, from which the curriculum learns how the agent comes to the beginnings of its legs."""
    if divide is None:
        return env
    return HarvestingVectorEnv(env, divide, env.game.variable_names, curriculum.arrived)
