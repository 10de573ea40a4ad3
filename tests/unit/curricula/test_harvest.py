# SPDX-License-Identifier: GPL-3.0-or-later
"""States are caught in the moment when a variable changes."""

from typing import Any

import numpy as np
import pytest
from gymnasium.spaces import Box, Discrete
from gymnasium.vector import AutoresetMode, VectorEnv

from oakemu_rl.curricula import HarvestingVectorEnv
from oakemu_rl.errors import UserError


class CountingEnv(VectorEnv[Any, Any, Any]):
    """Environment i is in room ``(step + i) // 2``; what it was is its only state. It ends in step 6."""

    def __init__(self, mode: AutoresetMode = AutoresetMode.DISABLED) -> None:
        self.num_envs = 2
        self.metadata = {"autoreset_mode": mode}
        self.single_observation_space = Box(0, 1, (1,))
        self.single_action_space = Discrete(2)
        self._steps = [0, 0]

    def reset(self, *, seed: Any = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
        del seed
        began = np.ones(2, np.bool_) if options is None else options["reset_mask"]
        self._steps = [0 if new else step for new, step in zip(began, self._steps, strict=True)]
        # As Gymnasium's: of those that go on there is nothing to read but zeros.
        return np.zeros((2, 1)), {"room": np.where(began, self._infos()["room"], 0), "_room": began}

    def step(self, actions: Any) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        del actions
        self._steps = [step + 1 for step in self._steps]
        ended = np.array([step == 6 for step in self._steps])
        return np.zeros((2, 1)), np.zeros(2), ended, np.zeros(2, bool), self._infos()

    def get_state(self, i: int) -> bytes:
        return bytes([i, self._steps[i]])

    def set_state(self, i: int, state: bytes) -> None:
        self._steps[i] = state[1]

    def _infos(self) -> dict[str, Any]:
        return {"room": np.array([(step + i) // 2 for i, step in enumerate(self._steps)])}


def harvesting(
    caught: list[tuple[int, bytes]], variable: str = "room", mode: AutoresetMode = AutoresetMode.DISABLED
) -> HarvestingVectorEnv:
    env = CountingEnv(mode)

    def catch(i: int, value: int, state: bytes) -> None:
        assert state[0] == i
        caught.append((value, state))

    return HarvestingVectorEnv(env, variable, ("room",), catch)


def played(env: HarvestingVectorEnv, steps: int) -> None:
    for _ in range(steps):
        env.step(np.zeros(2, np.int64))


def test_each_change_is_caught_where_it_happens_and_ends_are_not() -> None:
    caught: list[tuple[int, bytes]] = []
    env = harvesting(caught)
    env.reset()
    played(env, 6)
    # Environment 1 is a step ahead. Environment 0 would come to room 3 in step 6, where its episode has ended.
    assert caught == [(1, b"\x01\x01"), (1, b"\x00\x02"), (2, b"\x01\x03"), (2, b"\x00\x04"), (3, b"\x01\x05")]


def test_a_reset_is_no_change_neither_where_it_begins_nor_elsewhere() -> None:
    caught: list[tuple[int, bytes]] = []
    env = harvesting(caught)
    env.reset()
    played(env, 3)
    caught.clear()
    env.reset(options={"reset_mask": np.array([True, False])})
    played(env, 1)
    assert caught == []
    played(env, 1)
    assert caught == [(1, b"\x00\x02"), (3, b"\x01\x05")]


def test_a_slot_that_is_put_back_goes_on_as_it_did() -> None:
    caught: list[tuple[int, bytes]] = []
    env = harvesting(caught)
    env.reset()
    played(env, 1)
    states = [env.get_state(i) for i in range(2)]
    caught.clear()
    played(env, 1)
    straight = list(caught)
    caught.clear()
    played(env, 2)
    caught.clear()
    for i, state in enumerate(states):
        env.set_state(i, state)
    played(env, 1)
    assert caught == straight == [(1, b"\x00\x02")]


def test_an_unknown_variable_is_refused() -> None:
    with pytest.raises(UserError, match=r"no variable 'rom'.*'room'"):
        harvesting([], "rom")


def test_environments_that_reset_by_themselves_are_refused() -> None:
    with pytest.raises(ValueError, match="DISABLED"):
        harvesting([], mode=AutoresetMode.SAME_STEP)
