# SPDX-License-Identifier: GPL-3.0-or-later
"""Parts of recordings."""

from dataclasses import replace

from oakemu_rl.demos.demo import Demo
from oakemu_rl.demos.playback import DemoReader
from oakemu_rl.demos.recorder import trace_keys
from oakemu_rl.errors import UserError

__all__ = ["cut_demo"]


def cut_demo(demo: Demo, first: int = 0, last: int | None = None) -> Demo:
    """A part of a recording as a recording.

    Its outcome is the whole one's if it ends where that ends, and ``"running"`` otherwise; of its rewards and seed
    nothing is known any more.

    Args:
        demo: The whole one.
        first: Frames that are left out at the beginning.
        last: The number of the last frame that is kept; None is that of the recording.

    Raises:
        UserError: There is no such part, or it begins or ends within a step.
    """
    last = demo.frames if last is None else last
    if not 0 <= first < last <= demo.frames:
        raise UserError(f"the recording has no frames {first} to {last}; it has 0 to {demo.frames}")
    if (first, last) == (0, demo.frames):
        return demo
    actions = step_frames = None
    if demo.actions is not None and demo.step_frames is not None:
        ends = demo.step_ends
        steps = slice(int(ends.searchsorted(first)), int(ends.searchsorted(last)))
        if (ends[steps.start], ends[steps.stop]) != (first, last):
            raise UserError(f"frames {first} to {last} of the recording begin or end within a step")
        actions, step_frames = demo.actions[steps], demo.step_frames[steps]
    machine = DemoReader(demo).machine_at(frame=first)
    machine.release_all()  # as at the beginning of an episode
    start, keys = machine.save_state(), demo.keys[first:last]
    markers = tuple((frame - first, name) for frame, name in demo.markers if first <= frame <= last)
    trace = trace_keys(machine, keys, markers, check_every=demo.check_every)
    return replace(
        demo,
        start=start,
        keys=keys,
        actions=actions,
        step_frames=step_frames,
        seed=None,
        outcome=demo.outcome if last == demo.frames else "running",
        episode_return=None,
        checks=trace.checks,
        keyframes=trace.keyframes,
        markers=markers,
    )
