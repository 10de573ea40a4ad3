# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs a compiled expression in the core: one step of a batch of one machine that changes its variables as asked."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from oakemu_rl._core import Batch, Machine, Outputs
from oakemu_rl.emulator import load_rom
from oakemu_rl.games.expression import Program
from oakemu_rl.games.linking import Linker
from oakemu_rl.games.variables import Variable

CODE = 0x8000
ROUTINE = 0x9000
VALUES = 0xA000
NEXT_VALUES = 0xB000


def run_in_core(program: Program, before: Mapping[str, int], after: Mapping[str, int], calls: int = 0) -> float:
    """The reward that `program` gives for a step in which u16 variables go from `before` to `after`.

    They follow one another in memory; a table called ``words`` is made of all of them.

    The machine does as that of `changing_machine`.
    """
    words = {name: Variable(at=VALUES + 2 * index, type="u16le") for index, name in enumerate(before)}
    words["words"] = Variable(at=VALUES, type="u16le", count=len(before))
    linker = Linker(words, (), {"death": ROUTINE}, [program])
    batch = Batch(
        **settings(),
        start_states=[changing_machine(before, after, calls)],
        variables=linker.variables,
        hooks=linker.hooks,
        rewards=[linker.link(program)],
    )
    outputs, rewards = make_outputs(len(linker.variables))
    batch.seed(np.zeros(1, dtype=np.uint64))
    batch.reset(None, outputs)
    batch.step(np.zeros(1, dtype=np.int64), outputs)
    return float(rewards[0])


def changing_machine(before: Mapping[str, int], after: Mapping[str, int], calls: int = 0) -> bytes:
    """A machine that copies new values over the old ones, calls `ROUTINE` so many times, and waits."""
    size = 2 * len(before)
    machine = Machine(load_rom())
    machine.set_register("pc", CODE)
    machine.set_register("sp", 0xFF00)
    write(machine, CODE, copy_code(size) + bytes([0xCD, 0x00, 0x90]) * calls + bytes([0x18, 0xFE]))  # CALL; JR self
    write(machine, ROUTINE, bytes([0xC9]))  # RET
    write(machine, VALUES, b"".join(value.to_bytes(2, "little") for value in before.values()))
    write(machine, NEXT_VALUES, b"".join(after[name].to_bytes(2, "little") for name in before))
    return machine.save()


def copy_code(size: int) -> bytes:
    """LD HL,NEXT_VALUES; LD DE,VALUES; LD BC,size; LDIR."""
    return bytes([0x21, 0x00, 0xB0, 0x11, 0x00, 0xA0, 0x01, size, 0x00, 0xED, 0xB0])


def write(machine: Machine, address: int, data: bytes) -> None:
    machine.ram[address - 0x4000 : address - 0x4000 + len(data)] = np.frombuffer(data, dtype=np.uint8)


def settings() -> dict[str, Any]:
    return {
        "rom": load_rom(),
        "num_envs": 1,
        "num_threads": 1,
        "contention": True,
        "actions": np.zeros((1, 9), dtype=np.uint8),
        "noop_action": 0,
        "frameskip": (1, 1),
        "repeat_action_probability": 0.0,
        "noops": (0, 0),
        "random_pokes": [],
        "max_steps": 0,
        "max_frames": 0,
        "area": (0, 0, 8, 8),
        "size": (8, 8),
        "colour": "grey",
        "stack": 1,
        "maxpool": False,
        "win": [],
        "loss": [],
        "lives_variable": -1,
        "episodic_life": False,
        "reward_clipping": False,
        "autoreset": "next_step",
    }


def make_outputs(num_variables: int) -> tuple[Outputs, np.ndarray]:
    rewards = np.zeros(1)
    return Outputs(
        observations=np.zeros((1, 1, 8, 8), dtype=np.uint8),
        rewards=rewards,
        terminated=np.zeros(1, dtype=np.bool_),
        truncated=np.zeros(1, dtype=np.bool_),
        variables=np.zeros((1, num_variables), dtype=np.int64),
        episode_return=np.zeros(1),
        episode_length=np.zeros(1, dtype=np.int64),
        episode_frame_number=np.zeros(1, dtype=np.int64),
        frame_number=np.zeros(1, dtype=np.int64),
        outcome=np.zeros(1, dtype=np.uint8),
        actions_taken=np.zeros(1, dtype=np.int64),
    ), rewards
