# SPDX-License-Identifier: GPL-3.0-or-later
"""What moves a game while somebody searches its memory: keys that are held, or a recording."""

import hashlib
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from oakemu_rl.emulator import Spectrum, parse_snapshot
from oakemu_rl.emulator.container import open_content
from oakemu_rl.emulator.rzx import Rzx, RzxPlayer, find_playback_flags, parse_rzx
from oakemu_rl.errors import UserError
from oakemu_rl.games import Definition, find_definition, list_games
from oakemu_rl.playing.identity import Identity
from oakemu_rl.playing.playable import Playable

__all__ = ["Driver", "MachineDriver", "RecordingDriver"]


class Driver(Protocol):
    """A machine, and what makes it go on."""

    title: str
    """The game's name for people."""
    program: str
    """SHA-256 of the program."""
    definition: Definition | None
    """The game's, if it is known."""

    @property
    def machine(self) -> Spectrum:
        """The machine as it is now."""
        ...

    def run_frame(self, row: NDArray[np.uint8]) -> None:
        """Runs a frame with these keys held, (9,) as of `KeyInput.hold_row`.

        Raises:
            UserError: It cannot.
        """
        ...

    def restart(self) -> None:
        """Puts the machine back to where it began."""
        ...


class MachineDriver:
    """A machine whose keys are held by whoever searches.

    Args:
        playable: What is played.
    """

    def __init__(self, playable: Playable) -> None:
        self.title = playable.title
        self.program = playable.identity.program
        self.definition = playable.definition
        self._first = playable.state
        self._machine = Spectrum(playable.machine)
        self.restart()

    @property
    def machine(self) -> Spectrum:
        """See `Driver`."""
        return self._machine

    def run_frame(self, row: NDArray[np.uint8]) -> None:
        """See `Driver`."""
        self._machine.hold_row(row)
        self._machine.run_frames(1)

    def restart(self) -> None:
        """See `Driver`."""
        self._machine.load_state(self._first)


class RecordingDriver:
    """A recording, which holds the keys itself.

    Args:
        path: The file.

    Raises:
        UserError: It cannot be played to its end.
        OSError: It cannot be read.
    """

    def __init__(self, path: Path) -> None:
        content = open_content(path)
        self._recording = parse_rzx(content.data, content.name, folder=path.parent)
        self._flags = find_playback_flags(self._recording)
        identity = _identity(self._recording)
        self.definition = find_definition(identity.game) if identity and identity.game in list_games() else None
        self.program = (identity and identity.program) or hashlib.sha256(content.data).hexdigest()
        self.title = path.name
        self.restart()

    @property
    def machine(self) -> Spectrum:
        """See `Driver`."""
        return self.player.spectrum

    def run_frame(self, row: NDArray[np.uint8]) -> None:
        """See `Driver`.

        Raises:
            UserError: A key is held, or the recording is over.
        """
        if row.any():
            raise UserError(f"{self.title} is a recording, which holds the keys itself; run N plays N frames of it")
        if self.player.frame == self.player.frames:
            raise UserError(f"{self.title} is over after {self.player.frames} frames; restart plays it again")
        self.player.run_frames(1)

    def restart(self) -> None:
        """See `Driver`."""
        self.player = RzxPlayer(self._recording, flags=self._flags)


def _identity(recording: Rzx) -> Identity | None:
    """The game that a recording of ours is of."""
    first = recording.parts[0].snapshot
    return None if first is None else Identity.of_note(parse_snapshot(first.data, first.name).note)
