# SPDX-License-Identifier: GPL-3.0-or-later
"""DEMO and FILE, the arguments of words that make one recording of another."""

from pathlib import Path

from oakemu_rl.demos import SUFFIX
from oakemu_rl.errors import UserError

__all__ = ["demo_out"]


def demo_out(demo: str, out: Path | None, what: str) -> Path:
    """FILE, once both were given.

    Args:
        demo: DEMO, empty if nothing was given.
        out: FILE.
        what: What FILE is for, in words.

    Raises:
        UserError: One of them is missing, or FILE is not called as a recording is.
    """
    if not demo or out is None:
        raise UserError(f"give DEMO, a recording, and FILE, {what}")
    if out.suffix != SUFFIX:
        raise UserError(f"FILE: {out} does not end in {SUFFIX}")
    return out
