# SPDX-License-Identifier: GPL-3.0-or-later
"""`oakemu-rl demos WORD`: recordings of episodes; one module a word."""

from collections.abc import Sequence

from oakemu_rl.cli.words import Word, run_word

__all__ = ["run"]

_WORDS = {
    "list": Word("[PATH ...]", "the recordings that ship, and yours"),
    "info": Word("DEMO", "who played what, for how long, and how it ended"),
    "replay": Word("DEMO", "play it again and see that everything happens as it did"),
    "film": Word("DEMO FILE", "write it as a film, .mp4 or .gif"),
    "trim": Word("DEMO FILE", "cut out a part"),
    "import": Word("FILE ...", "make recordings of RZX files of people, or of Minari datasets"),
    "export": Word("DEMO ...", "write recordings as an RZX file, or as a Minari dataset"),
    "renew": Word("DEMO FILE", "make one of an older definition fit the present"),
}
_NOTE = "DEMO is a file (.demo), or the name of a game of which a recording ships (oakemu-rl demos list)."


def run(args: Sequence[str]) -> int:
    """Runs the verb; returns its exit code."""
    return run_word("demos", _WORDS, args, _NOTE)
