# SPDX-License-Identifier: GPL-3.0-or-later
"""The keys that do more than play: rewind, pause, save, and so on."""

from collections.abc import Collection, Iterable, Mapping
from enum import StrEnum

from oakemu_rl.emulator.host_keys import check_host_key
from oakemu_rl.errors import UserError
from oakemu_rl.playing.key_map import Assignment

__all__ = ["HOTKEY_TEXTS", "Hotkey", "Hotkeys"]


class Hotkey(StrEnum):
    """What a key may do besides playing."""

    HELP = "help"
    REWIND = "rewind"
    SNAPSHOT = "snapshot"
    MUTE = "mute"
    RESET = "reset"
    SAVE = "save"
    LOAD = "load"
    SLOT = "slot"
    PAUSE = "pause"
    STEP = "step"
    TAPE = "tape"
    SCREENSHOT = "screenshot"
    FASTER = "faster"
    SLOWER = "slower"
    NORMAL = "normal"
    TURBO = "turbo"
    QUIT = "quit"


HOTKEY_TEXTS: Mapping[Hotkey, str] = {
    Hotkey.HELP: "this help",
    Hotkey.REWIND: "rewind (hold)",
    Hotkey.SNAPSHOT: "write .szx",
    Hotkey.MUTE: "sound on/off",
    Hotkey.RESET: "reset",
    Hotkey.SAVE: "save to slot",
    Hotkey.LOAD: "load slot",
    Hotkey.SLOT: "next slot",
    Hotkey.PAUSE: "pause",
    Hotkey.STEP: "one frame",
    Hotkey.TAPE: "play the tape",
    Hotkey.SCREENSHOT: "screenshot",
    Hotkey.FASTER: "faster",
    Hotkey.SLOWER: "slower",
    Hotkey.NORMAL: "real speed",
    Hotkey.TURBO: "turbo (hold)",
    Hotkey.QUIT: "quit",
}
"""What each does, in few words."""

_DEFAULTS: Mapping[Hotkey, str] = {
    Hotkey.HELP: "f1",
    Hotkey.REWIND: "f2",
    Hotkey.SNAPSHOT: "f3",
    Hotkey.MUTE: "f4",
    Hotkey.RESET: "f5",
    Hotkey.SAVE: "f6",
    Hotkey.LOAD: "f7",
    Hotkey.SLOT: "f8",
    Hotkey.PAUSE: "f9",
    Hotkey.STEP: "f10",
    Hotkey.TAPE: "f11",
    Hotkey.SCREENSHOT: "f12",
    Hotkey.FASTER: "page up",
    Hotkey.SLOWER: "page down",
    Hotkey.NORMAL: "home",
    Hotkey.TURBO: "tab",
    Hotkey.QUIT: "escape",
}


class Hotkeys:
    """Which key does what.

    Args:
        changes: Hotkeys that have another key: `held` is the name of one `Hotkey`. Later ones win.
        game_keys: The keys that the person has given a meaning in the game, which no hotkey may have.

    Raises:
        UserError: A key has no such name, or two meanings.
    """

    def __init__(self, changes: Iterable[Assignment] = (), game_keys: Collection[str] = ()) -> None:
        keys = dict(_DEFAULTS)
        changed: dict[str, Assignment] = {}
        for each in changes:
            problem = check_host_key(each.host)
            if problem:
                raise UserError(f"{each.where}: {problem}")
            keys[Hotkey(each.held[0])] = each.host
            changed[each.host] = each
        self._keys = keys
        self._hotkeys: dict[str, Hotkey] = {}
        for hotkey, host in keys.items():
            taken = self._hotkeys.get(host) or ("a key of the game" if host in game_keys else None)
            if taken is not None:
                where = f"{changed[host].where}: " if host in changed else ""
                raise UserError(f"{where}{host!r} is {taken} as well as the hotkey {hotkey}; give that another key")
            self._hotkeys[host] = hotkey

    def find(self, host: str) -> Hotkey | None:
        """What a key does, None if it is left to the game."""
        return self._hotkeys.get(host)

    def key(self, hotkey: Hotkey) -> str:
        """The key that does it."""
        return self._keys[hotkey]

    def held(self, hotkey: Hotkey, host_keys: Collection[str]) -> bool:
        """Whether its key is among those that are down."""
        return self._keys[hotkey] in host_keys
