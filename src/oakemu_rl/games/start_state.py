# SPDX-License-Identifier: GPL-3.0-or-later
"""Plays a start script: from a program to the machine in which every episode begins."""

from functools import lru_cache

from oakemu_rl.emulator import Spectrum
from oakemu_rl.errors import UserError
from oakemu_rl.games._names import RAM_START
from oakemu_rl.games.definition import Definition
from oakemu_rl.games.keys import split_held
from oakemu_rl.games.loading import load_program
from oakemu_rl.games.start_script import Step

__all__ = ["make_start_state"]


def make_start_state(definition: Definition, program: bytes) -> bytes:
    """The state of the machine after loading and the start script; kept for the next call with the same game.

    Args:
        definition: The game.
        program: Its tape or snapshot.

    Returns:
        A saved machine, as `Spectrum.load_state` takes it.

    Raises:
        UserError: The program cannot be loaded, or a step waits for a routine that is not reached.
    """
    return _make(definition.model_dump_json(), program)


@lru_cache(maxsize=32)
def _make(definition_json: str, program: bytes) -> bytes:
    definition = Definition.model_validate_json(definition_json)
    spectrum = load_program(definition, program)
    for number, step in enumerate(definition.start, 1):
        _play(spectrum, step, definition, number)
    return spectrum.save_state()


def _play(spectrum: Spectrum, step: Step, definition: Definition, number: int) -> None:
    if step.wait is not None:
        spectrum.run_frames(step.wait.frames)
    elif step.press is not None:
        keys, directions = split_held(step.press.keys, definition.joystick)
        spectrum.press(*keys)
        if directions:
            spectrum.joystick(**dict.fromkeys(directions, True))
        spectrum.run_frames(step.press.frames)
        spectrum.release_all()
    elif step.until is not None:
        address = definition.routines[step.until.routine]
        if spectrum.run_until(address, step.until.at_most_frames) is None:
            raise UserError(
                f"{definition.id}: start step {number}: {step.until.routine} at 0x{address:04X} was not reached within "
                f"{step.until.at_most_frames} frames; the machine is at 0x{spectrum.registers.pc:04X}"
            )
    else:
        for name, value in (step.set or {}).items():
            ram = spectrum.visible_ram()
            definition.variables[name].write(ram, value)
            spectrum.write_block(RAM_START, ram.tobytes())
