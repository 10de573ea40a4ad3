# SPDX-License-Identifier: GPL-3.0-or-later
"""What the memory of a machine looks like that runs a game, and at the moment in which a play of it begins."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from oakemu_rl.emulator import Spectrum
from oakemu_rl.games import Definition, Game, compile_expression
from oakemu_rl.games.interpreter import Reader
from oakemu_rl.games.start_state import new_machine
from oakemu_rl.games.variables import Variable

__all__ = ["GameMemory", "StartSign", "opens_game", "ram_of"]

_RAM_START = 0x4000
_DISPLAY = 0x1800  # bytes of pixels
_PROGRAM = 0x5CCB - _RAM_START  # what lies before is display, printer buffer and the ROM's variables
_FRAMES = 25  # half a second, in which whoever plays does what they like
_LEAST_OTHERS = 0.8
_LEAST_PICTURE = 0.9
_FEWEST_PIXELS = 32  # bytes; a picture of fewer tells nothing

_Ram = NDArray[np.uint8]


def ram_of(spectrum: Spectrum) -> _Ram:
    """What the CPU sees from 0x4000 on, (49152,); of a 48K machine its own memory, not a copy."""
    return spectrum.memory if spectrum.machine == "48k" else spectrum.visible_ram()


@dataclass(frozen=True, eq=False)
class StartSign:
    """How to know the moment in which a play begins.

    That is what stays the same in the first half second, whatever is played: variables that decide about reward and
    end, other variables, and the picture; and what the game's start script waits for at last.

    Attributes:
        name: Of the game's start.
        vital: Offsets into RAM of variables that decide, and what is there.
        others: The same of other variables.
        picture: The same of bytes of pixels.
        awaited: Whether what the start script waits for is there; None where it waits for nothing.
    """

    name: str
    vital: tuple[NDArray[np.int64], _Ram]
    others: tuple[NDArray[np.int64], _Ram]
    picture: tuple[NDArray[np.int64], _Ram]
    awaited: Callable[[Spectrum], bool] | None

    def lasts(self, ram: _Ram) -> bool:
        """Whether nothing that decides has changed since a play began."""
        places, values = self.vital
        return bool((ram[places] == values).all())

    def fits(self, machine: Spectrum, ram: _Ram) -> bool:
        """Whether a play begins, or has just begun, in a machine, whose RAM is this.

        Of other variables and of the picture a part may differ, which games draw by chance; where the script waits for
        something, that is the better sign.
        """
        if not self.lasts(ram):
            return False
        if self.awaited is not None:
            return self.awaited(machine)
        is_picture = len(self.picture[0]) < _FEWEST_PIXELS or _share(ram, self.picture) >= _LEAST_PICTURE
        return is_picture and _share(ram, self.others) >= _LEAST_OTHERS


class GameMemory:
    """What the memory looks like of machines that run one game.

    Args:
        game: The game.

    Raises:
        UserError: Its program cannot be started.
    """

    def __init__(self, game: Game) -> None:
        self.game = game
        self._starts = {name: _play_about(game, name) for name in game.start_names}

    @property
    def vital_places(self) -> NDArray[np.int64]:
        """Offsets into RAM of the variables that decide about reward and end, lives and score."""
        return _places(self.game.definition.variables, _vital_names(self.game))

    def likeness(self, ram: _Ram) -> float:
        """How much of the game's program is in a RAM, 0 to 1."""
        return max(_likeness(ram, start, steady) for start, steady in self._starts.values())

    def start_signs(self) -> list[StartSign]:
        """How to know each of the game's starts."""
        return [self._start_sign(name) for name in self._starts]

    def _start_sign(self, name: str) -> StartSign:
        start, steady = self._starts[name]
        definition, vital = self.game.definition, _vital_names(self.game)
        known = {name for name in definition.variables if name not in definition.reset.randomize}
        pixels = np.arange(_DISPLAY)

        def seen(places: NDArray[np.int64]) -> tuple[NDArray[np.int64], _Ram]:
            chosen = places[steady[places]]
            return chosen, start[chosen]

        return StartSign(
            name,
            seen(_places(definition.variables, known & vital)),
            seen(_places(definition.variables, known - vital)),
            seen(pixels[_in_area(pixels, definition.area) & (start[:_DISPLAY] != 0)]),
            _awaited(definition, name),
        )


def opens_game(game: Game, state: bytes) -> bool:
    """Whether a play of a game begins, or has just begun, in a machine, as far as its memory tells.

    Args:
        game: The game.
        state: Of the machine, as `Spectrum.save_state` gives it.
    """
    machine = new_machine(game.definition)
    machine.load_state(state)
    return any(sign.fits(machine, ram_of(machine)) for sign in GameMemory(game).start_signs())


def _play_about(game: Game, name: str) -> tuple[_Ram, NDArray[np.bool_]]:
    """The RAM at a start, and which bytes of it no action changes within half a second."""
    machine = new_machine(game.definition)
    state = game.start_state(name)
    machine.load_state(state)
    start = ram_of(machine).copy()
    steady = np.ones(len(start), np.bool_)
    for row in game.action_table:
        machine.load_state(state)
        machine.hold_row(row)
        for _ in range(_FRAMES):
            machine.run_frames(1)
            steady &= ram_of(machine) == start
    return start, steady


def _awaited(definition: Definition, name: str) -> Callable[[Spectrum], bool] | None:
    """Whether a machine has come to what a start script waits for at last; None if it waits for nothing."""
    script, _ = definition.script_of(name)
    until = next((step.until for step in reversed(script) if step.until is not None), None)
    if until is None:
        return None
    if until.routine is not None:
        address = definition.routines[until.routine]
        # A machine that stands there would have to come round again, which may take games more than two frames.
        return lambda machine: machine.registers.pc == address or machine.fork().run_until(address, 2) is not None
    formulas = definition.formulas()
    condition = compile_expression(until.condition or "", formulas.names.at_one_moment(), result="condition").code
    reader = Reader(definition.variables, formulas.derived)
    return lambda machine: reader.holds(condition, ram_of(machine))


def _likeness(ram: _Ram, start: _Ram, steady: NDArray[np.bool_]) -> float:
    program = np.flatnonzero(steady[_PROGRAM:] & (start[_PROGRAM:] != 0)) + _PROGRAM
    return _share(ram, (program, start[program]))


def _share(ram: _Ram, wanted: tuple[NDArray[np.int64], _Ram]) -> float:
    """How many of the bytes are as they should be, 0 to 1."""
    places, values = wanted
    return float((ram[places] == values).mean()) if len(places) else 1.0


def _vital_names(game: Game) -> set[str]:
    """The variables that decide about reward and end, lives and score; all where a game has none of these."""
    definition, formulas = game.definition, game.definition.formulas()
    programs = [*formulas.rewards["training"].values(), formulas.win, formulas.loss]
    wanted = {name for name in (definition.lives_variable, definition.score_variable) if name}
    wanted |= set(_operands(programs))
    for name in reversed(list(formulas.derived)):  # each may name those before it
        if name in wanted:
            wanted |= set(_operands([formulas.derived[name]]))
    return wanted.intersection(definition.variables) or set(definition.variables)


def _operands(programs: Iterable[Iterable[tuple[str, object]]]) -> Iterator[str]:
    return (operand for program in programs for _, operand in program if isinstance(operand, str))


def _places(variables: Mapping[str, Variable], names: Iterable[str]) -> NDArray[np.int64]:
    """Offsets into RAM of the bytes of variables, ascending; tables are left out."""
    known = [variables[name] for name in names if not variables[name].is_table]
    places = {place for each in known for place in range(each.at - _RAM_START, each.at - _RAM_START + each.size)}
    return np.array(sorted(places), np.int64)


def _in_area(pixels: NDArray[np.int64], area: tuple[int, int, int, int]) -> NDArray[np.bool_]:
    """Which bytes of the display file lie in a part of the picture.

    The address of a byte has the bits ``y7 y6 y2 y1 y0 y5 y4 y3 x7 x6 x5 x4 x3``.
    """
    x, y, width, height = area
    line = (pixels >> 11 << 6) | (pixels >> 8 & 7) | (pixels >> 2 & 0x38)
    column = (pixels & 31) * 8
    return (line >= y) & (line < y + height) & (column + 8 > x) & (column < x + width)
