# SPDX-License-Identifier: GPL-3.0-or-later
"""What environments say in ``info``: always the same keys, from the first reset on."""

from typing import Any

import numpy as np
import numpy.typing as npt

from oakemu_rl.envs._arrays import StepArrays
from oakemu_rl.errors import UserError
from oakemu_rl.games import Game

__all__ = ["OUTCOMES", "REWARD_PART", "Columns", "InfoTable", "in_vector_form"]

OUTCOMES = ("running", "win", "loss", "truncated", "life_lost")
"""What ``info["outcome"]`` can be, by the core's number of it."""

REWARD_PART = "reward/"
"""What stands before the name of a part of the reward in ``info``."""

Columns = dict[str, npt.NDArray[Any]]
"""A value an environment for each key."""

_OUTCOME_NAMES = np.array(OUTCOMES, dtype=object)
_WIN = OUTCOMES.index("win")
_AT_START: dict[str, Any] = {
    "episode_frame_number": 0,
    "episode_return": 0.0,
    "episode_length": 0,
    "outcome": "running",
    "is_success": False,
    "action_taken": -1,
}
_FIXED = ("frame_number", *_AT_START, "seeds")
_ELSEWHERE = ("episode", "final_obs", "final_info")  # keys that Gymnasium uses


class InfoTable:
    """Names the core's figures for one game.

    Args:
        game: Its variables stand in ``info`` by their names, and its lives as ``lives``.

    Raises:
        UserError: A variable has a name that ``info`` needs for something else.
    """

    def __init__(self, game: Game) -> None:
        self._variables = game.variable_names
        for name in self._variables:
            if name in (*_FIXED, *_ELSEWHERE) or name.startswith("_"):
                raise UserError(f"{game.id}: the variable {name!r} needs another name: info has a key of this name")
        lives = game.definition.lives_variable
        self._lives = None if lives in (None, "lives") else self._variables.index(str(lives))

    def columns(self, arrays: StepArrays, seeds: npt.NDArray[np.uint64]) -> Columns:
        """The figures as they stand in the core's arrays, not copied.

        Args:
            arrays: The core's arrays.
            seeds: The seeds of the streams, (N,).
        """
        return self._named(arrays.variables, arrays.frame_number, arrays, seeds)

    def split_at_end(
        self,
        arrays: StepArrays,
        seeds: npt.NDArray[np.uint64],
        ended: npt.NDArray[np.bool_],
        frames_before: npt.NDArray[np.int64],
    ) -> tuple[Columns, Columns]:
        """The figures after a step in which the environments `ended` went on to the next episode (SAME_STEP).

        Args:
            arrays: The core's arrays; the figures of the episode are those of the finished one.
            seeds: The seeds of the streams, (N,).
            ended: Which environments, (N,).
            frames_before: The frame number at which each finished episode began, (N,).

        Returns:
            The figures of the running episodes, and those of the finished ones.
        """
        assert arrays.final_variables is not None  # noqa: S101 - our own invariant: SAME_STEP allocates them
        last_frame = frames_before + arrays.episode_frame_number
        final = self._named(arrays.final_variables, last_frame, arrays, seeds)
        running = self.columns(arrays, seeds)
        for key, value in _AT_START.items():
            running[key] = np.where(ended, np.array(value, dtype=running[key].dtype), running[key])
        return running, final

    def _named(
        self,
        variables: npt.NDArray[np.int64],
        frame_number: npt.NDArray[np.int64],
        arrays: StepArrays,
        seeds: npt.NDArray[np.uint64],
    ) -> Columns:
        named: Columns = {name: variables[:, index] for index, name in enumerate(self._variables)}
        if self._lives is not None:
            named["lives"] = variables[:, self._lives]
        named["frame_number"] = frame_number
        named["episode_frame_number"] = arrays.episode_frame_number
        named["episode_return"] = arrays.episode_return
        named["episode_length"] = arrays.episode_length
        named["outcome"] = _OUTCOME_NAMES[arrays.outcome]
        named["is_success"] = arrays.outcome == _WIN
        named["action_taken"] = arrays.actions_taken
        named["seeds"] = seeds
        return named


def in_vector_form(columns: Columns, present: npt.NDArray[np.bool_], *, copy: bool = True) -> dict[str, Any]:
    """Figures as Gymnasium's vector environments give them: every key with its mask ``_key``.

    Args:
        columns: The figures.
        present: Which environments have them, (N,); the others' values are zeros, as in Gymnasium.
        copy: Whether the values are new arrays; otherwise they may be the core's own.
    """
    everywhere = bool(present.all())
    infos: dict[str, Any] = {}
    for key, column in columns.items():
        if everywhere:
            infos[key] = column.copy() if copy else column
        else:
            absent: Any = None if column.dtype == object else column.dtype.type()
            infos[key] = np.where(present, column, absent)
        infos[f"_{key}"] = present.copy() if copy else present
    return infos
