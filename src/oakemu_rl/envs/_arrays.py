# SPDX-License-Identifier: GPL-3.0-or-later
"""The arrays into which the core writes what a step came to."""

from dataclasses import dataclass, fields
from typing import Self

import numpy as np
import numpy.typing as npt

from oakemu_rl import _core

__all__ = ["StepArrays"]


@dataclass(frozen=True, slots=True)
class StepArrays:
    """One row an environment, overwritten by each step; N environments, V variables. `_core.Outputs` documents them."""

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
    final_observations: npt.NDArray[np.uint8] | None
    final_variables: npt.NDArray[np.int64] | None

    @classmethod
    def allocate(cls, num_envs: int, shape: tuple[int, ...], num_variables: int, *, final: bool) -> Self:
        """Zeros for `num_envs` environments.

        Args:
            num_envs: N.
            shape: Shape of one observation.
            num_variables: V.
            final: Whether there are final observations and variables, which only autoreset in the same step needs.
        """
        pictures = (num_envs, *shape)
        return cls(
            observations=np.zeros(pictures, np.uint8),
            rewards=np.zeros(num_envs, np.float64),
            terminated=np.zeros(num_envs, np.bool_),
            truncated=np.zeros(num_envs, np.bool_),
            variables=np.zeros((num_envs, num_variables), np.int64),
            episode_return=np.zeros(num_envs, np.float64),
            episode_length=np.zeros(num_envs, np.int64),
            episode_frame_number=np.zeros(num_envs, np.int64),
            frame_number=np.zeros(num_envs, np.int64),
            outcome=np.zeros(num_envs, np.uint8),
            actions_taken=np.full(num_envs, -1, np.int64),
            final_observations=np.zeros(pictures, np.uint8) if final else None,
            final_variables=np.zeros((num_envs, num_variables), np.int64) if final else None,
        )

    def outputs(self) -> _core.Outputs:
        """The core's view of these arrays."""
        return _core.Outputs(**{field.name: getattr(self, field.name) for field in fields(self)})
