# SPDX-License-Identifier: GPL-3.0-or-later
"""Moments and lengths of recordings, as people write them."""

import re

from oakemu_rl.demos import Demo, DemoHead
from oakemu_rl.emulator.pacing import frame_rate
from oakemu_rl.errors import UserError, nearest

__all__ = ["clock", "duration_of", "frame_of", "told"]

_CLOCK = re.compile(r"(?:(\d+):)?(\d+(?:\.\d+)?)s?")
_FRAME = re.compile(r"f(\d+)")


def clock(frame: int, machine: str) -> str:
    """A frame as minutes and seconds, ``1:05.2``."""
    seconds = frame / float(frame_rate(machine))
    minutes, rest = divmod(round(seconds, 1), 60)
    return f"{minutes:.0f}:{rest:04.1f}"


def duration_of(demo: Demo | DemoHead) -> str:
    """How long a recording is."""
    return clock(demo.frames, demo.machine)


def told(demo: Demo) -> str:
    """What a recording is, in a few words."""
    steps = "no steps" if demo.steps is None else f"{demo.steps:,} steps"
    earned = "" if demo.episode_return is None else f", return {demo.episode_return:g}"
    return f"{steps}, {duration_of(demo)}, {demo.outcome}{earned}"


def frame_of(demo: Demo, text: str, flag: str) -> int:
    """How many frames have been played at a moment; of a recording with steps, the last end of one that is not after.

    Args:
        demo: The recording.
        text: ``250`` (steps, or frames where there are no steps), ``f1000`` (frames), ``1:05.2`` or ``65.2s`` (time),
            or the name of a marker.
        flag: Where it was given, for messages.

    Raises:
        UserError: It is nothing of the kind, or beyond the end.
    """
    frame = _exact_frame(demo, text.strip(), flag)
    if frame > demo.frames:
        raise UserError(
            f"{flag} {text}: the recording ends before: it has {demo.frames} frames, {duration_of(demo)}"
            + ("" if demo.steps is None else f", {demo.steps} steps")
        )
    if demo.steps is None:
        return frame
    ends = demo.step_ends
    return int(ends[ends.searchsorted(frame, side="right") - 1])


def _exact_frame(demo: Demo, text: str, flag: str) -> int:
    markers: dict[str, int] = {}
    for frame, name in demo.markers:
        markers.setdefault(name, frame)
    if text in markers:
        return markers[text]
    if text.isdecimal():
        number = int(text)
        if demo.steps is None:
            return number
        return int(demo.step_ends[number]) if number <= demo.steps else demo.frames + 1
    counted, time = _FRAME.fullmatch(text), _CLOCK.fullmatch(text)
    if counted is not None:
        return int(counted[1])
    if time is None:
        names = f", or one of the markers {', '.join(markers)}" if markers else ""
        raise UserError(
            f"{flag}: {text!r} is no moment{nearest(text, markers)}; allowed are 250 (steps), f1000 (frames), "
            f"1:05.2 (time){names}"
        )
    return round((60 * int(time[1] or 0) + float(time[2])) * frame_rate(demo.machine))
