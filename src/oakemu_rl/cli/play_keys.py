# SPDX-License-Identifier: GPL-3.0-or-later
"""Which keys a person plays with: from the flags, their file and the game."""

from typing import NamedTuple

from rich.console import Console
from rich.table import Table

from oakemu_rl.games.keys import Joystick
from oakemu_rl.playing import Playable
from oakemu_rl.playing.hotkeys import HOTKEY_TEXTS, Hotkey, Hotkeys
from oakemu_rl.playing.key_map import KeyMap, make_key_map, parse_assignments
from oakemu_rl.playing.key_settings import key_settings_path, read_key_settings

__all__ = ["ChosenKeys", "choose_keys", "print_keys"]


class ChosenKeys(NamedTuple):
    """What the keys do."""

    map: KeyMap
    hotkeys: Hotkeys
    joystick: Joystick | None
    """The joystick that the arrow keys are; None if that is left to the game."""


def choose_keys(playable: Playable, keys: str, joystick: Joystick | None) -> ChosenKeys:
    """The keys of a game: what the flags say goes before what the file says.

    Args:
        playable: The game.
        keys: The flag ``--keys``; empty if it was not given.
        joystick: The flag ``--joystick``.

    Raises:
        UserError: A key, or what it shall hold, does not exist.
    """
    definition = playable.definition
    names = (playable.identity.game, playable.name) if definition is None else (definition.id, definition.name)
    settings = read_key_settings(key_settings_path(), names)
    joystick = joystick or settings.joystick
    assignments = [*settings.keys, *parse_assignments(keys, "--keys")]
    key_map = make_key_map(definition, joystick=joystick, assignments=assignments)
    return ChosenKeys(key_map, Hotkeys(settings.hotkeys, key_map.special), joystick)


def print_keys(playable: Playable, chosen: ChosenKeys) -> None:
    """Prints what every key does, and where one may change it."""
    table = Table(box=None, pad_edge=False, title=playable.title, title_justify="left")
    table.add_column("key", no_wrap=True)
    table.add_column("holds, or does")
    for host, text in chosen.map.texts.items():
        if chosen.hotkeys.find(host) is None:
            table.add_row(host, text)
    for hotkey in Hotkey:
        table.add_row(chosen.hotkeys.key(hotkey), HOTKEY_TEXTS[hotkey], style="cyan")
    console = Console()
    console.print(table, markup=False, highlight=False)
    console.print(f"{key_settings_path()} may change them", soft_wrap=True, markup=False, highlight=False)
