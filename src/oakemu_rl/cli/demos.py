# SPDX-License-Identifier: GPL-3.0-or-later
"""`oakemu-rl demos WORD`: recordings of episodes; one module a word."""

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


# The word W is the module oakemu_rl.cli.demos_W, and run(args) -> exit code in it.
_WORDS = {
    "list": _Word("[PATH ...]", "the recordings that ship, and yours"),
    "info": _Word("DEMO", "who played what, for how long, and how it ended"),
    "replay": _Word("DEMO", "play it again and see that everything happens as it did"),
    "film": _Word("DEMO FILE", "write it as a film, .mp4 or .gif"),
    "trim": _Word("DEMO FILE", "cut out a part"),
    "import": _Word("FILE ...", "make recordings of RZX files of people, or of Minari datasets"),
    "export": _Word("DEMO ...", "write recordings as an RZX file, or as a Minari dataset"),
    "renew": _Word("DEMO FILE", "make one of an older definition fit the present"),
}


def run(args: Sequence[str]) -> int:
    """Runs the verb; returns its exit code."""
    word, rest = (args[0], args[1:]) if args else ("list", ())
    if word in ("-h", "--help"):
        sys.stdout.write(_usage())
        return 0
    if word not in _WORDS:
        *others, last = _WORDS
        raise UserError(f"unknown word {word!r} after demos{nearest(word, _WORDS)}; use {', '.join(others)} or {last}")
    return int(import_module(f"oakemu_rl.cli.demos_{word}").run(rest))


def _usage() -> str:
    lines = [f"  oakemu-rl demos {f'{word} {takes}':<16} {text}" for word, (takes, text) in _WORDS.items()]
    where = "DEMO is a file (.demo), or the name of a game of which a recording ships (oakemu-rl demos list)."
    return "\n".join(["usage: oakemu-rl demos WORD ...; every word has --help", "", *lines, "", where, ""])
