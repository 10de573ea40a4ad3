# SPDX-License-Identifier: GPL-3.0-or-later
"""How much memory a machine takes, by what the process has more of when there are many."""

from collections.abc import Callable

import numpy as np

from _resident import resident
from oakemu_rl._core import Machine
from oakemu_rl.emulator import load_rom
from oakemu_rl.envs._core_envs import CoreEnvs
from oakemu_rl.envs.options import EnvOptions
from oakemu_rl.games import load_game

__all__ = ["bytes_each", "environments", "machines_48k", "machines_128k"]


def bytes_each(make: Callable[[int], object], count: int) -> int:
    """What each of `count` things takes that `make` makes; a few are made before, for what they share."""
    few = make(4)
    before = resident()
    many = make(count)
    taken = resident() - before
    del few, many
    return round(taken / count)


def _machines(model: str, count: int) -> list[Machine]:
    rom = load_rom(model)
    made = [Machine(rom, model=model) for _ in range(count)]
    for machine in made:
        machine.ram[:] = 1  # memory that nobody has touched takes none
    return made


def machines_48k(count: int) -> object:
    """Machines by themselves, as Python holds them."""
    return _machines("48k", count)


def machines_128k(count: int) -> object:
    """The same with 128K."""
    return _machines("128k", count)


def environments(count: int) -> object:
    """A batch of Acorns with the observations of its preset, but not what Gymnasium keeps around it."""
    game = load_game("acorns")
    batch = CoreEnvs(game, EnvOptions.resolve(game, {}), num_envs=count, num_threads=1, autoreset="next_step")
    everywhere = np.ones(count, np.bool_)
    batch.seed([*range(count)], everywhere, None)
    batch.reset(everywhere)
    return batch
