# SPDX-License-Identifier: GPL-3.0-or-later
"""How many processors there are to work on."""

import os

__all__ = ["usable_processors"]


def usable_processors() -> int:
    """Those that this process may use, which may be fewer than the machine has."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
