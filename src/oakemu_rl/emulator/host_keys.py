# SPDX-License-Identifier: GPL-3.0-or-later
"""A person's keyboard: which keys of the Spectrum the keys of a modern one stand for."""

from collections.abc import Mapping

from oakemu_rl.emulator.keyboard import KEYS

__all__ = ["HOST_KEYS"]

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
