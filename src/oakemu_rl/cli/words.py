# SPDX-License-Identifier: GPL-3.0-or-later
"""Verbs of several words, such as ``games list``: one module a word."""

import sys
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import NamedTuple

from oakemu_rl.errors import UserError, nearest

__all__ = ["Word", "run_word"]


class Word(NamedTuple):
    """One word after a verb."""

    takes: str
    """Its arguments, for the usage."""
    text: str
    """What it does."""


def run_word(verb: str, words: Mapping[str, Word], args: Sequence[str], note: str = "") -> int:
    """Runs a word, ``list`` if none is given; returns its exit code.

    Args:
        verb: What the words follow. The word W is ``run(args)`` of the module oakemu_rl.cli.VERB_W.
        words: Its words.
        args: What was given after the verb.
        note: A last line of the usage.

    Raises:
        UserError: There is no such word.
    """
    word, rest = (args[0], args[1:]) if args else ("list", ())
    if word in ("-h", "--help"):
        sys.stdout.write(_usage(verb, words, note))
        return 0
    if word not in words:
        *others, last = words
        raise UserError(f"unknown word {word!r} after {verb}{nearest(word, words)}; use {', '.join(others)} or {last}")
    return int(import_module(f"oakemu_rl.cli.{verb}_{word}").run(rest))


def _usage(verb: str, words: Mapping[str, Word], note: str) -> str:
    width = max(len(f"{word} {takes}") for word, (takes, _) in words.items())
    lines = [f"  oakemu-rl {verb} {f'{word} {takes}':<{width}} {text}" for word, (takes, text) in words.items()]
    notes = [note, ""] if note else []
    return "\n".join([f"usage: oakemu-rl {verb} WORD ...; every word has --help", "", *lines, "", *notes])
