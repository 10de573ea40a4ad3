# SPDX-License-Identifier: GPL-3.0-or-later
"""The commands of `oakemu-rl games search`: what each is called, takes and does."""

from dataclasses import dataclass

__all__ = ["COMMANDS", "HOLD_FRAMES", "HOTKEYS", "LISTED", "RUN_FRAMES"]

RUN_FRAMES = 50
HOLD_FRAMES = 5
LISTED = 10


@dataclass(frozen=True, slots=True)
class _Command:
    usage: str
    text: str


COMMANDS: dict[str, _Command] = {
    "run": _Command("run [N]", f"let N frames pass with no key held (50 a second; {RUN_FRAMES})"),
    "hold": _Command("hold KEYS [N]", f"hold keys for N frames ({HOLD_FRAMES}): hold o 20, hold o+space"),
    "play": _Command("play", "play by hand in a window; Esc comes back"),
    "restart": _Command("restart", "go back to where the game began; candidates stay"),
    "snap": _Command("snap", "look at the memory; filters compare the last two looks, and look if time has passed"),
    "increased": _Command("increased [by N]", "what is more than in the snap before (by exactly N)"),
    "decreased": _Command("decreased [by N]", "what is less than in the snap before"),
    "changed": _Command("changed", "what is not as it was in the snap before"),
    "unchanged": _Command("unchanged", "what is as it was in the snap before"),
    "equals": _Command("equals N", "what is N now"),
    "greater": _Command("greater N", "what is more than N now"),
    "less": _Command("less N", "what is less than N now"),
    "digits": _Command("digits [ROW COLUMN]", "what is a number that the display shows now (at this place)"),
    "quiet": _Command("quiet [N]", "let N frames pass in which nothing happens, and drop whatever changes in them"),
    "screen": _Command("screen", "the numbers that can be read on the display"),
    "list": _Command("list [N]", f"the {LISTED} likeliest candidates, with the types that they may have"),
    "undo": _Command("undo", "take the last filter back"),
    "reset": _Command("reset", "make everything a candidate again"),
    "save": _Command(
        "save NAME ADDRESS TYPE", "print the variable as a definition has it; written to the file, if any"
    ),
    "help": _Command("help", "this list"),
    "quit": _Command("quit", "end the search; it is remembered for the next time"),
}
"""What each command is called, takes and does."""

HOTKEYS = {
    "f1": "snap",
    "f2": "increased",
    "f3": "decreased",
    "f4": "unchanged",
    "f5": "changed",
    "f6": "digits",
    "f9": "undo",
}
"""The commands that keys of the window stand for while a person plays."""
