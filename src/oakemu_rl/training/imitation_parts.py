# SPDX-License-Identifier: GPL-3.0-or-later
"""From recordings and a configuration to the parts that imitate."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oakemu_rl.demos import load_demo
from oakemu_rl.errors import UserError, nearest
from oakemu_rl.games import Game
from oakemu_rl.imitation import (
    Cloner,
    CloningConfiguration,
    CloningDataset,
    CriticCalibration,
    Focus,
    ImitationCompanion,
    make_sampler,
)
from oakemu_rl.ppo import PPOModel
from oakemu_rl.ppo.observation_parts import Observations
from oakemu_rl.ppo.schedule import highest_value
from oakemu_rl.ppo.seeding import derive_generator
from oakemu_rl.training.configuration import EnvironmentOptions, PPOExperimentConfiguration
from oakemu_rl.training.recordings import play_recordings

__all__ = ["Storage", "WatchedEpisode", "dataset_of", "find_focuses", "imitation_companion", "watch_recordings"]

_CRITIC_STREAM, _SAMPLER_STREAM = (6, 0), (6, 1)
# What ends an episode of training early would end a recording, too, of which all is worth seeing.
_NO_LIMITS = {"episodic_life": False, "max_episode_steps": 0, "max_num_frames_per_episode": 0, "stall_steps": 0}


@dataclass(frozen=True)
class Storage:
    """How buffers keep one observation (`env_contract.storage_of`).

    Attributes:
        shape: Its shape.
        dtype: Its type.
    """

    shape: tuple[int, ...]
    dtype: np.dtype[Any]


@dataclass(frozen=True)
class WatchedEpisode:
    """What is learnt of a recording; see `RecordedEpisode`."""

    observations: Observations
    actions: NDArray[np.int64]


def watch_recordings(demos: Sequence[Path], game: Game, options: EnvironmentOptions) -> list[WatchedEpisode]:
    """Recordings as a network sees them in environments with these options, whatever would end their episodes early.

    Raises:
        UserError: As `play_recordings`.
    """
    unlimited = options.model_copy(update=_NO_LIMITS)
    return [WatchedEpisode(steps.observations, steps.actions) for steps in play_recordings(demos, game, unlimited)]


def dataset_of(
    episodes: Sequence[WatchedEpisode], storage: Storage, model: PPOModel, batch_size: int
) -> CloningDataset:
    """Recordings as one dataset for a network.

    Raises:
        UserError: There are fewer steps than a batch has.
    """
    dataset = CloningDataset(
        episodes,
        observation_shape=storage.shape,
        observation_dtype=storage.dtype,
        num_actions=model.action_shape,
        state_size=model.state_size,
    )
    if len(dataset) < batch_size:
        raise UserError(
            f"the recordings have {len(dataset)} steps to learn from, fewer than a batch of {batch_size}: "
            "give more of them, or a smaller batch_size"
        )
    return dataset


def find_focuses(demos: Sequence[Path], configuration: CloningConfiguration) -> list[Focus]:
    """Where in the recordings the configured markers and steps are.

    Args:
        demos: The recordings.
        configuration: Names what is looked for.

    Raises:
        UserError: One is in none of the recordings; names the nearest.
    """
    if not configuration.focus:
        return []
    found: list[Focus] = []
    missing, known = set(configuration.focus), set()
    for episode, path in enumerate(demos):
        demo = load_demo(path)
        ends = demo.step_ends
        steps = np.searchsorted(ends[:-1], [frame for frame, _ in demo.markers], side="right") - 1
        moments = list(zip(steps.tolist(), [name for _, name in demo.markers], strict=True))
        moments += [(int(name), name) for name in configuration.focus if name.isdecimal() and int(name) < len(ends) - 1]
        known |= {name for _, name in demo.markers}
        for step, name in moments:
            if name in configuration.focus:
                missing.discard(name)
                found.append(Focus(episode, step - configuration.focus_before, step + configuration.focus_after + 1))
    if missing:
        name = min(missing)
        offer = f"; there are {', '.join(sorted(known))}" if known else "; they have none"
        raise UserError(f"focus: no recording has a marker or a step {name!r}{nearest(name, known)}{offer}")
    return found


def imitation_companion(
    configuration: PPOExperimentConfiguration, game: Game, storage: Storage, model: PPOModel
) -> ImitationCompanion | None:
    """What clones and calibrates beside PPO; None if the configuration does not ask for it.

    Raises:
        UserError: A recording cannot be used.
    """
    settings, ppo, seed = configuration.imitation, configuration.ppo, configuration.seed
    if not settings.is_on:
        return None
    critic = CriticCalibration(
        model,
        settings,
        num_minibatches=ppo.num_minibatches,
        mixed_precision=ppo.mixed_precision,
        generator=derive_generator(seed, *_CRITIC_STREAM),
    )
    if highest_value(settings.bc_weight) == 0.0:
        return ImitationCompanion(settings, critic)
    episodes = watch_recordings(configuration.demos, game, configuration.env)
    dataset = dataset_of(episodes, storage, model, settings.batch_size)
    weights = dataset.class_weights(settings.class_weights)
    cloner = Cloner(model, settings, class_weights=weights, mixed_precision=ppo.mixed_precision)
    focuses = find_focuses(configuration.demos, settings)
    sampler = make_sampler(dataset, settings, focuses, derive_generator(seed, *_SAMPLER_STREAM))
    return ImitationCompanion(settings, critic, cloner, dataset, sampler)
