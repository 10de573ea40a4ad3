# SPDX-License-Identifier: GPL-3.0-or-later
"""Recordings as a Minari dataset, the format in which offline learning exchanges episodes.

Beside Minari's own files, the dataset's folder gets the recordings themselves (``recordings/episode_0.demo``), so that
what Minari has no place for (the machine at the start, keys that change within steps) comes back with them.
"""

import warnings
from collections.abc import Mapping, Sequence
from copy import deepcopy
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np

from oakemu_rl.demos.demo import Demo
from oakemu_rl.demos.files import save_demo
from oakemu_rl.demos.finding import SUFFIX
from oakemu_rl.demos.steps import DemoSteps, demo_steps
from oakemu_rl.envs import SpectrumEnv
from oakemu_rl.errors import UserError
from oakemu_rl.games import Game

__all__ = ["RECORDINGS", "export_minari", "recording_of"]

RECORDINGS = "recordings"
"""The folder of the recordings inside that of the dataset."""


def recording_of(data: Path, episode: int) -> Path:
    """Where the recording of an episode lies.

    Args:
        data: The folder of the dataset's data.
        episode: Its number.
    """
    return data / RECORDINGS / f"episode_{episode}{SUFFIX}"


def export_minari(
    demos: Sequence[Demo], game: Game, dataset_id: str, *, options: Mapping[str, Any] | None = None
) -> Path:
    """Writes recordings of a game as a Minari dataset, in Minari's own folder.

    An episode of S steps has S + 1 observations, with stacks as the environment makes them, and as many values of each
    of the game's variables among its infos.

    Args:
        demos: The recordings, which agree in how they play (`Demo.settings`).
        game: Their game.
        dataset_id: For example ``"zxspectrum/caverns/human-v0"``.
        options: How the game is seen, as keywords of `SpectrumEnv`, beside the recordings' settings.

    Returns:
        The folder of its data.

    Raises:
        UserError: The recordings are of another game, disagree, or cannot be played in steps; the id is none or taken.
        ModuleNotFoundError: Minari is not installed.
    """
    import h5py  # noqa: F401 - Minari looks for it late, and in words of its own
    import minari
    from minari.data_collector import EpisodeBuffer

    keywords = {**_settings(demos), **(options or {})}
    with SpectrumEnv(game, **keywords) as env:
        spaces = {"observation_space": env.observation_space, "action_space": env.action_space}
    episodes = (demo_steps(demo, game, keywords) for demo in demos)
    buffers = [
        EpisodeBuffer(id=number, seed=demo.seed, **_columns(steps))
        for number, (demo, steps) in enumerate(zip(demos, episodes, strict=True))
    ]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # it asks for authors and links, which we do not know
        try:
            dataset = minari.create_dataset_from_buffers(
                dataset_id,
                buffers,
                env=_spec(game, keywords),
                **spaces,
                algorithm_name=", ".join(sorted({demo.source for demo in demos})),
                description=f"{len(demos)} episodes of {game.definition.title}, made with OakEmu-RL",
                data_format="hdf5",
                jpeg_encoding=False,
            )
        except ValueError as error:
            raise UserError(f"{dataset_id}: {error}") from error
    data = Path(dataset.storage.data_path)
    (data / RECORDINGS).mkdir()
    for number, demo in enumerate(demos):
        save_demo(recording_of(data, number), demo)
    return data


def _settings(demos: Sequence[Demo]) -> dict[str, Any]:
    """How all of the recordings play."""
    if not demos:
        raise UserError("there are no recordings to export")
    first = dict(demos[0].settings)
    for number, demo in enumerate(demos[1:], start=2):
        other = {name: value for name, value in demo.settings.items() if first.get(name) != value}
        if other:
            name, value = next(iter(other.items()))
            raise UserError(
                f"the recordings of a dataset play alike: {name} is {first.get(name)!r} in the first one, {value!r} in "
                f"number {number}"
            )
    return first


def _spec(game: Game, keywords: Mapping[str, Any]) -> gymnasium.envs.registration.EnvSpec | None:
    """What makes the environment anew; None where Gymnasium does not know the game."""
    if game.id not in gymnasium.registry:
        return None
    spec = deepcopy(gymnasium.spec(game.id))  # the registry's own stays as it is
    spec.kwargs |= keywords
    return spec


def _columns(steps: DemoSteps) -> dict[str, Any]:
    terminated = np.zeros(len(steps.actions), np.bool_)
    truncated = terminated.copy()
    if steps.outcome in ("win", "loss", "life_lost"):
        terminated[-1] = True
    else:
        truncated[-1] = True
    return {
        "observations": steps.observations,
        "actions": steps.actions,
        "rewards": steps.rewards,
        "terminations": terminated,
        "truncations": truncated,
        "infos": dict(steps.variables),
    }
