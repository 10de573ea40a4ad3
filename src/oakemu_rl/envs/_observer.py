# SPDX-License-Identifier: GPL-3.0-or-later
"""Composes observations of what the core writes."""

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from oakemu_rl.envs._arrays import RAM_SIZE, StepArrays
from oakemu_rl.envs.obs_types import ObsKind, ObsType, kinds_of
from oakemu_rl.games import Game

__all__ = ["Observation", "Observer", "first_of"]

Observation: TypeAlias = npt.NDArray[Any] | dict[str, npt.NDArray[Any]]
"""Of one environment, or of N in a row."""


_INT64 = np.iinfo(np.int64)


class Observer:
    """Makes observations of one type.

    Of a single kind but variables, an observation is an array; of variables and combinations it is a dictionary, flat
    because Stable-Baselines3 and others take no other: the variables stand in it one by one, (1,) int64 each.

    Args:
        game: Its variables.
        obs_type: What is shown.
        picture_shape: Of the core's pictures.

    Attributes:
        space: Of one environment's observations.
    """

    def __init__(self, game: Game, obs_type: ObsType, picture_shape: tuple[int, ...]) -> None:
        self._kinds = kinds_of(obs_type)
        self._single = not isinstance(obs_type, tuple) and obs_type != "variables"
        self._columns = dict(zip(game.variable_names, game.variable_columns, strict=True))
        self.space: spaces.Box | spaces.Dict
        if self._single:
            self.space = _box(self._kinds[0], picture_shape)
            return
        parts: dict[str, spaces.Space[Any]] = {}
        for kind in self._kinds:
            if kind == "variables":
                parts |= {name: _variable_box(*limits) for name, limits in game.variable_limits.items()}
            else:
                parts[kind] = _box(kind, picture_shape)
        self.space = spaces.Dict(parts)
        self._keys = tuple(self.space)  # in its order

    def observe(self, arrays: StepArrays, *, copy: bool) -> Observation:
        """The observations of all environments, (N, ...) each; without `copy`, the core's own arrays."""
        return self._compose(arrays.observations, arrays.ram, arrays.variables, copy=copy)

    def final(self, arrays: StepArrays, i: int) -> Observation:
        """A copy of the last observation of environment i's finished episode."""
        assert arrays.final_observations is not None  # noqa: S101 - our own invariant: same_step allocates them
        assert arrays.final_variables is not None  # noqa: S101 - as above
        row = slice(i, i + 1)
        ram = None if arrays.final_ram is None else arrays.final_ram[row]
        return first_of(self._compose(arrays.final_observations[row], ram, arrays.final_variables[row], copy=True))

    def _compose(
        self,
        pictures: npt.NDArray[np.uint8],
        ram: npt.NDArray[np.uint8] | None,
        variables: npt.NDArray[np.int64],
        *,
        copy: bool,
    ) -> Observation:
        found: dict[str, npt.NDArray[Any]] = {}
        for kind in self._kinds:
            source: npt.NDArray[Any] | None = {"ram": ram, "variables": variables}.get(kind, pictures)
            assert source is not None  # noqa: S101 - our own invariant: what is shown is allocated
            array = source.copy() if copy else source
            if self._single:
                return array
            if kind == "variables":
                found |= {name: array[:, column : column + 1] for name, column in self._columns.items()}
            else:
                found[kind] = array
        return {key: found[key] for key in self._keys}


def first_of(observations: Observation) -> Observation:
    """The observation of the first environment."""
    if isinstance(observations, dict):
        return {key: array[0] for key, array in observations.items()}
    first: npt.NDArray[Any] = observations[0]
    return first


def _box(kind: ObsKind, picture_shape: tuple[int, ...]) -> spaces.Box:
    return spaces.Box(0, 255, (RAM_SIZE,) if kind == "ram" else picture_shape, np.uint8)


def _variable_box(low: int, high: int) -> spaces.Box:
    # One of (1,), not (): flattening extractors need a dimension.
    return spaces.Box(max(low, _INT64.min), min(high, _INT64.max), (1,), np.int64)
