# SPDX-License-Identifier: GPL-3.0-or-later
"""What a definition costs in a step: 20 variables, 3 derived ones, a reward in 3 parts, ends, masks and a stall.

Each candidate plays the same frames of the same machines; each part is compared with the same step without it.
"""

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from oakemu_rl import _core
from oakemu_rl.games import Game, load_game

from _busy_game import busy_game
from _timing import rates, ratio

__all__ = ["measure", "table"]

_NUM_ENVS = 32
_STEPS = 60
_Code = list[tuple[str, float]]

_KINDS = [
    ("u8", 1),
    ("u16le", 2),
    ("u8", 1),
    ("bcd", 3),
    ("u8", 1),
    ("bits", 1),
    ("digits", 6),
    ("u8", 1),
    ("i8", 1),
    ("u24", 3),
]
_VARIABLES = [(0x8200 + 8 * i, *_KINDS[i % len(_KINDS)], 0, 3, 1, 0, "", 0) for i in range(20)]
_TABLES = [(0x8300, "u8", 1, 0, 7, 16, 2, reduction, 3) for reduction in ("sum", "min", "max", "count")]


def _delta(variable: int) -> _Code:
    return [("variable", variable), ("before", variable), ("subtract", 0)]


def _at_least(variable: int, value: float) -> _Code:
    return [("variable", variable), ("constant", value), ("greater_equal", 0)]


# As in `abs(x - y)`, `min(a, b) * 2`, `c // 10`.
_DERIVED: list[_Code] = [
    [("variable", 0), ("variable", 2), ("subtract", 0), ("absolute", 0)],
    [("variable", 1), ("variable", 3), ("minimum", 0), ("constant", 2), ("multiply", 0)],
    [("variable", 20), ("constant", 10), ("floor_divide", 0)],
]
# As in `delta(score) / 100`, `-5 * (delta(lives) < 0)`, `0.01 * delta(distance)`.
_REWARDS: list[_Code] = [
    [*_delta(3), ("constant", 100), ("divide", 0)],
    [("constant", -5), *_delta(4), ("constant", 0), ("less", 0), ("multiply", 0)],
    [("constant", 0.01), *_delta(21), ("multiply", 0)],
]
_ENDS = {"win": _at_least(3, 1e9), "loss": _at_least(20, 1e9)}
_PLAIN = {"variables": _VARIABLES, "derived": _DERIVED, "rewards": _REWARDS, **_ENDS}
_STALL = {"stall_value": [("variable", 3)], "stall_steps": 10**9}
_NO_PICTURE = {"area": (0, 0, 1, 1), "size": (1, 1), "stack": 1}


class _Stepping:
    """A batch of 32 machines on one thread, 84x84 grey x4, with the parts of a definition that are given."""

    def __init__(self, game: Game, parts: dict[str, Any], *, sees_ram: bool = False) -> None:
        arguments: dict[str, Any] = {**game.batch_arguments()}
        arguments |= {"variables": [], "rewards": [], "win": [], "loss": [], "hooks": [], "lives_variable": -1}
        arguments |= {"num_envs": _NUM_ENVS, "num_threads": 1, "contention": True, "frameskip": (4, 4), "noops": (0, 0)}
        arguments |= {"repeat_action_probability": 0.0, "max_steps": 0, "max_frames": 0, "maxpool": False}
        arguments |= {"size": (84, 84), "colour": "grey", "stack": 4, "episodic_life": False, "reward_clipping": False}
        self.batch = _core.Batch(**(arguments | {"autoreset": "disabled"} | parts))
        self._actions = np.random.default_rng(1).integers(self.batch.num_actions, size=(_STEPS, _NUM_ENVS))
        self._outputs = self._allocate(sees_ram=sees_ram)

    def _allocate(self, *, sees_ram: bool) -> _core.Outputs:
        batch = self.batch
        numbers = {name: np.zeros(_NUM_ENVS, np.int64) for name in ("episode_length", "episode_frame_number")}
        numbers |= {name: np.zeros(_NUM_ENVS, np.int64) for name in ("frame_number", "actions_taken", "start")}
        return _core.Outputs(
            observations=np.zeros((_NUM_ENVS, *batch.observation_shape), np.uint8),
            variables=np.zeros((_NUM_ENVS, batch.num_variables), np.int64),
            rewards=np.zeros(_NUM_ENVS),
            reward_parts=np.zeros((_NUM_ENVS, batch.num_rewards)),
            action_masks=np.zeros((_NUM_ENVS, batch.num_actions), np.bool_),
            episode_return=np.zeros(_NUM_ENVS),
            terminated=np.zeros(_NUM_ENVS, np.bool_),
            truncated=np.zeros(_NUM_ENVS, np.bool_),
            outcome=np.zeros(_NUM_ENVS, np.uint8),
            ram=np.zeros((_NUM_ENVS, 49152), np.uint8) if sees_ram else None,
            **numbers,
        )

    def __call__(self) -> float:
        self.batch.reset(None, self._outputs)  # or the game would be over before long, and idle
        for row in self._actions:
            self.batch.step(row, self._outputs)
        return _STEPS * _NUM_ENVS


def _candidates(game: Game) -> dict[str, Callable[[], float]]:
    masks = [_at_least(i % 20, 1.0) for i in range(len(game.action_names))]
    return {
        "picture": _Stepping(game, {}),
        "definition": _Stepping(game, _PLAIN),
        "all": _Stepping(game, _PLAIN | _STALL | {"variables": _VARIABLES + _TABLES, "masks": masks}),
        "nothing": _Stepping(game, _NO_PICTURE),
        "attributes": _Stepping(game, {"colour": "attributes"}),
        "ram": _Stepping(game, _NO_PICTURE, sees_ram=True),
    }


_COMPARED = {
    "20 variables, 3 derived, reward in 3 parts, win, loss": ("picture", "definition"),
    "the same with 4 tables of 16 items, masks and a stall": ("picture", "all"),
    "84x84 grey x4": ("nothing", "picture"),
    "attributes x4": ("nothing", "attributes"),
    "RAM": ("nothing", "ram"),
}


def measure(rounds: int = 61) -> dict[str, Any]:
    """The share that each part adds to a step of busy code, and to one of a game that mostly waits for frames."""
    shares: dict[str, dict[str, float]] = {}
    for name, game in (("busy code", busy_game()), ("Acorns", load_game("acorns"))):
        measured = rates(_candidates(game), rounds=rounds, clock=time.thread_time)
        shares[name] = {
            part: round(ratio(measured[without], measured[with_it]) - 1.0, 4)
            for part, (without, with_it) in _COMPARED.items()
        }
    return {"title": f"Definitions: {_NUM_ENVS} machines, frameskip 4, one thread", "share_of_a_step": shares}


def table(result: dict[str, Any]) -> list[str]:
    """The figures as a table in Markdown."""
    shares = result["share_of_a_step"]
    lines = ["| added to a step | " + " | ".join(shares) + " |", "|---|" + "---:|" * len(shares)]
    return [
        *lines,
        *(f"| {part} | " + " | ".join(f"{game[part]:.1%}" for game in shares.values()) + " |" for part in _COMPARED),
    ]


if __name__ == "__main__":
    print("\n".join(table(measure())))
