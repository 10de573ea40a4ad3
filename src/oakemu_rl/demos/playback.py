# SPDX-License-Identifier: GPL-3.0-or-later
"""Plays recordings on a machine: all of one, to see that it is still what was recorded, or up to any moment."""

from bisect import bisect_right
from collections.abc import Callable

from oakemu_rl.demos.checking import check_game, ram_hash
from oakemu_rl.demos.demo import Demo
from oakemu_rl.demos.errors import DesyncError
from oakemu_rl.emulator import Spectrum, StateStore
from oakemu_rl.errors import UserError
from oakemu_rl.games import Game

__all__ = ["DemoReader", "check_frame", "machine_of", "replay"]

_NAMED_VARIABLES = 4


def machine_of(demo: Demo) -> Spectrum:
    """A machine that stands at the start of a recording.

    Raises:
        UserError: The recording has no usable start.
    """
    machine = Spectrum(demo.machine, contention=bool(demo.settings.get("contention", True)))
    machine.load_state(demo.start)
    return machine


def replay(demo: Demo, game: Game, *, on_frame: Callable[[int], None] | None = None) -> Spectrum:
    """Plays a whole recording, and compares the machine with what was recorded.

    Args:
        demo: The recording.
        game: Its game.
        on_frame: Called after every check with the number of frames played, for a progress display.

    Returns:
        The machine at the end.

    Raises:
        UserError: The recording is of another game.
        DesyncError: The machine does something else than was recorded.
    """
    check_game(demo, game)
    machine = machine_of(demo)
    for frame, row in enumerate(demo.keys, start=1):
        machine.hold_row(row)
        machine.run_frames(1)
        if check_frame(demo, machine, frame, game) and on_frame is not None:
            on_frame(frame)
    return machine


def check_frame(demo: Demo, machine: Spectrum, frame: int, game: Game | None) -> bool:
    """Compares a machine that plays a recording with what was recorded.

    Args:
        demo: The recording.
        machine: The machine.
        frame: How many frames it has played.
        game: Whose variables the message of an error tells; None tells none.

    Returns:
        Whether there is a check for this frame.

    Raises:
        DesyncError: The RAM is another one. The machine has played on then.
    """
    if frame % demo.check_every and frame != demo.frames:
        return False
    if ram_hash(machine.memory) != demo.checks[-(-frame // demo.check_every) - 1]:
        raise _desync(demo, game, machine, frame)
    return True


def _desync(demo: Demo, game: Game | None, machine: Spectrum, frame: int) -> DesyncError:
    """What to say of a machine whose RAM is not as recorded after a frame."""
    first = (frame - 1) // demo.check_every * demo.check_every + 1
    text = f"the recording of {demo.game_id} desyncs at frame {frame}"
    if first < frame:
        text += f" (one of the frames {first} to {frame} is the first that differs)"
    keyframe = next(((number, state) for number, state in demo.keyframes if number >= frame), None)
    if keyframe is None:
        return DesyncError(text, frame)
    for row in demo.keys[frame : keyframe[0]]:
        machine.hold_row(row)
        machine.run_frames(1)
    wanted = Spectrum(demo.machine)
    wanted.load_state(keyframe[1])
    was, should = ({} if game is None else game.read(each.visible_ram()) for each in (machine, wanted))
    named = [f"{name} is {was[name]} (recorded {should[name]})" for name in was if was[name] != should[name]]
    named = named[:_NAMED_VARIABLES] + (
        [f"{len(named) - _NAMED_VARIABLES} more variables"] if len(named) > _NAMED_VARIABLES else []
    )
    count = int((machine.memory != wanted.memory).sum())
    return DesyncError(f"{text}; at frame {keyframe[0]}, {', '.join([*named, f'{count} bytes of RAM differ'])}", frame)


class DemoReader:
    """Goes to any moment of a recording within milliseconds, from the nearest machine that is known before it.

    Args:
        demo: The recording.

    Raises:
        UserError: The recording has no usable start.
    """

    def __init__(self, demo: Demo) -> None:
        self.demo = demo
        self._machine = machine_of(demo)
        self._store = StateStore()
        self._known = {0: self._store.add(demo.start)}
        for frame, state in demo.keyframes:
            self._known[frame] = self._store.add(state)
        self._frames = sorted(self._known)

    def state_at(self, *, frame: int | None = None, step: int | None = None) -> bytes:
        """The machine after so many frames or steps, as `Spectrum.save_state` gives it.

        Raises:
            UserError: The recording has no such moment.
        """
        return self.machine_at(frame=frame, step=step).save_state()

    def machine_at(self, *, frame: int | None = None, step: int | None = None) -> Spectrum:
        """The same as a machine of one's own."""
        if (frame is None) == (step is None):
            raise ValueError("a moment is given by its frame or by its step")
        wanted = self._frame_of(step) if step is not None else frame
        if wanted is None or not 0 <= wanted <= self.demo.frames:
            raise UserError(f"the recording has no frame {wanted}; it has 0 to {self.demo.frames}")
        known = self._frames[bisect_right(self._frames, wanted) - 1]
        self._store.load(self._known[known], self._machine)
        for row in self.demo.keys[known:wanted]:
            self._machine.hold_row(row)
            self._machine.run_frames(1)
        return self._machine.fork()

    def _frame_of(self, step: int) -> int:
        ends = self.demo.step_ends
        if not 0 <= step < len(ends):
            raise UserError(f"the recording has no step {step}; it has 0 to {len(ends) - 1}")
        return int(ends[step])
