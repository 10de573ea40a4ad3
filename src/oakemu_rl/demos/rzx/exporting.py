# SPDX-License-Identifier: GPL-3.0-or-later
"""Recordings as RZX, which other emulators play."""

from collections.abc import Sequence

from oakemu_rl.demos.demo import Demo
from oakemu_rl.demos.playback import machine_of
from oakemu_rl.emulator.rzx import Rzx, RzxRecorder
from oakemu_rl.errors import UserError

__all__ = ["export_rzx"]


def export_rzx(demos: Sequence[Demo], name: str) -> Rzx:
    """Plays recordings, one after the other, and notes what their programs read.

    Args:
        demos: The recordings, all of one model of machine.
        name: What to call the result, for messages.

    Raises:
        UserError: There is none, their machines differ, or one has no usable start.
    """
    models = sorted({demo.machine for demo in demos})
    if len(models) != 1:
        raise UserError(f"{name}: an RZX recording is of one machine, not of {', '.join(models) or 'none'}")
    machine = machine_of(demos[0])
    recorder = RzxRecorder(machine)
    for demo in demos:
        machine.load_state(demo.start)  # the recording goes on with a snapshot of it
        with recorder:
            for row in demo.keys:
                machine.hold_row(row)
                machine.run_frames(1)
    return recorder.recording(name)
