# SPDX-License-Identifier: GPL-3.0-or-later
"""Which game a saved state or a recording belongs to."""

import json
from dataclasses import asdict, dataclass

__all__ = ["Identity"]


@dataclass(frozen=True, slots=True)
class Identity:
    """A game and its program, as the notes in our snapshots name them."""

    game: str
    """The id of the game, or the name of the file that is played."""
    program: str
    """SHA-256 of the program, unpacked."""

    def note(self) -> bytes:
        """As a snapshot's note."""
        return json.dumps(asdict(self)).encode()

    @classmethod
    def of_note(cls, note: bytes) -> "Identity | None":
        """What a note says; None if it says nothing of the kind."""
        try:
            entries = json.loads(note)
            return cls(str(entries["game"]), str(entries["program"]))
        except (ValueError, TypeError, KeyError):
            return None

    def mismatch(self, other: "Identity") -> str:
        """How something that belongs to another game differs, as ``of X, not of Y``; empty if it does not.

        The program decides: definitions of the same program may have several names.
        """
        if self.program == other.program:
            return ""
        if self.game != other.game:
            return f"of {other.game}, not of {self.game}"
        return f"of another program of {self.game} (SHA-256 {other.program[:8]}..., this one is {self.program[:8]}...)"
