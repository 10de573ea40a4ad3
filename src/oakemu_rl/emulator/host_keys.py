# SPDX-License-Identifier: GPL-3.0-or-later
"""A person's keyboard: which keys of the Spectrum the keys of a modern one stand for."""

from collections.abc import Mapping

from oakemu_rl.emulator.keyboard import KEYS
from oakemu_rl.errors import nearest

__all__ = ["HOST_KEYS", "check_host_key"]

_NAMED: dict[str, tuple[str, ...]] = {
    "return": ("enter",),
    "enter": ("enter",),  # of the keypad
    "left shift": ("shift",),
    "right shift": ("shift",),
    "left ctrl": ("sym",),
    "right ctrl": ("sym",),
    "backspace": ("shift", "0"),
    "caps lock": ("shift", "2"),
    # As the cursor keys of a Spectrum+.
    "left": ("shift", "5"),
    "down": ("shift", "6"),
    "up": ("shift", "7"),
    "right": ("shift", "8"),
    ",": ("sym", "n"),
    ".": ("sym", "m"),
    ";": ("sym", "o"),
    "'": ("sym", "7"),
    "/": ("sym", "v"),
    "-": ("sym", "j"),
    "=": ("sym", "l"),
}

HOST_KEYS: Mapping[str, tuple[str, ...]] = {
    **{name: (name,) for name in KEYS if name not in ("enter", "shift", "sym")},
    **{f"[{digit}]": (str(digit),) for digit in range(10)},  # of the keypad
    **_NAMED,
}
"""What each key holds, by its name in `Window.held`."""

_OTHERS = (
    *(f"f{number}" for number in range(1, 16)),
    *("escape", "tab", "insert", "delete", "home", "end", "page up", "page down", "pause", "menu"),
    *("print screen", "scroll lock", "numlock", "left alt", "right alt", "alt gr", "left meta", "right meta"),
    *("[+]", "[-]", "[*]", "[/]", "[.]"),  # of the keypad
)


def check_host_key(name: str) -> str:
    """What is wrong with the name of a key of a modern keyboard, or an empty string.

    A key that gives a single character is called like it, on any keyboard: ``a``, ``<``, ``ä``.
    """
    if name in HOST_KEYS or name in _OTHERS or (len(name) == 1 and name.isprintable()):
        return ""
    near = nearest(name, [*HOST_KEYS, *_OTHERS])
    return f"no key is called {name!r}{near}; names are as in a, 1, left, left shift, return, f5, [5] (keypad)"
