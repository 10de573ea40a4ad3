# SPDX-License-Identifier: GPL-3.0-or-later
"""Actions that are a bit for each key."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from gymnasium.spaces import Box, MultiBinary

from oakemu_rl.envs import SpectrumEnv, SpectrumVectorEnv
from oakemu_rl.errors import UserError


def test_bits_hold_keys(counting: Path) -> None:
    env = SpectrumEnv(counting, action_type="multibinary", noop_max=0)
    assert env.action_space == MultiBinary(2)
    assert env.get_action_meanings() == ["o", "p"]
    env.reset(seed=1)
    figures = []
    for bits in ([0, 0], [1, 0], [0, 1], [1, 1]):
        *_, info = env.step(np.array(bits, np.int8))
        figures.append((info["score"], info["lives"], info["action_taken"]))
    # Two frames a step, the first of which began before the machine looked at a key.
    assert figures[:2] == [(0, 3, 0), (2, 3, 1)]
    assert [taken for *_, taken in figures] == [0, 1, 2, 3]
    assert figures[2][1] == 1
    assert figures[3][:2] == (4, 255)


def test_the_vector_environment_takes_a_row_each(counting: Path) -> None:
    envs = SpectrumVectorEnv(counting, 3, action_type="multibinary")
    assert envs.action_space == Box(0, 1, (3, 2), np.int8)
    envs.reset(seed=[1, 1, 1])
    *_, infos = envs.step(np.array([[0, 0], [1, 0], [1, 1]]))
    assert infos["action_taken"].tolist() == [0, 1, 3]
    assert infos["score"].tolist() == [0, 2, 2]
    assert envs.step(envs.action_space.sample())[0].shape[0] == 3
    assert envs.action_masks().tolist() == [[True] * 4] * 3


@pytest.mark.parametrize("bits", [[1.0, 0.0], [True, False], (1, 0)])
def test_other_forms_of_bits(counting: Path, bits: Any) -> None:
    env = SpectrumEnv(counting, action_type="multibinary")
    env.reset(seed=1)
    assert env.step(np.array(bits))[4]["action_taken"] == 1


@pytest.mark.parametrize("bits", [1, [1], [0, 2], [0.5, 0], [[0, 1]], ["o", "p"], [0, 1, 0]])
def test_bits_that_are_none(counting: Path, bits: Any) -> None:
    env = SpectrumEnv(counting, action_type="multibinary")
    env.reset(seed=1)
    with pytest.raises(UserError, match="actions must be 2 numbers that are 0 or 1, one for each of o, p, not"):
        env.step(bits)
    envs = SpectrumVectorEnv(counting, 2, action_type="multibinary")
    envs.reset(seed=1)
    with pytest.raises(UserError, match="actions must be 2 numbers that are 0 or 1 for each of 2 environments"):
        envs.step(bits)


def test_what_does_not_go_with_bits(counting: Path) -> None:
    with pytest.raises(UserError, match="full_action_space: action_type='multibinary' has every combination"):
        SpectrumEnv(counting, action_type="multibinary", full_action_space=True)
    with pytest.raises(UserError, match=r"action_type must be one of discrete, multibinary, not 'multi_binary' \(did"):
        SpectrumEnv(counting, action_type="multi_binary")  # type: ignore[arg-type]  # under test
