# SPDX-License-Identifier: GPL-3.0-or-later
"""Plays start scripts: from a program to the machines in which episodes begin."""

from collections.abc import Mapping
from functools import lru_cache

from oakemu_rl._validation import LocatedError
from oakemu_rl.emulator import Spectrum
from oakemu_rl.errors import UserError
from oakemu_rl.games._checks import DEFAULT_START
from oakemu_rl.games._names import RAM_START
from oakemu_rl.games.definition import Definition
from oakemu_rl.games.expression import compile_expression
from oakemu_rl.games.interpreter import Reader
from oakemu_rl.games.keys import split_held
from oakemu_rl.games.loading import load_file, load_program
from oakemu_rl.games.start_script import PressStep, Script, Step, UntilStep

__all__ = ["make_start_state", "new_machine"]

_Location = tuple[int | str, ...]


def make_start_state(
    definition: Definition,
    program: bytes,
    *,
    start: str = DEFAULT_START,
    files: Mapping[str, bytes] | None = None,
) -> bytes:
    """The state of the machine after loading and a start script; kept for the next call with the same game.

    Args:
        definition: The game.
        program: Its tape or snapshot.
        start: Which of the definition's `start_names`.
        files: What the definition's `files` are.

    Returns:
        A saved machine, as `Spectrum.load_state` takes it.

    Raises:
        LocatedError: The program or a file cannot be loaded, or a step cannot be done; it says where that stands.
    """
    return _make(definition.model_dump_json(), program, start, tuple(sorted((files or {}).items())))


@lru_cache(maxsize=64)
def _make(definition_json: str, program: bytes, start: str, files: tuple[tuple[str, bytes], ...]) -> bytes:
    definition = Definition.model_validate_json(definition_json)
    script, loc = definition.script_of(start)
    given = definition.starts.get(start)
    player = _Player(definition, dict(files))
    if given is not None and given.after is not None:
        player.spectrum = new_machine(definition)
        player.spectrum.load_state(_make(definition_json, program, given.after, files))
    elif given is not None and given.snapshot is not None:
        player.load(given.snapshot, ("starts", start, "snapshot"))
    else:
        player.load_program(program, script)
    for index, step in enumerate(script):
        player.play(step, (*loc, index))
    return player.spectrum.save_state()


def new_machine(definition: Definition) -> Spectrum:
    """The machine that a definition asks for, just switched on, with its joystick."""
    return Spectrum(definition.machine, kempston=definition.joystick == "kempston")


class _Player:
    """Does steps on a machine."""

    def __init__(self, definition: Definition, files: Mapping[str, bytes]) -> None:
        self._definition = definition
        self._files = files
        self.spectrum = new_machine(definition)

    def play(self, step: Step, loc: _Location) -> None:
        if step.wait is not None:
            self.spectrum.run_frames(step.wait.frames)
        elif step.press is not None:
            self._press(step.press)
        elif step.until is not None and step.until.condition is not None:
            self._until_it_holds(step.until.condition, step.until.at_most_frames, (*loc, "until", "condition"))
        elif step.until is not None:
            self._until_reached(step.until, (*loc, "until"))
        elif step.load is not None:
            self.load(step.load.file, (*loc, "load", "file"))
        else:
            self._set(step.set or {})

    def load_program(self, program: bytes, script: Script) -> None:
        try:
            self.spectrum = load_program(self._definition, program, script=script)
        except UserError as error:
            message = str(error).removeprefix(f"{self._definition.id}: ")
            raise LocatedError(message, ("program", "bundled")) from error

    def load(self, name: str, loc: _Location) -> None:
        if name not in self._files:
            raise LocatedError(f"{_named(loc)}: the file {name} is not at hand", loc)
        try:
            self.spectrum = load_file(self._definition, self.spectrum, name, self._files[name])
        except UserError as error:
            raise LocatedError(f"{_named(loc)}: {error}", loc) from error

    def _press(self, step: PressStep) -> None:
        keys, directions = split_held(step.keys, self._definition.joystick)
        self.spectrum.press(*keys)
        if directions:
            self.spectrum.joystick(**dict.fromkeys(directions, True))
        self.spectrum.run_frames(step.frames)
        self.spectrum.release_all()

    def _until_reached(self, step: UntilStep, loc: _Location) -> None:
        routine = step.routine or ""
        address = self._definition.routines[routine]
        if self.spectrum.run_until(address, step.at_most_frames) is None:
            raise LocatedError(
                f"{_named(loc)}: {routine} at 0x{address:04X} was not reached within {step.at_most_frames} frames; "
                f"the machine is at 0x{self.spectrum.registers.pc:04X}",
                loc,
            )

    def _until_it_holds(self, condition: str, at_most_frames: int, loc: _Location) -> None:
        formulas = self._definition.formulas()
        program = compile_expression(condition, formulas.names.at_one_moment(), result="condition").code
        reader = Reader(self._definition.variables, formulas.derived)
        for _ in range(at_most_frames):
            if reader.holds(program, self.spectrum.visible_ram()):
                return
            self.spectrum.run_frames(1)
        ram = self.spectrum.visible_ram()
        if reader.holds(program, ram):
            return
        named = dict.fromkeys(operand for _, operand in program if isinstance(operand, str))
        figures = ", ".join(f"{name} is {value}" for name, value in reader.read(ram).items() if name in named)
        raise LocatedError(
            f"{_named(loc)}: {condition!r} did not come true within {at_most_frames} frames"
            + (f"; {figures}" if figures else ""),
            loc,
        )

    def _set(self, values: Mapping[str, int]) -> None:
        ram = self.spectrum.visible_ram()
        for name, value in values.items():
            self._definition.variables[name].write(ram, value)
        self.spectrum.write_block(RAM_START, ram.tobytes())


def _named(loc: _Location) -> str:
    """The step in words: ``start step 3``, as people count."""
    path = [part for part in loc if isinstance(part, str)]
    index = next((part for part in loc if isinstance(part, int)), None)
    if index is None:
        return ".".join(path)
    script = "start" if loc[0] == "start" else f"starts.{loc[1]}"
    return f"{script} step {index + 1}"
