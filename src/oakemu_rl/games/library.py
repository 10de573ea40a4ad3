# SPDX-License-Identifier: GPL-3.0-or-later
"""What the user has brought: programs and definitions, kept in a folder of the user's.

    programs/<SHA-256>     the tapes and snapshots, unpacked
    programs/index.json    what they were called, and for which game each was added
    definitions/*.yaml     definitions

The folder is the platform's place for data of users, or $OAKEMU_RL_HOME.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from oakemu_rl._user_folders import data_folder
from oakemu_rl._whole_file import write_whole
from oakemu_rl.errors import UserError

__all__ = ["Library", "Stored"]


@dataclass(frozen=True, slots=True)
class Stored:
    """A program in the library."""

    sha256: str
    """Of its bytes."""
    name: str
    """What the file was called."""
    game: str
    """The id of the game for which it was added."""


class Library:
    """The user's programs and definitions.

    Args:
        folder: Where they are; the user's own folder by default. It need not exist.
    """

    def __init__(self, folder: str | Path | None = None) -> None:
        self.folder = Path(folder) if folder else data_folder()

    @property
    def definitions(self) -> list[Path]:
        """The user's definition files, by name."""
        try:
            return sorted((self.folder / "definitions").glob("*.yaml"))
        except OSError:
            return []  # a folder that cannot be read holds nothing for us; whoever asks for a game in it is told so

    def programs(self) -> list[Stored]:
        """All programs, in the order in which they were added.

        Raises:
            UserError: The index is damaged.
        """
        try:
            entries = json.loads(self._index.read_text(encoding="utf-8"))
            if not isinstance(entries, list):
                raise TypeError("it is no list")
            return [Stored(**{key: str(entry[key]) for key in ("sha256", "name", "game")}) for entry in entries]
        except FileNotFoundError:
            return []
        except (OSError, ValueError, TypeError, KeyError) as error:
            raise UserError(f"{self._index}: the list of programs cannot be read: {error}; move it away") from error

    def add(self, data: bytes, *, name: str, game: str) -> Stored:
        """Keeps a program for a game. Added again it is kept once.

        Raises:
            OSError: It cannot be written.
            UserError: The index is damaged.
        """
        stored = Stored(hashlib.sha256(data).hexdigest(), name, game)
        others = [each for each in self.programs() if (each.sha256, each.game) != (stored.sha256, game)]
        (self.folder / "programs").mkdir(parents=True, exist_ok=True)
        write_whole(self.path(stored), data)
        entries = [asdict(each) for each in (*others, stored)]
        write_whole(self._index, (json.dumps(entries, indent=1) + "\n").encode())
        return stored

    def add_definition(self, data: bytes, *, name: str, files: Mapping[str, bytes]) -> Path:
        """Keeps a definition, in place of one of the same name.

        Args:
            data: The YAML, in UTF-8.
            name: What to call it, without a suffix.
            files: What it wants to have beside it, by name.

        Raises:
            OSError: It cannot be written.
            UserError: There is a different file of the name of one of `files`; then nothing has changed.
        """
        folder = self.folder / "definitions"
        folder.mkdir(parents=True, exist_ok=True)
        for file, content in files.items():
            if (folder / file).exists() and (folder / file).read_bytes() != content:
                raise UserError(f"{folder / file} exists and is another file; give yours another name")
        for file, content in files.items():
            write_whole(folder / file, content)
        path = folder / f"{name}.yaml"
        write_whole(path, data)
        return path

    def path(self, stored: Stored) -> Path:
        """Where a program lies."""
        return self.folder / "programs" / stored.sha256

    def find(self, game: str, hashes: list[str]) -> bytes | None:
        """The program for a game: one of these SHA-256, or else the last one that was added for it.

        Raises:
            OSError: It cannot be read.
            UserError: The index is damaged.
        """
        known = self.programs()
        fitting = [each for each in known if each.sha256 in hashes] or [each for each in known if each.game == game]
        return self.path(fitting[-1]).read_bytes() if fitting else None

    @property
    def _index(self) -> Path:
        return self.folder / "programs" / "index.json"
