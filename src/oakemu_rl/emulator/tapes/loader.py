# SPDX-License-Identifier: GPL-3.0-or-later
"""Loading a tape: what a person does with a recorder, as fast as the machine can be emulated.

Blocks in the ROM's timing are handed to the ROM's routine at once (see `trap`); every other block is played edge by
edge. The recorder runs while somebody listens: it starts when what the program does next depends on the tape, and
stops, preferably in silence, when nobody has looked for a while.
"""

from collections.abc import Callable
from dataclasses import dataclass

from oakemu_rl._core import EdgeLoops
from oakemu_rl.emulator.spectrum import Spectrum
from oakemu_rl.emulator.tapes.compiler import compile_tape
from oakemu_rl.emulator.tapes.complaints import T_PER_SECOND, NotAskedFor, check_end, report_error, time_out
from oakemu_rl.emulator.tapes.program import Part
from oakemu_rl.emulator.tapes.tape import Tape
from oakemu_rl.emulator.tapes.trap import LD_START, REPORT_R, asks_for, has_loading_routine, load_block
from oakemu_rl.errors import UserError

__all__ = ["Progress", "load_next_blocks", "load_tape"]

_WAIT_KEY = 0x15D4  # the 48K ROM's loop that waits for a key
_MENU_FRAMES = 150  # until the 128K menu is there

_MANY_READS = 200
"""Of the port in a frame, by somebody who may be listening: loaders look some thousand times."""
_FEW_READS = 8
"""Of the port in a frame, by somebody who does not listen."""
_DEAF_IN_SILENCE = 2
"""Frames without a listener after which the tape is stopped in a pause."""
_DEAF_IN_SOUND = 75
"""The same in the middle of a block: the ROM's routine itself does not listen for a second behind the first edge."""
_QUIET = 2
"""Frames of silence at the end of the tape, in which a loader sees the last edge."""
_SHORT_SILENCE = 35_000
"""T after which the ROM's routine has given up waiting for an edge."""
_PROGRESS_FRAMES = 50


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a tape has been loaded."""

    position: int
    """T of tape that have passed, 3,500,000 a second."""
    duration: int
    """T of the whole tape."""
    block: int
    """The number of the block that was played last, from 1 on; 0 before the first."""
    blocks: int
    """How many blocks the file has."""

    @property
    def seconds(self) -> float:
        """Seconds of tape that have passed."""
        return self.position / T_PER_SECOND

    @property
    def total_seconds(self) -> float:
        """Seconds of the whole tape."""
        return self.duration / T_PER_SECOND


def load_tape(
    spectrum: Spectrum,
    tape: Tape,
    *,
    max_frames: int = 1500,
    fast: bool = True,
    until: int | None = None,
    boot: bool = True,
    progress: Callable[[Progress], None] | None = None,
) -> None:
    """Switches the machine on, types ``LOAD ""`` (128K: Enter in the menu) and plays the tape to its end.

    On return the last block has just been read, and the CPU is about to leave the loading routine; run the machine on
    to see the program start. The tape has been taken out.

    A tape that stops by a command of its own (as those do that have more levels behind the game) counts as loaded when
    the program has not asked it to go on within `max_frames`.

    Args:
        spectrum: The machine; what it was doing is lost, unless `boot` is false.
        tape: The tape.
        max_frames: How long the program may take until it asks for the next block, in frames.
        fast: Hand blocks in the ROM's timing over at once, without machine time; otherwise every block is played edge
            by edge. What a program does between two blocks takes its time as always.
        until: Be content when an instruction at this address is about to be executed, whatever is left of the tape.
        boot: Switch the machine on and type ``LOAD ""``. Otherwise the tape is put in for the program that is running.
        progress: Called about once a second of tape, and after each block.

    Raises:
        UserError: The tape cannot be played; the program asks for no further block (it has begun to play, or has
            stopped with an error), or has not got what it asks for.
    """
    loading = _Loading(spectrum, tape, max_frames=max_frames, fast=fast, until=until)
    loading.progress = progress
    try:
        loading.run(boot=boot)
    finally:
        spectrum._machine.insert_tape(None)


def load_next_blocks(
    spectrum: Spectrum, tape: Tape, *, first_block: int = 0, max_frames: int = 1500, boot: bool = True
) -> int:
    """Plays as much of a tape as the program asks for by itself, as with games that load their levels one by one.

    On return the last block that was asked for has just been read, whatever the program did while nobody knew that it
    would ask for no more. The tape has been taken out.

    Args:
        spectrum: The machine; what it was doing is lost, unless `boot` is false.
        tape: The tape.
        first_block: Where the tape stands: how many of its blocks have been played.
        max_frames: How long the program may take until it asks for the next block, in frames.
        boot: As of `load_tape`.

    Returns:
        How many of the tape's blocks have been played then; all of them where nothing more is to be heard.

    Raises:
        NotAskedFor: The program asks for no block at all; the machine has waited for it.
        UserError: As `load_tape` otherwise.
    """
    loading = _Loading(spectrum, tape, max_frames=max_frames, fast=True, until=None)
    try:
        return loading.run_partly(first_block, boot=boot)
    finally:
        spectrum._machine.insert_tape(None)


class _Loading:
    def __init__(self, spectrum: Spectrum, tape: Tape, *, max_frames: int, fast: bool, until: int | None) -> None:
        if not isinstance(tape, Tape):
            raise UserError(f"a tape is what read_tape and parse_tape give, not {tape!r}")
        if max_frames < 1:
            raise UserError(f"max_frames is a number of frames, 1 or more, not {max_frames}")
        self._spectrum = spectrum
        self._machine = spectrum._machine
        self._program = compile_tape(tape)
        self._name = tape.name
        self._max_frames = max_frames
        self._fast = fast
        self._until = until
        self._stops = [LD_START, REPORT_R] + ([] if until is None else [until])
        self._loops = EdgeLoops()
        self._problem = ""
        self._idle = 0  # frames since the tape has moved
        self._deaf = 0  # frames since somebody has listened to it
        self._quiet = 0  # frames since the last edge of the tape
        self._reads = 0
        self._reported = 0
        self._was_playing = False
        self._rested: bytes | None = None  # the machine when the tape last came to rest
        self.progress: Callable[[Progress], None] | None = None

    def run(self, *, boot: bool) -> None:
        self._begin(0, boot=boot)
        self._run()

    def run_partly(self, first_block: int, *, boot: bool) -> int:
        self._begin(first_block, boot=boot)
        try:
            self._run()
        except NotAskedFor:
            if self._rested is None:
                raise
        if self._at_end():
            return len(self._program.tape.blocks)
        if self._rested is not None:
            self._machine.restore(self._rested)
        return self._blocks_played

    def _begin(self, first_block: int, *, boot: bool) -> None:
        parts = [part for part in self._program.parts if part.blocks[0] >= first_block]
        if not parts:
            raise UserError(f"{self._name}: there is nothing to be heard on the tape")
        if boot:
            self._machine.power_on()
        self._machine.insert_tape(self._program.core)
        if first_block:
            self._machine.wind_tape(parts[0].first)
        if boot:
            self._type_load()
        self._reads = self._machine.tape_reads

    def _run(self) -> None:
        while not self._at_end():
            reached = self._loops.run_frame(self._machine, self._stops)
            if reached is None:
                if self._end_frame():
                    return
            elif reached == self._until:
                return
            elif has_loading_routine(self._spectrum):
                if reached == REPORT_R:
                    raise report_error(self._program, self._machine.tape_segment, self._problem)
                self._begin_block()
        self._report()
        check_end(self._spectrum, self._program, self._problem)

    def _type_load(self) -> None:
        if self._spectrum.machine == "48k":
            self._spectrum.run_until(_WAIT_KEY, 200)
            self._spectrum.type_keys("j", "sym+p", "sym+p", "enter")
        else:
            self._spectrum.run_frames(_MENU_FRAMES)
            self._spectrum.type_keys("enter")

    def _at_end(self) -> bool:
        return self._quiet >= _QUIET or self._machine.tape_segment >= self._program.core.segments

    # At the loading routine

    def _begin_block(self) -> None:
        """The ROM is about to listen."""
        machine = self._machine
        following = self._program.next_part(machine.tape_segment, machine.tape_item)
        if following is not None and self._fast:
            part = self._program.parts[following]
            if part.content is not None and self._can_be_handed_over(part):
                self._hand_over(part)
                return
        if not machine.tape_playing:
            self._play()

    def _can_be_handed_over(self, part: Part) -> bool:
        assert part.content is not None  # noqa: S101 - the caller has looked
        _, length = asks_for(self._spectrum)
        # One that ends too early is followed by what comes next on the tape, unless there is silence enough.
        return not part.in_loop and (len(part.content) >= length + 2 or part.silence >= _SHORT_SILENCE)

    def _hand_over(self, part: Part) -> None:
        assert part.content is not None  # noqa: S101 - the caller has looked
        problem = load_block(self._spectrum, part.content)
        self._machine.wind_tape(part.end)
        self._problem = f"block {part.blocks[-1] + 1} {problem}" if problem else ""
        self._idle = self._deaf = 0
        self._rested = self._machine.save()
        self._report()

    # Between frames

    def _end_frame(self) -> bool:
        """Looks after the recorder. Returns whether the tape is to be left as it is."""
        machine = self._machine
        self._quiet += machine.tape_segment >= self._program.last_silence
        reads = (machine.tape_reads - self._reads) & 0xFFFFFFFF
        self._reads = machine.tape_reads
        if self._was_playing and not machine.tape_playing:
            self._rested = machine.save()
        self._was_playing = machine.tape_playing
        if machine.tape_playing:
            self._deaf = 0 if reads >= _FEW_READS else self._deaf + 1
            silent = self._program.silent[machine.tape_segment : machine.tape_segment + 1] == (True,)
            if self._deaf >= (_DEAF_IN_SILENCE if silent else _DEAF_IN_SOUND):
                machine.stop_tape()
            self._reported += 1
            if self._reported >= _PROGRESS_FRAMES:
                self._loops.find(machine)  # a loader may have moved
                self._report()
            return False
        if reads >= _MANY_READS and machine.listens_to_tape():
            self._play()
            return False
        self._idle += 1
        if self._idle < self._max_frames:
            return False
        if not self._program.stopped_by_command(machine.tape_segment):
            raise time_out(self._spectrum, self._program, self._max_frames, self._problem)
        return True

    def _play(self) -> None:
        self._machine.play_tape()
        self._loops.find(self._machine)
        self._idle = self._deaf = 0
        self._problem = ""

    def _report(self) -> None:
        self._reported = 0
        if self.progress is not None:
            blocks = len(self._program.tape.blocks)
            position, duration = self._machine.tape_position, self._program.core.duration
            self.progress(Progress(position, duration, self._blocks_played, blocks))

    @property
    def _blocks_played(self) -> int:
        place = self._program.part_at(self._machine.tape_segment - (self._machine.tape_item == 0))
        return self._program.parts[place].blocks[-1] + 1 if place >= 0 else 0
