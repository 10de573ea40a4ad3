# SPDX-License-Identifier: GPL-3.0-or-later
"""Records what goes into a machine, so that it can be played again, here and in other emulators."""

from pathlib import Path
from typing import Self

import numpy as np

from oakemu_rl._core import RzxRecording
from oakemu_rl.emulator.rzx.machines import snapshot_of
from oakemu_rl.emulator.rzx.recording import FrameInputs, Rzx, RzxPart
from oakemu_rl.emulator.rzx.writer import this_creator, write_rzx
from oakemu_rl.emulator.spectrum import Spectrum
from oakemu_rl.errors import UserError

__all__ = ["RzxRecorder"]


class RzxRecorder:
    """Records a machine while its frames run.

    Time passes in it as always; keys, joystick, tape and all else that ports give are recorded as the bytes that the
    program read. What happens to the machine in any other way (a state is loaded, memory written, a time run that is no
    frame) is recorded as a new snapshot.

    Example:
        >>> with RzxRecorder(spectrum) as recorder:
        ...     spectrum.press("p")
        ...     spectrum.run_frames(100)
        >>> recorder.write("game.rzx")

    Args:
        spectrum: The machine. It is recorded between ``start`` and ``stop``, or in a ``with``.
    """

    def __init__(self, spectrum: Spectrum) -> None:
        self._spectrum = spectrum
        self._recording = RzxRecording()

    def start(self) -> None:
        """Records from now on.

        Raises:
            UserError: The machine is being recorded already.
        """
        try:
            self._recording.start(self._spectrum._machine)
        except ValueError as error:
            raise UserError(str(error)) from None

    def stop(self) -> None:
        """Records no longer; `start` goes on where the machine then is."""
        self._recording.stop(self._spectrum._machine)

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    @property
    def frames(self) -> int:
        """How many frames the recording has, which may be a little more or less than the machine has run.

        One that is recorded begins where the machine accepts an interrupt.
        """
        return self._recording.frames

    @property
    def input_bytes(self) -> int:
        """How many bytes the port reads of all frames gave. Finding out copies them."""
        return sum(data.size for _, _, _, data in self._recording.parts())

    def recording(self, name: str = "recording", *, snapshot: str = "szx") -> Rzx:
        """What was recorded so far.

        Args:
            name: What it is called, for messages.
            snapshot: The format of the snapshots: ``"szx"``, or ``"z80"``, which more programs read but which lacks
                some of the CPU's inner state.

        Raises:
            UserError: No frame was recorded, or the format is unknown.
        """
        parts = []
        for start, fetches, counts, data in self._recording.parts():
            machine = self._spectrum.fork()
            machine.load_state(start)
            inputs = FrameInputs(
                fetches=fetches,
                starts=np.cumsum(counts, dtype=np.int64) - counts,
                counts=counts,
                data=data,
                tstates=machine.t,
            )
            parts.append(RzxPart(snapshot_of(machine, snapshot, name), inputs))
        if not parts:
            raise UserError("no frame was recorded")
        return Rzx(name, tuple(parts), creator=this_creator())

    def write(self, path: str | Path, *, snapshot: str = "szx", compressed: bool = True) -> None:
        """Writes what was recorded so far as an RZX file, with embedded snapshots.

        Args:
            path: The file; an existing one is replaced.
            snapshot: As in `recording`.
            compressed: Pack snapshots and input with zlib.

        Raises:
            UserError: No frame was recorded, the format is unknown, or the file cannot be written.
        """
        write_rzx(path, self.recording(str(path), snapshot=snapshot), compressed=compressed)
