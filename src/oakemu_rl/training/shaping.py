# SPDX-License-Identifier: GPL-3.0-or-later
"""Rewards that show the way without moving the goal.

Source: Ng, Harada and Russell, 1999, "Policy invariance under reward transformations: theory and application to reward
shaping". ``gamma * potential(next) - potential(now)`` may be added to every reward, with a potential of 0 once an
episode has terminated: which policy is best stays the same, as every return changes by the same amount.
"""

import struct
from collections.abc import Mapping
from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv, VectorWrapper
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field

from oakemu_rl.envs import GAME_REWARD
from oakemu_rl.errors import UserError, nearest
from oakemu_rl.ppo.env_contract import ADVANCE, game_rewards

__all__ = ["ShapedVectorEnv", "ShapingConfiguration"]

_POTENTIAL = struct.Struct("<d")

_StepResult = tuple[Any, NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]


class ShapingConfiguration(BaseModel):
    """Potential-based shaping of the training rewards; off unless a variable is given."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    variable: str | None = Field(
        None,
        min_length=1,
        description="The game's variable, or derived variable, whose growth is rewarded; None shapes nothing.",
    )
    scale: float = Field(
        1.0, allow_inf_nan=False, description="Reward for each unit of the variable; negative where less is better."
    )


class ShapedVectorEnv(VectorWrapper):
    """Adds the shaping to the rewards of environments that report a variable; their own statistics stay as they are.

    Where a time limit cuts an episode off, the potential of the true last state counts, as its value does. Infos say
    what was given for it (`ADVANCE`), for who ends episodes elsewhere, and what the game gave (`GAME_REWARD`).

    Args:
        env: Restarts episodes in the step that ends them, and tells their last variables in ``final_info``; or leaves
            it to its user to restart them (DISABLED).
        settings: Which variable; it must be given.
        gamma: The learner's discount; with another one the best policy might change.
        variables: The names that the environments report.

    Raises:
        UserError: They report no such variable.
    """

    def __init__(
        self,
        env: VectorEnv[Any, Any, Any],
        settings: ShapingConfiguration,
        gamma: float,
        variables: tuple[str, ...],
    ) -> None:
        super().__init__(env)
        name = str(settings.variable)
        if name not in variables:
            raise UserError(
                f"shaping.variable: no variable {name!r}{nearest(name, variables)}; there are {', '.join(variables)}"
            )
        self._mode = AutoresetMode(env.metadata["autoreset_mode"])
        if self._mode is AutoresetMode.NEXT_STEP:
            raise ValueError("shaping needs environments of which no step is lost on restarts: SAME_STEP or DISABLED")
        self._inner: Any = env  # whose slots can be saved, of which Gymnasium knows nothing
        self._name = name
        self._scale = settings.scale
        self._gamma = gamma
        self._potentials = np.zeros(self.num_envs, dtype=np.float64)

    def reset(
        self, *, seed: int | list[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Starts new episodes, and with them the potentials."""
        observations, infos = self._inner.reset(seed=seed, options=options)
        began = infos.get(f"_{self._name}", np.ones(self.num_envs, dtype=np.bool_))
        self._potentials = np.where(began, self._potential(infos), self._potentials)
        return observations, infos

    def step(self, actions: Any) -> _StepResult:  # noqa: ANN401  # as Gymnasium's vector environments
        """Plays a step in every environment."""
        observations, rewards, terminated, truncated, infos = self._inner.step(actions)
        following = self._potential(infos)
        last = following.copy()
        ended = terminated | truncated
        if ended.any():
            if self._mode is AutoresetMode.SAME_STEP:
                last[ended] = self._potential(infos["final_info"])[ended]
            last[terminated] = 0.0
        advance = self._gamma * last
        shaped = rewards + (advance - self._potentials)
        self._potentials = following
        infos = {**infos, ADVANCE: advance, GAME_REWARD: game_rewards(rewards, infos)}
        return observations, shaped, terminated, truncated, infos

    def get_state(self, index: int) -> bytes:
        """Everything that slot `index` is, its potential too."""
        state: bytes = self._inner.get_state(index)
        return _POTENTIAL.pack(self._potentials[index]) + state

    def set_state(self, index: int, state: bytes) -> None:
        """Makes slot `index` what it was.

        Raises:
            ValueError: The state does not fit.
        """
        self._inner.set_state(index, state[_POTENTIAL.size :])
        (self._potentials[index],) = _POTENTIAL.unpack_from(state)

    def _potential(self, infos: Mapping[str, Any]) -> NDArray[np.float64]:
        return np.asarray(infos[self._name], dtype=np.float64) * self._scale
