# SPDX-License-Identifier: GPL-3.0-or-later
"""Moments and lengths of recordings, as people write them."""

from oakemu_rl.demos import Demo, DemoHead
from oakemu_rl.emulator.pacing import frame_rate

__all__ = ["clock", "duration_of"]


def clock(frame: int, machine: str) -> str:
    """A frame as minutes and seconds, ``1:05.2``."""
    seconds = frame / float(frame_rate(machine))
    minutes, rest = divmod(round(seconds, 1), 60)
    return f"{minutes:.0f}:{rest:04.1f}"


def duration_of(demo: Demo | DemoHead) -> str:
    """How long a recording is."""
    return clock(demo.frames, demo.machine)
