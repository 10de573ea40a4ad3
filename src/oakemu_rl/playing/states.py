# SPDX-License-Identifier: GPL-3.0-or-later
"""States that outlive the program: snapshots (.szx) in numbered slots of a game, or wherever a person wants them."""

from dataclasses import replace
from pathlib import Path

from oakemu_rl._whole_file import write_whole
from oakemu_rl.emulator import Spectrum, from_machine, read_snapshot, to_machine
from oakemu_rl.emulator.snapshots import format_snapshot
from oakemu_rl.errors import UserError
from oakemu_rl.playing.identity import Identity

__all__ = ["SLOTS", "StateFiles"]

SLOTS = range(10)
"""The numbers of the slots."""


class StateFiles:
    """Writes and reads the states of one game.

    Args:
        folder: Where the slots are; it need not exist.
        identity: The game.
        machine: The model that it runs on.
        kempston: Whether a Kempston joystick shall be fitted, whatever a state says.
    """

    def __init__(self, folder: Path, identity: Identity, machine: str, *, kempston: bool = False) -> None:
        self._folder = folder
        self._identity = identity
        self._machine = machine
        self._kempston = kempston

    def slot(self, number: int) -> Path:
        """Where a slot's file is, if something has been saved in it."""
        return self._folder / f"slot-{number}.szx"

    def write(self, path: Path, spectrum: Spectrum) -> None:
        """Writes a machine; an existing file is replaced.

        Raises:
            UserError: It cannot be written.
        """
        snapshot = replace(from_machine(spectrum, str(path)), note=self._identity.note())
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            write_whole(path, format_snapshot(snapshot, "szx").data)
        except OSError as error:
            raise UserError(f"{path} cannot be written: {error.strerror or error}") from error

    def read(self, path: Path) -> bytes:
        """Reads a state of this game, as `Spectrum.load_state` takes it.

        A snapshot that does not say of which game it is will do if the machine fits: that is the person's choice.

        Raises:
            UserError: It is of another game or machine, or no snapshot, or cannot be read.
        """
        try:
            snapshot = read_snapshot(path)
        except OSError as error:
            raise UserError(f"{path}: cannot be read: {error.strerror or error}") from error
        identity = Identity.of_note(snapshot.note)
        mismatch = "" if identity is None else self._identity.mismatch(identity)
        if mismatch:
            raise UserError(f"{path}: this is a state {mismatch}")
        if snapshot.machine != self._machine:
            raise UserError(f"{path}: the state is of a {snapshot.machine} machine, the game runs on a {self._machine}")
        return to_machine(replace(snapshot, kempston=snapshot.kempston or self._kempston)).save_state()
