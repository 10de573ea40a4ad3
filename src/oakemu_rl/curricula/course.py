# SPDX-License-Identifier: GPL-3.0-or-later
"""A recorded route as a course to learn: a state to start from at every step, and what is to be won from there."""

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from oakemu_rl.errors import UserError, nearest

__all__ = ["Course", "Leg"]


@dataclass(frozen=True)
class Leg:
    """A part of a course that is learnt by itself.

    Attributes:
        first: Its first step.
        end: The step after its last.
        value: What the variable that divides the course is in it; None if nothing does.

    Raises:
        ValueError: It has no step.
    """

    first: int
    end: int
    value: int | None = None

    def __post_init__(self) -> None:
        if not 0 <= self.first < self.end:
            raise ValueError(f"a leg has at least one step, got {self.first} to {self.end}")

    def __len__(self) -> int:
        return self.end - self.first


@dataclass(frozen=True, eq=False)
class Course:
    """A route of S steps.

    Attributes:
        states: Of the environment before each step, S of them or more.
        rewards: What each step of the recording brought, in the game's own rewards, (S,).
        legs: Its parts, in the order in which they are played; together they are the whole.
        opens: Whether it begins as the environment begins, and not in the middle of a game.

    Raises:
        ValueError: The parts do not fit one another.
    """

    states: Sequence[bytes]
    rewards: NDArray[np.float64]
    legs: tuple[Leg, ...]
    opens: bool = True

    def __post_init__(self) -> None:
        edges = [0, *(leg.end for leg in self.legs)]
        if [leg.first for leg in self.legs] != edges[:-1] or edges[-1] != len(self.rewards) or not self.legs:
            raise ValueError(f"the legs do not make up the {len(self.rewards)} steps: {self.legs}")
        if len(self.states) < len(self.rewards):
            raise ValueError(f"{len(self.rewards)} steps need as many states, not {len(self.states)}")

    @classmethod
    def divided(
        cls,
        states: Sequence[bytes],
        rewards: NDArray[np.float64],
        variables: Mapping[str, NDArray[np.int64]],
        divide: str | None,
        *,
        opens: bool = True,
    ) -> Self:
        """Cuts a route where a variable of the game changes.

        Args:
            states: Before each step, and perhaps after the last.
            rewards: Of each step, (S,).
            variables: Before each step and after the last, each (S + 1,).
            divide: The variable; None leaves the route in one piece.
            opens: Whether it begins as the environment begins.

        Raises:
            UserError: The route is empty, or there is no such variable.
        """
        steps = len(rewards)
        if not steps:
            raise UserError("curriculum: the recording has no steps to learn")
        cuts: list[int] = []
        if divide is not None:
            if divide not in variables:
                raise UserError(
                    f"curriculum.divide: no variable {divide!r}{nearest(divide, list(variables))}; there are "
                    f"{', '.join(variables)}"
                )
            cuts = (np.flatnonzero(np.diff(variables[divide][:steps])) + 1).tolist()
        edges = [0, *cuts, steps]
        values = [None if divide is None else int(variables[divide][first]) for first in edges[:-1]]
        pairs = itertools.pairwise(edges)
        return cls(states, rewards, tuple(Leg(*pair, value) for pair, value in zip(pairs, values, strict=True)), opens)

    def owed(self, leg: Leg, step: int) -> float:
        """What the recording won from before `step` to the end of the leg."""
        return float(self.rewards[step : leg.end].sum())
