# SPDX-License-Identifier: GPL-3.0-or-later
"""What the actions of an environment are called and what they hold down."""

from itertools import combinations

import numpy as np
import numpy.typing as npt

from oakemu_rl.errors import UserError
from oakemu_rl.games import Game
from oakemu_rl.games.keys import action_row

__all__ = ["ActionSet", "full_actions", "own_actions"]

_MAX_FULL_KEYS = 8  # 256 combinations

ActionSet = tuple[tuple[str, ...], npt.NDArray[np.uint8]]
"""Names by index, and the (A, 9) uint8 table that the core holds for them."""


def own_actions(game: Game) -> ActionSet:
    """The actions of the game's definition."""
    return game.action_names, game.action_table


def full_actions(game: Game) -> ActionSet:
    """Every combination of the keys that the game's own actions hold.

    The game's own actions come first, in their order; the others follow, fewest keys first, called ``o+p`` after their
    keys.

    Raises:
        UserError: They are too many.
    """
    own = game.definition.actions
    keys = list(dict.fromkeys(key for held in own.values() for key in held))
    if len(keys) > _MAX_FULL_KEYS:
        raise UserError(
            f"full_action_space: the actions of {game.id} hold {len(keys)} different keys, that is {2 ** len(keys)} "
            f"combinations; at most {_MAX_FULL_KEYS} keys are allowed"
        )
    known = {frozenset(held) for held in own.values()}
    others = [
        held for count in range(len(keys) + 1) for held in combinations(keys, count) if frozenset(held) not in known
    ]
    rows = [action_row(held, game.definition.joystick) for held in others]
    return (*game.action_names, *("+".join(held) for held in others)), np.stack([*game.action_table, *rows])
