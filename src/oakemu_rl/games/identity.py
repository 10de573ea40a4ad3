# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether two games are the same to an agent or a recording."""

import hashlib
import json
from typing import Any

from oakemu_rl.games.game import Game

__all__ = ["describe_game", "fingerprint"]

# What people read, and what an environment's own options may replace, does not make another game.
_NOT_IDENTITY = {
    "title",
    "description",
    "controls",
    "presets",
    "cells",
    "limits",
    "score",
    "shares",
    "verified",
    "extends",
    "evaluation",
}


def fingerprint(game: Game) -> str:
    """A short hash of all that decides how a game plays and what it rewards: definition and program."""
    # What is not said is left out, so that a new kind of thing to say makes no other game of those that do not say it.
    rules = game.definition.model_dump(mode="json", exclude=_NOT_IDENTITY, exclude_defaults=True)
    text = json.dumps(rules, sort_keys=True).encode() + hashlib.sha256(game.program).digest()
    for name, content in sorted(game.files.items()):
        text += name.encode() + hashlib.sha256(content).digest()
    return hashlib.sha256(text).hexdigest()[:16]


def describe_game(game: Game) -> dict[str, Any]:
    """What a checkpoint or a recording says about its game."""
    return {"id": game.id, "fingerprint": fingerprint(game)}
