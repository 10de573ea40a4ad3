# SPDX-License-Identifier: GPL-3.0-or-later
"""What the keys of a modern keyboard hold in a game: keys of the Spectrum, and directions of a joystick."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from oakemu_rl.emulator.host_keys import HOST_KEYS, check_host_key
from oakemu_rl.emulator.keyboard import ALIASES, KEYS
from oakemu_rl.errors import UserError, nearest
from oakemu_rl.games import Definition
from oakemu_rl.games.keys import DIRECTIONS, Joystick, action_row

__all__ = ["Assignment", "KeyMap", "make_key_map", "parse_assignments"]

_FIRE_KEYS = ("left alt", "right alt", "alt gr")
_ARROWS = ("left", "right", "up", "down")


@dataclass(frozen=True, slots=True)
class Assignment:
    """That a key of the keyboard holds something in the game."""

    host: str
    """The key, as `Window` calls it."""
    held: tuple[str, ...]
    """Keys of the Spectrum, directions of the joystick, or names of the game's actions."""
    where: str
    """Where somebody wrote so, for messages."""


class _Held(NamedTuple):
    text: str
    row: npt.NDArray[np.uint8]


class KeyMap:
    """What each key of the keyboard holds. Made by `make_key_map`."""

    def __init__(self, held: Mapping[str, _Held], special: Sequence[str]) -> None:
        self._held = held
        self._special = tuple(special)

    def row(self, host_keys: Iterable[str]) -> npt.NDArray[np.uint8]:
        """What the machine holds while these keys are down, (9,) as of `KeyInput.hold_row`."""
        rows = [self._held[key].row for key in host_keys if key in self._held]
        return np.bitwise_or.reduce(rows) if rows else np.zeros(9, dtype=np.uint8)

    @property
    def special(self) -> dict[str, str]:
        """What the keys hold that the game or the person has given a meaning, in words."""
        return {host: self._held[host].text for host in self._special}

    @property
    def texts(self) -> dict[str, str]:
        """What every key holds, in words; letters, digits and space, which are themselves, left out."""
        return {host: held.text for host, held in self._held.items() if host != held.text}


def make_key_map(
    definition: Definition | None, *, joystick: Joystick | None = None, assignments: Iterable[Assignment] = ()
) -> KeyMap:
    """The keys of a game.

    Letters, digits and the like are the Spectrum's. The arrow keys, and Alt for fire, are the joystick if one is asked
    for; otherwise they do what the game's actions of these names do, and without such they are the cursor keys.

    Args:
        definition: The game's definition, None where there is none.
        joystick: The joystick that the arrow keys shall be; None leaves it to the game.
        assignments: What the person wants otherwise; later ones win.

    Raises:
        UserError: An assignment names a key, direction or action that there is not.
    """
    names = _Names(definition, joystick)
    held = {host: names.held(keys) for host, keys in HOST_KEYS.items()}
    special: dict[str, None] = {}
    for name, hosts in {**{arrow: (arrow,) for arrow in _ARROWS}, "fire": _FIRE_KEYS}.items():
        if joystick != "none" and names.known(name):
            held.update(dict.fromkeys(hosts, names.held([name])))
            special[hosts[0]] = None
    for each in assignments:
        problem = check_host_key(each.host)
        if problem:
            raise UserError(f"{each.where}: {problem}")
        for name in each.held:
            if not names.known(name):
                raise UserError(f"{each.where}: {names.complaint(name)}")
        held[each.host] = names.held(each.held)
        special[each.host] = None
    return KeyMap(held, list(special))


def parse_assignments(text: str, where: str) -> list[Assignment]:
    """Assignments out of ``left=o,right=p,z=shift+5``.

    Raises:
        UserError: It is written otherwise.
    """
    found = []
    for part in filter(None, (part.strip() for part in text.split(","))):
        host, equals, held = (piece.strip().lower() for piece in part.partition("="))
        if not (host and equals and held):
            raise UserError(f"{where}: {part!r} is not KEY=HELD, as in left=o,right=p,z=shift+5")
        found.append(Assignment(host, tuple(held.split("+")), where))
    return found


class _Names:
    """What may be held in a game, by name: keys, directions, actions."""

    def __init__(self, definition: Definition | None, joystick: Joystick | None) -> None:
        self._actions = {} if definition is None else definition.actions
        self._own: Joystick = "none" if definition is None else definition.joystick
        self._joystick = self._own if joystick is None else joystick
        self._asked_for = joystick is not None and joystick != "none"

    def known(self, name: str) -> bool:
        return _key(name) in KEYS or name in self._actions or (name in DIRECTIONS and self._joystick != "none")

    def held(self, names: Iterable[str]) -> _Held:
        row = np.zeros(9, dtype=np.uint8)
        texts = []
        for name in names:
            text, part = self._one(name)
            texts.append(text)
            row |= part
        return _Held("+".join(texts), row)

    def _one(self, name: str) -> tuple[str, npt.NDArray[np.uint8]]:
        if _key(name) in KEYS:
            return _key(name), action_row([_key(name)], "none")
        # Who asks for a joystick means it by a direction, whatever the game's action of that name holds.
        if name in DIRECTIONS and (self._asked_for or name not in self._actions):
            return f"{self._joystick} {name}", action_row([name], self._joystick)
        keys = self._actions[name]
        text = "+".join(f"{self._own} {key}" if key in DIRECTIONS else key for key in keys)
        return text or "nothing", action_row(keys, self._own)

    def complaint(self, name: str) -> str:
        if name in DIRECTIONS:
            return f"{name!r} is a direction, and there is no joystick; --joystick kempston, say, brings one"
        directions = DIRECTIONS if self._joystick != "none" else ()
        near = nearest(name, [*KEYS, *ALIASES, *directions, *self._actions])
        allowed = ", ".join(("a-z", "0-9", "space", "enter", "shift", "sym", *directions))
        actions = f", and the game's actions {', '.join(self._actions)}" if self._actions else ""
        return f"there is no {name!r} to hold{near}; allowed are {allowed}{actions}"


def _key(name: str) -> str:
    return ALIASES.get(name, name)
