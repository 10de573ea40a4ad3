# SPDX-License-Identifier: GPL-3.0-or-later
"""From a configuration to the parts of a run."""

import os
import platform
from collections.abc import Callable, Mapping
from copy import deepcopy
from typing import Any

import numpy as np
import torch
from gymnasium.spaces import Discrete
from gymnasium.vector import AutoresetMode

from oakemu_rl import __version__
from oakemu_rl.curricula import Curriculum, HarvestingVectorEnv
from oakemu_rl.demos import RecordedRoute, RecordedVectorEnv
from oakemu_rl.envs import SpectrumVectorEnv
from oakemu_rl.errors import UserError
from oakemu_rl.evaluation.result import EvaluationResult
from oakemu_rl.evaluation.tester import Tester, episode_seeds, make_episode_env
from oakemu_rl.games import Game
from oakemu_rl.games.identity import describe_game
from oakemu_rl.ppo import (
    EpisodeDirector,
    PPOActor,
    PPOLearner,
    PPOModel,
    PPOModelConfiguration,
    RolloutBuffer,
    RolloutFinalizer,
)
from oakemu_rl.ppo.env_contract import form_of, storage_of
from oakemu_rl.ppo.observation_parts import ObservationForm, ObservationParts
from oakemu_rl.ppo.schedule import highest_value
from oakemu_rl.ppo.seeding import derive_seed
from oakemu_rl.training.companion import Companion
from oakemu_rl.training.configuration import PPOExperimentConfiguration
from oakemu_rl.training.curriculum import harvested, make_curriculum, self_imitation
from oakemu_rl.training.device import choose_device
from oakemu_rl.training.episode_archive import EpisodeArchive
from oakemu_rl.training.experiment import ExperimentParts
from oakemu_rl.training.imitation_parts import Storage, imitation_companion
from oakemu_rl.training.mix import MixDirector, Recording
from oakemu_rl.training.recordings import play_recordings
from oakemu_rl.training.rollouts import Overlap
from oakemu_rl.training.run_state import TrainedParts
from oakemu_rl.training.shaping import ShapedVectorEnv
from oakemu_rl.training.threads import share_threads
from oakemu_rl.training.warm_start import begin_with

__all__ = ["assemble", "build_model", "describe_form", "describe_run", "first_model", "form_described", "shapes_of"]

_WEIGHTS_STREAM = (3, 0)


def assemble(configuration: PPOExperimentConfiguration, game: Game, *, resumed: bool = False) -> ExperimentParts:
    """Makes everything that a run needs; nothing is written and nothing is stepped yet.

    Args:
        configuration: The run's.
        game: The game that it names.
        resumed: Whether the weights will come from a checkpoint, so that `initial` is left aside.

    Raises:
        UserError: Some settings do not go together: environment options, network and picture, device; or a recording or
            initial weights do not fit, or nothing would learn from the recordings.
    """
    _check_use_of_recordings(configuration)
    threads = share_threads(configuration, torch.get_num_threads(), choose_device(configuration.device).type)
    torch.set_num_threads(threads.learning)
    ppo, seed = configuration.ppo, configuration.seed
    options = configuration.env.as_kwargs()
    curriculum, recordings = None, []
    if configuration.curriculum.is_on:
        recordings = [*play_recordings(configuration.demos, game, configuration.env)]
        curriculum = make_curriculum(configuration, game, recordings)
    director = _director(configuration, game, curriculum)
    given_starts = director is not None and director.needs_starts
    env = SpectrumVectorEnv(
        game,
        configuration.num_envs,
        num_threads=threads.games,
        # Neither loses a step on resets. Where starts are given, the actor begins the episodes.
        autoreset_mode=AutoresetMode.DISABLED if given_starts else AutoresetMode.SAME_STEP,
        episode_stats=True,
        copy=False,  # the actor copies what it keeps
        **options,
    )
    num_actions = shapes_of(env)[1]
    shape, dtype = storage_of(env.single_observation_space)
    model = first_model(configuration, env, resumed=resumed)
    companions = _companions(configuration, game, Storage(shape, dtype), model, curriculum)
    archive = None
    if configuration.keep_demos:
        archive = EpisodeArchive(configuration.keep_demos, env, ways=configuration.curriculum.pool_size)
        for steps in recordings:
            archive.add_route(RecordedRoute.of(steps, configuration.curriculum.divide))
    played = _wrapped(env if archive is None else archive.env, configuration, game, curriculum)
    acting = deepcopy(model) if configuration.overlap else model
    actor = PPOActor(
        played,
        acting,
        gamma=ppo.gamma,
        seed=seed,
        mixed_precision=ppo.mixed_precision,
        masked=game.has_masks,
        director=director,
    )
    finalizer = RolloutFinalizer(
        acting, gamma=ppo.gamma, gae_lambda=ppo.gae_lambda, mixed_precision=ppo.mixed_precision
    )

    def make_buffer() -> RolloutBuffer:
        return RolloutBuffer(
            ppo.rollout_length,
            configuration.num_envs,
            shape,
            dtype,
            masked_actions=num_actions if game.has_masks else None,
            state_size=model.state_size,
            lagging=configuration.overlap,
        )

    return ExperimentParts(
        trained=TrainedParts(played, model, actor, PPOLearner(model, ppo, seed=seed, halves=threads.halves)),
        finalizer=finalizer,
        rollout_buffer=make_buffer(),
        evaluate=_judge(configuration, game) if configuration.eval_every else None,
        description=describe_run(configuration, game, env),
        companions=companions,
        archive=archive,
        overlap=Overlap(acting, make_buffer(), threads.playing) if configuration.overlap else None,
    )


def _check_use_of_recordings(configuration: PPOExperimentConfiguration) -> None:
    """Refuses recordings of which nothing would be learnt.

    Raises:
        UserError: There are some, and no setting that uses them.
    """
    uses = configuration.curriculum.is_on or configuration.episodes.replays
    # The settings of a clone name what it was cloned from.
    goes_on = configuration.initial is not None
    if configuration.demos and not (uses or goes_on) and highest_value(configuration.imitation.bc_weight) == 0.0:
        raise UserError(
            "--demos: nothing learns from the recordings; say how by --curriculum.rule, --imitation.bc-weight or "
            "--episodes.replay"
        )


def first_model(
    configuration: PPOExperimentConfiguration, env: SpectrumVectorEnv, *, resumed: bool = False
) -> PPOModel:
    """The network as a run begins with it, on its device.

    Args:
        configuration: The run's.
        env: What it is to see, and to do.
        resumed: Leaves `initial` aside.

    Raises:
        UserError: Network and picture, or network and initial weights, do not fit; or there is no such device.
    """
    form, num_actions = shapes_of(env)
    torch.manual_seed(derive_seed(configuration.seed, *_WEIGHTS_STREAM))
    model = build_model(form, num_actions, configuration.model).to(choose_device(configuration.device))
    if configuration.initial is not None and not resumed:
        begin_with(model, configuration.initial, _describe_space(env), env.get_action_meanings())
    return model


def describe_run(configuration: PPOExperimentConfiguration, game: Game, env: SpectrumVectorEnv) -> dict[str, Any]:
    """What every checkpoint of a run says: game, actions, observations, settings, and what it was made with."""
    return {
        "game": {"name": configuration.game, **describe_game(game), "actions": env.get_action_meanings()},
        "observation": _describe_space(env),
        "configuration": configuration.model_dump(mode="json"),
        "system": {
            "oakemu_rl": __version__,
            "torch": torch.__version__,
            "python": platform.python_version(),
            "machine": platform.machine(),
            "processors": os.cpu_count(),
        },
    }


def _director(
    configuration: PPOExperimentConfiguration, game: Game, curriculum: Curriculum | None
) -> EpisodeDirector | None:
    """Who says how episodes go; None where the policy plays and learns everywhere, which then costs nothing."""
    settings = configuration.episodes
    if settings.is_plain:
        return curriculum
    demos = configuration.demos if settings.replays else ()
    recordings = [
        Recording(steps.actions, steps.states[0])
        for steps in play_recordings(demos, game, configuration.env, exact=True)
    ]
    return MixDirector(settings, recordings, seed=configuration.seed, curriculum=curriculum)


def _companions(
    configuration: PPOExperimentConfiguration,
    game: Game,
    storage: Storage,
    model: PPOModel,
    curriculum: Curriculum | None,
) -> tuple[Companion, ...]:
    """What learns beside PPO: from recordings first, then from the agent's own successes."""
    found: list[Companion | None] = [imitation_companion(configuration, game, storage, model)]
    if curriculum is not None:
        found.append(self_imitation(configuration, curriculum, storage, model))
    return tuple(companion for companion in found if companion is not None)


def _wrapped(
    env: SpectrumVectorEnv | RecordedVectorEnv,
    configuration: PPOExperimentConfiguration,
    game: Game,
    curriculum: Curriculum | None,
) -> SpectrumVectorEnv | RecordedVectorEnv | ShapedVectorEnv | HarvestingVectorEnv:
    """The environments with the rewards that the learner is to see, and with what a curriculum catches there."""
    caught = env if curriculum is None else harvested(env, curriculum, configuration.curriculum.divide)
    if configuration.shaping.variable is None:
        return caught
    return ShapedVectorEnv(caught, configuration.shaping, configuration.ppo.gamma, game.variable_names)


def build_model(form: ObservationForm, num_actions: int, configuration: PPOModelConfiguration) -> PPOModel:
    """The network; what its configuration says of pictures is left aside where observations are plain rows of numbers.

    Raises:
        UserError: It does not fit the observations, for example with a kernel larger than its input.
    """
    if isinstance(form, tuple) and len(form) == 1:
        configuration = configuration.model_copy(update={"network": "conv", "conv_filters": []})
    try:
        return PPOModel(form, num_actions, configuration)
    except ValueError as error:
        raise UserError(f"model: {error}") from error


def shapes_of(env: SpectrumVectorEnv) -> tuple[ObservationForm, int]:
    """The form of one observation, and the number of actions.

    Raises:
        UserError: Actions are bits.
    """
    form, actions = form_of(env.single_observation_space), env.single_action_space
    if not isinstance(actions, Discrete):
        raise UserError(f"action_type={env.options.action_type!r}: training learns discrete actions only")
    return form, int(actions.n)


def describe_form(form: ObservationForm, dtype: np.dtype[Any]) -> dict[str, Any]:
    """What a checkpoint says about observations; see `form_described`."""
    if isinstance(form, ObservationParts):
        return {"parts": form.as_plain()}
    return {"shape": list(form), "dtype": dtype.name}


def _describe_space(env: SpectrumVectorEnv) -> dict[str, Any]:
    return describe_form(form_of(env.single_observation_space), storage_of(env.single_observation_space)[1])


def form_described(plain: Mapping[str, Any]) -> tuple[ObservationForm, np.dtype[Any]]:
    """The form and the type of one observation, from `describe_form`.

    Raises:
        KeyError, TypeError, ValueError: It is no such description.
    """
    if "parts" in plain:
        parts = ObservationParts.of_plain(plain["parts"])
        return parts, parts.dtype
    return tuple(plain["shape"]), np.dtype(plain["dtype"])


def _judge(configuration: PPOExperimentConfiguration, game: Game) -> Callable[[PPOModel], EvaluationResult]:
    """Plays the same seeded episodes each time, so that two evaluations differ by the weights alone."""
    options = configuration.env.as_evaluation_kwargs()
    tester = Tester(
        lambda num_envs: make_episode_env(game, num_envs, options, configuration.num_threads),
        variables=game.variable_names,
    )
    seeds = episode_seeds(configuration.seed, configuration.eval_episodes)
    return lambda model: tester.run(model, seeds)
