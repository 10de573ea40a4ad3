# SPDX-License-Identifier: GPL-3.0-or-later
"""Games: definitions, the expressions in them, and what an environment needs to run one."""

from oakemu_rl.games.definition import Definition
from oakemu_rl.games.expression import ExpressionError, compile_expression
from oakemu_rl.games.files import load_definition
from oakemu_rl.games.game import BatchArguments, Game
from oakemu_rl.games.registry import find_definition, list_games, load_game, register_game
from oakemu_rl.games.schema import definition_schema, schema_path
from oakemu_rl.games.start_state import make_start_state

__all__ = [
    "BatchArguments",
    "Definition",
    "ExpressionError",
    "Game",
    "compile_expression",
    "definition_schema",
    "find_definition",
    "list_games",
    "load_definition",
    "load_game",
    "make_start_state",
    "register_game",
    "schema_path",
]
