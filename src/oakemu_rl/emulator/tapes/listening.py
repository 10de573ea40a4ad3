# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether a program waits for something from a tape."""

from oakemu_rl.emulator.spectrum import Spectrum
from oakemu_rl.emulator.tapes.compiler import compile_tape
from oakemu_rl.emulator.tapes.tape import Tape

__all__ = ["is_listening"]

_LOOKS_AHEAD = (0, 25, 25)  # frames


def is_listening(spectrum: Spectrum, tape: Tape) -> bool:
    """Whether what the machine does within the next second depends on what a tape in its recorder has to say.

    The machine stays as it is.

    Raises:
        UserError: The tape cannot be played.
    """
    machine = spectrum._machine.fork()
    machine.insert_tape(compile_tape(tape).core)
    for frames in _LOOKS_AHEAD:
        machine.run_frames(frames)
        if machine.listens_to_tape():
            return True
    return False
