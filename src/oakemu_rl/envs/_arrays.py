# SPDX-License-Identifier: GPL-3.0-or-later
"""The arrays into which the core writes what a step came to."""

from dataclasses import dataclass, fields
from typing import Self

import numpy as np
import numpy.typing as npt

from oakemu_rl import _core

__all__ = ["RAM_SIZE", "ArraySizes", "StepArrays"]

RAM_SIZE = 49152
"""Bytes at 0x4000 to 0xFFFF."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ArraySizes:
    """How large the arrays are, and which of them there are.

    Attributes:
        num_envs: N.
        picture: Shape of one picture.
        variables: V, the core's.
        reward_parts: P, the core's.
        actions: A.
        masked: Whether actions are ever forbidden.
        ram: Whether the RAM is looked at.
        final: Whether finished episodes are told from those that follow in the same step.
    """

    num_envs: int
    picture: tuple[int, ...]
    variables: int
    reward_parts: int
    actions: int
    masked: bool
    ram: bool
    final: bool


@dataclass(frozen=True, slots=True)
class StepArrays:
    """One row an environment, overwritten by each step. `_core.Outputs` documents them; None where nobody looks."""

    observations: npt.NDArray[np.uint8]
    rewards: npt.NDArray[np.float64]
    terminated: npt.NDArray[np.bool_]
    truncated: npt.NDArray[np.bool_]
    variables: npt.NDArray[np.int64]
    episode_return: npt.NDArray[np.float64]
    episode_length: npt.NDArray[np.int64]
    episode_frame_number: npt.NDArray[np.int64]
    frame_number: npt.NDArray[np.int64]
    outcome: npt.NDArray[np.uint8]
    actions_taken: npt.NDArray[np.int64]
    reward_parts: npt.NDArray[np.float64]
    start: npt.NDArray[np.int64]
    action_masks: npt.NDArray[np.bool_] | None
    ram: npt.NDArray[np.uint8] | None
    final_observations: npt.NDArray[np.uint8] | None
    final_variables: npt.NDArray[np.int64] | None
    final_ram: npt.NDArray[np.uint8] | None

    @classmethod
    def allocate(cls, sizes: ArraySizes) -> Self:
        """Arrays of zeros, but for masks, which allow everything, and actions, of which none has been taken."""
        n = sizes.num_envs
        pictures, ram = (n, *sizes.picture), (n, RAM_SIZE)
        return cls(
            observations=np.zeros(pictures, np.uint8),
            rewards=np.zeros(n, np.float64),
            terminated=np.zeros(n, np.bool_),
            truncated=np.zeros(n, np.bool_),
            variables=np.zeros((n, sizes.variables), np.int64),
            episode_return=np.zeros(n, np.float64),
            episode_length=np.zeros(n, np.int64),
            episode_frame_number=np.zeros(n, np.int64),
            frame_number=np.zeros(n, np.int64),
            outcome=np.zeros(n, np.uint8),
            actions_taken=np.full(n, -1, np.int64),
            reward_parts=np.zeros((n, sizes.reward_parts), np.float64),
            start=np.zeros(n, np.int64),
            action_masks=np.ones((n, sizes.actions), np.bool_) if sizes.masked else None,
            ram=np.zeros(ram, np.uint8) if sizes.ram else None,
            final_observations=np.zeros(pictures, np.uint8) if sizes.final else None,
            final_variables=np.zeros((n, sizes.variables), np.int64) if sizes.final else None,
            final_ram=np.zeros(ram, np.uint8) if sizes.final and sizes.ram else None,
        )

    def outputs(self) -> _core.Outputs:
        """The core's view of these arrays."""
        return _core.Outputs(**{field.name: getattr(self, field.name) for field in fields(self)})
