# SPDX-License-Identifier: GPL-3.0-or-later
"""Errors that are the user's to mend: one clear line, no traceback."""

from collections.abc import Iterable
from difflib import get_close_matches

__all__ = ["UserError", "nearest"]


class UserError(ValueError):
    """Something given from outside (a file, flag, key, array or checkpoint) cannot be used.

    The message is one line: what was given, what is allowed, and where. The command line prints it and exits with 2.
    """


def nearest(word: str, allowed: Iterable[str]) -> str:
    """The closest allowed word as a suffix for an error message.

    Args:
        word: What was given.
        allowed: What would have been accepted.

    Returns:
        ``" (did you mean 'word'?)"``, or an empty string when nothing is close.
    """
    matches = get_close_matches(word, list(allowed), n=1, cutoff=0.6)
    return f" (did you mean {matches[0]!r}?)" if matches else ""
