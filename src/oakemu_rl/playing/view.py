# SPDX-License-Identifier: GPL-3.0-or-later
"""What a person sees beside the game: two lines beneath it, and the help over it."""

import textwrap
from collections.abc import Iterable, Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

from oakemu_rl.emulator.caption import LETTER, Line, caption, darkened, write_text
from oakemu_rl.games import Definition
from oakemu_rl.playing.hotkeys import HOTKEY_TEXTS, Hotkey, Hotkeys

__all__ = ["controls_of", "with_help", "with_lines"]

_WHITE = (255, 255, 255)
_CYAN = (0, 255, 255)
_YELLOW = (255, 255, 0)
_GREEN = (0, 255, 0)

_LEFT = 4
_TOP = 8
_PITCH = 11
_KEY_LETTERS = 5

_SHORT = {
    "page up": "PgUp",
    "page down": "PgDn",
    "escape": "Esc",
    "backspace": "Bksp",
    "caps lock": "Caps",
    "return": "Enter",
    "insert": "Ins",
    "delete": "Del",
    "left alt": "Alt",
    "left shift": "LShft",
    "right shift": "RShft",
    "left ctrl": "LCtrl",
    "right ctrl": "RCtrl",
}


def _short_name(host: str) -> str:
    """The name of a key of the keyboard in five letters or so."""
    return _SHORT.get(host, host.capitalize())


def controls_of(definition: Definition | None) -> str:
    """What the keys of the Spectrum do in a game, in a line; empty if nobody knows."""
    if definition is None:
        return ""
    pairs: Iterable[tuple[str, str]] = definition.controls.items() or (
        ("+".join(keys), name) for name, keys in definition.actions.items() if keys
    )
    return "  ".join(f"{key.upper()} {what}" for key, what in pairs)


def with_lines(picture: NDArray[np.uint8], first: str, second: str, notice: str = "") -> NDArray[np.uint8]:
    """A picture with two lines beneath it.

    Args:
        picture: Shape (height, width, 3).
        first: The game's keys.
        second: How things stand.
        notice: What has just happened, instead of how things stand; what is too long for that takes the place of both.
    """
    letters = (picture.shape[1] - 2 * _LEFT) // LETTER
    lines: list[Line] = [(first, _WHITE), (second, _CYAN)]
    if notice:
        said: list[Line] = [(line, _YELLOW) for line in textwrap.wrap(notice, letters)]
        lines = [*lines[:1], *said] if len(said) == 1 else said[:2]
    return caption(picture, [[line] for line in lines])


def with_help(
    picture: NDArray[np.uint8], title: str, hotkeys: Hotkeys, controls: str, special: Mapping[str, str]
) -> NDArray[np.uint8]:
    """A picture with the help written over it.

    Args:
        picture: Shape (height, width, 3).
        title: The game's.
        hotkeys: What keys do besides playing.
        controls: As of `controls_of`.
        special: What keys of the keyboard hold, as of `KeyMap.special`.
    """
    out = darkened(picture)
    write_text(out, _TOP, _LEFT, (title, _YELLOW))
    middle = picture.shape[1] // 2
    for number, hotkey in enumerate(Hotkey):
        row, left = 2 + number // 2, _LEFT + middle * (number % 2)
        key = f"{_short_name(hotkeys.key(hotkey)):<{_KEY_LETTERS}} "
        after = write_text(out, _row(row), left, (key, _GREEN))
        write_text(out, _row(row), after, (HOTKEY_TEXTS[hotkey], _WHITE))
    row = 2 + (len(Hotkey) + 1) // 2
    held = [f"{_short_name(host)}={text}" for host, text in special.items()]
    letters = (picture.shape[1] - 2 * _LEFT) // LETTER
    for words, colour in ((controls.split("  "), _WHITE), (held, _CYAN)):
        row += 1
        for line in _wrapped(words, letters):
            write_text(out, _row(row), _LEFT, (line, colour))
            row += 1
    return out


def _row(number: int) -> int:
    return _TOP + _PITCH * number


def _wrapped(words: Iterable[str], letters: int) -> Iterator[str]:
    """Lines of words, two spaces apart."""
    line = ""
    for word in words:
        if line and len(line) + 2 + len(word) > letters:
            yield line
            line = ""
        line = f"{line}  {word}" if line else word
    if line:
        yield line
