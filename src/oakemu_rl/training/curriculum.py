# SPDX-License-Identifier: GPL-3.0-or-later
"""The curriculum of a run, from its configuration."""

from collections.abc import Iterable

from oakemu_rl.curricula import (
    BackwardCurriculum,
    Course,
    Curriculum,
    HarvestingVectorEnv,
    RestartCurriculum,
    SelfImitation,
    SuccessMemory,
)
from oakemu_rl.demos import DemoSteps, RecordedVectorEnv
from oakemu_rl.envs import SpectrumEnv, SpectrumVectorEnv, StateBank
from oakemu_rl.errors import UserError
from oakemu_rl.games import Game
from oakemu_rl.imitation import Cloner, CloningConfiguration
from oakemu_rl.ppo import PPOModel
from oakemu_rl.ppo.schedule import highest_value
from oakemu_rl.ppo.seeding import derive_generator
from oakemu_rl.training.configuration import PPOExperimentConfiguration
from oakemu_rl.training.imitation_parts import Storage

__all__ = ["harvested", "make_curriculum", "self_imitation"]

_SELF_IMITATION_STREAM = (5, 1)


def make_curriculum(
    configuration: PPOExperimentConfiguration, game: Game, recordings: Iterable[DemoSteps]
) -> Curriculum:
    """The curriculum that a run asks for.

    Args:
        configuration: The run's.
        game: The game that it names.
        recordings: What there is to learn, as its environments play it.

    Raises:
        UserError: The game has no such variable.
    """
    settings = configuration.curriculum
    courses = [
        Course.divided(steps.states, steps.game_rewards, steps.variables, settings.divide, opens=steps.opens)
        for steps in recordings
    ]
    keeper = StateBank(SpectrumEnv(game, **configuration.env.as_kwargs()))
    if settings.rule != "restarts":
        return BackwardCurriculum(courses, settings, seed=configuration.seed, keeper=keeper)
    restarts = RestartCurriculum(settings, seed=configuration.seed, keeper=keeper)
    for course in courses:
        for leg in course.legs[1:]:
            restarts.arrived(int(leg.value or 0), course.states[leg.first])
    return restarts


def harvested(
    env: SpectrumVectorEnv | RecordedVectorEnv, curriculum: Curriculum, divide: str | None
) -> SpectrumVectorEnv | RecordedVectorEnv | HarvestingVectorEnv:
    """The environments, from which the curriculum learns how the agent comes to the beginnings of its legs.

    Recorded ones remember the ways there, so that what begins at a leg can be told from the beginning of the game on.
    """
    if divide is None:
        return env

    def arrived(i: int, value: int, state: bytes) -> None:
        if isinstance(env, RecordedVectorEnv):
            env.remember(i, value, state, f"{divide} {value}")
        curriculum.arrived(value, state)

    return HarvestingVectorEnv(env, divide, env.game.variable_names, arrived)


def self_imitation(
    configuration: PPOExperimentConfiguration, curriculum: Curriculum, storage: Storage, model: PPOModel
) -> SelfImitation | None:
    """What clones the successes that the curriculum tells of; None if the configuration does not ask for it.

    Raises:
        UserError: The network remembers: single steps say nothing to it.
    """
    settings = configuration.curriculum
    if highest_value(settings.imitate) == 0.0:
        return None
    if model.state_size:
        raise UserError("curriculum.imitate: self-imitation clones single steps, which takes a network without memory")
    cloning = CloningConfiguration(lr=settings.imitate_lr, batch_size=settings.imitate_batch_size)
    companion = SelfImitation(
        Cloner(model, cloning, mixed_precision=configuration.ppo.mixed_precision),
        SuccessMemory(settings.imitate_memory, storage.shape, storage.dtype),
        num_envs=configuration.num_envs,
        weight=settings.imitate,
        steps=settings.imitate_steps,
        batch_size=settings.imitate_batch_size,
        generator=derive_generator(configuration.seed, *_SELF_IMITATION_STREAM),
    )
    curriculum.on_result = companion.note
    return companion
