# SPDX-License-Identifier: GPL-3.0-or-later
"""What the actions of an environment are called, what they hold down, and when they are allowed."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import combinations
from typing import Literal

import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from oakemu_rl.errors import UserError
from oakemu_rl.games import Game
from oakemu_rl.games.keys import action_row

__all__ = ["ActionSet", "ActionType", "action_set", "joined_programs"]

ActionType = Literal["discrete", "multibinary"]

_MAX_FULL_KEYS = 8  # 256 combinations
_MAX_INPUTS = 12  # 4096 combinations, of which the core keeps a table

_Program = list[tuple[str, float]]


@dataclass(frozen=True)
class ActionSet:
    """The actions of an environment.

    Attributes:
        names: What people call them, by the core's number.
        table: What they hold, (A, 9) uint8, as `oakemu_rl.games.keys.action_row` makes it.
        noop: The number of the one that holds nothing.
        sources: For each, the actions of the game that decide whether it is allowed: itself, or all that it contains.
        inputs: What the bits of a MultiBinary action are called; None if actions are numbers.
    """

    names: tuple[str, ...]
    table: npt.NDArray[np.uint8]
    noop: int
    sources: tuple[tuple[int, ...], ...]
    inputs: tuple[str, ...] | None = None

    @property
    def space(self) -> spaces.Discrete | spaces.MultiBinary:
        """The space of one environment's actions."""
        return spaces.Discrete(len(self.names)) if self.inputs is None else spaces.MultiBinary(len(self.inputs))

    @property
    def meanings(self) -> list[str]:
        """What each number, or each bit, stands for."""
        return list(self.names if self.inputs is None else self.inputs)

    @property
    def mask_width(self) -> int:
        """Length of an environment's mask: its actions, or off and on for each bit, as sb3-contrib takes it."""
        return len(self.names) if self.inputs is None else 2 * len(self.inputs)

    def numbers_of(self, bits: object, num_envs: int) -> npt.NDArray[np.int64]:
        """The core's numbers of MultiBinary actions, (N,).

        Args:
            bits: (N, K), whole or floating numbers that are 0 or 1.
            num_envs: N.

        Raises:
            UserError: They have another form.
        """
        given = np.asarray(bits)
        width = len(self.inputs or ())
        if given.shape != (num_envs, width) or given.dtype.kind not in "biuf" or not np.isin(given, (0, 1)).all():
            one = f"{width} numbers that are 0 or 1" + (
                "" if num_envs == 1 else f" for each of {num_envs} environments"
            )
            raise UserError(f"actions must be {one}, one for each of {', '.join(self.inputs or ())}, not {bits!r}")
        numbers: npt.NDArray[np.int64] = given.astype(np.int64) @ (1 << np.arange(width, dtype=np.int64))
        return numbers

    def masks(self, own: Sequence[_Program]) -> list[_Program]:
        """When each is allowed, as the core takes it.

        Args:
            own: The same of the game's own actions, an empty program for always; empty if there are no masks.
        """
        if not own:
            return []
        return [joined_programs([own[source] for source in sources]) for sources in self.sources]


def action_set(game: Game, *, full: bool, action_type: ActionType) -> ActionSet:
    """The actions of an environment of the game.

    Args:
        game: The game.
        full: Every combination of the keys that the game's own actions hold: its own actions come first, in their
            order; the others follow, fewest keys first, called ``o+p`` after their keys.
        action_type: ``"multibinary"``: a bit for each of these keys; bit i of the core's number is key i.

    Raises:
        UserError: There are too many combinations.
    """
    own = [frozenset(held) for held in game.definition.actions.values()]
    inputs = tuple(dict.fromkeys(key for held in game.definition.actions.values() for key in held))
    if action_type == "multibinary":
        _check_number(game, inputs, "action_type='multibinary'", _MAX_INPUTS)
        chords = [
            tuple(key for bit, key in enumerate(inputs) if number >> bit & 1) for number in range(1 << len(inputs))
        ]
        return ActionSet(
            tuple("+".join(held) for held in chords), _rows(game, chords), 0, tuple(() for _ in chords), inputs
        )
    noop, everyone = game.definition.noop_action, tuple((index,) for index in range(len(own)))
    if not full:
        return ActionSet(game.action_names, game.action_table, noop, everyone)
    _check_number(game, inputs, "full_action_space", _MAX_FULL_KEYS)
    others = [
        held for count in range(len(inputs) + 1) for held in combinations(inputs, count) if frozenset(held) not in own
    ]
    contained = [tuple(index for index, keys in enumerate(own) if keys and keys <= set(held)) for held in others]
    return ActionSet(
        (*game.action_names, *("+".join(held) for held in others)),
        np.concatenate([game.action_table, _rows(game, others)]),
        noop,
        (*everyone, *contained),
    )


def joined_programs(programs: Sequence[_Program]) -> _Program:
    """A condition that holds where all of them do; an empty program holds always."""
    given = [program for program in programs if program]
    return reduce(lambda one, other: [*one, *other, ("logical_and", 0.0)], given) if given else []


def _rows(game: Game, chords: Sequence[tuple[str, ...]]) -> npt.NDArray[np.uint8]:
    rows = [action_row(held, game.definition.joystick) for held in chords]
    return np.array(rows, np.uint8).reshape(len(rows), 9)


def _check_number(game: Game, inputs: tuple[str, ...], what: str, most: int) -> None:
    if len(inputs) > most:
        raise UserError(
            f"{what}: the actions of {game.id} hold {len(inputs)} different keys, that is {2 ** len(inputs)} "
            f"combinations; at most {most} keys are allowed"
        )
    if not inputs and what != "full_action_space":
        raise UserError(f"{what}: the actions of {game.id} hold no keys at all")
