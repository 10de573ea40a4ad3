# SPDX-License-Identifier: GPL-3.0-or-later
"""A game of a few bytes, and a batch of it with its arrays.

Once a frame the game counts up ``FRAMES`` and adds the held keys of half row A to ``KEYS``: action 1 adds 1 a frame,
action 2 adds 2.
"""

import hashlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oakemu_rl import _core

FRAMES, KEYS, RANDOM, ROUTINE = 0x9000, 0x9001, 0x9010, 0x8040

# An interrupt routine and nothing else: EI; RET at 0x0038.
ROM = bytes(0x38) + bytes([0xFB, 0xC9]) + bytes(16384 - 0x3A)

_PROGRAM = bytes.fromhex(
    "76"  # loop: HALT
    "210090 34 7E 320040"  # LD HL,FRAMES; INC (HL); LD A,(HL); LD (0x4000),A
    "3EFD DBFE 2F E61F"  # LD A,0xFD; IN A,(0xFE); CPL; AND 0x1F
    "23 86 77"  # INC HL; ADD A,(HL); LD (HL),A
    "CD4080 18E8"  # CALL ROUTINE; JR loop
)


def start_state(*, kempston: bool = False) -> bytes:
    """Halted, with the interrupt of the first frame about to come: after n frames FRAMES holds n."""
    machine = _core.Machine(ROM, kempston=kempston)
    ram = machine.ram
    ram[0x4000 : 0x4000 + len(_PROGRAM)] = np.frombuffer(_PROGRAM, np.uint8)
    ram[ROUTINE - 0x4000] = 0xC9  # RET
    ram[0x1800:0x1B00] = 0x38  # black on white
    for name, value in {"pc": 0x8001, "sp": 0xFF00, "im": 1, "iff1": 1, "iff2": 1, "halted": 1}.items():
        machine.set_register(name, value)
    return machine.save()


def variable(
    address: int, kind: str = "u8", num_bytes: int = 1, low: int = 0, high: int = 7
) -> tuple[int, str, int, int, int, int, int, str, int]:
    return address, kind, num_bytes, low, high, 1, 0, "", 0


def table(
    address: int, reduction: str, items: int, *, kind: str = "u8", stride: int = 1, value: int = 0, num_bytes: int = 1
) -> tuple[int, str, int, int, int, int, int, str, int]:
    return address, kind, num_bytes, 0, 7, items, stride, reduction, value


def settings(**changes: Any) -> dict[str, Any]:
    actions = np.zeros((3, 9), np.uint8)
    actions[1, 1], actions[2, 1] = 1, 2
    made: dict[str, Any] = {
        "rom": ROM,
        "start_states": [start_state()],
        "start_weights": [],
        "num_envs": 1,
        "num_threads": 1,
        "contention": True,
        "actions": actions,
        "noop_action": 0,
        "frameskip": (1, 1),
        "repeat_action_probability": 0.0,
        "noops": (0, 0),
        "random_pokes": [],
        "max_steps": 0,
        "max_frames": 0,
        "stall_value": [],
        "stall_steps": 0,
        "area": (0, 0, 64, 48),
        "size": (21, 16),
        "colour": "grey",
        "stack": 2,
        "maxpool": False,
        "variables": [variable(FRAMES), variable(KEYS)],
        "derived": [],
        "hooks": [],
        "rewards": [[("constant", 1.0)]],
        "win": [],
        "loss": [],
        "masks": [],
        "lives_variable": -1,
        "episodic_life": False,
        "reward_clipping": False,
        "autoreset": "next_step",
    }
    assert changes.keys() <= made.keys()
    return made | changes


def make_arrays(batch: _core.Batch) -> dict[str, NDArray[Any]]:
    n, v = batch.num_envs, batch.num_variables
    return {
        "observations": np.zeros((n, *batch.observation_shape), np.uint8),
        "final_observations": np.zeros((n, *batch.observation_shape), np.uint8),
        "rewards": np.zeros(n, np.float64),
        "terminated": np.zeros(n, np.bool_),
        "truncated": np.zeros(n, np.bool_),
        "variables": np.zeros((n, v), np.int64),
        "final_variables": np.zeros((n, v), np.int64),
        "episode_return": np.zeros(n, np.float64),
        "episode_length": np.zeros(n, np.int64),
        "episode_frame_number": np.zeros(n, np.int64),
        "frame_number": np.zeros(n, np.int64),
        "outcome": np.zeros(n, np.uint8),
        "actions_taken": np.zeros(n, np.int64),
        "reward_parts": np.zeros((n, batch.num_rewards), np.float64),
        "action_masks": np.zeros((n, batch.num_actions), np.bool_),
        "start": np.zeros(n, np.int64),
        "ram": np.zeros((n, 49152), np.uint8),
        "final_ram": np.zeros((n, 49152), np.uint8),
    }


class BatchGame:
    """A batch, and its arrays by name."""

    def __init__(self, **changes: Any) -> None:
        self.batch = _core.Batch(**settings(**changes))
        self.arrays = make_arrays(self.batch)
        self.outputs = _core.Outputs(**self.arrays)

    def __getitem__(self, name: str) -> NDArray[Any]:
        return self.arrays[name]

    def reset(self, mask: NDArray[np.bool_] | None = None, starts: list[int] | None = None) -> None:
        self.batch.reset(mask, self.outputs, None if starts is None else np.array(starts, np.int64))

    def step(self, *actions: int) -> None:
        """One action for all environments, or one for each."""
        chosen = np.resize(np.array(actions, np.int64), self.batch.num_envs)
        self.batch.step(chosen, self.outputs)

    def digest(self) -> str:
        return hashlib.sha256(b"".join(array.tobytes() for array in self.arrays.values())).hexdigest()
