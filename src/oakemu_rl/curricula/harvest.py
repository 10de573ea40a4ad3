# SPDX-License-Identifier: GPL-3.0-or-later
"""Catches the states of environments in the moment when a variable of the game changes."""

from collections.abc import Callable
from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv, VectorWrapper
from numpy.typing import NDArray

from oakemu_rl.errors import UserError, nearest

__all__ = ["HarvestingVectorEnv"]

_StepResult = tuple[Any, NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]


class HarvestingVectorEnv(VectorWrapper):
    """Hands out the state of an environment whenever a variable has another value than a step before.

    Args:
        env: In autoreset mode DISABLED, with ``get_state`` and ``set_state``.
        variable: The game's variable.
        variables: The names that the environment reports.
        harvest: Gets the environment, the new value and the state; never of an episode that has just ended.

    Raises:
        UserError: There is no such variable.
        ValueError: The environment resets by itself.
    """

    def __init__(
        self,
        env: VectorEnv[Any, Any, Any],
        variable: str,
        variables: tuple[str, ...],
        harvest: Callable[[int, int, bytes], None],
    ) -> None:
        super().__init__(env)
        if variable not in variables:
            raise UserError(
                f"curriculum.divide: no variable {variable!r}{nearest(variable, variables)}; there are "
                f"{', '.join(variables)}"
            )
        if AutoresetMode(env.metadata["autoreset_mode"]) is not AutoresetMode.DISABLED:
            raise ValueError("states are harvested from environments that do not reset by themselves (DISABLED)")
        self._inner: Any = env  # whose slots can be saved, of which Gymnasium knows nothing
        self._variable = variable
        self._harvest = harvest
        self._last = np.zeros(self.num_envs, np.int64)

    def reset(
        self, *, seed: int | list[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Starts new episodes; their first states are not harvested."""
        observations, infos = self._inner.reset(seed=seed, options=options)
        # Of the environments that go on, a reset says nothing.
        began = infos.get(f"_{self._variable}", np.ones(self.num_envs, np.bool_))
        self._last = np.where(began, infos[self._variable], self._last).astype(np.int64)
        return observations, infos

    def step(self, actions: Any) -> _StepResult:  # noqa: ANN401  # as Gymnasium's vector environments
        """Plays a step in every environment."""
        result: _StepResult = self._inner.step(actions)
        _, _, terminated, truncated, infos = result
        values = np.array(infos[self._variable], np.int64)
        for i in np.flatnonzero((values != self._last) & ~(terminated | truncated)).tolist():
            self._harvest(i, int(values[i]), self._inner.get_state(i))
        self._last = values
        return result

    def get_state(self, index: int) -> bytes:
        """Everything that slot `index` is, the last value too."""
        state: bytes = self._inner.get_state(index)
        value: bytes = self._last[index].tobytes()
        return value + state

    def set_state(self, index: int, state: bytes) -> None:
        """Makes slot `index` what it was.

        Raises:
            ValueError: The state does not fit.
        """
        size = self._last.itemsize
        self._inner.set_state(index, state[size:])
        self._last[index] = np.frombuffer(state[:size], np.int64)[0]
