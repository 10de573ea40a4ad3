# SPDX-License-Identifier: GPL-3.0-or-later
"""Searching 48 KB for variables of every type: how long each command takes, with everything still a candidate."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oakemu_rl.emulator import Spectrum
from oakemu_rl.games import load_game
from oakemu_rl.games.search import Search
from oakemu_rl.games.search_ranking import rank
from oakemu_rl.games.search_values import RAM_SIZE

from _timing import rates

__all__ = ["measure"]

_LIMIT_MS = 50.0


def _played(frames: int) -> NDArray[np.uint8]:
    """The memory of Caverns, which is full, after some frames."""
    spectrum = Spectrum()
    spectrum.load_state(load_game("caverns").start_state())
    spectrum.press("p")
    spectrum.run_frames(frames)
    return spectrum.visible_ram()


def _timed(search: Search, work: Callable[[], object], *, undo: bool) -> Callable[[], float]:
    def once() -> float:
        work()
        if undo:
            search.undo()
        return 1.0

    return once


def measure(rounds: int = 25) -> dict[str, Any]:
    """Milliseconds of each command."""
    before, now = _played(20), _played(40)
    search = Search()
    search.snap(before)
    search.snap(now)
    changed = np.random.default_rng(1).random(RAM_SIZE) < 0.01
    filters: dict[str, Callable[[], object]] = {
        "increased": lambda: search.compare("increased"),
        "decreased": lambda: search.compare("decreased"),
        "changed": lambda: search.compare("changed"),
        "unchanged": lambda: search.compare("unchanged"),
        "increased by 1": lambda: search.compare("increased", by=1),
        "decreased by 1": lambda: search.compare("decreased", by=1),
        "equals 3": lambda: search.equals(3),
        "greater 3": lambda: search.greater(3),
        "less 3": lambda: search.less(3),
        "digits": search.shown,
        "quiet, without its frames": lambda: search.drop_bytes("quiet", changed),
    }
    few = Search()
    few.snap(before)
    few.snap(now)
    few.compare("decreased", by=1)
    candidates = {name: _timed(search, work, undo=True) for name, work in filters.items()}
    candidates["snap, with the numbers on the display"] = _timed(search, lambda: search.snap(now), undo=False)
    candidates[f"list, of {few.count} candidates"] = _timed(few, lambda: rank(few, 10), undo=False)
    measured = rates(candidates, rounds=rounds)
    return {
        "title": f"Search over 48 KB, {search.count:,} candidates (milliseconds)",
        "rows": [
            {
                "name": rate.name,
                "milliseconds": round(1e3 / rate.median, 2),
                "slowest": round(1e3 / min(rate.samples), 2),
            }
            for rate in measured.values()
        ],
        "limit": _LIMIT_MS,
    }


if __name__ == "__main__":
    result = measure()
    print(result["title"])
    for row in result["rows"]:
        verdict = "" if row["milliseconds"] < result["limit"] else f"  over {result['limit']:g}"
        print(f"{row['name']:40} {row['milliseconds']:>7} ms, slowest {row['slowest']:>7} ms{verdict}")
