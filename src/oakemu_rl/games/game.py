# SPDX-License-Identifier: GPL-3.0-or-later
"""A game that is ready to be played: its definition and its program, and from them what the core's batch needs."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypedDict

import numpy as np
import numpy.typing as npt

from oakemu_rl._validation import LocatedError, shorten
from oakemu_rl.emulator import load_rom
from oakemu_rl.errors import UserError, nearest
from oakemu_rl.games._checks import DEFAULT_START, RANDOM_BYTES
from oakemu_rl.games.definition import Definition
from oakemu_rl.games.expression import Kind
from oakemu_rl.games.formulas import Formulas, RewardKind
from oakemu_rl.games.interpreter import Reader
from oakemu_rl.games.keys import action_row
from oakemu_rl.games.linking import Instructions, Linker
from oakemu_rl.games.start_state import make_start_state
from oakemu_rl.games.variables import CoreVariable
from oakemu_rl.yaml_source import Source

__all__ = ["BatchArguments", "Game", "RewardKind"]

_CONDITION = (0, 1)
_ANY = (-(2**63), 2**63 - 1)  # derived numbers are rounded to 64 bits


class BatchArguments(TypedDict):
    """Those arguments of the core's ``Batch`` that the game decides."""

    rom: bytes
    start_states: list[bytes]
    start_weights: list[float]
    actions: npt.NDArray[np.uint8]
    noop_action: int
    masks: list[Instructions]
    random_pokes: list[tuple[int, int]]
    area: tuple[int, int, int, int]
    variables: list[CoreVariable]
    derived: list[Instructions]
    hooks: list[int]
    rewards: list[Instructions]
    win: Instructions
    loss: Instructions
    lives_variable: int
    stall_value: Instructions


@dataclass(frozen=True, repr=False)
class Game:
    """A definition with its program. It can be pickled and compared, and holds all that it needs.

    Attributes:
        definition: What the YAML file says.
        program: The tape or snapshot, as its file is.
        files: The other files that the definition names, by name.
        source: The text of the definition, for messages that say where something stands in it.
    """

    definition: Definition
    program: bytes
    files: Mapping[str, bytes] = field(default_factory=dict)
    source: Source | None = field(default=None, compare=False)

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
        """The names of the variables that are reported: those in RAM, then the derived ones. Tables are not."""
        return tuple(self._linker.columns)

    @property
    def variable_columns(self) -> tuple[int, ...]:
        """Where the core puts each of `variable_names` among the `num_variables` that it reads."""
        return tuple(self._linker.columns.values())

    @property
    def variable_limits(self) -> dict[str, tuple[int, int]]:
        """The lowest and highest number that each of `variable_names` can hold, whatever is in RAM."""
        kinds, variables = self._formulas.names.variables, self.definition.variables
        derived = {name: _CONDITION if kinds[name] is Kind.CONDITION else _ANY for name in self.definition.derived}
        return {name: derived.get(name) or variables[name].possible_numbers for name in self.variable_names}

    @property
    def num_variables(self) -> int:
        """How many variables the core reads and derives; those of tables are not reported."""
        return len(self._linker.variables) + len(self.definition.derived)

    @property
    def start_names(self) -> tuple[str, ...]:
        """The names of the states in which episodes may begin, by index; the first is ``default``."""
        return self.definition.start_names

    @property
    def has_masks(self) -> bool:
        """Whether there are actions that are not always allowed."""
        return bool(self.definition.allow)

    @property
    def stall_steps(self) -> int | None:
        """Steps without a change after which an episode is cut off; None where the game does not ask for that."""
        stall = self.definition.limits.stall
        return None if stall is None else stall.steps

    def reward_part_names(self, reward: RewardKind = "training") -> tuple[str, ...]:
        """The names of a reward's parts, by index; none where it is a single expression."""
        return tuple(name for name in self._formulas.rewards[reward] if name)

    @cached_property
    def action_table(self) -> npt.NDArray[np.uint8]:
        """What each action holds, (A, 9) uint8, read-only: bits of the eight half rows, and the Kempston byte."""
        rows = [action_row(held, self.definition.joystick) for held in self.definition.actions.values()]
        table = np.stack(rows)
        table.flags.writeable = False
        return table

    @cached_property
    def _formulas(self) -> Formulas:
        return self.definition.formulas()

    @cached_property
    def _linker(self) -> Linker:
        # With the programs of both rewards, so that columns do not depend on the one that is chosen.
        definition, formulas = self.definition, self._formulas
        return Linker(definition.variables, tuple(formulas.derived), definition.routines, formulas.programs())

    @cached_property
    def _reader(self) -> Reader:
        return Reader(self.definition.variables, self._formulas.derived)

    def read(self, ram: npt.NDArray[np.uint8]) -> dict[str, int]:
        """All of `variable_names` in a memory, by name.

        Args:
            ram: What the CPU sees from 0x4000 on, (49152,) uint8. It is taken for all that ever was: no variable has
                changed and no routine has been called.
        """
        return self._reader.read(ram)

    def start_state(self, name: str = DEFAULT_START) -> bytes:
        """The machine in which episodes begin; made by the first call in a process.

        Args:
            name: One of `start_names`.

        Raises:
            UserError: There is no such start, the program cannot be loaded, or the start script does not get to its
                end.
        """
        if name not in self.start_names:
            known = f"{nearest(str(name), self.start_names)}; there are {', '.join(self.start_names)}"
            raise UserError(f"{self.id}: unknown start {shorten(name)}{known}")
        try:
            return make_start_state(self.definition, self.program, start=name, files=self.files)
        except LocatedError as error:
            where = self.id if self.source is None else self.source.where(error.loc)
            raise UserError(f"{where}: {error}") from error

    def batch_arguments(self, *, reward: RewardKind = "training") -> BatchArguments:
        """The arguments of the core's ``Batch`` that the game decides.

        Args:
            reward: Which of the definition's rewards.

        Raises:
            UserError: As `start_state`.
        """
        definition, formulas, linker = self.definition, self._formulas, self._linker
        lives = definition.lives_variable
        masked = self.action_names if self.has_masks else ()
        return BatchArguments(
            rom=load_rom(definition.machine),
            start_states=[self.start_state(name) for name in self.start_names],
            start_weights=definition.start_weights,
            actions=self.action_table,
            noop_action=definition.noop_action,
            masks=[linker.link(formulas.allow.get(action, ())) for action in masked],
            random_pokes=[
                (definition.variables[name].at, RANDOM_BYTES[kind]) for name, kind in definition.reset.randomize.items()
            ],
            area=definition.area,
            variables=linker.variables,
            derived=[linker.link(program) for program in formulas.derived.values()],
            hooks=linker.hooks,
            rewards=[linker.link(program) for program in formulas.rewards[reward].values()],
            win=linker.link(formulas.win),
            loss=linker.link(formulas.loss),
            lives_variable=-1 if lives is None else linker.columns[lives],
            stall_value=linker.link(formulas.stall),
        )
