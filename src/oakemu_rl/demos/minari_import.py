# SPDX-License-Identifier: GPL-3.0-or-later
"""Episodes of a Minari dataset as recordings: played again in the environment, and compared step by step."""

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from oakemu_rl.demos.demo import Demo
from oakemu_rl.demos.errors import DesyncError
from oakemu_rl.demos.files import load_demo
from oakemu_rl.demos.minari_export import recording_of
from oakemu_rl.demos.recorder import DemoRecorder
from oakemu_rl.envs import SpectrumEnv
from oakemu_rl.errors import UserError
from oakemu_rl.games import Game, load_game

__all__ = ["import_minari", "is_minari"]

_METADATA = "metadata.json"


def is_minari(given: str) -> bool:
    """Whether a path is that of a Minari dataset, or a name that can only be an id of one."""
    path = Path(given)
    return _data_folder(path) is not None or (not path.exists() and not path.suffix and "/" in given)


def import_minari(
    given: str, game: Game | None = None, *, on_episode: Callable[[int, int], None] | None = None
) -> Iterator[Demo]:
    """Makes recordings of the episodes of a Minari dataset.

    Those that `export_minari` has written come back as they were. Others were played in an environment of ours from a
    reset with a seed: they are played again, and every observation and reward is compared.

    Args:
        given: The dataset's id, or its folder.
        game: Its game; None for that of the dataset's environment.
        on_episode: Called before each episode with its number and how many there are.

    Raises:
        UserError: There is no such dataset, or it is of no environment of ours.
        DesyncError: An episode, played again, does something else.
        ModuleNotFoundError: Minari is not installed.
    """
    import h5py  # noqa: F401 - Minari looks for it late, and in words of its own
    import minari

    folder = _data_folder(Path(given))
    try:
        dataset = minari.load_dataset(given) if folder is None else minari.MinariDataset(folder)
    except (FileNotFoundError, ValueError) as error:
        raise UserError(
            f"there is no Minari dataset {given!r} here: give an id that `minari list local` shows"
        ) from error
    data = Path(dataset.storage.data_path)
    keywords = _keywords(dataset, given)
    named = keywords.pop("game", None)
    if game is None and named is None:
        raise UserError(f"{given}: it does not say which environment it was made in; --game says which game it is")
    own = game or load_game(named)
    number = len(dataset)
    for index, episode in enumerate(dataset.iterate_episodes()):
        if on_episode is not None:
            on_episode(index, number)
        path = recording_of(data, int(episode.id))
        if path.exists():
            yield load_demo(path)
            continue
        metadata = next(iter(dataset.storage.get_episode_metadata([episode.id])))
        try:
            yield _play(own, keywords, episode, metadata)
        except DesyncError as error:
            raise DesyncError(f"{given}: episode {episode.id}: {error}", error.frame) from error
        except UserError as error:
            raise UserError(f"{given}: episode {episode.id}: {error}") from error


def _data_folder(path: Path) -> Path | None:
    return next((folder for folder in (path, path / "data") if (folder / _METADATA).is_file()), None)


def _keywords(dataset: Any, given: str) -> dict[str, Any]:  # noqa: ANN401 - Minari may not be installed
    """The keywords with which the dataset's environment is made."""
    spec = dataset.env_spec
    if spec is None:
        return {}
    if not str(spec.entry_point).startswith("oakemu_rl."):
        raise UserError(f"{given}: its environment {spec.id} is none of ours (ZXSpectrum/...)")
    if spec.additional_wrappers:
        wrappers = ", ".join(wrapper.name for wrapper in spec.additional_wrappers)
        raise UserError(f"{given}: its environment is wrapped ({wrappers}); recordings are made of bare ones")
    return json.loads(json.dumps(spec.kwargs))  # type: ignore[no-any-return]  # a copy of a dictionary


def _play(game: Game, keywords: Mapping[str, Any], episode: Any, metadata: Mapping[str, Any]) -> Demo:  # noqa: ANN401 - as above
    seed = metadata.get("seed")
    if seed is None:
        raise UserError("it has no seed, so that nobody knows where it began")
    env = SpectrumEnv(game, **keywords)
    try:
        observation, info = env.reset(seed=int(seed), options=_options(metadata))
        recorder = DemoRecorder(game, env.options, env.machine_state(), source="minari", seed=int(seed))
        _compare(observation, episode.observations, 0, recorder.frames)
        for step, action in enumerate(episode.actions):
            frames = info["episode_frame_number"]
            observation, reward, terminated, truncated, info = env.step(action)
            recorder.add_step(info["action_taken"], info["episode_frame_number"] - frames)
            _compare(observation, episode.observations, step + 1, recorder.frames)
            if reward != episode.rewards[step]:
                raise DesyncError(
                    f"in step {step + 1} the reward is {reward:g}, not {episode.rewards[step]:g}", recorder.frames
                )
            if (terminated or truncated) and step + 1 < len(episode.actions):
                raise DesyncError(f"it ends after step {step + 1}, not {len(episode.actions)}", recorder.frames)
        return recorder.finish(info["outcome"], info["episode_return"])
    finally:
        env.close()


def _options(metadata: Mapping[str, Any]) -> dict[str, Any] | None:
    """What was given to the reset."""
    options = metadata.get("options")
    return (
        {name: getattr(value, "item", lambda value=value: value)() for name, value in options.items()}
        if options
        else None
    )


def _compare(observation: object, recorded: Any, moment: int, frame: int) -> None:  # noqa: ANN401 - as above
    """Refuses an observation that is not the one after so many steps."""
    if isinstance(observation, dict):
        differing = [name for name, part in observation.items() if not np.array_equal(part, recorded[name][moment])]
    else:
        differing = [] if np.array_equal(np.asarray(observation), recorded[moment]) else ["it"]
    if differing:
        raise DesyncError(
            f"the observation after {moment} steps is not the recorded one ({', '.join(differing)} differs)", frame
        )
