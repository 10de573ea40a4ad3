# SPDX-License-Identifier: GPL-3.0-or-later
"""The vector environment, frameskip 4, 84x84 grey x4: against ALE's, emulation alone, and one thread."""

from collections.abc import Callable
from typing import Any

import numpy as np
from ale_py.vector_env import AtariVectorEnv

from oakemu_rl.envs import SpectrumVectorEnv
from oakemu_rl.games import Game, load_game

from _busy_game import busy_game, emulation
from _timing import rates, ratio

__all__ = ["measure"]

_NUM_ENVS = 32
_STEPS = 60
_ALE_STEPS = 6
_FRAMESKIP = 4


def _stepping(game: Game, num_threads: int) -> Callable[[], float]:
    """Agent steps of all environments together."""
    env = SpectrumVectorEnv(
        game, _NUM_ENVS, num_threads=num_threads, img_width=84, img_height=84, stack_num=4, frameskip=_FRAMESKIP
    )
    env.reset(seed=1)
    actions = np.random.default_rng(1).integers(len(game.action_names), size=(_STEPS, _NUM_ENVS))

    def work() -> float:
        for row in actions:
            env.step(row)
        return _STEPS * _NUM_ENVS

    return work


def _ale(num_threads: int) -> Callable[[], float]:
    """ALE's own vector environment on Breakout, with what we do too: no max-pooling, no clipping of rewards."""
    env = AtariVectorEnv("breakout", _NUM_ENVS, num_threads=num_threads, maxpool=False, reward_clipping=False)
    env.reset(seed=1)
    actions = np.random.default_rng(1).integers(env.single_action_space.n, size=(_ALE_STEPS, _NUM_ENVS))

    def work() -> float:
        for row in actions:
            env.step(row)
        return _ALE_STEPS * _NUM_ENVS

    return work


def measure(rounds: int = 9) -> dict[str, Any]:
    """Agent steps a second, and the ratios that count."""
    busy, acorns = busy_game(), load_game("acorns")
    pure_emulation = emulation(busy, machines=_NUM_ENVS, steps=_STEPS, frameskip=_FRAMESKIP)
    measured = rates(
        {
            "busy code, pure emulation, 1 thread": pure_emulation,
            "busy code, 1 thread": _stepping(busy, 1),
            "busy code, 2 threads": _stepping(busy, 2),
            "Acorns, 1 thread": _stepping(acorns, 1),
            "Acorns, 2 threads": _stepping(acorns, 2),
            "ALE's AtariVectorEnv, Breakout, 1 thread": _ale(1),
            "ALE's AtariVectorEnv, Breakout, 2 threads": _ale(2),
        },
        rounds=rounds,
    )
    pure, one, two, acorns_one, acorns_two, ale_one, ale_two = measured.values()
    return {
        "title": f"Vector environment: {_NUM_ENVS} machines, frameskip 4, 84x84 grey x4 (steps/s)",
        "rows": [{"name": rate.name, "per_second": round(rate.median)} for rate in measured.values()],
        "overhead": round(ratio(pure, one) - 1.0, 3),
        "two_threads": round(ratio(two, one), 2),
        "two_threads_acorns": round(ratio(acorns_two, acorns_one), 2),
        "against_ale": {
            "busy code, 1 thread": round(ratio(one, ale_one), 2),
            "busy code, 2 threads": round(ratio(two, ale_two), 2),
            "Acorns, 1 thread": round(ratio(acorns_one, ale_one), 2),
            "Acorns, 2 threads": round(ratio(acorns_two, ale_two), 2),
        },
    }


if __name__ == "__main__":
    result = measure()
    for row in result["rows"]:
        print(f"{row['name']:42} {row['per_second']:>9,} steps/s")
    print(f"observation, reward and bookkeeping over pure emulation: {result['overhead']:.1%}")
    print(f"two threads against one: {result['two_threads']} times (Acorns: {result['two_threads_acorns']})")
    for name, times in result["against_ale"].items():
        print(f"against ALE, {name}: {times} times as fast")
