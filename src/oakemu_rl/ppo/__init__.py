# SPDX-License-Identifier: GPL-3.0-or-later
"""Proximal policy optimisation: the parts, each finished and testable alone.

One round of training is::

    statistics = actor.collect(rollout_buffer, progress)
    finalizer.finalize(rollout_buffer, actor.observations, actor.states)
    metrics = learner.update(rollout_buffer, progress)
"""

from oakemu_rl.ppo.action_bundle import PPOActionBundle
from oakemu_rl.ppo.actor import PPOActor
from oakemu_rl.ppo.configuration import MixedPrecision, PPOConfiguration
from oakemu_rl.ppo.episode_plan import EpisodeDirector, EpisodePlan
from oakemu_rl.ppo.episodes import EpisodeRecord, Outcome
from oakemu_rl.ppo.errors import NonFiniteError, RolloutBufferError
from oakemu_rl.ppo.learner import PPOLearner
from oakemu_rl.ppo.minibatch import RolloutMinibatch
from oakemu_rl.ppo.model import PPOModel
from oakemu_rl.ppo.model_configuration import PPOModelConfiguration
from oakemu_rl.ppo.rollout_buffer import RolloutBuffer
from oakemu_rl.ppo.rollout_finalizer import RolloutFinalizer
from oakemu_rl.ppo.rollout_statistics import RolloutStatistics
from oakemu_rl.ppo.route import Route
from oakemu_rl.ppo.schedule import Schedule, schedule_value
from oakemu_rl.ppo.step_buffers import PPOActorStepBuffers

__all__ = [
    "EpisodeDirector",
    "EpisodePlan",
    "EpisodeRecord",
    "MixedPrecision",
    "NonFiniteError",
    "Outcome",
    "PPOActionBundle",
    "PPOActor",
    "PPOActorStepBuffers",
    "PPOConfiguration",
    "PPOLearner",
    "PPOModel",
    "PPOModelConfiguration",
    "RolloutBuffer",
    "RolloutBufferError",
    "RolloutFinalizer",
    "RolloutMinibatch",
    "RolloutStatistics",
    "Route",
    "Schedule",
    "schedule_value",
]
