# SPDX-License-Identifier: GPL-3.0-or-later
"""What each observation type costs: steps of 32 environments at frameskip 4, over the same frames and nothing else."""

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from oakemu_rl.envs import SpectrumVectorEnv
from oakemu_rl.games import Game

from _busy_game import busy_game, emulation
from _timing import rates, ratio

__all__ = ["measure", "table"]

_NUM_ENVS = 32
_STEPS = 40
_FRAMESKIP = 4
_PICTURE = {"img_width": 84, "img_height": 84, "stack_num": 4}
_CASES: dict[str, dict[str, Any]] = {
    "`grayscale`, 84x84 x4": {"obs_type": "grayscale", **_PICTURE},
    "`grayscale`, 84x84 x4, `maxpool`": {"obs_type": "grayscale", "maxpool": True, **_PICTURE},
    "`ink`, 84x84 x4": {"obs_type": "ink", **_PICTURE},
    "`rgb`, 84x84 x4": {"obs_type": "rgb", **_PICTURE},
    "`attributes` (32x22) x4": {"obs_type": "attributes", "stack_num": 4},
    "`ram`": {"obs_type": "ram"},
    "`variables` (20)": {"obs_type": "variables"},
    "`grayscale`, 84x84 x4, and `variables`": {"obs_type": ["grayscale", "variables"], **_PICTURE},
    "`ink`, 84x84 x4, `ram` and `variables`": {"obs_type": ["ink", "ram", "variables"], **_PICTURE},
}


def _stepping(game: Game, options: dict[str, Any]) -> Callable[[], float]:
    env = SpectrumVectorEnv(game, _NUM_ENVS, num_threads=1, frameskip=_FRAMESKIP, **options)
    env.reset(seed=1)
    actions = np.random.default_rng(1).integers(len(game.action_names), size=(_STEPS, _NUM_ENVS))

    def work() -> float:
        for row in actions:
            env.step(row)
        return _STEPS * _NUM_ENVS

    return work


def measure(rounds: int = 15) -> dict[str, Any]:
    """For each observation type, how much a step costs on top of its frames, where a step redraws the whole display."""
    game = busy_game(19)
    pure = "pure emulation"
    candidates = {pure: emulation(game, machines=_NUM_ENVS, steps=_STEPS, frameskip=_FRAMESKIP)}
    candidates |= {name: _stepping(game, options) for name, options in _CASES.items()}
    measured = rates(candidates, rounds=rounds, clock=time.thread_time)  # one thread does all
    return {
        "title": f"Observations: {_NUM_ENVS} machines, frameskip {_FRAMESKIP}, one thread, over pure emulation",
        "overhead": {name: round(ratio(measured[pure], measured[name]) - 1.0, 3) for name in _CASES},
    }


def table(result: dict[str, Any]) -> list[str]:
    """The figures as a table in Markdown."""
    lines = ["| observation | on top of pure emulation |", "|---|---:|"]
    return [*lines, *(f"| {name} | {share:.0%} |" for name, share in result["overhead"].items())]


if __name__ == "__main__":
    print("\n".join(table(measure())))
