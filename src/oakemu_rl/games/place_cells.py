# SPDX-License-Identifier: GPL-3.0-or-later
"""Cells: what tells one moment of a game from another for whoever explores it."""

from collections.abc import Sequence
from dataclasses import replace

from oakemu_rl._validation import LocatedError
from oakemu_rl.errors import UserError
from oakemu_rl.games.expression import compile_expression
from oakemu_rl.games.game import Game

__all__ = ["with_cells"]


def with_cells(game: Game, cells: Sequence[str]) -> tuple[Game, tuple[str, ...]]:
    """A game whose core works out what makes a cell, too: as derived variables, behind all others.

    Args:
        game: The game.
        cells: Expressions of its definition's language; each is rounded to a whole number.

    Returns:
        The game, and the names of the new variables, one an expression.

    Raises:
        UserError: An expression cannot be compiled.
    """
    definition = game.definition
    names = definition.formulas().names
    for text in cells:
        try:
            compile_expression(text, names)
        except LocatedError as error:
            raise UserError(f"cell {text!r}: {error}") from error
    taken = {*definition.variables, *definition.derived, *definition.routines}
    prefix = "cell_"
    while any(name.startswith(prefix) for name in taken):
        prefix = "x" + prefix
    added = {f"{prefix}{number}": text for number, text in enumerate(cells)}
    derived = {**definition.derived, **added}
    return replace(game, definition=definition.model_copy(update={"derived": derived})), tuple(added)
