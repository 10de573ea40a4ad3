# SPDX-License-Identifier: GPL-3.0-or-later
"""What a search for variables says: how much is left, and what it may be."""

from collections.abc import Iterator, Sequence

import numpy as np

from oakemu_rl.games.search import Search
from oakemu_rl.games.search_ranking import Proposal
from oakemu_rl.games.search_values import last_bytes

__all__ = ["counted", "describe_proposals"]

_OTHERS = 3


def counted(search: Search) -> str:
    """How much is left: ``269 candidates at 21 places``."""
    types, addresses = np.nonzero(search.candidates)
    if not len(types):
        return "nothing is left" + ("; undo takes the filter back" if search.steps else "")
    places = len(np.unique(last_bytes(types, addresses)))
    return f"{len(types):,} {_plural(len(types), 'candidate')} at {places:,} {_plural(places, 'place')}"


def describe_proposals(proposals: Sequence[Proposal], search: Search) -> Iterator[str]:
    """A table of proposals, line by line, and how much there is beyond it."""
    if proposals:
        frames = search.evidence.frames
        yield f"{'address':8} {'type':7} {'now':>9}  {'seen':19} {'changes':>8}  other readings"
        for each in proposals:
            seen = f"{each.low}" if each.low == each.high else f"{each.low} to {each.high}"
            shown = "" if each.shown_at is None else "on the display at {} {}".format(*each.shown_at)
            others = ", ".join(f"{kind} at 0x{address:04X}" for address, kind in each.others[:_OTHERS])
            more = len(each.others) - _OTHERS
            rest = f", {more} more" if more > 0 else ""
            notes = "; ".join(filter(None, (shown, others + rest)))
            yield f"0x{each.address:04X}   {each.type:7} {each.value:>9}  {seen:19} {each.changes:>8}  {notes}".rstrip()
        yield f"{counted(search)}; changes are of {frames:,} frames"
    else:
        yield counted(search)


def _plural(count: int, word: str) -> str:
    return word if count == 1 else f"{word}s"
