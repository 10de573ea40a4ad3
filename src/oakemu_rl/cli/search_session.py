# SPDX-License-Identifier: GPL-3.0-or-later
"""A search for variables, command by command: each is a line of text, typed at a prompt or read from a script."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from oakemu_rl.cli.search_commands import COMMANDS, HOLD_FRAMES, HOTKEYS, LISTED, RUN_FRAMES
from oakemu_rl.cli.search_driver import Driver
from oakemu_rl.cli.search_report import counted, describe_proposals
from oakemu_rl.errors import UserError, nearest
from oakemu_rl.games.definition_edit import add_variable, make_variable, variable_line
from oakemu_rl.games.keys import Joystick, action_row, check_key
from oakemu_rl.games.search import COMPARISONS, Search
from oakemu_rl.games.search_ranking import rank

__all__ = ["SearchSession"]

_NOTHING_HELD = np.zeros(9, np.uint8)
_MOST_LISTED = 1000
_MOST_FRAMES = 1_000_000
_OTHER_SCREEN = 8  # of port 0x7FFD: the screen in bank 7 is shown


class SearchSession:
    """Runs commands.

    Args:
        driver: The machine.
        search: Nothing found yet, or what an earlier session has found.
        report: Takes what there is to say, in lines.
        play: Lets a person play until they have had enough, and calls its first argument once a frame with what is
            held, the second with every key that goes down.
        definition_file: Where `save` writes variables; None if they are printed only.
    """

    def __init__(
        self,
        driver: Driver,
        search: Search,
        *,
        report: Callable[[str], None],
        play: Callable[[Callable[[NDArray[np.uint8]], object], Callable[[str], None]], None],
        definition_file: Path | None = None,
    ) -> None:
        self.search = search
        self._driver = driver
        self._report = report
        self._play = play
        self._definition_file = definition_file
        self._moved = False
        self._look()

    def do(self, line: str) -> bool:
        """Runs one command.

        Args:
            line: The command; empty lines and what follows a ``#`` are left out.

        Returns:
            Whether there may be more; false after ``quit``.

        Raises:
            UserError: It cannot be done.
        """
        name, *words = line.partition("#")[0].split() or [""]
        name = name.lower()
        if name in ("quit", "exit", "q"):
            return False
        if name in COMPARISONS:
            self._compare(name, words)
        elif name in ("equals", "greater", "less"):
            self._value(name, words)
        elif name in COMMANDS:
            getattr(self, f"_do_{name}")(words)
        elif name:
            guess = nearest(name, COMMANDS)
            raise UserError(f"unknown command {name!r}{guess}; help lists them")
        return True

    def _do_run(self, words: list[str]) -> None:
        frames = _optional(words, "run", RUN_FRAMES)
        for _ in range(frames):
            self._frame(_NOTHING_HELD)

    def _do_hold(self, words: list[str]) -> None:
        if not words:
            raise UserError(f"hold: name the keys: {COMMANDS['hold'].usage}")
        row = self._row(words[0].lower().split("+"))
        for _ in range(_optional(words[1:], "hold", HOLD_FRAMES)):
            self._frame(row)

    def _row(self, names: list[str]) -> NDArray[np.uint8]:
        """What keys, directions and the game's own actions hold together."""
        definition = self._driver.definition
        joystick: Joystick = "none" if definition is None else definition.joystick
        actions = {} if definition is None else definition.actions
        keys: list[str] = []
        for name in names:
            problem = check_key(name, joystick)
            if problem and name not in actions:
                raise UserError(f"hold: {problem}")
            keys += actions[name] if problem else [name]
        return action_row(keys, joystick)

    def _do_play(self, words: list[str]) -> None:
        _nothing_more(words, "play")
        self._play(self._frame, self._hotkey)

    def _hotkey(self, key: str) -> None:
        """A key of the window that stands for a command; others are the game's."""
        if key in HOTKEYS:
            try:
                self.do(HOTKEYS[key])
            except UserError as error:
                self._report(f"error: {error}")

    def _do_restart(self, words: list[str]) -> None:
        _nothing_more(words, "restart")
        self._driver.restart()
        self.search.forget_frame()
        self.search.watch(self._driver.machine.visible_ram())
        self._moved = True

    def _do_snap(self, words: list[str]) -> None:
        _nothing_more(words, "snap")
        if not self._moved:
            self._report("nothing has happened since the last snap")
        self._fresh()

    def _do_digits(self, words: list[str]) -> None:
        if len(words) not in (0, 2):
            raise UserError(f"digits: give a row and a column, or neither: {COMMANDS['digits'].usage}")
        place = None if not words else (_number(words[0], "digits", high=23), _number(words[1], "digits", high=31))
        self._fresh()
        numbers = self.search.shown(place)
        self._report(f"on the display: {', '.join(number.text for number in numbers)}")
        self._tell()

    def _do_quiet(self, words: list[str]) -> None:
        frames = _optional(words, "quiet", RUN_FRAMES)
        changed = np.zeros_like(self._driver.machine.visible_ram(), np.bool_)
        for _ in range(frames):
            changed |= self._frame(_NOTHING_HELD)
        self.search.drop_bytes(f"quiet {frames}", changed)
        self._tell()

    def _do_screen(self, words: list[str]) -> None:
        _nothing_more(words, "screen")
        self._fresh()
        numbers = self.search.now.numbers if self.search.now else ()
        for number in numbers:
            self._report(f"row {number.row:2} column {number.column:2}: {number.text}")
        if not numbers:
            self._report("no number can be read on the display")

    def _do_list(self, words: list[str]) -> None:
        limit = _optional(words, "list", LISTED, high=_MOST_LISTED)
        self._fresh()
        for line in describe_proposals(rank(self.search, limit), self.search):
            self._report(line)

    def _do_undo(self, words: list[str]) -> None:
        _nothing_more(words, "undo")
        self._report(f"taken back: {self.search.undo()}; {counted(self.search)}")

    def _do_reset(self, words: list[str]) -> None:
        _nothing_more(words, "reset")
        self.search = Search()
        self._look()

    def _do_save(self, words: list[str]) -> None:
        if len(words) != 3:
            raise UserError(f"save: a name, an address and a type are needed: {COMMANDS['save'].usage}")
        name, address, kind = words
        variable = make_variable(_number(address, "save", high=0xFFFF), kind)
        line = variable_line(name, variable)
        if self._definition_file is None:
            self._report("variables:")
            self._report(f"  {line}")
            return
        number = add_variable(self._definition_file, name, variable)
        self._report(f"{self._definition_file}:{number}: {line}")

    def _do_help(self, words: list[str]) -> None:
        _nothing_more(words, "help")
        for command in COMMANDS.values():
            self._report(f"  {command.usage:<23} {command.text}")

    def _compare(self, name: str, words: list[str]) -> None:
        by: int | None = None
        if words:
            if len(words) != 2 or words[0].lower() != "by":
                raise UserError(f"{name}: {' '.join(words)!r} is not understood: {COMMANDS[name].usage}")
            by = _number(words[1], name)
        self._fresh()
        self.search.compare(name, by=by)
        self._tell()

    def _value(self, name: str, words: list[str]) -> None:
        if len(words) != 1:
            raise UserError(f"{name}: one number is needed: {COMMANDS[name].usage}")
        number = _number(words[0], name, low=-(2**31))
        self._fresh()
        getattr(self.search, name)(number)
        self._tell()

    def _frame(self, row: NDArray[np.uint8]) -> NDArray[np.bool_]:
        """Runs a frame; returns which bytes it changed."""
        self._driver.run_frame(row)
        self._moved = True
        return self.search.watch(self._driver.machine.visible_ram())

    def _fresh(self) -> None:
        """Looks at the memory if time has passed since it was looked at."""
        if self._moved:
            machine = self._driver.machine
            shows_other = machine.port_7ffd & _OTHER_SCREEN
            self.search.snap(machine.visible_ram(), machine.bank(7) if shows_other else None)
            self._moved = False

    def _look(self) -> None:
        """Looks at the memory as it was found, to count from there."""
        self.search.watch(self._driver.machine.visible_ram())
        self._moved = True
        self._fresh()

    def _tell(self) -> None:
        self._report(f"{self.search.steps[-1]}: {counted(self.search)}")


def _nothing_more(words: list[str], name: str) -> None:
    if words:
        raise UserError(f"{name} takes nothing more, not {words[0]!r}")


def _optional(words: list[str], name: str, default: int, *, high: int = _MOST_FRAMES) -> int:
    """The one number that may follow."""
    if len(words) > 1:
        raise UserError(f"{name}: {words[1]!r} is too much: {COMMANDS[name].usage}")
    return _number(words[0], name, low=1, high=high) if words else default


def _number(text: str, name: str, *, low: int = 0, high: int = 2**31 - 1) -> int:
    """A number in decimal digits, or in hexadecimal ones after 0x or $."""
    try:
        number = int(text.removeprefix("$"), 16) if text.startswith("$") else int(text, 0)
    except ValueError as error:
        raise UserError(f"{name}: {text!r} is no whole number: {COMMANDS[name].usage}") from error
    if not low <= number <= high:
        raise UserError(f"{name}: {text} is not within {low} to {high}")
    return number
