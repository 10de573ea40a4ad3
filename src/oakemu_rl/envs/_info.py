# SPDX-License-Identifier: GPL-3.0-or-later
"""What environments say in ``info``: always the same keys, from the first reset on."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from oakemu_rl.envs._arrays import StepArrays
from oakemu_rl.envs.options import EnvOptions
from oakemu_rl.errors import UserError
from oakemu_rl.games import Game

__all__ = [
    "GAME_REWARD",
    "OUTCOMES",
    "REWARD_PART",
    "Beginnings",
    "Columns",
    "InfoTable",
    "in_vector_form",
    "with_ends_free",
]

OUTCOMES = ("running", "win", "loss", "truncated", "life_lost")
"""What ``info["outcome"]`` can be, by the core's number of it."""

REWARD_PART = "reward/"
"""What stands before the name of a part of the reward in ``info``."""

GAME_REWARD = "game_reward"
"""In ``info`` where rewards are clipped or shaped: the game's own reward of the step."""

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
_FIXED = ("frame_number", *_AT_START, "seeds", "action_mask", "start", GAME_REWARD)
_ELSEWHERE = ("episode", "final_obs", "final_info")  # keys that Gymnasium uses


@dataclass(frozen=True, slots=True)
class Beginnings:
    """How the running episodes began, which the core's figures do not say any more once others follow them.

    Attributes:
        frames: The frame number, (N,).
        starts: The number of the start state, (N,).
    """

    frames: npt.NDArray[np.int64]
    starts: npt.NDArray[np.int64]

    def note(self, arrays: StepArrays, mask: npt.NDArray[np.bool_]) -> None:
        """Takes over the episodes that are running in the environments in `mask`, (N,); none of them has just ended."""
        begun = arrays.frame_number - arrays.episode_frame_number
        self.frames[mask], self.starts[mask] = begun[mask], arrays.start[mask]

    def note_next(self, arrays: StepArrays, ended: npt.NDArray[np.bool_]) -> None:
        """Takes over the episodes that follow at once those that have `ended`, (N,), whose figures the arrays hold."""
        self.frames[ended], self.starts[ended] = arrays.frame_number[ended], arrays.start[ended]


class InfoTable:
    """Names the core's figures for one game.

    Args:
        game: Its variables stand in ``info`` by their names, and its lives as ``lives``.
        options: Which reward is reported in parts.

    Raises:
        UserError: A variable has a name that ``info`` needs for something else.
    """

    def __init__(self, game: Game, options: EnvOptions) -> None:
        self._variables = dict(zip(game.variable_names, game.variable_columns, strict=True))
        for name in self._variables:
            if name in (*_FIXED, *_ELSEWHERE) or name.startswith("_"):
                raise UserError(f"{game.id}: the variable {name!r} needs another name: info has a key of this name")
        lives = game.definition.lives_variable
        if lives is not None:
            self._variables.setdefault("lives", self._variables[lives])
        self._parts = [REWARD_PART + name for name in game.reward_part_names(options.reward)]
        self._clipped = options.reward_clipping
        self._has_starts = len(game.start_names) > 1

    def columns(
        self,
        arrays: StepArrays,
        seeds: npt.NDArray[np.uint64],
        masks: npt.NDArray[np.bool_] | None,
        *,
        copy: bool,
    ) -> Columns:
        """The figures as they stand in the core's arrays.

        Args:
            arrays: The core's arrays.
            seeds: The seeds of the streams, (N,).
            masks: What the environments allow, (N, A); None if they always allow everything.
            copy: Whether the values are new arrays; otherwise they may be the core's own.
        """
        named = self._named(arrays.variables, arrays, seeds, copy=copy)
        if masks is not None:
            named["action_mask"] = masks.copy() if copy else masks
        return named

    def split_at_end(
        self,
        arrays: StepArrays,
        seeds: npt.NDArray[np.uint64],
        ended: npt.NDArray[np.bool_],
        begun: Beginnings,
        *,
        copy: bool,
    ) -> tuple[Columns, Columns]:
        """The figures after a step in which the environments `ended` went on to the next episode (SAME_STEP).

        Args:
            arrays: The core's arrays; the figures of the episode are those of the finished one.
            seeds: The seeds of the streams, (N,).
            ended: Which environments, (N,).
            begun: How the finished episodes began.
            copy: As in `columns`, of the running episodes.

        Returns:
            The figures of the running episodes, and those of the finished ones.
        """
        assert arrays.final_variables is not None  # noqa: S101 - our own invariant: SAME_STEP allocates them
        final = self._named(arrays.final_variables, arrays, seeds, copy=True)
        final["frame_number"] = begun.frames + arrays.episode_frame_number
        running = self._named(arrays.variables, arrays, seeds, copy=copy)
        for key, value in (*_AT_START.items(), *((key, 0.0) for key in self._parts)):
            running[key] = np.where(ended, np.array(value, dtype=running[key].dtype), running[key])
        if self._has_starts:
            final["start"] = begun.starts.copy()
        if arrays.action_masks is not None:
            running["action_mask"] = arrays.action_masks.copy() if copy else arrays.action_masks
            final["action_mask"] = with_ends_free(arrays.action_masks, ended)
        return running, final

    def _named(
        self, variables: npt.NDArray[np.int64], arrays: StepArrays, seeds: npt.NDArray[np.uint64], *, copy: bool
    ) -> Columns:
        kept = np.copy if copy else _same
        variables = kept(variables)  # all of them at once: a copy of each would cost more than reading them
        named: Columns = {name: variables[:, column] for name, column in self._variables.items()}
        named["frame_number"] = kept(arrays.frame_number)
        named["episode_frame_number"] = kept(arrays.episode_frame_number)
        named["episode_return"] = kept(arrays.episode_return)
        named["episode_length"] = kept(arrays.episode_length)
        named["outcome"] = _OUTCOME_NAMES[arrays.outcome]
        named["is_success"] = arrays.outcome == _WIN
        named["action_taken"] = kept(arrays.actions_taken)
        named["seeds"] = kept(seeds)
        if self._parts:
            parts = kept(arrays.reward_parts)
            named.update((key, parts[:, index]) for index, key in enumerate(self._parts))
        if self._clipped:
            named[GAME_REWARD] = arrays.reward_parts.sum(axis=1)
        if self._has_starts:
            named["start"] = kept(arrays.start)
        return named


def _same(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    return array


def with_ends_free(masks: npt.NDArray[np.bool_], ended: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """Masks (N, A) that forbid nothing where an episode has ended, (N,): what would be chosen there is never played."""
    return masks | ended[:, np.newaxis] if ended.any() else masks


def in_vector_form(columns: Columns, present: npt.NDArray[np.bool_]) -> dict[str, Any]:
    """Figures as Gymnasium's vector environments give them: every key with its mask ``_key``.

    Args:
        columns: The figures, which are handed on.
        present: Which environments have them, (N,), handed on as the mask of each; the others' values are zeros, as in
            Gymnasium.
    """
    everywhere = bool(present.all())
    infos: dict[str, Any] = {}
    for key, column in columns.items():
        if everywhere:
            infos[key] = column
        else:
            absent: Any = None if column.dtype == object else column.dtype.type()
            infos[key] = np.where(present.reshape(-1, *(1,) * (column.ndim - 1)), column, absent)
        infos[f"_{key}"] = present
    return infos
