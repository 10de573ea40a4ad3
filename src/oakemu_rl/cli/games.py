# SPDX-License-Identifier: GPL-3.0-or-later
"""`oakemu-rl games WORD`: everything about games that is not playing or training; one module a word."""

from collections.abc import Sequence

from oakemu_rl.cli.words import Word, run_word

__all__ = ["run"]

_WORDS = {
    "list": Word("", "the games that are known, and whether they can be played"),
    "show": Word("GAME", "everything about one: an id, a name, or a definition file"),
    "check": Word("FILE", "what a definition, snapshot, tape or recording is, and what is wrong with it"),
    "add": Word("FILE", "keep a tape, snapshot or definition of yours"),
    "new": Word("FILE", "write a definition to fill in, out of a tape or a snapshot, and show its start"),
    "search": Word("GAME", "find where it keeps its score, its lives and everything else"),
    "watch": Word("GAME", "what its variables, rewards and conditions do while somebody plays"),
    "import": Word("DIR", "write a definition out of stable-retro's data.json and scenario.json"),
    "lint": Word("GAME", "play a game for some seconds and say what looks wrong about its definition"),
}


def run(args: Sequence[str]) -> int:
    """Runs the verb; returns its exit code."""
    return run_word("games", _WORDS, args)
