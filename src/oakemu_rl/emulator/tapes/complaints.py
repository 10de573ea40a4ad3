# SPDX-License-Identifier: GPL-3.0-or-later
"""What went wrong with a tape, in words: where it stands, and what the program does instead of listening."""

from oakemu_rl.emulator.spectrum import Spectrum
from oakemu_rl.emulator.tapes.activity import describe_activity
from oakemu_rl.emulator.tapes.describe import describe_block
from oakemu_rl.emulator.tapes.program import Program
from oakemu_rl.emulator.tapes.trap import REPORT_R, has_loading_routine
from oakemu_rl.errors import UserError

__all__ = ["T_PER_SECOND", "NotAskedFor", "check_end", "report_error", "time_out"]

T_PER_SECOND = 3_500_000
"""T-states of a second of tape, on every machine."""

_LOOKS_AHEAD = (25, 50)
"""Frames after the end of the tape, and once more, until a loader that has not got everything has shown it."""


class NotAskedFor(UserError):  # noqa: N818 - it need not be an error that a program wants no more
    """The program asks for no further block."""


def report_error(program: Program, segment: int, problem: str) -> UserError:
    """That the ROM says "R Tape loading error".

    Args:
        program: The tape.
        segment: Where it stands.
        problem: What was wrong with the last block, if anything was.
    """
    place = program.part_at(max(segment - 1, 0))
    where = ""
    if place >= 0:
        index = program.parts[place].blocks[-1]
        block = program.tape.blocks[index]
        where = f" after block {index + 1} of {len(program.tape.blocks)} ({describe_block(block)})"
    return UserError(f"{program.tape.name}: the ROM reports a tape loading error{where}{_also(problem)}")


def time_out(spectrum: Spectrum, program: Program, max_frames: int, problem: str) -> NotAskedFor:
    """That the program has not asked for the next block.

    Args:
        spectrum: The machine, with the tape in its recorder.
        program: The tape.
        max_frames: How long it had time.
        problem: What was wrong with the last block, if anything was.
    """
    machine, blocks = spectrum._machine, program.tape.blocks
    following = program.next_part(machine.tape_segment, machine.tape_item)
    place = program.part_at(machine.tape_segment) if following is None else following
    index = program.parts[max(place, 0)].blocks[0]
    asked = "has not asked for" if following is not None else "does not listen any more to"
    position, duration = machine.tape_position / T_PER_SECOND, program.core.duration / T_PER_SECOND
    return NotAskedFor(
        f"{program.tape.name}: the program {asked} block {index + 1} of {len(blocks)} within {max_frames} frames, "
        f"{describe_activity(spectrum)}; the tape is at {position:.1f} of {duration:.1f} seconds, at "
        f"{describe_block(blocks[index])}{_also(problem)}"
    )


def check_end(spectrum: Spectrum, program: Program, problem: str) -> None:
    """After the end of the tape nobody may be left who waits for it.

    Args:
        spectrum: The machine, which stays as it is.
        program: The tape.
        problem: What was wrong with the last block, if anything was.

    Raises:
        UserError: Somebody waits, or the last block has not been read as it should.
    """
    name = program.tape.name
    if problem:
        number, _, what = problem.removeprefix("block ").partition(" ")
        raise UserError(f"{name}: the last block, {number}, {what}")
    ahead = spectrum.fork()
    ahead._machine.insert_tape(program.core)
    for frames in _LOOKS_AHEAD:
        if ahead._machine.run_until([REPORT_R], frames) is not None and has_loading_routine(ahead):
            raise report_error(program, program.core.segments, problem)
        if ahead._machine.listens_to_tape():
            doing = describe_activity(ahead)
            raise UserError(f"{name}: the tape has ended, but the program still listens to it; {doing}")


def _also(problem: str) -> str:
    return f"; {problem}" if problem else ""
