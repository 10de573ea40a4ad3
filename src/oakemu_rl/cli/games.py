# SPDX-License-Identifier: GPL-3.0-or-later
"""`oakemu-rl games WORD`: everything about games that is not playing or training; one module a word."""

import sys
from collections.abc import Sequence
from importlib import import_module
from typing import NamedTuple

from oakemu_rl.errors import UserError, nearest

__all__ = ["run"]


class _Word(NamedTuple):
    takes: str
    """Its arguments, for the usage."""
    text: str
    """What it does."""


# The word W is the module oakemu_rl.cli.games_W, and run(args) -> exit code in it.
_WORDS = {
    "list": _Word("", "the games that are known, and whether they can be played"),
    "show": _Word("GAME", "everything about one: an id, a name, or a definition file"),
    "check": _Word("FILE", "what a definition, snapshot, tape or recording is, and what is wrong with it"),
    "add": _Word("FILE", "keep a tape, snapshot or definition of yours"),
    "new": _Word("FILE", "write a definition to fill in, out of a tape or a snapshot, and show its start"),
    "search": _Word("GAME", "find where it keeps its score, its lives and everything else"),
    "watch": _Word("GAME", "what its variables, rewards and conditions do while somebody plays"),
    "import": _Word("DIR", "write a definition out of stable-retro's data.json and scenario.json"),
    "lint": _Word("GAME", "play a game for some seconds and say what looks wrong about its definition"),
}


def run(args: Sequence[str]) -> int:
    """Runs the verb; returns its exit code."""
    word, rest = (args[0], args[1:]) if args else ("list", ())
    if word in ("-h", "--help"):
        sys.stdout.write(_usage())
        return 0
    if word not in _WORDS:
        *others, last = _WORDS
        raise UserError(f"unknown word {word!r} after games{nearest(word, _WORDS)}; use {', '.join(others)} or {last}")
    return int(import_module(f"oakemu_rl.cli.games_{word}").run(rest))


def _usage() -> str:
    lines = [f"  oakemu-rl games {f'{word} {takes}':<14} {text}" for word, (takes, text) in _WORDS.items()]
    return "\n".join(["usage: oakemu-rl games WORD ...; every word has --help", "", *lines, ""])
