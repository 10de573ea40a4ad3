# SPDX-License-Identifier: GPL-3.0-or-later
"""What an environment refuses, and what it says."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from counting_game import SCORE, STAY
from gymnasium.error import ClosedEnvironmentError

from oakemu_rl.envs import SpectrumEnv, SpectrumVectorEnv
from oakemu_rl.errors import UserError


def test_stepping_before_the_first_reset(counting: Path) -> None:
    with pytest.raises(RuntimeError, match="has never been reset"):
        SpectrumEnv(counting).step(STAY)


@pytest.mark.parametrize(("action", "error"), [(3, ValueError), (-1, ValueError), (1.0, TypeError), (None, TypeError)])
def test_actions_that_are_none(counting: Path, action: Any, error: type[Exception]) -> None:
    env = SpectrumEnv(counting)
    env.reset(seed=1)
    with pytest.raises(error):
        env.step(action)
    assert env.step(np.int64(SCORE))[1] == 2.0  # nothing has happened


def test_a_closed_environment_says_so(counting: Path) -> None:
    env = SpectrumEnv(counting)
    env.close()
    env.close()
    with pytest.raises(ClosedEnvironmentError, match="is closed"):
        env.reset()


@pytest.mark.parametrize("wrong", [[1], np.array([1]), 1.0, "left", None])
def test_what_is_no_action(counting: Path, wrong: Any) -> None:
    env = SpectrumEnv(counting)
    env.reset(seed=1)
    with pytest.raises(TypeError, match=r"^an action must be one whole number"):
        env.step(wrong)


def test_an_action_beyond_all_integers_of_the_core(counting: Path) -> None:
    env = SpectrumEnv(counting)
    env.reset(seed=1)
    with pytest.raises(ValueError, match="action"):
        env.step(10**30)


@pytest.mark.parametrize("wrong", [-1, 1.5, "x", [1], True])
def test_what_is_no_seed(counting: Path, wrong: Any) -> None:
    for env in (SpectrumEnv(counting), SpectrumVectorEnv(counting, 1)):
        if isinstance(env, SpectrumVectorEnv) and wrong == [1]:
            continue  # there, a list is a seed for each environment
        with pytest.raises(UserError, match=r"^a seed must be a whole number of at least 0"):
            env.reset(seed=wrong)


@pytest.mark.parametrize("wrong", ["x", [1]])
def test_options_are_a_mapping(counting: Path, wrong: Any) -> None:
    with pytest.raises(UserError, match=r"^options of reset must be a mapping"):
        SpectrumEnv(counting).reset(options=wrong)
