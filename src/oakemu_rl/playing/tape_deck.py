# SPDX-License-Identifier: GPL-3.0-or-later
"""A tape that stays at hand, for games that load more of it later."""

from oakemu_rl.emulator import Spectrum, Tape
from oakemu_rl.emulator.tapes import NotAskedFor, load_next_blocks
from oakemu_rl.errors import UserError

__all__ = ["TapeDeck"]

_PATIENCE = 100  # frames: a game that wants to load is asking already


class TapeDeck:
    """Plays a tape on, at once, when the person presses play.

    Args:
        tape: The tape.
        played: How many of its blocks have been played.
    """

    def __init__(self, tape: Tape, played: int) -> None:
        self._tape = tape
        self._played = played

    @property
    def text(self) -> str:
        """Where the tape stands, in words."""
        return f"block {self._played} of {len(self._tape.blocks)}"

    def play(self, spectrum: Spectrum) -> bytes:
        """Plays the blocks that the machine asks for; from the beginning again after the last.

        Args:
            spectrum: The machine, which stays as it is.

        Returns:
            The machine when it has read them, as `Spectrum.save_state` gives it.

        Raises:
            UserError: It asks for none, or did not get what it wants.
        """
        listener = spectrum.fork()
        listener.release_all()  # the ROM takes Space for a wish to stop
        first = self._played if self._played < len(self._tape.blocks) else 0
        try:
            self._played = load_next_blocks(listener, self._tape, first_block=first, boot=False, max_frames=_PATIENCE)
        except NotAskedFor:
            raise UserError(f"the game does not ask for the tape ({self.text})") from None
        return listener.save_state()
