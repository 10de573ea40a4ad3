# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs side by side: those that differ in nothing but the seed are one method."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from string import ascii_uppercase
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from oakemu_rl.errors import UserError
from oakemu_rl.evaluation import interquartile_mean
from oakemu_rl.games import load_game
from oakemu_rl.training.configuration import RESUMABLE_CHANGES, PPOExperimentConfiguration
from oakemu_rl.training.configuration_file import changed_settings, load_layer
from oakemu_rl.training.json_lines import read_json_lines
from oakemu_rl.training.run_folder import RunFolder

__all__ = ["Curve", "CurveKind", "Method", "RunCurve", "curve_of", "methods_of", "read_run"]

CurveKind: TypeAlias = Literal["evaluation", "training"]

_TAGS: dict[CurveKind, str] = {"evaluation": "eval/mean_reward", "training": "rollout/ep_rew_mean"}
# What a run is told apart by, beside the seed: how long it goes on decides its schedules.
_NO_DIFFERENCE = (RESUMABLE_CHANGES - {"steps"}) | {"seed"}
_POINTS = 100


@dataclass(frozen=True)
class RunCurve:
    """What a run folder says about a run.

    Attributes:
        path: The folder.
        configuration: The run's settings.
        game_id: Of the game that was trained on.
        steps: Agent steps of each point of the curve, (n,), increasing.
        returns: Mean return at each point, (n,).
    """

    path: Path
    configuration: PPOExperimentConfiguration
    game_id: str
    steps: NDArray[np.float64]
    returns: NDArray[np.float64]


@dataclass(frozen=True)
class Method:
    """Runs with the same settings.

    Attributes:
        name: A letter, by which the others can speak of it.
        label: The settings in which it differs from the other methods, for people.
        runs: One a seed.
    """

    name: str
    label: str
    runs: tuple[RunCurve, ...]


@dataclass(frozen=True)
class Curve:
    """The learning curve of a method, all of shape (n,).

    Attributes:
        steps: Agent steps, as far as all its runs go.
        iqm: Interquartile mean over the runs.
        low: The lowest run.
        high: The highest one.
    """

    steps: NDArray[np.float64]
    iqm: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]


def read_run(path: Path, kind: CurveKind) -> RunCurve:
    """Reads a run folder.

    Args:
        path: The folder.
        kind: Whether the curve is that of the evaluations or of the training episodes.

    Raises:
        UserError: It is no run folder, or there is no such point in it yet.
    """
    folder = RunFolder.open(path)
    configuration = PPOExperimentConfiguration.model_validate(load_layer(folder.config))
    tag = _TAGS[kind]
    points = [(line["step"], line[tag]) for line in read_json_lines(folder.metrics) if line.get(tag) is not None]
    if not points:
        raise UserError(f"{path} has no {kind} curve{_instead(folder, kind)}")
    steps, returns = (np.array(column, dtype=np.float64) for column in zip(*points, strict=True))
    return RunCurve(folder.path, configuration, load_game(configuration.game).id, steps, returns)


def _instead(folder: RunFolder, kind: CurveKind) -> str:
    """Why a run lacks a curve, or which one it has."""
    if folder.cloning.is_file():
        return f": it was cloned from recordings, not trained; oakemu-rl evaluate {folder.path} judges it"
    other = next(name for name in _TAGS if name != kind)
    if any(line.get(_TAGS[other]) is not None for line in read_json_lines(folder.metrics)):
        return f": no {_TAGS[kind]} in {folder.metrics}; try --curve {other}"
    return f" yet: neither {_TAGS[kind]} nor {_TAGS[other]} is in {folder.metrics}"


def methods_of(runs: Sequence[RunCurve]) -> tuple[Method, ...]:
    """Sorts runs into methods, in the order in which they come.

    Raises:
        UserError: The runs are of different games, or one is given twice.
    """
    groups: list[list[RunCurve]] = []
    for index, run in enumerate(runs):
        if run.game_id != runs[0].game_id:
            raise UserError(
                f"{run.path} was trained on {run.game_id}, {runs[0].path} on {runs[0].game_id}: returns of different "
                "games cannot be compared"
            )
        if any(run.path.resolve() == other.path.resolve() for other in runs[:index]):
            raise UserError(f"the run {run.path} is given twice")
        for group in groups:
            if not _differences(group[0], run):
                group.append(run)
                break
        else:
            groups.append([run])
    telling = sorted({name for group in groups for name in _differences(groups[0][0], group[0])})
    return tuple(Method(_letters(index), _label(group, telling), tuple(group)) for index, group in enumerate(groups))


def curve_of(method: Method) -> Curve:
    """The curve of a method at equal steps, from where all its runs have begun to where the first ends."""
    first = max(run.steps[0] for run in method.runs)
    last = max(first, min(run.steps[-1] for run in method.runs))
    grid = np.unique(np.linspace(first, last, _POINTS)) if len(method.runs) > 1 else method.runs[0].steps
    values = np.stack([np.interp(grid, run.steps, run.returns) for run in method.runs])
    return Curve(grid, interquartile_mean(values, axis=0), values.min(axis=0), values.max(axis=0))


def _differences(first: RunCurve, second: RunCurve) -> dict[str, tuple[object, object]]:
    changed = changed_settings(first.configuration, second.configuration)
    return {name: values for name, values in changed.items() if name not in _NO_DIFFERENCE and name != "game"}


def _letters(index: int) -> str:
    """A to Z, then A1 to Z1 and so on."""
    round_, letter = divmod(index, len(ascii_uppercase))
    return ascii_uppercase[letter] + (str(round_) if round_ else "")


def _label(group: Sequence[RunCurve], telling: Sequence[str]) -> str:
    if not telling:
        return group[0].game_id
    values = group[0].configuration.model_dump()
    return ", ".join(f"{name} {_value(values, name)}" for name in telling)


def _value(values: object, name: str) -> object:
    for part in name.split("."):
        if not isinstance(values, dict):
            return values
        values = values[part]
    return "default" if values is None else values
