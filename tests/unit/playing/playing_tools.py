# SPDX-License-Identifier: GPL-3.0-or-later
"""A person for tests: keys by the number of the picture."""

from collections.abc import Mapping
from pathlib import Path

from oakemu_rl.cli.pictures import free_path, save_picture
from oakemu_rl.playing import Playable, PlaySession, Shown
from oakemu_rl.playing.hotkeys import Hotkeys
from oakemu_rl.playing.key_map import make_key_map
from oakemu_rl.playing.rewinding import Rewinder
from oakemu_rl.playing.states import StateFiles
from oakemu_rl.playing.take import Take


def make_take(playable: Playable, **kwargs: int) -> Take:
    return Take(playable.state, playable.machine, playable.identity, before=playable.before, **kwargs)


def make_session(
    playable: Playable,
    folder: Path,
    *,
    take: Take | None = None,
    rewinder: Rewinder | None = None,
    sound: bool = False,
    hotkeys: Hotkeys | None = None,
) -> PlaySession:
    return PlaySession(
        playable,
        make_key_map(playable.definition),
        hotkeys or Hotkeys(),
        StateFiles(folder / "states", playable.identity, playable.machine),
        screenshot=lambda picture: save_picture(folder, playable.name, picture),
        snapshot=lambda: free_path(folder, playable.name, ".szx"),
        take=take,
        rewinder=rewinder,
        sound=sound,
    )


class Person:
    """Holds keys, picture by picture.

    Args:
        session: What is played.
    """

    def __init__(self, session: PlaySession) -> None:
        self.session = session
        self.shown: list[Shown] = []
        self._held: frozenset[str] = frozenset()

    def hold(self, *keys: str, pictures: int = 1) -> Shown | None:
        """Holds these keys, and no others, while so many pictures are shown; returns the last."""
        shown = None
        for _ in range(pictures):
            pressed = [key for key in keys if key not in self._held]
            self._held = frozenset(keys)
            shown = self.session.advance(pressed, self._held)
            if shown is None:
                return None
            self.shown.append(shown)
        return shown

    def tap(self, key: str) -> Shown | None:
        """Presses a key for one picture, and lets it go in the next."""
        self.hold(key)
        return self.hold()

    def play(self, script: Mapping[int, tuple[str, ...]], pictures: int) -> None:
        """Holds the keys of each picture, none where there are none."""
        for number in range(pictures):
            self.hold(*script.get(number, ()))
