# SPDX-License-Identifier: GPL-3.0-or-later
"""A game that is ready to be played: its definition and its program, and from them what the core's batch needs."""

from dataclasses import dataclass
from functools import cached_property
from typing import TypedDict

import numpy as np
import numpy.typing as npt

from oakemu_rl.emulator import load_rom
from oakemu_rl.games.definition import Definition
from oakemu_rl.games.expression import Program
from oakemu_rl.games.keys import action_row
from oakemu_rl.games.linking import Linker
from oakemu_rl.games.start_state import make_start_state
from oakemu_rl.games.variables import CoreVariable

__all__ = ["BatchArguments", "Game"]

_Instructions = list[tuple[str, float]]


class BatchArguments(TypedDict):
    """Those arguments of the core's ``Batch`` that the game decides."""

    rom: bytes
    start_states: list[bytes]
    actions: npt.NDArray[np.uint8]
    noop_action: int
    random_pokes: list[tuple[int, int]]
    area: tuple[int, int, int, int]
    variables: list[CoreVariable]
    hooks: list[int]
    rewards: list[_Instructions]
    win: _Instructions
    loss: _Instructions
    lives_variable: int


@dataclass(frozen=True, repr=False)
class Game:
    """A definition with its program. It can be pickled and compared, and holds all that it needs.

    Attributes:
        definition: What the YAML file says.
        program: The tape or snapshot, as its file is.
    """

    definition: Definition
    program: bytes

    def __hash__(self) -> int:
        return hash((self.definition.id, self.program))

    def __repr__(self) -> str:
        return f"Game({self.definition.id!r})"

    @property
    def id(self) -> str:
        """The environment's id."""
        return self.definition.id

    @property
    def action_names(self) -> tuple[str, ...]:
        """The names of the actions, by index."""
        return tuple(self.definition.actions)

    @property
    def variable_names(self) -> tuple[str, ...]:
        """The names of the variables that are reported."""
        return tuple(self._linker.columns)

    @property
    def variable_columns(self) -> tuple[int, ...]:
        """Where the core reports each of `variable_names`: its columns hold others besides."""
        return tuple(self._linker.columns.values())

    @property
    def variable_limits(self) -> dict[str, tuple[int, int]]:
        """The lowest and highest number that each of `variable_names` can hold, whatever is in RAM."""
        return {name: self.definition.variables[name].possible_numbers for name in self.variable_names}

    @cached_property
    def action_table(self) -> npt.NDArray[np.uint8]:
        """What each action holds, (A, 9) uint8, read-only: bits of the eight half rows, and the Kempston byte."""
        rows = [action_row(held, self.definition.joystick) for held in self.definition.actions.values()]
        table = np.stack(rows)
        table.flags.writeable = False
        return table

    @cached_property
    def _programs(self) -> tuple[Program, Program, Program]:
        definition = self.definition
        return definition.compile("reward"), definition.compile("win"), definition.compile("loss")

    @cached_property
    def _linker(self) -> Linker:
        definition = self.definition
        return Linker(definition.variables, (), definition.routines, self._programs)

    def start_state(self) -> bytes:
        """The machine in which every episode begins; made by the first call in a process.

        Raises:
            UserError: The program cannot be loaded, or the start script does not get to its end.
        """
        return make_start_state(self.definition, self.program)

    def batch_arguments(self) -> BatchArguments:
        """The arguments of the core's ``Batch`` that the game decides.

        Raises:
            UserError: As `start_state`.
        """
        definition = self.definition
        linker = self._linker
        reward, win, loss = (linker.link(program) for program in self._programs)
        lives = definition.lives_variable
        return BatchArguments(
            rom=load_rom(definition.machine),
            start_states=[self.start_state()],
            actions=self.action_table,
            noop_action=definition.noop_action,
            random_pokes=[
                (definition.variables[name].at, {"u8": 1, "u16": 2}[kind])
                for name, kind in definition.reset.randomize.items()
            ],
            area=definition.area,
            variables=linker.variables,
            hooks=linker.hooks,
            rewards=[reward],
            win=win,
            loss=loss,
            lives_variable=-1 if lives is None else linker.columns[lives],
        )
