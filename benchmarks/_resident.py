# SPDX-License-Identifier: GPL-3.0-or-later
"""How much memory this process has."""

import resource
from pathlib import Path

__all__ = ["resident"]


def resident() -> int:
    """Bytes of this process that are in memory (Linux)."""
    return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) * resource.getpagesize()
